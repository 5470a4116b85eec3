/* What computes, in a thread of its own, so that typing never waits for it. The page asks one question at a time: a
   message {number, question, ...} is answered by {number, answer}, or by {number, problem}, a sentence to be shown. */

/**
 * What the page sends before the weights.
 * @typedef {object} Beginning
 * @property {Config & {spread: number}} config
 * @property {string[]} vocabulary
 * @property {{marks: string, signs: string}} newer
 * @property {Tensor[]} tensors
 */

/** A question's own words. @typedef {{text: string, seed: number | null, hide: number[], count: number,
  words: string[], sentence: string, begin: Beginning, bytes: string,
  start: number, end: number}} Asked */

/** @type {Beginning} */
let beginning;
/** @type {Tokenizer} */
let tokenizer;
/** @type {Float32Array} all weights, one tensor after the other */
let numbers;
/** @type {Bert} */
let trained;
/** @type {{seed: number, bert: Bert} | undefined} */
let twin;

/** Return the BERT that is asked: the trained one, or the twin that a seed gives. @param {number | null} seed */
function bertOf(seed) {
  if (seed === null) return trained;
  if (twin?.seed !== seed) {
    const { config, tensors } = beginning;
    twin = { seed, bert: new Bert(config, neverTrained(tensors, config.spread, config.hidden, seed)) };
  }
  return twin.bert;
}

/**
 * Return the tokens of a text that BERT can read, or say why it cannot. Nothing is cut off.
 * @param {string} text
 * @returns {Tokens}
 */
function readable(text) {
  if (typeof text !== "string") throw new Error(`Give a sentence in quotes; this is ${text}.`);
  if (!text.trim()) throw new Error("Nothing to read yet: type a sentence.");
  const found = tokenizer.read(text);
  const limit = beginning.config.positions;
  const inside = found.tokens.slice(1, -1);
  if (!inside.length)
    throw new Error("Nothing is left to read: control characters are dropped. Type some letters.");
  const ours = inside.find((token) => ["[CLS]", "[SEP]", "[PAD]"].includes(token));
  if (ours) throw new Error(`Leave ${ours} out: the tokenizer puts it in itself, and BERT would see it twice.`);
  if (found.ids.length > limit) {
    throw new Error(
      `This is ${found.ids.length} tokens long, [CLS] and [SEP] included, and this BERT reads at most ${limit}. ` +
        "Nothing was cut off: take a sentence less.",
    );
  }
  return found;
}

// What people type for [MASK], as bertlab.masking has it.
const MISSPELT = /[[<{]+\s*mask\s*[\]>}]+/iu;

/** Return the tokens of a text to hide a word in, or say that [MASK] is not spelt so. @param {string} text */
function withGap(text) {
  const found = readable(text);
  const misspelt = text.replaceAll("[MASK]", "").match(MISSPELT);
  if (misspelt) throw new Error(`Type [MASK] in just these letters; here it is ${misspelt[0]}.`);
  return found;
}

/**
 * Return what BERT expects at some places of a text, which are hidden for it: all pieces, the most probable first.
 * @param {Tokens} found
 * @param {number[]} places
 * @param {number | null} seed
 */
function expectedAt(found, places, seed) {
  const bert = bertOf(seed);
  const width = bert.config.hidden;
  const ids = found.ids.map((id, place) => (places.includes(place) ? tokenizer.id("[MASK]") : id));
  const last = bert.read(ids).hidden[bert.config.layers];
  return places.map((place) => bert.expected(last.slice(place * width, (place + 1) * width)));
}

/** The number of each piece, from the most probable on. @param {Float32Array} shares */
function inOrder(shares) {
  return [...shares.keys()].sort((one, other) => shares[other] - shares[one] || one - other);
}

/**
 * Return a sentence with [MASK] in the place of a word, and as much around it as BERT reads, in whole words: of the
 * side that has more pieces, the farthest word goes first.
 * @param {string} sentence
 * @param {number} start
 * @param {number} end
 */
function gapIn(sentence, start, end) {
  const room = beginning.config.positions - 3; // without [CLS], [SEP] and [MASK]
  const spans = [...sentence.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
    size: tokenizer.read(word).ids.length - 2,
  }));
  const before = spans.filter(({ from }) => from < start);
  const after = spans.filter(({ to }) => to > end);
  const sizes = () => [before, after].map((side) => side.reduce((sum, { size }) => sum + size, 0));
  let low = before.length ? before[0].from : start;
  let high = after.length ? after[after.length - 1].to : end;
  for (let [left, right] = sizes(); left + right > room; [left, right] = sizes()) {
    if (left > right) low = Math.max(low, Math.min(/** @type {any} */ (before.shift()).to, start));
    else high = Math.min(high, Math.max(/** @type {any} */ (after.pop()).from, end));
  }
  return `${sentence.slice(low, start)}[MASK]${sentence.slice(end, high)}`;
}

/** @type {Record<string, (asked: Asked) => unknown>} */
const ANSWERS = {
  begin({ begin }) {
    beginning = begin;
    tokenizer = new Tokenizer(begin.vocabulary, begin.newer);
    const weights = new Map();
    numbers = new Float32Array(begin.tensors.reduce((sum, { size }) => sum + size, 0));
    for (const { name, start, size } of begin.tensors) weights.set(name, numbers.subarray(start, start + size));
    trained = new Bert(begin.config, weights);
  },

  /** A part of the weights: numbers of 16 bits, two characters each. */
  part({ bytes, start }) {
    for (let i = 0; i < bytes.length; i += 2) {
      numbers[start + i / 2] = HALVES[bytes.charCodeAt(i) | (bytes.charCodeAt(i + 1) << 8)];
    }
  },

  /** Pieces and ids, of any text: what BERT cannot read can be looked at. */
  tokens({ text }) {
    return tokenizer.read(text);
  },

  read({ text, seed }) {
    const found = readable(text);
    return { ...found, ...bertOf(seed).read(found.ids) };
  },

  /** Hide some places, besides each [MASK] that is typed, and say what is expected there. */
  hidden({ text, hide, seed, count }) {
    const found = withGap(text);
    const typed = [...found.tokens.keys()].filter((place) => found.tokens[place] === "[MASK]");
    const places = [...new Set([...typed, ...hide])].filter((place) => place < found.tokens.length - 1);
    const gaps = expectedAt(found, places, seed).map((shares, i) => {
      const order = inOrder(shares);
      const id = found.ids[places[i]];
      const best = order.slice(0, count);
      return {
        place: places[i],
        piece: found.tokens[places[i]],
        rank: order.indexOf(id) + 1,
        probability: shares[id],
        expected: best.map((piece) => ({ piece: tokenizer.vocabulary[piece], probability: shares[piece] })),
      };
    });
    return { ...found, gaps };
  },

  /** How probable some words are in the place of another one, in its sentence. */
  among({ sentence, start, end, words, seed }) {
    const found = withGap(gapIn(sentence, start, end));
    const [shares] = expectedAt(found, [found.tokens.indexOf("[MASK]")], seed);
    return words.map((word) => shares[tokenizer.id(word)]);
  },

  /** The vector of a whole sentence. */
  sentence({ text, seed }) {
    const { ids } = readable(text);
    const bert = bertOf(seed);
    return meanVector(bert.read(ids).hidden[bert.config.layers], bert.config.hidden);
  },
};

/**
 * Return the number that 16 bits stand for: a sign, five bits of exponent, ten of fraction.
 * @param {number} bits
 */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction) : sign * 2 ** -14 * fraction;
}

const HALVES = Float32Array.from({ length: 2 ** 16 }, (_, bits) => half(bits));

self.onmessage = ({ data }) => {
  const { number, question } = data;
  try {
    self.postMessage({ number, answer: ANSWERS[question](data) });
  } catch (error) {
    self.postMessage({ number, problem: error instanceof Error ? error.message : String(error) });
  }
};
