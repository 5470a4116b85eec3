/* Knobs: every head turned down to nothing or up to three times what it makes, and what BERT then expects at [MASK]. */

class KnobsView {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    this.page = page;
    this.panel = only(".panel", section);
    this.bars = only(".compared", section);
    /** @type {Record<string, number>} what is turned, as 2.7 for layer 2, head 7 */
    this.turned = {};
    only(".reset", section).onclick = () => this.turn({});
    listenToPresets(section, page);
  }

  get parts() {
    const knobs = Object.entries(this.turned).map(([name, value]) => `${name}:${value}`);
    return { knobs: knobs.join(",") };
  }

  /** @param {unknown} _ @param {URLSearchParams} asked */
  take(_, asked) {
    const knobs = asked.get("knobs");
    if (knobs === null) return;
    const { layers, heads } = this.page.data.config;
    this.turned = {};
    for (const [, layer, head, value] of knobs.matchAll(/(\d+)\.(\d+):(\d+(?:\.\d+)?)/g))
      if (Number(layer) < layers && Number(head) < heads)
        this.turned[`${layer}.${head}`] = Math.min(3, Number(value));
  }

  /** @param {Record<string, number>} turned */
  turn(turned) {
    this.turned = turned;
    this.page.refresh();
  }

  async show() {
    const { text, seed } = this.page;
    const { layers, heads } = this.page.data.config;
    if (!this.panel.children.length) this.makeKnobs(layers, heads);
    const knobs = Array.from({ length: layers * heads }, (_, i) => this.turned[nameOfHead(i, heads)] ?? 1);
    this.panel.querySelectorAll("label").forEach((/** @type {HTMLElement} */ label, /** @type {number} */ i) => {
      only("input", label).value = knobs[i];
      only("output", label).value = knobs[i] === 1 ? "" : `×${knobs[i]}`;
      label.classList.toggle("turned", knobs[i] !== 1);
    });
    const [before, after] = await this.page.ask("knobs", "knobs", { text, seed, knobs, count: SHOWN });
    const names = Object.keys(this.turned);
    const lists = [
      { title: "As it is", expected: before },
      { title: `With your knobs (${names.join(", ") || "all are at 1"})`, expected: after },
    ];
    this.bars.replaceChildren(
      ...lists.map(({ title, expected }) => element("section", {}, element("h3", {}, title), barsOf(expected))),
    );
  }

  /** @param {number} layers @param {number} heads */
  makeKnobs(layers, heads) {
    for (let i = 0; i < layers * heads; i++) {
      const name = nameOfHead(i, heads);
      const slider = element("input", { type: "range", min: 0, max: 3, step: 0.1, "aria-label": `head ${name}` });
      slider.oninput = () => {
        const { [name]: _, ...others } = this.turned;
        const value = Number(slider.value);
        this.turn(value === 1 ? others : { ...others, [name]: value });
      };
      this.panel.append(element("label", {}, name, element("output"), slider));
    }
    this.panel.style.setProperty("--columns", heads);
  }
}

/** @param {number} number @param {number} heads */
function nameOfHead(number, heads) {
  return `${Math.floor(number / heads)}.${number % heads}`;
}
