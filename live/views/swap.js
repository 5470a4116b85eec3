/* Swap: two sentences that differ in a word, and what BERT says of one when a single vector comes from the other. */

/** What is taken from the other sentence: a token's vector after some layers, or what a head makes at [MASK].
 * @typedef {{layers: number, token: number} | {layer: number, head: number}} Field */

const EXPECTED = 5; // pieces that are shown
const NONE = 2; // neither side is preferred
const MANY = 11; // tokens whose fields fit beside each other on a laptop; of more, each is smaller

class SwapView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.other = this.one(".other");
    this.words = this.one(".words");
    this.said = this.one(".said");
    this.brings = this.one(".brings");
    this.scores = this.one(".scores");
    this.filled = this.one(".filled");
    this.toHide = this.one(".to-hide");
    this.twin = this.one(".twin");
    this.places = this.one(".places");
    this.heads = this.one(".heads");
    this.bars = this.one(".compared");
    this.asked = ""; // what the fields were filled for
    /** @type {Field[]} */
    this.fields = [];
    /** @type {any} what the thread that computes says of the two sentences, and the question about them */
    this.compared = this.question = null;
    /** @type {HTMLElement[]} one per field */
    this.buttons = [];
    /** @type {string[]} */
    this.names = [];
    this.chosen = 0; // which field is shown
    this.pressed = false; // whether somebody chose it; until then it is the strongest so far
    /** @type {number[]} of the fields that are filled */
    this.shares = [];
    /** @type {string | null} the first sentence that the second one was typed or made for */
    this.paired = null;
    /** @type {any} what stood in the boxes, which are empty while a second sentence is computed */
    this.before = { other: "", words: "" };
    /** @type {number | undefined} the token that is to be hidden, once */
    this.hide = undefined;
    this.words.oninput = () => page.refresh();
    this.other.oninput = () => {
      this.paired = page.text;
      page.refresh();
    };
    this.one(".change").onclick = () => this.change();
  }

  get parts() {
    const paired = this.page.text === this.paired; // otherwise it still belongs to another sentence
    return paired ? { other: this.other.value, words: this.words.value } : {};
  }

  /** @param {unknown} _ @param {URLSearchParams} asked */
  take(_, asked) {
    this.paired = asked.has("other") ? this.page.text : this.paired;
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
    const may = text !== this.paired || this.hide !== undefined;
    const own = this.one(".problem");
    this.problem = this.ofSentence;
    await this.ask("gap");
    this.problem = own;
    const { other, words, lists } = this;
    if (!may || other.value) this.before = { other: other.value, words: words.value, lists };
    const { words: typed, ...pair } = this.before;
    const question = { text, seed, count: EXPECTED, ...pair };
    if (may) [other.value, words.value, this.filled.textContent] = ["", "", "Computing a second sentence ..."];
    const asking = this.ask("compare", { ...question, may, hide: this.hide });
    const compared = await asking.finally(() => (this.filled.textContent = ""));
    if (turn === this.page.turn) this.page.refuse(""); // all fields take a while
    [this.paired, this.hide] = [text, undefined];
    if (may) words.value = compared.anew ? "" : typed;
    this.write(compared.texts.other);
    Object.assign(question, compared.texts, { lists: this.lists });
    const asked = JSON.stringify(question);
    if (asked !== this.asked) this.begin(compared);
    this.asked = asked;
    this.question = { ...question, lists: compared.words };
    this.compared = compared;
    this.drawWords(compared.toHide);
    this.say(compared);
    await this.showChosen();
    const read = this.fields.map((field) => ("head" in field ? field.layer + 1 : field.layers)); // not again for it
    const order = [...read.keys()].sort((one, other) => read[other] - read[one]); // the quickest first
    for (const [done, number] of order.entries()) {
      if (turn !== this.page.turn) return; // something else is looked at now
      await this.fill(number);
      await this.lead(number);
      this.filled.textContent = `Computing: ${done + 1} of ${this.fields.length} fields. You need not wait for all.`;
    }
    this.filled.textContent = "";
    if (seed === null) {
      const { preferences } = await this.askLater("compare", { ...this.question, seed: 0 });
      const far = signed(preferences[1] - preferences[0]);
      this.twin.textContent = `In a BERT that was never trained, the two sentences differ by ${far}.`;
    }
  }

  /** Show the second sentence, unless somebody is typing it. @param {string} other */
  write(other) {
    if ((document.activeElement === this.other && this.other.value) || other === this.other.value) return;
    this.other.value = other;
    this.page.large.fit();
  }

  /** Change another word of the first sentence: of those that may be changed, the next one. */
  async change() {
    if (!this.question) return; // nothing is compared yet
    const { text } = this.question;
    this.filled.textContent = "Computing which words may be changed ...";
    const changes = await this.ask("changes", { text });
    this.other.value = changes[(changes.indexOf(this.other.value) + 1) % changes.length];
    this.words.value = "";
    this.page.refresh();
  }

  /** Show the words of a sentence without a [MASK] of its own. @param {any[]} words */
  drawWords(words) {
    const buttons = words.map(({ word, place, hidden }) => {
      const button = element("button", { "aria-pressed": hidden, "aria-label": `hide ${word}` }, word);
      button.onclick = () => {
        this.hide = place;
        this.page.refresh();
      };
      return button;
    });
    this.renew(this.toHide, words.length ? [element("span", {}, "Hidden:"), ...buttons] : []);
  }

  /** Make the fields, all of them empty. @param {any} compared */
  begin({ tokens, others }) {
    const { layers, heads } = this.page.data.config;
    this.twin.textContent = "";
    /** @type {{layers: number, token: number}[]} */
    const places = [];
    for (let after = 0; after <= layers; after++)
      for (let token = 0; token < tokens.length; token++) places.push({ layers: after, token });
    /** @type {Field[]} */
    const ofHeads = [];
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) ofHeads.push({ layer, head });
    this.fields = [...places, ...ofHeads];
    const changed = tokens.findIndex((/** @type {string} */ token, /** @type {number} */ i) => token !== others[i]);
    this.chosen = places.findIndex(({ layers: after }) => after === layers - 1); // the first of these to be filled
    [this.pressed, this.shares] = [false, []];
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
      element("span.name", { "aria-hidden": "true" }, afterLayers(after)),
      ...buttons.slice(after * columns, (after + 1) * columns),
    ]);
    this.places.replaceChildren(element("span.name"), ...head, ...rows.flat());
    this.places.classList.toggle("many", columns > MANY);
    this.heads.style.setProperty("--columns", heads);
    const ofLayers = Array.from({ length: layers }, (_, layer) => [
      element("span.name", { "aria-hidden": "true" }, `layer ${layer}`),
      ...buttons.slice(places.length + layer * heads, places.length + (layer + 1) * heads),
    ]);
    const numbers = Array.from({ length: heads }, (_, i) =>
      element("span", { "aria-hidden": "true" }, element("span.of", {}, "head "), String(i)),
    );
    this.heads.replaceChildren(element("span.name"), ...numbers, ...ofLayers.flat());
    for (const group of [this.places, this.heads]) fading(group);
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
    const preference = await this.askLater("swap", { ...this.question, from: this.fields[number] });
    const share = (preference - preferences[0]) / (preferences[1] - preferences[0]);
    this.shares[number] = share;
    button.textContent = signed(share);
    button.setAttribute("aria-label", `${this.names[number]}: ${signed(share)}`);
    button.style.setProperty("--share", `${Math.round(50 * Math.min(1, Math.abs(share)))}%`);
    button.classList.toggle("against", share < 0);
    if (number === this.chosen) this.explain();
  }

  /**
   * Show a field that brings more than the one that is shown, until one is pressed: of those between the layers, for
   * before the first one the changed word's is the whole difference, and after the last one that of [MASK].
   * @param {number} number
   */
  async lead(number) {
    const field = this.fields[number];
    const between = "token" in field && field.layers > 0 && field.layers < this.page.data.config.layers;
    if (this.pressed || !between || !(this.shares[number] > this.shares[this.chosen])) return;
    this.chosen = number;
    this.mark();
    this.places.scrollLeft = this.buttons[number].offsetLeft - this.places.offsetLeft - this.places.clientWidth / 2;
    await this.showChosen();
  }

  /** Say what the chosen field says. */
  explain() {
    const share = this.buttons[this.chosen].textContent;
    this.brings.replaceChildren(
      "Each field puts one vector of the second sentence into the first. ",
      ...[strong(this.names[this.chosen]), ", brings ", strong(share || "…"), " of the difference."],
    );
  }

  /** @param {number} number */
  press(number) {
    this.chosen = number;
    this.pressed = true;
    this.mark();
    this.page.refresh();
  }

  /** Show what BERT expects in both sentences, and between them what it says with the chosen vector. */
  async showChosen() {
    const { chosen, compared } = this;
    const asked = { ...this.question, from: this.fields[chosen] };
    const middle = await this.ask("swapped", asked);
    const [first, second] = compared.expected;
    const lists = [
      { title: "The first sentence", expected: first },
      { title: "With one vector of the second", which: `: ${this.names[chosen]}`, expected: middle },
      { title: "The second sentence", expected: second },
    ];
    this.bars.replaceChildren(
      ...lists.map(({ title, which = "", expected }) =>
        element("section", {}, element("h3", {}, title, element("span.which", {}, which)), barsOf(expected)),
      ),
    );
  }

  forget() {
    this.asked = "";
  }

  mark() {
    this.explain();
    for (const group of [this.places, this.heads]) {
      const own = [...group.querySelectorAll("button")];
      choose(own, own.indexOf(this.buttons[this.chosen]));
      if (!own.some((button) => button.tabIndex === 0)) own[0].tabIndex = 0;
    }
  }

  /** @param {any} compared */
  say({ words, preferences }) {
    const by = preferences.map((/** @type {number} */ preference) => Math.abs(preference).toFixed(2));
    const liked = preferences.map((/** @type {number} */ preference) => Number(preference > 0));
    const named = (/** @type {number} */ side) => element("i", {}, words[side].join(", "));
    const verdict = (/** @type {number} */ side) =>
      side === NONE
        ? ["does not decide between ", named(0), " and ", named(1)]
        : ["prefers ", named(side), " to ", named(1 - side)];
    const [here, there] = by.map((/** @type {any} */ lead, /** @type {number} */ i) => (lead < 0.05 ? NONE : liked[i]));
    const more = by[0] > by[1] ? "first" : "second";
    const both = here === NONE ? " in either sentence." : ` in both sentences, more so in the ${more}.`;
    const apart = () => [" in the first sentence, and ", ...verdict(there), " in the second."];
    this.said.replaceChildren("BERT ", ...verdict(here), ...(here === there ? [both] : apart()));
    this.scores.replaceChildren(
      ...["The scores (logits): ", named(liked[0]), ` ahead by ${by[0]} in the first sentence, `],
      ...[named(liked[1]), ` ahead by ${by[1]} in the second. For two words, 0.69 means twice as likely.`],
    );
  }
}

/** @param {Field} field @param {string[]} tokens */
function nameOf(field, tokens) {
  if ("head" in field) return `layer ${field.layer}, head ${field.head}`;
  return `${tokens[field.token]}, ${afterLayers(field.layers)}`;
}
