/* Heads: where each token looks, in all heads at a glance and in one of them (lesson 4). */

/** The patterns of lesson 4, and the sign of each on the small pictures. */
const PATTERNS = [
  { name: "the previous piece", sign: "←" },
  { name: "the next piece", sign: "→" },
  { name: "the same piece elsewhere", sign: "=" },
];

class HeadsView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.grid = this.one(".grid");
    this.found = this.one(".found");
    this.title = this.one(".large h3");
    this.from = this.one(".from");
    this.to = this.one(".to");
    this.lines = this.one(".lines");
    this.said = this.one(".said");
    this.chosen = { layer: 1, head: 3 };
    this.looks = 3;
    /** @type {number | null} the token that is given or pressed; else it is [MASK], where there is one */
    this.asked = null;
    this.tokens = /** @type {string[]} */ ([]);
    this.attention = new Float32Array();
    this.one(".numbers").onclick = () => this.followNumbers();
    new ResizeObserver(() => this.drawLines()).observe(this.lines.parentElement);
  }

  get parts() {
    return { ...this.chosen, token: this.looks };
  }

  /** @param {(name: string, below: number) => number | null} whole */
  take(whole) {
    const { layers, heads, positions } = this.page.data.config;
    const { layer, head } = this.chosen;
    this.chosen = { layer: whole("layer", layers) ?? layer, head: whole("head", heads) ?? head };
    this.asked = whole("token", positions);
  }

  /** Open the view of one head where this one looks, at the token that gets most. */
  followNumbers() {
    const n = this.tokens.length;
    const { layer, head } = this.chosen;
    const row = this.weights(layer, head).subarray(this.looks * n, (this.looks + 1) * n);
    const at = row.indexOf(Math.max(...row));
    const parts = { view: "head", text: this.page.text, layer, head, token: this.looks, at, step: 1 };
    this.page.leave();
    this.page.openAddress(new URLSearchParams(/** @type {any} */ (parts)));
  }

  async show() {
    const { tokens, ids, attention } = await this.ask("read");
    this.tokens = tokens;
    this.ids = ids;
    this.attention = attention;
    const mask = tokens.indexOf("[MASK]");
    this.looks = Math.min(this.asked ?? (mask < 0 ? 3 : mask), tokens.length - 1);
    this.drawGrid();
    this.drawTokens();
    this.drawHead();
  }

  /** The weights of one head, (tokens, tokens). @param {number} layer @param {number} head */
  weights(layer, head) {
    const square = this.tokens.length ** 2;
    const start = (layer * this.page.data.config.heads + head) * square;
    return this.attention.subarray(start, start + square);
  }

  drawGrid() {
    const { layers, heads } = this.page.data.config;
    const clearest = PATTERNS.map(() => ({ share: -1, layer: 0, head: 0 }));
    if (!this.grid.children.length) this.makeGrid(layers, heads);
    const buttons = this.grid.querySelectorAll("button");
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < heads; head++) {
        const button = buttons[layer * heads + head];
        const weights = this.weights(layer, head);
        squares(only("canvas", button), this.tokens.length, weights);
        const shares = patternShares(weights, this.tokens, this.ids ?? []);
        const named = shares.findIndex((share) => share > 0.5);
        only("span", button).textContent = PATTERNS[named]?.sign ?? "";
        const pattern = named < 0 ? "" : `, looks at ${PATTERNS[named].name}`;
        button.setAttribute("aria-label", `layer ${layer}, head ${head}${pattern}`);
        shares.forEach((share, i) => {
          if (share > clearest[i].share) clearest[i] = { share, layer, head };
        });
      }
    }
    choose(buttons, this.chosen.layer * heads + this.chosen.head);
    this.drawFound(clearest, buttons);
  }

  /** @param {number} layers @param {number} heads */
  makeGrid(layers, heads) {
    this.grid.style.setProperty("--columns", String(heads));
    for (let layer = 0; layer < layers; layer++) {
      this.grid.append(element("span.row", { "aria-hidden": "true" }, `layer ${layer}`));
      for (let head = 0; head < heads; head++) {
        const button = element(
          "button",
          { role: "radio" },
          element("canvas"),
          element("span", { "aria-hidden": "true" }),
        );
        button.onclick = () => this.pick(layer, head);
        this.grid.append(button);
      }
    }
    arrowKeys(this.grid, heads);
  }

  /** @param {number} layer @param {number} head */
  pick(layer, head) {
    this.chosen = { layer, head };
    choose(this.grid.querySelectorAll("button"), layer * this.page.data.config.heads + head);
    this.page.address.show();
    this.drawHead();
  }

  /**
   * Say which head is clearest at each pattern, beside one that looks equally at all tokens.
   * @param {{share: number, layer: number, head: number}[]} clearest
   * @param {NodeListOf<HTMLElement>} buttons
   */
  drawFound(clearest, buttons) {
    const alike = 1 / this.tokens.length;
    const rows = PATTERNS.map(({ name, sign }, i) => {
      const { share, layer, head } = clearest[i];
      if (share < 0) return element("li", {}, `${sign} ${name}: this sentence has no piece twice.`);
      const button = element("button.link", {}, `layer ${layer}, head ${head}`);
      button.onclick = () => {
        this.pick(layer, head);
        buttons[layer * this.page.data.config.heads + head].focus();
      };
      const clear = share > 0.5 ? "" : ", which is not clear";
      return element(
        "li",
        {},
        `${sign} ${name}: most in `,
        button,
        `, with ${share.toFixed(2)} of its weight${clear}.`,
      );
    });
    const last = element(
      "li",
      {},
      `A head that looked equally at all tokens would put ${alike.toFixed(2)} on each.`,
    );
    this.found.replaceChildren(...rows, last);
  }

  drawTokens() {
    const buttons = this.tokens.map((token, place) => {
      const button = element("button", { role: "radio" }, ...shown(token));
      button.onclick = () => this.look(place);
      button.onmouseenter = () => this.look(place);
      return button;
    });
    this.renew(this.from, buttons);
    arrowKeys(this.from, 1);
    const seen = this.tokens.map((token) =>
      element("li", {}, element("span", {}, ...shown(token)), element("small")),
    );
    this.to.replaceChildren(...seen);
  }

  /** @param {number} place */
  look(place) {
    this.looks = this.asked = place;
    this.page.address.show();
    this.drawHead();
  }

  drawHead() {
    if (!this.tokens.length) return;
    const { layer, head } = this.chosen;
    const n = this.tokens.length;
    const row = this.weights(layer, head).subarray(this.looks * n, (this.looks + 1) * n);
    this.title.textContent = `Layer ${layer}, head ${head}`;
    choose(this.from.children, this.looks);
    [...this.to.children].forEach((seen, place) => {
      seen.style.setProperty("--weight", `${Math.round(100 * row[place])}%`);
      seen.classList.toggle("most", row[place] > 0.5);
      seen.lastElementChild.textContent = row[place] >= 0.005 ? row[place].toFixed(2) : "";
    });
    const most = [...row.keys()].sort((one, other) => row[other] - row[one]).slice(0, 3);
    const words = most.map((place) => `${inText(this.tokens[place])} ${row[place].toFixed(2)}`);
    this.said.textContent = `${inText(this.tokens[this.looks])} looks at: ${words.join(", ")} ...`;
    this.drawLines();
  }

  drawLines() {
    const height = this.from.offsetHeight;
    const width = this.lines.parentElement.clientWidth;
    if (!height || !width || !this.tokens.length) return;
    const context = sharp(this.lines, width, height);
    this.lines.style.height = `${height}px`;
    const middles = [...this.from.children].map((button) => button.offsetTop + button.offsetHeight / 2);
    const weights = this.weights(this.chosen.layer, this.chosen.head);
    const n = this.tokens.length;
    const [red, green, blue] = colour("--more");
    for (let i = 0; i < weights.length; i++) {
      const looks = Math.floor(i / n);
      const strength = weights[i] * (looks === this.looks ? 1 : 0.3);
      if (strength < 0.01) continue; // nobody sees it
      context.strokeStyle = `rgba(${red}, ${green}, ${blue}, ${strength})`;
      context.lineWidth = looks === this.looks ? 3 : 2;
      context.beginPath();
      context.moveTo(0, middles[looks]);
      context.bezierCurveTo(width / 3, middles[looks], (2 * width) / 3, middles[i % n], width, middles[i % n]);
      context.stroke();
    }
  }
}

/**
 * How much a head's tokens look at each pattern's places, on average over those that have such a place; -1 if none has.
 * [CLS] and [SEP] are no pieces, and count in none.
 * @param {Float32Array} weights  (tokens, tokens)
 * @param {string[]} tokens
 * @param {number[]} ids
 */
function patternShares(weights, tokens, ids) {
  const n = tokens.length;
  const pieces = [...tokens.keys()].filter((place) => !["[CLS]", "[SEP]"].includes(tokens[place]));
  /** @type {((row: number, column: number) => boolean)[]} */
  const patterns = [
    (row, column) => column === row - 1,
    (row, column) => column === row + 1,
    (row, column) => column !== row && ids[column] === ids[row],
  ];
  return patterns.map((isPlace) => {
    let [sum, rows] = [0, 0];
    for (const row of pieces) {
      const places = pieces.filter((column) => isPlace(row, column));
      rows += places.length ? 1 : 0;
      for (const column of places) sum += weights[row * n + column];
    }
    return rows ? sum / rows : -1;
  });
}
