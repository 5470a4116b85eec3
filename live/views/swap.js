/* Swap: two sentences that differ in a word, and what BERT says of one when a single vector comes from the other. */

/** What is taken from the other sentence: a token's vector after some layers, or what a head makes at [MASK].
 * @typedef {{layers: number, token: number} | {layer: number, head: number}} Field */

const EXPECTED = 5; // pieces that are shown

class SwapView {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    this.page = page;
    this.other = only(".other", section);
    this.words = only(".words", section);
    this.said = only(".said", section);
    this.twin = only(".twin", section);
    this.places = only(".places", section);
    this.heads = only(".heads", section);
    this.bars = only(".compared", section);
    this.asked = ""; // what the fields were filled for
    /** @type {Field[]} */
    this.fields = [];
    /** @type {any} what the thread that computes says of the two sentences, and the question about them */
    this.compared = this.question = null;
    /** @type {HTMLElement[]} one per field */
    this.buttons = [];
    /** @type {string[]} */
    this.names = [];
    this.chosen = 0; // which field is pressed
    this.other.oninput = this.words.oninput = () => page.refresh();
    listenToPresets(section, page);
  }

  get parts() {
    return { other: this.other.value, words: this.words.value };
  }

  /** @param {unknown} _ @param {URLSearchParams} asked */
  take(_, asked) {
    this.other.value = asked.get("other") ?? this.other.value;
    this.words.value = asked.get("words") ?? (asked.has("other") ? "" : this.words.value);
  }

  /** The words on both sides of the stroke, or nothing: then the thread that computes finds two. */
  get lists() {
    const lists = this.words.value.split("/").map((/** @type {string} */ list) => list.trim().split(/[\s,]+/));
    if (!this.words.value.trim()) return undefined;
    if (lists.length !== 2 || lists.flat().includes(""))
      throw new Error("Write the words as is was / are were, or leave the line empty.");
    return lists;
  }

  async show() {
    const { text, seed } = this.page;
    const turn = this.page.turn;
    const question = { text, other: this.other.value, seed, lists: this.lists, count: EXPECTED };
    const compared = await this.page.ask("swap", "compare", question);
    const asked = JSON.stringify(question);
    if (asked !== this.asked) this.begin(compared);
    this.asked = asked;
    this.question = { ...question, lists: compared.words };
    this.compared = compared;
    this.say(compared);
    await this.showChosen();
    const order = this.fields.map((_, number) => number);
    order.sort((one, other) => readBefore(this.fields[other]) - readBefore(this.fields[one])); // the quickest first
    for (const [done, number] of order.entries()) {
      if (turn !== this.page.turn) return; // something else is looked at now
      await this.fill(number);
      this.twin.textContent = `Filled: ${done + 1} of ${this.fields.length} fields. You need not wait for all.`;
    }
    this.twin.textContent = "";
    if (seed === null) {
      const { preferences } = await this.page.ask("later, swap", "compare", { ...this.question, seed: 0 });
      const far = scored(preferences[1] - preferences[0]);
      this.twin.textContent = `In a BERT that was never trained, the two sentences differ by ${far}.`;
    }
  }

  /** Make the fields, all of them empty. @param {any} compared */
  begin({ tokens, others, mask }) {
    const { layers, heads } = this.page.data.config;
    this.twin.textContent = "";
    /** @type {Field[]} */
    const places = [];
    for (let after = 0; after <= layers; after++)
      for (let token = 0; token < tokens.length; token++) places.push({ layers: after, token });
    /** @type {Field[]} */
    const ofHeads = [];
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) ofHeads.push({ layer, head });
    this.fields = [...places, ...ofHeads];
    const changed = tokens.findIndex((/** @type {string} */ token, /** @type {number} */ i) => token !== others[i]);
    this.chosen = this.fields.findIndex(
      (field) => "token" in field && field.layers === layers - 1 && field.token === mask,
    );
    this.names = this.fields.map((field) => nameOf(field, tokens));
    const buttons = this.fields.map((_, number) => {
      const button = element("button", { role: "radio", "aria-label": this.names[number] });
      button.onclick = () => this.press(number);
      return button;
    });
    const columns = tokens.length;
    const head = tokens.map((/** @type {string} */ token, /** @type {number} */ i) =>
      element(i === changed ? "span.changed" : "span", { "aria-hidden": "true" }, ...shown(token)),
    );
    this.places.style.setProperty("--columns", columns);
    const rows = Array.from({ length: layers + 1 }, (_, after) => [
      element("span.name", { "aria-hidden": "true" }, LAYER_NAMES[after] ?? `after ${after} layers`),
      ...buttons.slice(after * columns, (after + 1) * columns),
    ]);
    this.places.replaceChildren(element("span"), ...head, ...rows.flat());
    this.heads.style.setProperty("--columns", heads);
    const ofLayers = Array.from({ length: layers }, (_, layer) => [
      element("span.name", { "aria-hidden": "true" }, `layer ${layer}`),
      ...buttons.slice(places.length + layer * heads, places.length + (layer + 1) * heads),
    ]);
    const numbers = Array.from({ length: heads }, (_, i) =>
      element("span", { "aria-hidden": "true" }, `head ${i}`),
    );
    this.heads.replaceChildren(element("span"), ...numbers, ...ofLayers.flat());
    arrowKeys(this.places, columns);
    arrowKeys(this.heads, heads);
    this.buttons = buttons;
    this.mark();
  }

  /** Ask for the share of one field, unless it is filled. @param {number} number */
  async fill(number) {
    const button = this.buttons[number];
    if (button.textContent) return;
    const { preferences } = this.compared;
    const preference = await this.page.ask("later, swap", "swap", { ...this.question, from: this.fields[number] });
    const share = (preference - preferences[0]) / (preferences[1] - preferences[0]);
    button.textContent = signed(share);
    button.setAttribute("aria-label", `${this.names[number]}: ${signed(share)}`);
    button.style.setProperty("--share", `${Math.round(50 * Math.min(1, Math.abs(share)))}%`);
    button.classList.toggle("against", share < 0);
  }

  /** @param {number} number */
  press(number) {
    this.chosen = number;
    this.mark();
    this.page.refresh();
  }

  /** Show what BERT expects in both sentences, and between them what it says with the chosen vector. */
  async showChosen() {
    const { chosen, compared } = this;
    const asked = { ...this.question, from: this.fields[chosen] };
    const middle = await this.page.ask("swap", "swapped", asked);
    const [first, second] = compared.expected;
    const lists = [
      { title: "The first sentence", expected: first },
      { title: `With one vector of the second: ${this.names[chosen]}`, expected: middle },
      { title: "The second sentence", expected: second },
    ];
    this.bars.replaceChildren(
      ...lists.map(({ title, expected }) => element("section", {}, element("h3", {}, title), barsOf(expected))),
    );
  }

  mark() {
    for (const group of [this.places, this.heads]) {
      const own = [...group.querySelectorAll("button")];
      choose(own, own.indexOf(this.buttons[this.chosen]));
      if (!own.some((button) => button.tabIndex === 0)) own[0].tabIndex = 0;
    }
  }

  /** @param {any} compared */
  say({ words, preferences }) {
    const [first, second] = words.map((/** @type {string[]} */ list) => list.join(", "));
    /** @param {number} preference  for the second list */
    const preferred = (preference) => {
      const [more, less] = preference < 0 ? [first, second] : [second, first];
      return [element("i", {}, more), " to ", element("i", {}, less), ` by ${Math.abs(preference).toFixed(2)}`];
    };
    const [here, there] = preferences.map(preferred);
    this.said.replaceChildren("BERT prefers ", ...here, " in the first sentence, and ", ...there, " in the second.");
  }
}

/** @param {number} difference  of logits */
function scored(difference) {
  return difference
    .toFixed(2)
    .replace(/^-0\.00$/, "0.00")
    .replace("-", "−");
}

/** How many layers need not be read again for a field. @param {Field} field */
function readBefore(field) {
  return "head" in field ? field.layer + 1 : field.layers;
}

/** @param {Field} field @param {string[]} tokens */
function nameOf(field, tokens) {
  if ("head" in field) return `layer ${field.layer}, head ${field.head}`;
  return `${tokens[field.token]}, ${LAYER_NAMES[field.layers] ?? `after ${field.layers} layers`}`;
}
