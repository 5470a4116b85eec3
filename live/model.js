/* BERT, from ids to what it expects in the place of a hidden word, with the names of lessons 1, 2, 4 and 6.

   A table of numbers (tokens, width) is one long Float32Array, row after row. Sums are kept with the double precision
   that JavaScript computes in, and stored with single precision, as torch has it. */

/**
 * The sizes of a BERT.
 * @typedef {object} Config
 * @property {number} layers
 * @property {number} heads  in each layer
 * @property {number} hidden  numbers in a token's vector
 * @property {number} feedForward  numbers in the feed-forward block between its two matrices
 * @property {number} positions  how many tokens it reads at most
 * @property {number} epsilon  keeps LayerNorm from dividing by zero
 */

/**
 * What a layer computes on the way, with the names of lesson 4: (tokens, hidden) each, if nothing else is said.
 * @typedef {object} Steps
 * @property {Float32Array} query  the heads' parts side by side, as in key, value and joined
 * @property {Float32Array} key
 * @property {Float32Array} value
 * @property {Float32Array} scores  (heads, tokens, tokens): query · key / √width
 * @property {Float32Array} weights  (heads, tokens, tokens): where each token looks; a row adds up to one
 * @property {Float32Array} joined  what the heads make
 * @property {Float32Array} projected
 * @property {Float32Array} attended
 * @property {Float32Array} wider  (tokens, feedForward)
 * @property {Float32Array} bent  (tokens, feedForward)
 * @property {Float32Array} back
 * @property {Float32Array} out
 */

/**
 * What BERT computes on the way.
 * @typedef {object} Reading
 * @property {Float32Array[]} hidden  (tokens, hidden) each: what enters the first layer, then what leaves each
 * @property {Steps[]} layers
 */

/** What may change the results of a layer's heads, (tokens, hidden), before anything else uses them.
 * @typedef {(layer: number, joined: Float32Array) => void} Change */

const DECODER = "cls.predictions.decoder.weight"; // most BERTs have none

class Bert {
  /**
   * @param {Config} config
   * @param {Map<string, Float32Array>} weights  by their names in the checkpoint
   */
  constructor(config, weights) {
    this.config = config;
    this.weights = weights;
  }

  /** @param {string} name @returns {Float32Array} */
  weight(name) {
    const found = this.weights.get(name);
    if (!found) throw new Error("This BERT came without a masked-word head, so it guesses no words here.");
    return found;
  }

  /**
   * Read tokens: the embedding layer, then one layer after the other.
   * @param {number[]} ids
   * @param {Change} [change]
   * @returns {Reading}
   */
  read(ids, change) {
    const hidden = [this.embeddings(ids)];
    const layers = [];
    for (let number = 0; number < this.config.layers; number++) {
      const steps = this.layer(number, hidden[hidden.length - 1], change);
      layers.push(steps);
      hidden.push(steps.out);
    }
    return { hidden, layers };
  }

  /**
   * Lesson 1: the sum of three rows, of the word, of its position and of its segment, which is the
   * first one's here; then LayerNorm.
   * @param {number[]} ids
   */
  embeddings(ids) {
    const width = this.config.hidden;
    const words = this.weight("bert.embeddings.word_embeddings.weight");
    const positions = this.weight("bert.embeddings.position_embeddings.weight");
    const segment = this.weight("bert.embeddings.token_type_embeddings.weight");
    const sum = new Float32Array(ids.length * width);
    for (let token = 0; token < ids.length; token++) {
      for (let i = 0; i < width; i++) {
        sum[token * width + i] = words[ids[token] * width + i] + positions[token * width + i] + segment[i];
      }
    }
    return this.layerNorm("bert.embeddings.LayerNorm", sum);
  }

  /**
   * Lesson 4: one layer. Its heads mix the tokens, its feed-forward block treats each token alone; after both, what
   * came in is added again (the residual connection), and LayerNorm follows.
   * @param {number} number
   * @param {Float32Array} input  (tokens, hidden)
   * @param {Change} [change]
   * @returns {Steps}
   */
  layer(number, input, change) {
    const attention = this.attend(`bert.encoder.layer.${number}.attention.self`, input);
    change?.(number, attention.joined);
    return { ...attention, ...this.finish(number, input, attention.joined) };
  }

  /**
   * The rest of a layer, which treats each token alone.
   * @param {number} number
   * @param {Float32Array} input  (tokens, hidden)
   * @param {Float32Array} joined  what its heads made of it
   */
  finish(number, input, joined) {
    const name = `bert.encoder.layer.${number}`;
    const projected = this.linear(`${name}.attention.output.dense`, joined);
    const attended = this.layerNorm(`${name}.attention.output.LayerNorm`, added(projected, input));
    const wider = this.linear(`${name}.intermediate.dense`, attended);
    const bent = gelu(wider);
    const back = this.linear(`${name}.output.dense`, bent);
    const out = this.layerNorm(`${name}.output.LayerNorm`, added(back, attended));
    return { projected, attended, wider, bent, back, out };
  }

  /**
   * The heads of a layer: softmax(query · key / √width), and with these weights the mean of the values.
   * @param {string} name
   * @param {Float32Array} input  (tokens, hidden)
   */
  attend(name, input) {
    const { heads, hidden } = this.config;
    const width = hidden / heads; // of a head's own part of query, key and value
    const tokens = input.length / hidden;
    const query = this.linear(`${name}.query`, input);
    const key = this.linear(`${name}.key`, input);
    const value = this.linear(`${name}.value`, input);
    const scores = new Float32Array(heads * tokens * tokens);
    const weights = new Float32Array(heads * tokens * tokens);
    const joined = new Float32Array(input.length); // the heads' results, side by side
    for (let head = 0; head < heads; head++) {
      const start = head * width;
      for (let looks = 0; looks < tokens; looks++) {
        const from = (head * tokens + looks) * tokens;
        for (let at = 0; at < tokens; at++) {
          let product = 0;
          for (let i = start; i < start + width; i++) {
            product += query[looks * hidden + i] * key[at * hidden + i];
          }
          scores[from + at] = product / Math.sqrt(width);
        }
        const row = softmax(scores.subarray(from, from + tokens));
        weights.set(row, from);
        for (let at = 0; at < tokens; at++) {
          for (let i = start; i < start + width; i++) {
            joined[looks * hidden + i] += row[at] * value[at * hidden + i];
          }
        }
      }
    }
    return { query, key, value, scores, weights, joined };
  }

  /**
   * Lesson 6: the masked-word head, from a token's last vector to a score for each piece of the vocabulary.
   * Its last matrix is the word table of lesson 1, if it has none of its own.
   * @param {Float32Array} vector  (hidden,)
   * @param {number[]} [ids]  the pieces that are asked for; the scores of all others are left at 0
   */
  logits(vector, ids) {
    const table = this.weights.get(DECODER) ?? this.weight("bert.embeddings.word_embeddings.weight");
    const bias = this.weight("cls.predictions.bias");
    const turned = this.turned(vector);
    if (!ids) return multiplied(turned, table, bias);
    const scores = new Float32Array(bias.length);
    for (const id of ids) {
      scores[id] = bias[id];
      for (let i = 0; i < turned.length; i++) scores[id] += turned[i] * table[id * turned.length + i];
    }
    return scores;
  }

  /** A token's last vector as the masked-word head compares it with the word table. @param {Float32Array} vector */
  turned(vector) {
    const transform = "cls.predictions.transform";
    return this.layerNorm(`${transform}.LayerNorm`, gelu(this.linear(`${transform}.dense`, vector)));
  }

  /** Multiply each row by a matrix, and add a bias. @param {string} name @param {Float32Array} input */
  linear(name, input) {
    return multiplied(input, this.weight(`${name}.weight`), this.weight(`${name}.bias`));
  }

  /**
   * Bring each row to mean 0 and variance 1, then scale and shift it.
   * @param {string} name
   * @param {Float32Array} rows  (tokens, hidden)
   */
  layerNorm(name, rows) {
    const scale = this.weight(`${name}.weight`);
    const shift = this.weight(`${name}.bias`);
    const width = scale.length;
    const normed = new Float32Array(rows.length);
    for (let start = 0; start < rows.length; start += width) {
      const { mean, root } = spreadOf(rows.subarray(start, start + width), this.config.epsilon);
      for (let i = 0; i < width; i++) {
        normed[start + i] = ((rows[start + i] - mean) / root) * scale[i] + shift[i];
      }
    }
    return normed;
  }
}
