/* The beginning: the weights come in, the page shows what its address asks for, and the console may ask it, too. */

const page = new Page();
const progress = only("#progress");

/** @param {number} done @param {number} of */
function showProgress(done, of) {
  only("progress", progress).max = of;
  only("progress", progress).value = done;
  if (done) return;
  page.address.read();
}

const ready = loadWeights(page, showProgress).then(() => {
  progress.hidden = true;
  page.asking.begin();
  new Own(page);
});
ready.catch((error) => {
  only(".problem", progress).textContent = error.message;
  page.inline.done();
});

let asked = 0; // from the console, each in a lane of its own, so that none takes another's place

/** What the scripts of the weights call, and what anybody may call from the browser's console. */
Object.assign(window, {
  bertlab: {
    begin: page.begin.bind(page),
    part: page.part.bind(page),
    copy: page.copy.bind(page),

    /**
     * What is expected at the first [MASK] of a text: [{piece, probability}, ...], the most probable first.
     * @param {string} text
     * @param {number} [count]  how many; without it, all pieces
     */
    async fill(text, count = Infinity) {
      await ready;
      if (!(count >= 1)) throw new Error(`count is ${count}; it counts pieces, from 1 on.`);
      const question = { text, seed: page.seed, hide: [], count };
      const { gaps } = await page.ask(`console ${asked++}`, "hidden", question);
      if (!gaps.length) throw new Error("Write [MASK] in the place of a word.");
      return gaps[0].expected;
    },

    /** A text's tokens and ids, and attention[layer][head][token][token]. @param {string} text */
    async read(text) {
      await ready;
      const { tokens, ids, attention } = await page.ask(`console ${asked++}`, "read", { text, seed: page.seed });
      const { layers, heads } = page.data.config;
      return { tokens, ids, attention: nested([...attention], [layers, heads, tokens.length, tokens.length]) };
    },
  },
});

/** Return a long list as lists in lists. @param {any[]} list @param {number[]} sizes @returns {any[]} */
function nested(list, sizes) {
  if (sizes.length < 2) return list;
  const [outer, ...inner] = sizes;
  const size = list.length / outer;
  return Array.from({ length: outer }, (_, i) => nested(list.slice(i * size, (i + 1) * size), inner));
}
