/* One number's way through a layer, for the view that shows it: what lesson 4 computes, for one token in one head. */

/**
 * What is followed: a head, the token that looks and one that it looks at, one of the numbers that the head makes
 * (feature), and one of those in the token's vector (column). What is null is to be chosen.
 * @typedef {{layer: number, head: number | null, looks: number | null, looked: number | null, feature: number,
 *   column: number | null}} Followed
 */

const UNITS = 5; // of the wide vector: those that add most to the number that is followed

/**
 * Choose what is not given: the token that is hidden, a head that mixes (its largest weight on another word is nearest
 * to one half, and not above three quarters) and that word.
 * @param {Bert} bert
 * @param {Reading} reading
 * @param {string[]} tokens
 * @param {Followed} followed
 */
function settled(bert, reading, tokens, { layer, head, looks, looked, feature, column }) {
  const { heads, hidden } = bert.config;
  const last = tokens.length - 1; // the text may have become shorter
  const looking = Math.min(looks ?? Math.max(1, tokens.indexOf("[MASK]")), last);
  const peaks = reading.layers.map(({ weights }) =>
    Array.from({ length: heads }, (_, i) => peakOf(rowOf(weights, tokens.length, i, looking), tokens, looking)),
  );
  const far = peaks[layer].map(({ weight }) => (weight > 0.75 ? 1 : Math.abs(weight - 0.5)));
  const own = head ?? far.indexOf(Math.min(...far));
  return {
    ...{ layer, looks: looking, feature, peaks, head: own, chosen: head === null },
    looked: Math.min(looked ?? peaks[layer][own].at, last),
    column: column ?? (own * hidden) / heads + feature,
  };
}

/** A head's weights, or scores, of the token that looks. @param {Float32Array} tables @param {number} tokens
 * @param {number} head @param {number} looks */
function rowOf(tables, tokens, head, looks) {
  const start = (head * tokens + looks) * tokens;
  return tables.slice(start, start + tokens);
}

/** Where the largest weight on another word is; punctuation, [CLS] and [SEP] are none. @param {Float32Array} row
 * @param {string[]} tokens @param {number} looks */
function peakOf(row, tokens, looks) {
  const words = [...row.keys()].filter((place) => place !== looks && /^(##)?\p{L}/u.test(tokens[place]));
  const at = words.reduce((best, place) => (row[place] > row[best] ? place : best), words[0] ?? 0);
  return { at, weight: row[at] };
}

/**
 * Return the numbers on the way from the vector that enters a layer to the one that leaves it.
 * @param {Bert} bert
 * @param {Reading} reading
 * @param {{layer: number, head: number, looks: number, looked: number, column: number}} followed
 */
function traced(bert, reading, { layer, head, looks, looked, column }) {
  const { heads, hidden, feedForward } = bert.config;
  const width = hidden / heads;
  const name = `bert.encoder.layer.${layer}`;
  const steps = reading.layers[layer];
  const entered = reading.hidden[layer];
  const tokens = steps.query.length / hidden;
  /** @param {Float32Array} table @param {number} token */
  const ofHead = (table, token) => table.slice(token * hidden + head * width, token * hidden + (head + 1) * width);
  /** @param {Float32Array} table @param {number} [size] */
  const ofToken = (table, size = hidden) => table.slice(looks * size, (looks + 1) * size);
  const each = Array.from({ length: tokens }, (_, token) => token);
  const joined = ofToken(steps.joined);
  const looking = reading.layers.map(({ weights }) => ofLooking(weights, tokens, heads, looks));
  const bent = ofToken(steps.bent, feedForward);
  const byColumn = products(bert, `${name}.attention.output.dense`, column, joined);
  const byUnit = products(bert, `${name}.output.dense`, column, bent);
  const units = largest(byUnit.map(Math.abs), UNITS);
  return {
    entered,
    entering: ofToken(entered),
    query: ofHead(steps.query, looks),
    key: ofHead(steps.key, looked),
    queries: each.map((token) => ofHead(steps.query, token)),
    keys: each.map((token) => ofHead(steps.key, token)),
    scores: rowOf(steps.scores, tokens, head, looks),
    weights: rowOf(steps.weights, tokens, head, looks),
    looking,
    flows: looking.map((rows) => meanVector(rows, tokens)),
    values: each.map((token) => ofHead(steps.value, token)),
    made: ofHead(steps.joined, looks),
    joined,
    byHead: Array.from({ length: heads }, (_, i) => sumOf(byColumn.subarray(i * width, (i + 1) * width))),
    projectionBias: bert.weight(`${name}.attention.output.dense.bias`)[column],
    projected: ofToken(steps.projected),
    attended: ofToken(steps.attended),
    norms: {
      attended: normAt(bert, `${name}.attention.output.LayerNorm`, steps.projected, entered, looks, column),
      out: normAt(bert, `${name}.output.LayerNorm`, steps.back, steps.attended, looks, column),
    },
    wider: ofToken(steps.wider, feedForward),
    bent,
    units: units.map((unit) => ({
      unit,
      weight: bert.weight(`${name}.output.dense.weight`)[column * feedForward + unit],
      product: byUnit[unit],
    })),
    otherUnits: sumOf(byUnit.filter((_, unit) => !units.includes(unit))),
    backBias: bert.weight(`${name}.output.dense.bias`)[column],
    back: ofToken(steps.back),
    out: ofToken(steps.out),
    guess: guessOf(bert, ofToken(reading.hidden[bert.config.layers])),
  };
}

/** All heads' rows of weights of the token that looks. @param {Float32Array} weights @param {number} tokens
 * @param {number} heads @param {number} looks */
function ofLooking(weights, tokens, heads, looks) {
  const rows = new Float32Array(heads * tokens);
  for (let head = 0; head < heads; head++) rows.set(rowOf(weights, tokens, head, looks), head * tokens);
  return rows;
}

/**
 * Return the products that add up to one number behind a matrix, but for its bias.
 * @param {Bert} bert
 * @param {string} name
 * @param {number} column
 * @param {Float32Array} vector
 */
function products(bert, name, column, vector) {
  const row = bert.weight(`${name}.weight`).subarray(column * vector.length, (column + 1) * vector.length);
  return vector.map((number, i) => number * row[i]);
}

/** @param {Float32Array} numbers */
function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * Return what LayerNorm does to one number of a token's sum of two vectors.
 * @param {Bert} bert
 * @param {string} name
 * @param {Float32Array} first
 * @param {Float32Array} second
 * @param {number} token
 * @param {number} column
 */
function normAt(bert, name, first, second, token, column) {
  const width = bert.config.hidden;
  const sum = added(first, second).slice(token * width, (token + 1) * width);
  const { mean, root } = spreadOf(sum, bert.config.epsilon);
  const [scale, shift] = [bert.weight(`${name}.weight`)[column], bert.weight(`${name}.bias`)[column]];
  return { sum: sum[column], mean, root, scale, shift };
}

/** What a token's last vector makes BERT expect; nothing without a masked-word head.
 * @param {Bert} bert @param {Float32Array} out */
function guessOf(bert, out) {
  if (!bert.weights.has("cls.predictions.bias")) return null;
  const logits = bert.logits(out);
  const shares = softmax(logits);
  const bias = bert.weight("cls.predictions.bias");
  const expected = largest(shares, UNITS);
  return {
    turned: bert.turned(out),
    expected: expected.map((id) => ({
      piece: tokenizer.vocabulary[id],
      product: logits[id] - bias[id],
      bias: bias[id],
      logit: logits[id],
      probability: shares[id],
    })),
  };
}
