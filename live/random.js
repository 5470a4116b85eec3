/* A BERT that was never trained: the same tables and matrices, full of random numbers. What it shows, too, is no sign
   of training. In the lessons it is called the untrained twin, and `bertlab.untrained` makes one. */

/**
 * Where a table or matrix lies among all weights.
 * @typedef {object} Tensor
 * @property {string} name
 * @property {number} start
 * @property {number} size
 */

/**
 * Return random weights: normal numbers around 0 in tables and matrices, 0 in biases, 1 in LayerNorms' scales, and 0 in
 * the row of [PAD], which nobody reads.
 * @param {Tensor[]} tensors
 * @param {Config & {spread: number, padding?: number}} config  spread is the standard deviation, that of the trained
 *   BERT's own beginning; padding is the row of [PAD] in the word table
 * @param {number} seed  the same seed gives the same numbers
 * @returns {Map<string, Float32Array>}
 */
function neverTrained(tensors, { spread, hidden, padding = 0 }, seed) {
  const normal = normalNumbers(seed);
  const weights = new Map();
  for (const { name, size } of tensors) {
    const numbers = new Float32Array(size);
    if (name.endsWith("LayerNorm.weight")) numbers.fill(1);
    else if (!name.endsWith("bias")) for (let i = 0; i < size; i++) numbers[i] = spread * normal();
    if (name.endsWith("word_embeddings.weight")) numbers.fill(0, padding * hidden, (padding + 1) * hidden);
    weights.set(name, numbers);
  }
  return weights;
}

/**
 * Return a function that gives normal numbers, one after the other: two even ones become a length and an angle
 * (Box and Muller 1958).
 * @param {number} seed
 */
function normalNumbers(seed) {
  const even = evenNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even());
}

/**
 * Return a function that gives numbers from 0 to 1, all as likely: Mulberry32, a generator with 32 bits of state.
 * @param {number} seed
 */
function evenNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
