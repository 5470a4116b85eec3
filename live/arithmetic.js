/* The arithmetic of a BERT: products of tables, softmax, GELU, means. */

/** The mean of some numbers, and the root of their variance. @param {Float32Array} row @param {number} epsilon */
function spreadOf(row, epsilon) {
  let mean = 0;
  for (const number of row) mean += number / row.length;
  let variance = 0;
  for (const number of row) variance += (number - mean) ** 2 / row.length;
  return { mean, root: Math.sqrt(variance + epsilon) };
}

/**
 * Return rows · matrixᵀ + bias. Nearly all of BERT's time goes by in here. So two rows and four columns are multiplied
 * at once: a number that was fetched from memory is used several times.
 * @param {Float32Array} rows  (tokens, width)
 * @param {Float32Array} matrix  (outputs, width)
 * @param {Float32Array} bias  (outputs,)
 */
function multiplied(rows, matrix, bias) {
  const outputs = bias.length;
  const width = matrix.length / outputs;
  const tokens = rows.length / width;
  const result = new Float32Array(tokens * outputs);
  for (let next = 0; next < outputs; next += 4) {
    const out = Math.min(next, outputs - 4); // some of the last four may be multiplied twice
    const a = out * width;
    const b = a + width;
    const c = b + width;
    const d = c + width;
    for (let token = 0; token < tokens; token += 2) {
      const one = token * width;
      const other = Math.min(token + 1, tokens - 1) * width; // the last of an odd number is its own other
      let oneA = 0;
      let oneB = 0;
      let oneC = 0;
      let oneD = 0;
      let otherA = 0;
      let otherB = 0;
      let otherC = 0;
      let otherD = 0;
      for (let i = 0; i < width; i++) {
        const x = rows[one + i];
        const y = rows[other + i];
        oneA += x * matrix[a + i];
        oneB += x * matrix[b + i];
        oneC += x * matrix[c + i];
        oneD += x * matrix[d + i];
        otherA += y * matrix[a + i];
        otherB += y * matrix[b + i];
        otherC += y * matrix[c + i];
        otherD += y * matrix[d + i];
      }
      const to = token * outputs + out;
      result[to] = oneA;
      result[to + 1] = oneB;
      result[to + 2] = oneC;
      result[to + 3] = oneD;
      if (other === one) continue;
      result[to + outputs] = otherA;
      result[to + outputs + 1] = otherB;
      result[to + outputs + 2] = otherC;
      result[to + outputs + 3] = otherD;
    }
  }
  for (let i = 0; i < result.length; i++) result[i] += bias[i % outputs];
  return result;
}

/** Add two tables. @param {Float32Array} first @param {Float32Array} second */
function added(first, second) {
  return first.map((number, i) => number + second[i]);
}

/** Turn scores into shares that add up to one (lesson 2). @param {Float32Array} scores */
function softmax(scores) {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  let sum = 0;
  for (const score of scores) sum += Math.exp(score - largest);
  return scores.map((score) => Math.exp(score - largest) / sum);
}

/** GELU: each number times the share of a normal distribution below it. @param {Float32Array} numbers */
function gelu(numbers) {
  return numbers.map((number) => number * 0.5 * (1 + erf(number / Math.SQRT2)));
}

/**
 * The error function, to the last digit: e^(-x²) · 2/√π · (x + 2x³/3 + 4x⁵/(3·5) + 8x⁷/(3·5·7) + ...).
 * All terms have one sign, so nothing is lost; they are added up until they no longer count.
 * @param {number} x
 */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (2 * x * x) / odd;
    sum += term;
  }
  return ((2 * sum) / Math.sqrt(Math.PI)) * Math.exp(-x * x);
}

/**
 * The mean of all tokens' vectors: a vector for the sentence, as lesson 5 makes it. [CLS] and [SEP] count, too.
 * @param {Float32Array} rows  (tokens, hidden)
 * @param {number} width
 */
function meanVector(rows, width) {
  const mean = new Float32Array(width);
  for (let i = 0; i < rows.length; i++) mean[i % width] += (rows[i] * width) / rows.length;
  return mean;
}

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

/** Return numbers that were kept in eight bits each: 128 whole ones follow their scale. @param {string} bytes */
function ofEightBits(bytes) {
  const numbers = new Float32Array((bytes.length / 130) * 128);
  for (let from = 0, to = 0; from < bytes.length; from += 130, to += 128) {
    const scale = HALVES[bytes.charCodeAt(from) | (bytes.charCodeAt(from + 1) << 8)];
    for (let i = 0; i < 128; i++) numbers[to + i] = scale * ((bytes.charCodeAt(from + 2 + i) << 24) >> 24);
  }
  return numbers;
}
