/* The proof-reader: words that people confuse, each hidden in turn, and what BERT expects of its sets (lesson 6). */

/**
 * A word that may be confused: where it stands, which words compete with it, and its sentence.
 * @typedef {{start: number, word: string, choices: string[][], begin: number, sentence: string}} Place
 */

/** @typedef {{suggestion: string, probability: number}} Doubt */

const NEAR = 3; // watched words on either side that a wrong word may spoil, as bertlab.masking has it

const SHARES =
  " The percentages: how probable it finds the suggestion, among the words of its set. A mark may come from a wrong " +
  "word beside it.";

class ProofreadView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.input = this.one("textarea");
    this.marked = this.one(".marked");
    this.said = this.one(".said");
    this.list = this.one(".doubts");
    this.sets = this.one(".sets");
    this.kinds = this.one(".kinds");
    /** @type {Map<string, string[][]> | null} */
    this.watched = null;
    this.runs = 0; // an earlier run stops: its questions would take the place of the newest one's
    this.input.oninput = () => page.refresh();
  }

  /** @param {HTMLElement} button */
  example(button) {
    this.input.value = button.textContent;
    this.page.refresh();
  }

  forget() {
    this.watched = null;
  }

  async show() {
    const { seed, data } = this.page;
    const text = this.input.value;
    if (text.includes("[MASK]")) throw new Error("The text holds a [MASK]. Write the word out.");
    this.watched ??= watchedWords(data.proofreader);
    this.describe(data.proofreader);
    const places = confusable(text, this.watched);
    const run = ++this.runs;
    this.said.textContent = `Looking at ${places.length} words ...`;
    /** @type {Map<Place, Doubt>} */
    const marks = new Map(); // what is settled
    /** @type {Map<Place, Doubt>} */
    const doubts = new Map();
    for (let asked = places; asked.length || doubts.size; asked = settle(places, doubts, marks)) {
      for (const place of asked) {
        const doubt = await doubtAt(this.page, place, marks, seed);
        if (run !== this.runs || text !== this.input.value || seed !== this.page.seed) return;
        if (doubt) doubts.set(place, doubt);
        this.draw(text, places, new Map([...marks, ...doubts]));
      }
    }
    this.draw(text, places, marks);
    const many = places.length === 1 ? "1 word" : `${places.length} words`;
    const found = marks.size
      ? `${marks.size} of these ${marks.size === 1 ? "is" : "are"} doubtful`
      : "none of these is doubtful";
    this.said.textContent = places.length
      ? `It looked at ${many} of its list, and at no other; ${found}.${marks.size ? SHARES : ""}`
      : "This text has no word of its list, so it looked at nothing.";
  }

  /** Say what is watched: sets by their words, many sets of one kind by their number. @param {any} known */
  describe({ confused, single, kinds }) {
    this.sets.textContent = [...confused, ...single].map((words) => words.join("/")).join(", ");
    this.kinds.textContent = Object.entries(kinds)
      .map(([name, { length }]) => `${name} (${length} such sets)`)
      .join(", ");
  }

  /** @param {string} text @param {Place[]} places @param {Map<Place, Doubt>} doubts */
  draw(text, places, doubts) {
    const parts = [];
    const rows = [];
    let end = 0;
    for (const place of places) {
      const { start, word } = place;
      const doubt = doubts.get(place);
      parts.push(text.slice(end, start));
      end = start + word.length;
      if (!doubt) {
        parts.push(element("span.seen", {}, word));
        continue;
      }
      const instead = element("b", {}, doubt.suggestion);
      parts.push(element("mark", {}, word, element("b", {}, ` → ${doubt.suggestion}`)));
      rows.push(element("li", {}, element("s", {}, word), " → ", instead, ` ${percent(doubt.probability)}`));
    }
    this.marked.replaceChildren(...parts, text.slice(end));
    this.list.replaceChildren(...rows);
  }
}

/**
 * Return, for each word in small letters, what it is weighed against. Confused words of two sets have those of both
 * beside them; each other set is weighed by itself.
 * @param {any} known
 * @returns {Map<string, string[][]>}
 */
function watchedWords({ confused, single, kinds }) {
  const watched = new Map();
  for (const word of new Set(confused.flat())) {
    const sets = confused.filter((/** @type {string[]} */ set) => set.includes(word));
    watched.set(word, [[...new Set(sets.flat())]]);
  }
  for (const words of [...single, ...Object.values(kinds).flat()]) {
    for (const word of words) {
      const small = word.toLowerCase();
      watched.set(small, [...(watched.get(small) ?? []), words]);
    }
  }
  return watched;
}

// The end of a sentence or of a paragraph, as bertlab.masking has it.
const END = /(?<=[.!?])["'”’)\]]*\s+(?=["'“‘([]*[A-Z0-9])|\s*\n\s*\n\s*/g;
// No word in -ing right after "to": BERT expects a base there, also in "I look forward to seeing you".
const WORD = /(?<![\p{L}\p{N}_'’-])(?!(?<=\bto\s)[a-z]+ing\b)[a-z]+(?:['’]t)?(?![\p{L}\p{N}_'’-])/giu;

/** Return a word in the letters of the sets. @param {string} word */
function plain(word) {
  return word.toLowerCase().replace("’", "'");
}

/**
 * Return the piece that stands for a word: "don" for "don't", whose rest stays where it is.
 * @param {string} word
 * @param {boolean} [cased]  whether capitals count: then it is I, not i
 */
function pieceOf(word, cased = false) {
  return (cased ? word : plain(word)).split(/['’]/)[0];
}

/**
 * Return the words to watch of which a vocabulary has a piece, in their sets.
 * @param {any} known
 * @param {string[]} vocabulary
 * @param {boolean} cased
 */
function watchedIn({ confused, single, kinds, ...more }, vocabulary, cased) {
  const pieces = new Set(vocabulary);
  /** @param {string[][]} sets */
  const kept = (sets) =>
    sets.map((set) => set.filter((word) => pieces.has(pieceOf(word, cased)))).filter((set) => set.length > 1);
  const ofKinds = Object.entries(kinds).map(([name, sets]) => [name, kept(sets)]);
  return { ...more, confused: kept(confused), single: kept(single), kinds: Object.fromEntries(ofKinds) };
}

/**
 * Return where a text has a word that is watched.
 * @param {string} text
 * @param {Map<string, string[][]>} watched
 * @returns {Place[]}
 */
function confusable(text, watched) {
  const places = [];
  let begin = 0;
  const ends = [...text.matchAll(END)].map((end) => [end.index, end.index + end[0].length]);
  for (const [end, next] of [...ends, [text.length, text.length]]) {
    const sentence = text.slice(begin, end);
    for (const { 0: word, index } of sentence.matchAll(WORD)) {
      const choices = watched.get(plain(word));
      if (choices) places.push({ start: begin + index, word, choices, begin, sentence });
    }
    begin = next;
  }
  return places;
}

/**
 * Mend the surest doubtful word of each sentence, and return the places close to it, which are to be asked again.
 * @param {Place[]} places
 * @param {Map<Place, Doubt>} doubts  what is taken from them is settled or asked again
 * @param {Map<Place, Doubt>} marks
 */
function settle(places, doubts, marks) {
  const surest = new Map();
  for (const [place, doubt] of doubts) {
    if (!(surest.get(place.begin)?.doubt.probability > doubt.probability)) surest.set(place.begin, { place, doubt });
  }
  const again = new Set();
  for (const { place, doubt } of surest.values()) {
    marks.set(place, doubt);
    const at = places.indexOf(place);
    for (const near of places.slice(Math.max(0, at - NEAR), at + NEAR + 1)) {
      if (near.begin === place.begin) doubts.delete(near);
      if (near.begin === place.begin && !marks.has(near)) again.add(near);
    }
  }
  return places.filter((place) => again.has(place));
}

/**
 * Hide one word, in its sentence with its marks mended, and return the surest doubt of all its sets, if there is one.
 * @param {Page} page
 * @param {Place} place
 * @param {Map<Place, Doubt>} marks
 * @param {number | null} seed
 * @returns {Promise<Doubt | null>}
 */
async function doubtAt(page, place, marks, seed) {
  const { word, choices, begin } = place;
  let { sentence } = place;
  let start = place.start - begin;
  const mended = [...marks].filter(([mark]) => mark.begin === begin);
  for (const [mark, { suggestion }] of mended.sort(([one], [other]) => other.start - one.start)) {
    const at = mark.start - begin; // from the last on, so that the others stay where they are
    sentence = sentence.slice(0, at) + suggestion + sentence.slice(at + mark.word.length);
    if (mark.start < place.start) start += suggestion.length - mark.word.length;
  }
  const words = [...new Set(choices.flat())];
  const pieces = words.map((one) => pieceOf(one, page.data.cased));
  const gap = { sentence, start, end: start + pieceOf(word).length, words: pieces };
  /** @type {number[]} */
  const shares = await page.ask("proofread", "among", { ...gap, seed });
  const expected = new Map(words.map((one, i) => [one, shares[i]]));
  const share = (/** @type {string} */ one) => expected.get(one) ?? 0;
  const first = !/[\p{L}\p{N}_]/u.test(sentence.slice(0, start));
  let surest = null;
  for (const competing of choices) {
    const best = competing.reduce((one, other) => (share(other) > share(one) ? other : one));
    const probability = share(best) / competing.reduce((sum, one) => sum + share(one), 0);
    if (plain(best) !== plain(word) && probability > (surest?.probability ?? page.data.proofreader.threshold)) {
      surest = { suggestion: written(best, word, first), probability };
    }
  }
  return surest;
}

/**
 * Return a suggestion with the capitals and the apostrophe of the word that it replaces; "I" is always large.
 * @param {string} suggestion
 * @param {string} word
 * @param {boolean} first  whether it is the first of its sentence
 */
function written(suggestion, word, first) {
  const mended = word.includes("’") ? suggestion.replace("'", "’") : suggestion;
  if (word.length > 1 && word === word.toUpperCase()) return mended.toUpperCase();
  const large = word[0] === word[0].toUpperCase() && (word !== "I" || first);
  return large ? mended[0].toUpperCase() + mended.slice(1) : mended;
}
