"use strict";

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
    this.input.oninput = () => page.refresh();
  }

  async show() {
    const { seed, data } = this.page;
    const text = this.input.value;
    const doubts = [];
    const places = confusable(text, data.proofreader.sets);
    this.said.textContent = `Looking at ${places.length} words ...`;
    for (const place of places) {
      const doubt = await doubtAt(this.page, text, place, data.proofreader.threshold, seed);
      if (text !== this.input.value || seed !== this.page.seed) return;
      if (doubt) doubts.push(doubt);
      this.draw(text, places, doubts);
    }
    this.draw(text, places, doubts);
    const found = doubts.length === 1 ? "1 of them is doubtful" : `${doubts.length} of them are doubtful`;
    this.said.textContent = `${places.length} words that people confuse; ${found}.`;
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

/** @typedef {{start: number, word: string, set: string[]}} Place */

/**
 * Return where a text has a word of one of the sets.
 * @param {string} text
 * @param {string[][]} sets
 * @returns {Place[]}
 */
function confusable(text, sets) {
  const places = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*/gu)) {
    const set = sets.find((words) => words.includes(word.toLowerCase()));
    if (set) places.push({ start: index, word, set });
  }
  return places;
}

/**
 * Hide one word, and say whether another of its set is expected so much more that the word is doubtful.
 * @param {Page} page
 * @param {string} text
 * @param {Place} place
 * @param {number} threshold
 * @param {number | null} seed
 * @returns {Promise<Doubt | null>}
 */
async function doubtAt(page, text, { start, word, set }, threshold, seed) {
  const hidden = `${text.slice(0, start)}[MASK]${text.slice(start + word.length)}`;
  const shares = await page.ask("proofread", "among", { text: hidden, words: set, seed });
  const sum = shares.reduce((/** @type {number} */ total, /** @type {number} */ share) => total + share, 0);
  const best = shares.indexOf(Math.max(...shares));
  const probability = shares[best] / sum;
  if (set[best] === word.toLowerCase() || probability < threshold) return null;
  return { start, word, suggestion: set[best], probability };
}
