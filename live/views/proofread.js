/* The proof-reader: words that people confuse, each hidden in turn, and what BERT expects of its set (lesson 6). */

/** @typedef {{start: number, word: string, suggestion: string, probability: number}} Doubt */

class ProofreadView {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    this.page = page;
    this.input = only("textarea", section);
    this.marked = only(".marked", section);
    this.said = only(".said", section);
    this.list = only(".doubts", section);
    this.sets = only(".sets", section);
    this.input.oninput = () => page.refresh();
  }

  async show() {
    const { seed, data } = this.page;
    const text = this.input.value;
    if (text.includes("[MASK]")) throw new Error("The text holds a [MASK]. Write the word out.");
    this.sets.textContent = data.proofreader.sets.map((/** @type {string[]} */ set) => set.join("/")).join(", ");
    const doubts = [];
    const places = confusable(text, data.proofreader.sets);
    this.said.textContent = `Looking at ${places.length} words ...`;
    for (const place of places) {
      const doubt = await doubtAt(this.page, place, seed);
      if (text !== this.input.value || seed !== this.page.seed) return;
      if (doubt) doubts.push(doubt);
      this.draw(text, places, doubts);
    }
    this.draw(text, places, doubts);
    const many = places.length === 1 ? "1 word" : `${places.length} words`;
    const found = doubts.length
      ? `${doubts.length} of these ${doubts.length === 1 ? "is" : "are"} doubtful`
      : "none of these is doubtful";
    this.said.textContent = places.length
      ? `It looked at ${many} of its list, and at no other; ${found}.`
      : "This text has no word of its list, so it looked at nothing.";
  }

  /** @param {string} text @param {Place[]} places @param {Doubt[]} doubts */
  draw(text, places, doubts) {
    const parts = [];
    let end = 0;
    for (const { start, word } of places) {
      const doubt = doubts.find((one) => one.start === start);
      parts.push(text.slice(end, start));
      parts.push(
        doubt
          ? element("mark", {}, word, element("b", {}, ` → ${doubt.suggestion}`))
          : element("span.seen", {}, word),
      );
      end = start + word.length;
    }
    this.marked.replaceChildren(...parts, text.slice(end));
    const rows = doubts.map(({ word, suggestion, probability }) =>
      element("li", {}, element("s", {}, word), " → ", element("b", {}, suggestion), ` ${percent(probability)}`),
    );
    this.list.replaceChildren(...rows);
  }
}

/**
 * A word that may be confused: in its sentence, and where that begins in the text.
 * @typedef {{start: number, word: string, words: string[], sentence: string, begin: number}} Place
 */

// The end of a sentence or of a paragraph, as bertlab.masking has it.
const END = /(?<=[.!?])["'”’)\]]*\s+(?=["'“‘([]*[A-Z0-9])|\s*\n\s*\n\s*/g;

/**
 * Return where a text has a word of one of the sets. A word of two sets has the words of both beside it.
 * @param {string} text
 * @param {string[][]} sets
 * @returns {Place[]}
 */
function confusable(text, sets) {
  const places = [];
  let begin = 0;
  const ends = [...text.matchAll(END)].map((end) => [end.index, end.index + end[0].length]);
  for (const [end, next] of [...ends, [text.length, text.length]]) {
    const sentence = text.slice(begin, end);
    for (const { 0: word, index } of sentence.matchAll(/(?<![\p{L}\p{N}_'’-])[a-z]+(?![\p{L}\p{N}_'’-])/giu)) {
      const words = [...new Set(sets.filter((set) => set.includes(word.toLowerCase())).flat())];
      if (words.length) places.push({ start: begin + index, word, words, sentence, begin });
    }
    begin = next;
  }
  return places;
}

/**
 * Hide one word, and say whether another of its set is expected so much more that the word is doubtful.
 * @param {Page} page
 * @param {Place} place
 * @param {number | null} seed
 * @returns {Promise<Doubt | null>}
 */
async function doubtAt(page, { start, word, words, sentence, begin }, seed) {
  const gap = { sentence, start: start - begin, end: start - begin + word.length };
  /** @type {number[]} */
  const shares = await page.ask("proofread", "among", { ...gap, words, seed });
  const best = shares.indexOf(Math.max(...shares));
  const probability = shares[best] / shares.reduce((sum, share) => sum + share, 0);
  if (words[best] === word.toLowerCase() || probability <= page.data.proofreader.threshold) return null;
  return { start, word, suggestion: written(words[best], word), probability };
}

/**
 * Return a suggestion with the capitals of the word that it replaces.
 * @param {string} suggestion
 * @param {string} word
 */
function written(suggestion, word) {
  if (word.length > 1 && word === word.toUpperCase()) return suggestion.toUpperCase();
  return word[0] === word[0].toUpperCase() ? suggestion[0].toUpperCase() + suggestion.slice(1) : suggestion;
}
