/* Two sentences: the cosine of their mean vectors, and where it stands among graded pairs (lesson 5). */

const GRADES = [
  "different things",
  "share a topic",
  "share details",
  "roughly the same",
  "nearly the same",
  "the same",
];
const TWIN_PAIRS = 10; // of each grade, read by a twin: a few seconds' work

class SecondView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.input = this.one("input");
    this.said = this.one(".said");
    this.drawing = this.one("svg");
    this.alike = 0; // the cosine of the two
    this.drawn = () => {}; // what draws it again, in another width
    new ResizeObserver(() => this.drawn()).observe(this.drawing);
    this.input.oninput = () => page.refresh();
    /** @type {Map<number, {grade: number, cosine: number}[]>} what a twin makes of some pairs, by its seed */
    this.twins = new Map();
  }

  get parts() {
    return { other: this.input.value };
  }

  /** @param {HTMLElement} button */
  example(button) {
    this.input.value = button.dataset.second ?? "";
    this.page.setText(this.section.dataset.sentence ?? "");
    this.page.refresh();
  }

  /** @param {unknown} _ @param {URLSearchParams} asked */
  take(_, asked) {
    this.input.value = asked.get("other") ?? this.input.value;
  }

  forget() {
    this.twins.clear();
  }

  async show() {
    const { seed, data } = this.page;
    const second = this.input.value;
    this.problem = this.ofSentence;
    const one = await this.ask("sentence");
    this.problem = this.one(".problem");
    const other = await this.ask("sentence", { text: second, seed });
    this.alike = cosine(one, other);
    /** @type {{grade: number, cosine: number}[]} */
    const pairs = seed === null ? data.pairs : (this.twins.get(seed) ?? []);
    this.draw(pairs);
    if (seed !== null && !this.twins.has(seed)) {
      await this.askTwin(seed);
      await this.show(); // the sentences may be others by now
    }
  }

  /** Let a twin read some of the pairs, and draw each as it comes. @param {number} seed */
  async askTwin(seed) {
    const read = [];
    const some = this.page.data.pairs.filter(firstOfGrade(TWIN_PAIRS));
    for (let i = 0; i < some.length; i++) {
      const { first, second, grade } = some[(7 * i) % some.length]; // a grade after the other would say little for long
      const one = await this.askLater("sentence", { text: first, seed });
      const other = await this.askLater("sentence", { text: second, seed });
      read.push({ grade, cosine: cosine(one, other) });
      if (this.page.seed === seed) this.draw(read);
    }
    this.twins.set(seed, read);
  }

  /** @param {{grade: number, cosine: number}[]} pairs */
  draw(pairs) {
    const alike = this.alike;
    const above = [5, 0].map((grade) => {
      const those = pairs.filter((pair) => Math.round(pair.grade) === grade);
      return `${those.filter((pair) => pair.cosine < alike).length} of ${those.length}`;
    });
    const where = `It is above that of ${above[0]} pairs that say the same, and of ${above[1]} about different things.`;
    this.said.replaceChildren(element("b", {}, `Cosine ${alike.toFixed(2)}.`), pairs.length ? ` ${where}` : "");
    this.drawing.setAttribute("aria-label", `Graded pairs by their cosine, and yours. ${where}`);
    this.drawn = () => this.drawDots(pairs);
    this.drawn();
  }

  /** @param {{grade: number, cosine: number}[]} pairs */
  drawDots(pairs) {
    const alike = this.alike;
    const { width, letter } = sized(this.drawing, 16);
    const lowest = Math.floor(10 * Math.min(alike, ...pairs.map((pair) => pair.cosine))) / 10;
    const start = Math.max(-1, Math.min(0.8, lowest));
    /** @param {number} value */
    const x = (value) => 11 * letter + ((value - start) / (1 - start)) * (width - 13 * letter);
    /** @param {number} grade */
    const y = (grade) => (1.5 + 2.3 * (5 - grade)) * letter;
    const shapes = [];
    GRADES.forEach((name, grade) => {
      shapes.push(shape("text", { x: 10.5 * letter, y: y(grade) + letter / 3, "text-anchor": "end" }, name));
      shapes.push(shape("line", { x1: x(start), x2: x(1), y1: y(grade), y2: y(grade), class: "axis" }));
    });
    pairs.forEach((pair, i) => {
      const beside = ((i * 0.618) % 1) - 0.5; // so that dots of one cosine do not hide each other
      const cy = y(Math.round(pair.grade)) + 1.4 * letter * beside;
      shapes.push(shape("circle", { cx: x(pair.cosine), cy, r: letter / 4 }));
    });
    for (const value of [start, (start + 1) / 2, 1]) {
      shapes.push(shape("text", { x: x(value), y: 15.3 * letter, "text-anchor": "middle" }, value.toFixed(2)));
    }
    shapes.push(shape("line", { x1: x(alike), x2: x(alike), y1: letter / 2, y2: 14.3 * letter, class: "here" }));
    this.drawing.replaceChildren(...shapes);
  }
}

/** Keep the first pairs of each grade. @param {number} many */
function firstOfGrade(many) {
  /** @type {Map<number, number>} */
  const kept = new Map();
  return (/** @type {{grade: number}} */ { grade }) => {
    const whole = Math.round(grade);
    kept.set(whole, (kept.get(whole) ?? 0) + 1);
    return (kept.get(whole) ?? 0) <= many;
  };
}
