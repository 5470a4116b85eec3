/* Knobs: every head turned down to nothing or up to three times what it makes, and what BERT then expects at [MASK]. */

const MOST = 5; // heads that are named first

class KnobsView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.panel = this.one(".panel");
    this.bars = this.one(".compared");
    /** @type {Record<string, number>} what is turned, as L2H7 for layer 2, head 7 */
    this.turned = {};
    this.matters = this.one(".matters");
    this.first = this.one(".first");
    this.told = ""; // the sentence whose heads are named, and the seed
    this.one(".reset").onclick = () => this.turn({});
  }

  get parts() {
    const knobs = Object.entries(this.turned).map(([name, value]) => `${name.slice(1).replace("H", ".")}:${value}`);
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
        this.turned[`L${layer}H${head}`] = Math.min(3, Number(value));
  }

  forget() {
    this.told = "";
  }

  /** @param {Record<string, number>} turned */
  turn(turned) {
    this.turned = turned;
    this.page.refresh();
  }

  async show() {
    const { seed } = this.page;
    const { layers, heads } = this.page.data.config;
    const text = await this.ask("gap");
    if (!this.panel.children.length) this.makeKnobs(layers, heads);
    const knobs = Array.from({ length: layers * heads }, (_, i) => this.turned[nameOfHead(i, heads)] ?? 1);
    this.panel.querySelectorAll("label").forEach((/** @type {HTMLElement} */ label, /** @type {number} */ i) => {
      only("input", label).value = knobs[i];
      only("output", label).value = knobs[i] === 1 ? "" : `×${knobs[i]}`;
      label.classList.toggle("turned", knobs[i] !== 1);
    });
    const [before, after] = await this.ask("knobs", { text, seed, knobs, count: SHOWN });
    const names = Object.keys(this.turned);
    const changed = names.length > MOST ? `${names.length} changed` : names.join(", ") || "all are at 1";
    const lists = [
      { title: "As it is", expected: before },
      { title: `With your knobs (${changed})`, expected: after },
    ];
    this.bars.replaceChildren(
      ...lists.map(({ title, expected }) => element("section", {}, element("h3", {}, title), barsOf(expected))),
    );
    await this.nameFirst(text, seed);
  }

  /**
   * Name the heads that change most what is expected first, each switched off alone.
   * @param {string} text
   * @param {number | null} seed
   */
  async nameFirst(text, seed) {
    const asked = JSON.stringify([text, seed]);
    if (asked === this.told) return;
    this.first.replaceChildren();
    this.matters.textContent = "Computing: each head is switched off in turn ...";
    const { layers, heads } = this.page.data.config;
    const rows = [];
    for (let i = 0; i < layers * heads; i++) {
      const head = { layer: Math.floor(i / heads), head: i % heads };
      const { left, ...first } = await this.askLater("effect", { text, seed, from: head });
      rows.push({ ...first, name: nameOfHead(i, heads), left, moved: Math.abs(left - first.probability) });
    }
    rows.sort((one, other) => other.moved - one.moved);
    const [{ piece, probability }] = rows;
    this.told = asked;
    const chosen = text === this.page.text ? "" : `Hidden: the last word (${text}). `;
    this.matters.replaceChildren(
      chosen,
      ...[element("b", {}, piece), ` has ${percent(probability)}. With one head switched off, it has:`],
    );
    this.first.replaceChildren(
      ...rows.slice(0, MOST).map(({ name, left }) => {
        const button = element("button", {}, `${percent(left)} without ${name}`);
        button.onclick = () => this.turn({ [name]: 0 });
        return button;
      }),
    );
  }

  /** @param {number} layers @param {number} heads */
  makeKnobs(layers, heads) {
    for (let i = 0; i < layers * heads; i++) {
      if (i % heads === 0) this.panel.append(element("span.name", {}, `layer ${i / heads}`));
      const name = nameOfHead(i, heads);
      const slider = element("input", { type: "range", min: 0, max: 3, step: 0.1, "aria-label": name });
      slider.oninput = () => {
        const { [name]: _, ...others } = this.turned;
        const value = Number(slider.value);
        this.turn(value === 1 ? others : { ...others, [name]: value });
      };
      this.panel.append(element("label", {}, `H${i % heads}`, element("output"), slider));
    }
    this.panel.style.setProperty("--columns", heads);
  }
}

/** @param {number} number @param {number} heads */
function nameOfHead(number, heads) {
  return `L${Math.floor(number / heads)}H${number % heads}`;
}
