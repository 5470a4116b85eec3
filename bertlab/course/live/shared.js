"use strict";

/* What both threads need, the one that computes and the one that draws. */

/**
 * The cosine of two vectors (lesson 1).
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function cosine(one, other) {
  let [together, ones, others] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    together += one[i] * other[i];
    ones += one[i] ** 2;
    others += other[i] ** 2;
  }
  return together / Math.sqrt(ones * others);
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
