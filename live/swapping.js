/* Two sentences that differ in a word: what BERT says of one when a vector of it comes from the other; and heads that
   are turned up or down. */

/**
 * What is compared: a text and another of as many tokens, each read, and the place of [MASK] in both.
 * @typedef {{first: Reading, second: Reading, mask: number}} Compared
 */

/**
 * Return the last vector at [MASK] of the first text, when one vector comes from the second: a token's after some
 * layers, or what a head makes at [MASK].
 * @param {Bert} bert
 * @param {Compared} compared
 * @param {{layers: number, token: number} | {layer: number, head: number}} from
 */
function swapped(bert, { first, second, mask }, from) {
  const { heads, hidden, layers } = bert.config;
  const width = hidden / heads;
  /** @param {Float32Array} table @param {number} token */
  const row = (table, token) => table.subarray(token * hidden, (token + 1) * hidden);
  let [after, token, vector] = [0, mask, new Float32Array()];
  if ("head" in from) {
    const { layer, head } = from;
    const joined = row(first.layers[layer].joined, mask).slice();
    const mine = row(second.layers[layer].joined, mask).subarray(head * width, (head + 1) * width);
    joined.set(mine, head * width);
    after = layer + 1; // all other tokens leave this layer as they did
    vector = bert.finish(layer, row(first.hidden[layer], mask), joined).out;
  } else {
    after = from.layers;
    token = from.token;
    vector = row(second.hidden[after], token);
  }
  let entering = first.hidden[after].slice();
  const own = row(entering, token);
  if (vector.every((number, i) => number === own[i])) return row(first.hidden[layers], mask); // nothing is swapped
  own.set(vector);
  if (after === layers) return row(entering, mask);
  for (; after < layers - 1; after++) entering = bert.layer(after, entering).out;
  const { joined } = bert.attend(`bert.encoder.layer.${after}.attention.self`, entering);
  return bert.finish(after, row(entering, mask), row(joined, mask)).out; // the other tokens are not asked for
}

/**
 * Return what turns heads up or down: each number that a head makes is taken as many times.
 * @param {Bert} bert
 * @param {number[]} knobs  one per head, layer after layer
 * @returns {Change}
 */
function turning(bert, knobs) {
  const { heads, hidden } = bert.config;
  const width = hidden / heads;
  return (layer, joined) => {
    for (let i = 0; i < joined.length; i++) joined[i] *= knobs[layer * heads + Math.floor((i % hidden) / width)];
  };
}

/**
 * Return what is expected first at [MASK], and how probable it still is (left) when one head is switched off.
 * @param {Asked} asked
 */
function effectOf({ text, seed, from: { layer, head } }) {
  const found = withGap(text);
  const mask = onlyGap(found);
  const bert = bertOf(seed);
  const { heads, hidden, layers } = bert.config;
  const reading = readingOf(found.ids, seed);
  const before = softmax(logitsAt(bert, reading, mask));
  const [first] = largest(before, 1);
  const joined = reading.layers[layer].joined.map((number, i) =>
    Math.floor((i % hidden) / (hidden / heads)) === head ? 0 : number,
  );
  let { out } = bert.finish(layer, reading.hidden[layer], joined);
  for (let after = layer + 1; after < layers; after++) out = bert.layer(after, out).out;
  return { ...named(first, before), left: softmax(bert.logits(out.slice(mask * hidden, (mask + 1) * hidden)))[first] };
}

/**
 * Return by how much the second words are preferred to the first: the difference of their mean logits.
 * @param {Float32Array} logits
 * @param {number[][]} words  ids
 */
function preference(logits, [first, second]) {
  /** @param {number[]} ids */
  const mean = (ids) => ids.reduce((sum, id) => sum + logits[id], 0) / ids.length;
  return mean(second) - mean(first);
}

/**
 * Return the word whose probability is most above that in the other text, for each of two texts.
 * @param {Float32Array[]} logits
 */
function telling(logits) {
  const [first, second] = logits.map(softmax);
  const isWhole = (/** @type {number} */ id) => /^\p{L}+$/u.test(tokenizer.vocabulary[id]);
  /** @param {Float32Array} here @param {Float32Array} there */
  const most = (here, there) => {
    const ten = largest(here.map((share, id) => share - there[id]), 10);
    return ten.find(isWhole) ?? ten[0];
  };
  return [[most(first, second)], [most(second, first)]];
}

/** Return the one place of [MASK] in a text. @param {Tokens} found */
function onlyGap({ tokens }) {
  const mask = tokens.indexOf("[MASK]");
  if (mask < 0 || mask !== tokens.lastIndexOf("[MASK]"))
    throw new Error("One word can be hidden here: write [MASK] once, in its place.");
  return mask;
}

/**
 * Read two sentences that are to be compared token by token, or say why they cannot be.
 * @param {Asked} asked
 */
function compared({ text, other, seed }) {
  const [one, two] = [withGap(text), withGap(other)];
  const [mask, otherMask] = [onlyGap(one), onlyGap(two)];
  const [many, others] = [one.tokens.length, two.tokens.length];
  if (many !== others)
    throw new Error(
      `The sentences have ${many} and ${others} tokens. A vector can come from the other one only ` +
        "if both have the same number: exchange a word for another that is one piece.",
    );
  if (mask !== otherMask) throw new Error("[MASK] must be the same token in both sentences.");
  if (one.ids.every((id, place) => id === two.ids[place]))
    throw new Error("The two sentences are the same: change a word.");
  return { one, two, first: readingOf(one.ids, seed), second: readingOf(two.ids, seed), mask };
}
