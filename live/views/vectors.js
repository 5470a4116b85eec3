/* Vectors: two tokens' numbers as colours, layer by layer, and their cosine beside that of random pairs (lesson 3). */

const RANDOM_PAIRS = 300;
const FULL = 2.5; // a number that has the full colour; few are larger

/** @typedef {{words: string[], layers: Float32Array[][]}} SentenceWords  each word's vector after each layer */

class VectorsView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.pieces = this.one(".pieces");
    this.layers = this.one(".layers");
    this.note = this.one(".note");
    /** @type {number[]} the two tokens, the one that was pressed last at the end */
    this.chosen = [];
    this.text = "";
    /** @type {Map<number | null, number[][]>} the cosines of random pairs after each layer, by the seed */
    this.random = new Map();
  }

  forget() {
    this.random.clear();
    this.text = "";
  }

  async show() {
    const { text, seed } = this.page;
    const reading = await this.ask("read");
    if (text !== this.text) this.chosen = twoAlike(reading.tokens);
    this.text = text;
    this.draw(reading);
    if (!this.random.has(seed)) {
      await this.readRandomPairs(seed);
      await this.show(); // the sentence may be another by now
    }
  }

  /** @param {Tokens & Reading} reading */
  draw(reading) {
    const { tokens, hidden } = reading;
    const buttons = tokens.map((token, place) => {
      const pressed = this.chosen.includes(place);
      const button = element("button.piece", { "aria-pressed": pressed }, ...shown(token));
      button.onclick = () => {
        if (!pressed) this.chosen = [...this.chosen, place].slice(-2);
        this.draw(reading);
      };
      return button;
    });
    this.renew(this.pieces, buttons);
    const [one, other] = [...this.chosen].sort((a, b) => a - b);
    const names = [one, other].map((place) => `${tokens[place]}, token ${place}`);
    const width = this.page.data.config.hidden;
    const random = this.random.get(this.page.seed);
    const rows = hidden.map((table, layer) => {
      const vectors = [one, other].map((place) => table.slice(place * width, (place + 1) * width));
      return drawLayer(layer, names, vectors, random?.[layer]);
    });
    this.layers.replaceChildren(...rows);
    this.note.textContent = `Above: ${names[0]}. Below: ${names[1]}. Each strip has ${width} numbers, one colour each.`;
  }

  /**
   * Read some sentences, and keep the cosines of random pairs: two different words, from two of them, drawn at random.
   * @param {number | null} seed
   */
  async readRandomPairs(seed) {
    const { data } = this.page;
    const width = data.config.hidden;
    /** @type {{sentence: number, word: string, vectors: Float32Array[]}[]} */
    const words = [];
    for (const [sentence, text] of data.sentences.entries()) {
      /** @type {Tokens & Reading} */
      const { tokens, hidden } = await this.askLater("read", { text, seed });
      tokens.forEach((word, place) => {
        if (!/^[a-z]+$/.test(word) || tokens[place + 1].startsWith("##")) return; // split words are left out
        const vectors = hidden.map((table) => table.slice(place * width, (place + 1) * width));
        words.push({ sentence, word, vectors });
      });
    }
    /** @type {number[][]} */
    const cosines = Array.from({ length: data.config.layers + 1 }, () => []);
    const many = words.length; // of another vocabulary's, there may be too few, or none, for so many pairs
    for (let i = 0; cosines[0].length < RANDOM_PAIRS && i < many ** 2; i++) {
      const [one, other] = [i * 7919, i * 104_729 + Math.floor(i / many)].map((at) => words[at % many]); // large primes
      if (one.sentence === other.sentence || one.word === other.word) continue;
      cosines.forEach((list, layer) => list.push(cosine(one.vectors[layer], other.vectors[layer])));
    }
    this.random.set(seed, cosines);
  }
}

/**
 * Return two places of one word, or else the first two words.
 * @param {string[]} tokens
 */
function twoAlike(tokens) {
  const words = [...tokens.keys()].filter((place) => /^\p{L}{2,}$/u.test(tokens[place]));
  const again = words.filter((place) => words.some((before) => before < place && tokens[before] === tokens[place]));
  const longest = again.sort((one, other) => tokens[other].length - tokens[one].length)[0];
  if (longest) return [tokens.indexOf(tokens[longest]), longest];
  return words.length > 1 ? words.slice(0, 2) : [0, 1];
}

/**
 * @param {number} layer
 * @param {string[]} names
 * @param {Float32Array[]} vectors  two
 * @param {number[] | undefined} random  the cosines of random pairs after this layer, once they are there
 */
function drawLayer(layer, names, vectors, random) {
  const alike = cosine(vectors[0], vectors[1]);
  const strips = vectors.map((vector, i) => {
    const canvas = element("canvas", { role: "img", "aria-label": `the vector of ${names[i]}, as colours` });
    squares(
      canvas,
      vector.length,
      vector.map((number) => number / FULL),
    );
    return canvas;
  });
  const below = random?.filter((value) => value < alike).length ?? 0;
  const mean = (random ?? []).reduce((sum, value) => sum + value, 0) / (random?.length ?? 1);
  const compared = random?.length
    ? `${mean.toFixed(2)}; above ${below}/${random.length}`
    : "too few of their words are single pieces";
  const beside = `random pairs: ${random ? compared : "being read ..."}`;
  return element(
    "li",
    {},
    element("span.name", {}, afterLayers(layer)),
    element("span.strips", {}, ...strips),
    element("span.value", {}, element("b", {}, `cosine ${alike.toFixed(2)}`), element("small", {}, beside)),
  );
}
