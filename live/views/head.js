/* One head, number by number: the way of one number through a layer, and where on the map one is (lesson 4). */

/** @typedef {any} Trace  what the thread that computes answers to "trace" */

class HeadView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.looking = this.one(".who");
    this.looked = this.one(".whom");
    this.place = this.one(".place");
    this.title = this.one(".step h3");
    this.shows = this.one(".shows");
    this.map = this.one(".map");
    this.visible = this.one(".visible");
    this.follows = this.one(".follows");
    /** @type {Followed} */
    this.followed = { layer: 0, head: 7, looks: 4, looked: 2, feature: 0, column: 224 };
    this.at = 0; // the step
    this.one(".backward").onclick = () => this.go(-1);
    this.one(".forward").onclick = () => this.go(1);
  }

  /** What stands in the address, and is read from there. */
  get parts() {
    const { layer, head, looks, looked, feature, column } = this.followed;
    return { layer, head, token: looks, at: looked, feature, number: column, step: this.at };
  }

  /** @param {(name: string, below: number) => number | null} whole */
  take(whole) {
    const { layers, heads, hidden, positions } = this.page.data.config;
    const { layer, head, looks, looked } = this.followed;
    const width = hidden / heads;
    this.followed = {
      layer: whole("layer", layers) ?? layer,
      head: whole("head", heads) ?? head,
      looks: whole("token", positions) ?? looks,
      looked: whole("at", positions) ?? looked,
      feature: whole("feature", width) ?? 0,
      column: 0,
    };
    this.followed.column = whole("number", hidden) ?? this.followed.head * width + this.followed.feature;
    this.at = whole("step", STEPS.length) ?? 0;
  }

  async show() {
    const trace = await this.ask("trace", { followed: this.followed });
    const { looks, looked } = trace;
    Object.assign(this.followed, { looks, looked });
    this.drawTokens(this.looking, trace.tokens, looks, (place) => this.follow({ looks: place }));
    this.drawTokens(this.looked, trace.tokens, looked, (place) => this.follow({ looked: place }));
    this.at = Math.min(this.at, this.steps - 1); // an address may ask for a guess before the last layer
    this.drawMap(trace);
    this.drawStep(trace);
  }

  /** @param {Partial<Followed>} changed */
  follow(changed) {
    const { heads, hidden } = this.page.data.config;
    Object.assign(this.followed, changed);
    if ("feature" in changed || "head" in changed)
      this.followed.column = this.followed.head * (hidden / heads) + this.followed.feature;
    this.page.refresh();
  }

  /**
   * Step forward or back: from the end of a layer into the next one, and at the last one to the guess.
   * @param {number} by
   */
  go(by) {
    const { layer } = this.followed;
    const to = this.at + by;
    if (to >= 0 && to < this.steps) this.at = to;
    else if (to > 0 && layer < this.page.data.config.layers - 1) this.jump(layer + 1, 0);
    else if (to < 0 && layer > 0) this.jump(layer - 1, STEPS.length - 2);
    this.page.refresh();
  }

  /** How many steps this layer has: only the last one ends in a guess. */
  get steps() {
    return STEPS.length - (this.followed.layer < this.page.data.config.layers - 1 ? 1 : 0);
  }

  /** @param {number} layer @param {number} step */
  jump(layer, step) {
    this.followed.layer = layer;
    this.at = step;
  }

  /**
   * @param {HTMLElement} group
   * @param {string[]} tokens
   * @param {number} chosen
   * @param {(place: number) => void} pick
   */
  drawTokens(group, tokens, chosen, pick) {
    const buttons = tokens.map((token, place) => {
      const button = element("button.token", { role: "radio" }, ...shown(token));
      button.onclick = () => pick(place);
      return button;
    });
    this.renew(group, buttons);
    choose(buttons, chosen);
    arrowKeys(group, 1);
  }

  /** @param {Trace} trace */
  drawMap({ tokens, looks, guess }) {
    const { layers, heads } = this.page.data.config;
    const { layer, head } = this.followed;
    if (!this.map.children.length) this.makeMap(layers, heads);
    const part = STEPS[this.at].part;
    const name = part === "head" ? `layer ${layer}, head ${head}` : `layer ${layer}, ${part}`;
    const boxes = [...this.map.querySelectorAll("button")];
    choose(
      boxes,
      boxes.findIndex((box) => box.dataset.part === (part === LAST_PART ? part : name)),
    );
    const [first] = guess.expected;
    const said = `guess for ${tokens[looks]}: ${first.piece} ${percent(first.probability)}`;
    put(boxes[boxes.length - 1], { textContent: said, "aria-label": said });
    this.follows.textContent = tokens[looks];
    this.visible.replaceChildren(...this.seen(tokens, looks));
    this.map.querySelectorAll(".layer").forEach((/** @type {Element} */ block, /** @type {number} */ i) => {
      block.classList.toggle("here", i === layer && part !== LAST_PART);
      [...block.querySelectorAll(".heads button")].forEach((box, own) =>
        box.classList.toggle("followed", i === layer && own === head),
      );
    });
    const step = `${this.at + 1} of ${this.steps}`;
    this.place.textContent = `Layer ${layer}, head ${head}: step ${step}`;
    this.title.textContent = STEPS[this.at].name;
  }

  /** @param {number} layers @param {number} heads */
  makeMap(layers, heads) {
    /** @param {string} name @param {string} label @param {() => void} jump */
    const box = (name, label, jump) => {
      const button = element("button", { role: "radio", "aria-label": name, "data-part": name, title: name }, label);
      button.onclick = () => {
        jump();
        this.page.refresh();
      };
      return button;
    };
    const ofMap = (/** @type {string} */ text) => element("span.name", {}, text);
    this.map.append(ofMap("The embedding layer makes a vector of each piece."));
    for (let layer = 0; layer < layers; layer++) {
      const row = Array.from({ length: heads }, (_, head) =>
        box(`layer ${layer}, head ${head}`, String(head), () => {
          this.jump(layer, STEPS[this.at].part === "head" ? this.at : 1);
          this.follow({ head });
        }),
      );
      const enters = box(`layer ${layer}, what enters`, `layer ${layer}`, () => this.jump(layer, 0));
      enters.append(element("small", {}, ` (${ORDINALS[layer]})`));
      const rest = PARTS.map(({ part, label }) =>
        box(`layer ${layer}, ${part}`, label, () => this.jump(layer, stepOf(part))),
      );
      this.map.append(
        element(
          "div.layer",
          { role: "presentation" },
          ...[enters, ofMap("attention")],
          element("span.heads", { role: "presentation" }, ...row),
          element("span.rest", { role: "presentation" }, ...rest),
        ),
      );
    }
    this.map.append(box(LAST_PART, "", () => this.jump(layers - 1, stepOf(LAST_PART))));
    arrowKeys(this.map, 1);
  }

  /**
   * Say of a token that was not hidden that BERT could see it, and let it be hidden.
   * @param {string[]} tokens
   * @param {number} looks
   */
  seen(tokens, looks) {
    if (tokens[looks] === "[MASK]") return [];
    const said = ["Nothing was hidden: BERT could see ", strong(tokens[looks]), " itself, so this is no test. "];
    if (["[CLS]", "[SEP]"].includes(tokens[looks])) return said;
    const button = element("button.hide", {}, "Hide it");
    button.onclick = async () => {
      const text = await this.ask("masked", { place: looks });
      while (tokens[looks].startsWith("##")) looks--; // of a word in pieces, one [MASK] is left
      this.followed.looks = looks;
      this.page.setText(text);
      this.page.refresh();
    };
    return [...said, button];
  }

  /** @param {Trace} trace */
  drawStep(trace) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const [name, inside] = [focused?.getAttribute("aria-label"), this.shows.contains(focused)];
    this.shows.replaceChildren(...STEPS[this.at].draw(trace, this));
    for (const group of this.shows.querySelectorAll("[role=radiogroup]")) arrowKeys(group, 1);
    if (inside) this.shows.querySelector(`[aria-label="${name}"]`)?.focus();
  }
}

/** The parts of a layer behind its heads, with what stands on their boxes. */
const PARTS = [
  { part: "combine heads", label: "combine heads" },
  { part: "add & normalise after attention", label: "add & normalise" },
  { part: "feed-forward", label: "feed-forward" },
  { part: "add & normalise after feed-forward", label: "add & normalise" },
];
const ORDINALS = ["the first", "the second", "the third", "the fourth"];
const LAST_PART = "the guess";

/** @param {string} part */
function stepOf(part) {
  return STEPS.findIndex((step) => step.part === part);
}
