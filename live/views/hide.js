/* Hide a word: what BERT expects in its place, and where the word stands that was there (lesson 6). */

const MOST_HIDDEN = 2;
const SHOWN = 10;

class HideView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.pieces = this.one(".pieces");
    this.gaps = this.one(".gaps");
    /** @type {{place: number, piece: string}[]} those that were pressed last, at the end */
    this.hidden = [];
    this.text = ""; // what was shown last
  }

  get parts() {
    return this.hidden.length ? { hide: this.hidden[this.hidden.length - 1].piece } : {};
  }

  async show() {
    const { text, seed, data, example } = this.page;
    const tokens = (await this.ask("tokens")).tokens;
    const wanted = example?.hide;
    if (wanted) this.hidden = [{ place: tokens.indexOf(wanted), piece: wanted }];
    const anew = example || text !== this.text; // otherwise somebody may have pressed the last hidden one
    if (this.page.example === example) this.page.example = null; // one pressed meanwhile has its turn next
    this.text = text;
    this.hidden = this.hidden.filter(({ place, piece }) => tokens[place] === piece); // the text may be another now
    if (anew && !this.hidden.length && !tokens.includes("[MASK]")) this.hidden = lastWord(tokens);
    this.draw(tokens);
    const hide = this.hidden.map(({ place }) => place);
    const { gaps } = await this.ask("hidden", { text, seed, hide, count: SHOWN });
    gaps.sort((/** @type {Gap} */ one, /** @type {Gap} */ other) => one.place - other.place);
    const none = element("p", {}, "Press a word above to hide it.");
    this.gaps.replaceChildren(
      ...(gaps.length ? gaps.map((/** @type {Gap} */ gap) => drawGap(gap, data.vocabulary.length)) : [none]),
    );
  }

  /** @param {string[]} tokens */
  draw(tokens) {
    const buttons = tokens.slice(1, -1).map((piece, i) => {
      const place = i + 1;
      const hidden = this.hidden.some((one) => one.place === place);
      const inside = hidden ? ["[MASK]"] : shown(piece);
      const name = hidden ? `[MASK], for ${piece}` : piece;
      const button = element("button.piece", { "aria-pressed": hidden, "aria-label": name }, ...inside);
      button.onclick = () => this.press(place, piece);
      return button;
    });
    this.renew(this.pieces, buttons);
  }

  /** @param {number} place @param {string} piece */
  press(place, piece) {
    const before = this.hidden.length;
    this.hidden = this.hidden.filter((one) => one.place !== place);
    if (this.hidden.length === before) this.hidden = [...this.hidden, { place, piece }].slice(-MOST_HIDDEN);
    this.page.refresh();
  }
}

/** The last whole word of a sentence, which is hidden if nobody chose one. @param {string[]} tokens */
function lastWord(tokens) {
  const place = tokens.findLastIndex((piece, i) => /^\p{L}+$/u.test(piece) && !tokens[i + 1].startsWith("##"));
  return place < 0 ? [] : [{ place, piece: tokens[place] }];
}

/**
 * What is expected in one place.
 * @typedef {{place: number, piece: string, rank: number, probability: number,
 *     expected: {piece: string, probability: number}[]}} Gap
 */

/** @param {Gap} gap @param {number} pieces  of the vocabulary */
function drawGap({ piece, rank, probability, expected }, pieces) {
  const typed = piece === "[MASK]";
  const truth = typed
    ? ["The sentence has a [MASK]: only you know what belongs there."]
    : [
        element("b", {}, piece),
        ` was the original word: rank ${grouped(rank)} of ${grouped(pieces)}, probability ${percent(probability)}.`,
      ];
  const heading = typed ? "In place of [MASK]" : `In place of ${piece}`;
  return element(
    "section.gap",
    {},
    element("h3", {}, heading),
    element("p", {}, ...truth),
    barsOf(expected, piece),
  );
}
