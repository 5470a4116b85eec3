/* What computes, in a thread of its own, so that typing never waits for it. The page asks one question at a time: a
   message {number, question, ...} is answered by {number, answer}, or by {number, problem}, a sentence to be shown. */

/**
 * What the page sends before the weights.
 * @typedef {object} Beginning
 * @property {Config & {spread: number}} config
 * @property {string[]} vocabulary
 * @property {{marks: string, signs: string}} newer
 * @property {Tensor[]} tensors
 * @property {string[][]} partners
 */

/** A question's own words. @typedef {{text: string, seed: number | null, count: number, place: number,
  words: string[], sentence: string, begin: Beginning, bytes: string, start: number, end: number, followed: Followed,
  other: string, lists: string[][], from: any, knobs: number[], hide: any, may: boolean, copy?: number, files: File[],
  newer: {marks: string, signs: string}, partners: string[][]}} Asked */

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
/** @type {Map<number, Bert>} a sibling of the trained one, by its steps of training */
const copies = new Map();
/** @type {Map<string, Reading>} the two read last: several questions are asked about a text */
const kept = new Map();

/** Return the BERT that is asked: the trained one, the twin that a seed gives, or a copy of the sibling.
 * @param {number | null} seed @param {number} [copy] @returns {Bert} */
function bertOf(seed, copy) {
  if (copy) return /** @type {Bert} */ (copies.get(copy));
  if (seed === null) return trained;
  if (twin?.seed !== seed) {
    const { config, tensors } = beginning;
    twin = { seed, bert: new Bert(config, neverTrained(tensors, config, seed)) };
  }
  return twin.bert;
}

/** Return the BERT whose numbers stand in a row, one tensor after the other. @param {Float32Array} row */
function bertFrom(row) {
  const { config, tensors } = beginning;
  return new Bert(config, new Map(tensors.map(({ name, start, size }) => [name, row.subarray(start, start + size)])));
}

/** Read tokens, or take what was read. @param {number[]} ids @param {number | null} seed @param {number} [copy] */
function readingOf(ids, seed, copy) {
  const name = `${seed}, ${copy}: ${ids}`;
  const reading = kept.get(name) ?? bertOf(seed, copy).read(ids);
  kept.delete(name); // the newest stands at the end
  kept.set(name, reading);
  if (kept.size > 2) kept.delete([...kept.keys()][0]);
  return reading;
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
        "Nothing was cut off. Remove a sentence.",
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

/** Return the id of a word that is one piece. @param {string} word */
function pieceId(word) {
  const { tokens, ids } = tokenizer.read(word);
  if (tokenizer.ids.has(word)) return tokenizer.id(word); // a piece such as ##s, too
  if (tokens.length !== 3)
    throw new Error(`${word} is not a single piece: it splits into ${tokens.slice(1, -1).join(" ")}.`);
  return ids[1];
}

/** @type {Record<string, (asked: Asked) => unknown>} */
const ANSWERS = {
  begin({ begin }) {
    beginning = begin;
    tokenizer = new Tokenizer(begin.vocabulary, begin.newer);
    numbers = new Float32Array(begin.tensors.reduce((sum, { size }) => sum + size, 0));
    trained = bertFrom(numbers);
  },

  /** A part of the weights: numbers of 16 bits, two characters each. */
  part({ bytes, start }) {
    for (let i = 0; i < bytes.length; i += 2) {
      numbers[start + i / 2] = HALVES[bytes.charCodeAt(i) | (bytes.charCodeAt(i + 1) << 8)];
    }
  },

  /** A copy of the sibling, in eight bits a number. */
  copy({ copy, bytes }) {
    copies.set(Number(copy), bertFrom(ofEightBits(bytes)));
  },

  /** Begin with a BERT of one's own; then each of its tensors is to be told, by its place. */
  own({ files, newer, partners }) {
    const { config, vocabulary, rules, tensors } = checkpointIn(files);
    beginning = { config, vocabulary, newer, partners, tensors };
    tokenizer = new Tokenizer(vocabulary, newer, rules);
    trained = new Bert(config, new Map());
    const guesses = tensors.some(({ name }) => name.startsWith("cls."));
    return { config, vocabulary, cased: !rules.lower, guesses, sizes: tensors.map(({ size }) => size) };
  },

  tensor({ place }) {
    const tensor = beginning.tensors[place];
    trained.weights.set(tensor.name, numbersOf(/** @type {any} */ (tensor)));
  },

  /** Pieces and ids, of any text: what BERT cannot read can be looked at. */
  tokens({ text }) {
    return tokenizer.read(text);
  },

  read({ text, seed }) {
    const found = readable(text);
    const { hidden, layers } = readingOf(found.ids, seed);
    const square = layers[0].weights.length;
    const attention = new Float32Array(layers.length * square);
    layers.forEach(({ weights }, layer) => attention.set(weights, layer * square));
    return { ...found, hidden, attention };
  },

  /** The numbers on one number's way through a layer. */
  trace({ text, seed, followed }) {
    const found = readable(text);
    const reading = readingOf(found.ids, seed);
    const within = settled(bertOf(seed), reading, found.tokens, followed);
    return { ...found, ...within, ...traced(bertOf(seed), reading, within) };
  },

  /** Two sentences that differ in a word: what BERT expects in each, and how far apart they are. */
  compare(asked) {
    const { anew, ...texts } = pairOf(asked);
    const { one, two, first, second, mask } = compared({ ...asked, ...texts });
    const bert = bertOf(asked.seed);
    const logits = [first, second].map((reading) => logitsAt(bert, reading, mask));
    const lists = anew ? undefined : asked.lists; // what was typed belongs to other sentences
    const words = lists ? lists.map((list) => list.map(pieceId)) : telling(logits);
    return {
      anew,
      texts,
      toHide: wordsToHide(asked.text, mask),
      tokens: one.tokens,
      others: two.tokens,
      mask,
      words: words.map((ids) => ids.map((id) => tokenizer.vocabulary[id])),
      preferences: logits.map((each) => preference(each, words)),
      expected: logits.map((each) => expectedFirst(each, asked.count)),
    };
  },

  /** BERT's preference in the first sentence when one vector comes from the second. */
  swap(asked) {
    const bert = bertOf(asked.seed);
    const words = asked.lists.map((list) => list.map(pieceId));
    return preference(bert.logits(swapped(bert, compared(asked), asked.from), words.flat()), words);
  },

  /** What BERT expects then. */
  swapped(asked) {
    const bert = bertOf(asked.seed);
    return expectedFirst(bert.logits(swapped(bert, compared(asked), asked.from)), asked.count);
  },

  // Each of these four answers with what its own function says of itself.
  changes: ({ text, seed }) => changesOf(text, seed),
  masked: ({ text, place }) => masked(text, place),
  gap: ({ text }) => gapped(text),
  effect: effectOf,

  /** What BERT expects at [MASK] with its heads turned up or down, and as it is. */
  knobs({ text, seed, knobs, count }) {
    const found = withGap(text);
    const mask = onlyGap(found);
    const bert = bertOf(seed);
    const readings = [readingOf(found.ids, seed), bert.read(found.ids, turning(bert, knobs))];
    return readings.map((reading) => expectedFirst(logitsAt(bert, reading, mask), count));
  },

  /** Hide some places, besides each [MASK] that is typed, and say what is expected there. */
  hidden({ text, hide, seed, count, copy }) {
    const found = withGap(text);
    const typed = [...found.tokens.keys()].filter((place) => found.tokens[place] === "[MASK]");
    const places = [...new Set([...typed, ...hide])].filter((place) => place < found.tokens.length - 1);
    const gaps = expectedAt(found, places, seed, copy).map((shares, i) => {
      const order = inOrder(shares);
      const id = found.ids[places[i]];
      return {
        place: places[i],
        piece: found.tokens[places[i]],
        rank: order.indexOf(id) + 1,
        probability: shares[id],
        expected: order.slice(0, count).map((one) => named(one, shares)),
      };
    });
    return { ...found, gaps };
  },

  /** How probable some words, all single pieces, are in the place of another one, in its sentence. */
  among({ sentence, start, end, words, seed }) {
    const found = withGap(gapIn(sentence, start, end));
    const [shares] = expectedAt(found, [found.tokens.indexOf("[MASK]")], seed);
    return words.map((word) => shares[tokenizer.id(word)]);
  },

  /** The vector of a whole sentence. */
  sentence({ text, seed }) {
    const { ids } = readable(text);
    const bert = bertOf(seed);
    return meanVector(readingOf(ids, seed).hidden[bert.config.layers], bert.config.hidden);
  },
};

self.onmessage = ({ data }) => {
  const { number, question } = data;
  try {
    self.postMessage({ number, answer: ANSWERS[question](data) });
  } catch (error) {
    self.postMessage({ number, problem: error instanceof Error ? error.message : String(error) });
  }
};
