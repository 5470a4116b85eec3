/* Watch it learn: what copies of this BERT expected in one gap while it was trained, as it was recorded (lesson 7). */

/** @typedef {{step: number, millions_of_pieces: number, the_mat: string} & Record<string, any>} Kept */

const CURVES = [
  { column: "next_head", name: "its clearest head looks at the next piece", dashes: "" },
  { column: "sense_accuracy", name: "it tells two senses of a word apart (chance: 0.50)", dashes: "7 4" },
  { column: "sensible_words", name: "a sensible word is among its first five", dashes: "2 3" },
  { column: "held_out_accuracy", name: "the hidden piece comes first", dashes: "12 3 2 3" },
];
const SECOND_RUN = 20_000; // the step at which a second run began with the weights of the first
const TICK = 4000; // steps between two that are written on the axis
const PAUSE = 700; // milliseconds that each copy is shown while it plays

class LearningView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.slider = this.one("input");
    this.where = this.one(".where");
    this.words = this.one(".three");
    this.said = this.one(".said");
    this.drawing = this.one("svg");
    this.copies = new Copies(this);
    this.shown = false;
    this.seed = /** @type {number | null} */ (null);
    this.button = this.one(".play");
    this.button.onclick = () => this.play();
    /** @type {number | undefined} while it plays */
    this.timer = undefined;
    this.slider.oninput = () => page.refresh();
    new ResizeObserver(() => this.draw()).observe(this.drawing);
  }

  get parts() {
    return { steps: this.kept[Number(this.slider.value)].step };
  }

  /** @param {unknown} _ @param {URLSearchParams} asked */
  take(_, asked) {
    const at = this.kept.findIndex(({ step }) => String(step) === asked.get("steps"));
    if (at < 0) return;
    this.slider.max = this.kept.length - 1;
    this.slider.value = at;
    this.shown = true;
  }

  async show() {
    const kept = this.kept;
    this.slider.max = kept.length - 1;
    if (!this.shown) this.slider.value = kept.length - 1;
    this.shown = true;
    if (this.page.seed !== this.seed) this.slider.value = this.page.seed === null ? kept.length - 1 : 0;
    this.seed = this.page.seed;
    this.draw();
    await this.copies.show();
  }

  /** @returns {Kept[]} */
  get kept() {
    return this.page.data.learning;
  }

  draw() {
    if (!this.page.data) return;
    const at = Number(this.slider.value);
    const row = this.kept[at];
    const steps = `${grouped(row.step)} steps`;
    this.slider.setAttribute("aria-valuetext", `${steps}: ${row.the_mat}`);
    this.where.textContent = row.step ? `After ${steps}` : "Never trained";
    this.words.replaceChildren(...row.the_mat.split(" ").map((word) => element("li", {}, word)));
    const known = `${percent(row.held_out_accuracy)}`;
    this.said.textContent = row.step
      ? `It had read ${row.millions_of_pieces} million pieces. Of pieces hidden in texts that it never saw, it ` +
        `guessed ${known}.${this.secondRun(row)}`
      : "It had read nothing yet. Of pieces hidden in texts, it guessed almost none.";
    this.drawCurves(at);
  }

  /** Say what happened at the second run. @param {Kept} row */
  secondRun({ step, held_out_accuracy: guessed }) {
    const before = this.kept.find((row) => row.step === SECOND_RUN)?.held_out_accuracy ?? 0;
    const when = `at ${grouped(SECOND_RUN)} steps`;
    if (step === SECOND_RUN) return " Here its first training ended. A second run began with these weights.";
    if (step < SECOND_RUN) return "";
    if (guessed < before)
      return (
        ` A second run began ${when}, with larger steps and another mixture of texts: for a while it guesses fewer ` +
        `than the ${percent(before)} of then.`
      );
    return ` That is more than the ${percent(before)} ${when}, where the second run began.`;
  }

  /** Show one copy after the other, from the first one if the last is shown. */
  play() {
    const playing = this.timer === undefined;
    clearInterval(this.timer);
    this.timer = undefined;
    this.button.setAttribute("aria-pressed", String(playing));
    if (!playing) return;
    if (this.slider.value === this.slider.max) this.slider.value = 0;
    this.draw();
    this.timer = setInterval(() => {
      if (this.slider.value === this.slider.max) return this.play();
      this.slider.value = Number(this.slider.value) + 1;
      this.draw();
    }, PAUSE);
  }

  /** @param {number} at */
  drawCurves(at) {
    const kept = this.kept;
    const { width, letter, height } = sized(this.drawing, 16);
    const [left, right, top, bottom] = [2 * letter, width - 2 * letter, letter / 2, height - 3.2 * letter];
    /** @param {number} i */
    const x = (i) => left + (kept[i].step / kept[kept.length - 1].step) * (right - left);
    /** @param {number} share */
    const y = (share) => bottom - share * (bottom - top);
    const shapes = [];
    for (const share of [0, 0.5, 1]) {
      shapes.push(shape("line", { x1: left, x2: right, y1: y(share), y2: y(share), class: "axis" }));
      const beside = { x: left - letter / 2, y: y(share) + letter / 3, "text-anchor": "end" };
      shapes.push(shape("text", beside, String(share)));
    }
    for (const [i, { step }] of kept.entries()) {
      if (step % (width < 500 ? 2 * TICK : TICK)) continue; // on a phone they would run together
      const middle = { x: x(i), y: height - 1.7 * letter, "text-anchor": "middle" };
      shapes.push(shape("text", middle, grouped(step)));
    }
    const axis = { x: (left + right) / 2, y: height - letter / 3, "text-anchor": "middle" };
    shapes.push(shape("text", axis, "steps of training"));
    CURVES.forEach(({ column, dashes }, number) => {
      const points = kept.map((row, i) => `${x(i)},${y(row[column])}`).join(" ");
      shapes.push(shape("polyline", { points, class: `curve curve-${number}`, "stroke-dasharray": dashes }));
    });
    const begun = x(kept.findIndex(({ step }) => step === SECOND_RUN));
    shapes.push(shape("line", { x1: begun, x2: begun, y1: top, y2: bottom, class: "axis" }));
    const told = { x: begun - letter / 2, y: y(0.1), "text-anchor": "end" };
    shapes.push(shape("text", told, "a second run began"));
    shapes.push(shape("line", { x1: x(at), x2: x(at), y1: 0, y2: bottom + letter / 2, class: "here" }));
    this.drawing.replaceChildren(...shapes);
    const values = CURVES.map(({ column, name }) => `${name} ${Number(kept[at][column]).toFixed(2)}`);
    this.drawing.setAttribute("aria-label", `Shares while it learned. At the marked point: ${values.join(", ")}.`);
    const legend = CURVES.map(({ column, name, dashes }, number) => {
      const line = shape("svg", { viewBox: "0 0 36 10", class: "sample", "aria-hidden": "true" });
      line.append(
        shape("line", { x1: 0, x2: 36, y1: 5, y2: 5, class: `curve curve-${number}`, "stroke-dasharray": dashes }),
      );
      return element("li", {}, line, ` ${name}: `, element("b", {}, Number(kept[at][column]).toFixed(2)));
    });
    only(".legend", this.drawing.parentElement).replaceChildren(...legend);
  }
}
