/* The map of the model: the path of one token through all layers to its guess, and from where it takes something in. */

const TALL = 35; // tokens: a map of more of them scrolls in itself

class ModelMap {
  /** @param {HTMLElement} box @param {HeadView} view */
  constructor(box, view) {
    this.box = box;
    this.view = view;
    /** @type {Trace} */
    this.trace = null;
    this.tokens = element("div.who", { role: "radiogroup", "aria-label": "Which token is followed" });
    this.lines = shape("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  }

  /** @param {number} layers @param {number} heads */
  make(layers, heads) {
    /** @param {string} name @param {string} kind @param {() => void} jump @param {object} [more] */
    const button = (name, kind, jump, more = {}) =>
      element(`button.${kind}`, { role: "radio", "aria-label": name, title: name, onclick: jump, ...more });
    const group = { role: "radiogroup", "aria-label": "Map of the model: arrow keys go from part to part" };
    const parts = element("div.whole", group);
    for (let layer = 0; layer < layers; layer++) {
      const row = Array.from({ length: heads }, (_, head) => {
        const peek = () => this.drawLines(this.trace, { layer, head });
        const leave = () => this.drawLines(this.trace);
        const pointed = { onpointerenter: peek, onfocus: peek, onpointerleave: leave, onblur: leave };
        return button(`layer ${layer}, head ${head}`, "head", () => this.view.lookAt(layer, head), pointed);
      });
      const enter = button(`layer ${layer}`, "enter", () => this.view.jump(layer, 0));
      enter.textContent = layers > 6 ? String(layer) : `layer ${layer}`;
      parts.append(element("div.layer", { role: "presentation" }, enter, ...row));
    }
    this.guess = button("", "guessed", () => this.view.jump(layers - 1, stepOf("guess")));
    parts.append(this.guess);
    arrowKeys(parts, 1);
    this.parts = parts;
    this.view.result.style.setProperty("--layers", String(layers));
    this.view.result.style.setProperty("--head-rows", String(Math.ceil(heads / 4)));
    this.box.replaceChildren(this.tokens, parts, this.lines);
  }

  /** @param {Trace} trace */
  draw(trace) {
    this.trace = trace;
    const { tokens, looks, layer, head, peaks, guess } = trace;
    if (!this.box.firstChild) this.make(peaks.length, peaks[0].length);
    const names = tokenButtons(tokens, looks, (i) => this.view.follow({ looks: i, looked: null }));
    this.view.renew(this.tokens, names);
    arrowKeys(this.tokens, 1);
    const first = guess?.expected.slice(0, 2) ?? [];
    const said = first.map((/** @type {any} */ one) => `${one.piece} ${percent(one.probability)}`);
    put(this.guess, { "aria-label": `guess for ${tokens[looks]}: ${said[0]}`, title: "the guess", hidden: !guess });
    this.guess.replaceChildren(...said.map((/** @type {string} */ text) => element("span", {}, text)));
    this.view.result.style.setProperty("--tokens", tokens.length);
    this.box.classList.toggle("long", tokens.length > TALL);
    this.box.classList.toggle("deep", peaks.length > 6);
    const buttons = [...this.parts.querySelectorAll("button")];
    const { inGuess, inHead } = this.view;
    const part = this.parts.children[layer];
    choose(buttons, buttons.indexOf(inGuess ? this.guess : part.children[inHead ? head + 1 : 0]));
    peaks.forEach((/** @type {any[]} */ row, /** @type {number} */ i) => {
      this.parts.children[i].classList.toggle("here", i === layer && !inGuess);
      row.forEach(({ at, weight }, own) => {
        const box = this.parts.children[i].children[own + 1];
        box.style.setProperty("--share", `${Math.round(100 * weight)}%`);
        box.title = `layer ${i}, head ${own}: ${tokens[looks]} looks at ${inText(tokens[at])} with ${signed(weight)}`;
        box.classList.toggle("followed", i === layer && own === head);
      });
    });
    this.drawLines(trace);
    const down = this.tokens.offsetTop + this.tokens.children[looks].offsetTop; // of a long sentence, a deep model
    this.box.scrollTo(part.offsetLeft - this.box.clientWidth / 2, down - this.box.clientHeight / 2);
  }

  /**
   * Streams from layer to layer, and what the one that is followed takes from the others.
   * @param {Trace} trace
   * @param {{layer: number, head: number}} [from]  the head that is pointed at, else the one that is followed
   */
  drawLines({ tokens, looks, layer, head, looking, flows }, from = { layer, head }) {
    const n = tokens.length;
    const weights = looking[from.layer].subarray(from.head * n, (from.head + 1) * n);
    const { at, inGuess } = this.view;
    this.lines.setAttribute("viewBox", `0 0 ${flows.length} ${tokens.length}`);
    const end = flows.length - 0.04;
    const down = `H${end} V${tokens.length}`; // to the guess
    const stream = (/** @type {string} */ kind, /** @type {number} */ token, /** @type {string} */ on) =>
      shape("path", { class: kind, d: `M0,${token + 0.5} ${on}` });
    const streams = tokens.map((/** @type {string} */ _, /** @type {number} */ i) => stream("stream", i, `H${end}`));
    const reached = inGuess ? down : `H${layer + (at + 1) / STEPS.length}`;
    streams.push(stream("way", looks, down), stream("reached", looks, reached));
    const taken = flows.flatMap((/** @type {Float32Array} */ mean, /** @type {number} */ i) =>
      Array.from(i === from.layer ? weights : mean, (weight, at) => {
        if (at === looks) return "";
        const [start, end] = [at + 0.5, looks + 0.5];
        const path = curve(`M${i + 0.1},${start} C${i + 0.6},${start} ${i + 0.5},${end} ${i + 0.9},${end}`, weight);
        path.classList.add("taken", ...(i === from.layer ? ["now"] : []));
        const whose = i === from.layer ? `head ${from.head}` : "mean of its heads";
        path.append(shape("title", {}, `layer ${i}, ${whose}: ${tokens[at]} ${signed(weight)}`));
        return path;
      }),
    );
    const shade = shape("rect", { x: layer, width: 1, height: n, opacity: Number(!inGuess) });
    this.lines.replaceChildren(shade, ...streams, ...taken);
  }
}
