/* Watch it learn with one's own sentence: what a sibling of this BERT expects in it, on its way through training. */

const LEARNT = 5; // pieces that are shown of each copy

class Copies {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.page = view.page;
    this.button = view.one(".ask");
    this.coming = view.one(".coming");
    this.missing = view.one(".yours .problem");
    this.asked = view.one(".asked");
    this.shown = view.one(".copies");
    view.one(source.copies ? ".away" : ".sibling").remove();
    if (!source.copies) delete view.section.dataset.sentence; // nothing here is about it
    this.button.append(` (${source.copies?.megabytes} MB)`);
    this.button.onclick = () => this.load();
  }

  /** Load one copy after the other, and ask each as soon as it is there. */
  async load() {
    const all = Object.keys(this.page.data.copies).map(Number);
    const bar = only("progress", this.coming);
    this.missing.textContent = "";
    this.button.hidden = true;
    this.coming.hidden = false;
    bar.max = all.length;
    try {
      for (const [i, steps] of all.entries()) {
        bar.value = i;
        await loadCopy(this.page, steps);
        this.page.refresh();
      }
      this.view.section.classList.add("compares");
    } catch (error) {
      this.missing.textContent = error.message;
      this.button.hidden = false;
    }
    this.coming.hidden = true;
  }

  /** Ask the copies that are there about the one hidden word of the sentence. */
  async show() {
    if (!this.page.copies.size) return;
    const { tokens } = await this.view.ask("tokens");
    const hide = tokens.includes("[MASK]") ? [] : lastWord(tokens).map(({ place }) => place);
    const found = [];
    for (const copy of this.page.copies) {
      const { gaps } = await this.view.ask("hidden", { hide, seed: null, copy, count: LEARNT });
      if (gaps.length !== 1) throw new Error("One word can be hidden here: write [MASK] once, in its place.");
      found.push({ copy, gap: /** @type {Gap} */ (gaps[0]) });
    }
    const { piece } = found[0].gap;
    this.asked.replaceChildren(
      ...(hide.length ? ["Hidden: ", element("b", {}, piece), ". Write [MASK] in the place of another word."] : []),
    );
    const longest = Math.max(...found.map(({ gap }) => gap.expected[0].probability));
    this.shown.replaceChildren(...found.map(({ copy, gap }) => drawCopy(copy, gap, longest)));
  }
}

/** @param {number} steps @param {Gap} gap @param {number} longest  the probability of the longest of all bars */
function drawCopy(steps, { piece, rank, expected }, longest) {
  const truth = piece === "[MASK]" ? "" : `${piece}: rank ${grouped(rank)}`;
  const heading = element("h4", {}, `${grouped(steps)} steps`);
  return element("section", {}, heading, element("small", {}, truth), barsOf(expected, piece, longest));
}
