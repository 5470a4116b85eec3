/* One head, number by number: a picture that goes step by step from a token's vector to its guess (lesson 4). */

const FLIGHT = 900; // milliseconds that something moves
const READING = 1800; // milliseconds to look at a step before the next one comes
const GIST = ["sum", "second norm", "guess"]; // what Play shows of the layers after the one in which it began

class HeadView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.result = this.one(".result");
    this.map = new ModelMap(this.one(".map"), this);
    this.place = this.one(".place");
    this.because = this.one(".because");
    this.title = this.one(".step h3");
    this.says = this.one(".says");
    this.shows = this.one(".shows");
    this.track = this.one(".track");
    this.slider = this.one(".nth input");
    this.player = this.one(".play");
    /** @type {Followed} what is asked for; what is null is chosen by the thread that computes */
    this.wanted = { layer: 0, head: null, looks: null, looked: null, feature: 0, column: null };
    /** @type {Trace} of what was found */
    this.trace = null;
    this.at = 0; // the step
    /** @type {string | null} the sentence that tokens are wanted of; null: the one that comes next */
    this.text = null;
    this.moving = false; // whether the step is come to from the one before
    this.playing = false;
    this.began = 0; // the layer in which it began to play
    /** @type {number | undefined} until the next step, while it plays */
    this.timer = undefined;
    this.one(".backward").onclick = () => this.go(-1);
    this.one(".forward").onclick = () => this.go(1);
    this.player.onclick = () => this.play();
    this.slider.oninput = () => this.followNumber(Number(this.slider.value));
    this.shows.onclick = (/** @type {MouseEvent} */ event) => this.press(event);
    section.addEventListener("click", ({ target }) => target === this.player || this.pause());
    document.addEventListener("keydown", (event) => this.key(event));
    const steps = STEPS.map(({ label }, i) => {
      const button = element("button", { role: "radio" }, label);
      button.onclick = () => this.jump(i === STEPS.length - 1 ? this.layers - 1 : this.wanted.layer, i);
      return button;
    });
    this.track.append(...steps);
    arrowKeys(this.track, 1);
  }

  get layers() {
    return this.page.data.config.layers;
  }

  /** Whether this BERT has a masked-word head. */
  get guesses() {
    return this.page.data.guesses ?? true;
  }

  /** How many steps this layer has: only the last one ends in a guess. */
  get steps() {
    return STEPS.length - (this.guesses && this.wanted.layer === this.layers - 1 ? 0 : 1);
  }

  /** What stands in the address, and is read from there. */
  get parts() {
    const { layer, head, looks, looked, feature, column } = this.trace ?? this.wanted;
    const all = { layer, head, token: looks, at: looked, feature, number: column, step: this.at };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  }

  /** @param {(name: string, below: number) => number | null} whole */
  take(whole) {
    const { layers, heads, hidden, positions } = this.page.data.config;
    this.wanted = {
      layer: whole("layer", layers) ?? this.wanted.layer,
      head: whole("head", heads),
      looks: whole("token", positions),
      looked: whole("at", positions),
      feature: whole("feature", hidden / heads) ?? 0,
      column: whole("number", hidden),
    };
    this.at = whole("step", STEPS.length) ?? 0;
    this.text = this.trace = null;
  }

  async show() {
    const { text } = this.page;
    if (this.text !== null && this.text !== text) Object.assign(this.wanted, { looks: null, looked: null });
    this.text = text;
    this.at = Math.min(this.at, this.steps - 1); // an address may ask for a guess before the last layer
    this.trace = await this.ask("trace", { followed: this.wanted });
    this.map.draw(this.trace);
    this.draw(this.trace);
    const { moves } = STEPS[this.at];
    if (this.moving) this.move(moves);
    this.moving = false;
    clearTimeout(this.timer);
    if (this.atEnd) this.pause();
    if (this.playing) this.timer = setTimeout(() => this.playOn(), FLIGHT * moves.length + READING);
  }

  /** @param {Partial<Followed>} changed */
  follow(changed) {
    Object.assign(this.wanted, changed);
    this.page.refresh();
  }

  /** Whether the step is about the numbers of a head, and not of a token's whole vector. */
  get inHead() {
    return this.at >= stepOf("query") && this.at <= stepOf("sum");
  }

  /** @param {number} place */
  followNumber(place) {
    this.follow(this.inHead ? { feature: place, column: null } : { column: place });
  }

  /** Follow the number that is pressed. @param {MouseEvent} event */
  press({ target, offsetX }) {
    const pressed = /** @type {HTMLElement} */ (target);
    const cell = pressed.closest(".cell");
    if (cell) this.followNumber([.../** @type {any} */ (cell.parentElement).children].indexOf(cell));
    const { hidden } = this.page.data.config;
    if (pressed.matches(`[data-width="${hidden}"] > canvas`))
      this.followNumber(Math.min(hidden - 1, Math.floor((offsetX / pressed.clientWidth) * hidden)));
  }

  /** @param {number} layer @param {number} step */
  jump(layer, step) {
    if (layer !== this.wanted.layer) Object.assign(this.wanted, { layer, head: null, looked: null, column: null });
    this.at = step;
    this.page.refresh();
  }

  /** Look at a head, at the step of a head that one is at. @param {number} layer @param {number} head */
  lookAt(layer, head) {
    if (!this.inHead) this.at = stepOf("query");
    this.follow({ layer, head, looked: null, column: null });
  }

  /**
   * Step forward or back: from the end of a layer into the next one, and at the last one to the guess.
   * @param {number} by
   */
  go(by) {
    const { layer } = this.wanted;
    const to = this.at + by;
    this.moving = by > 0;
    if (to >= 0 && to < this.steps) this.jump(layer, to);
    else if (to > 0 && layer < this.layers - 1) this.jump(layer + 1, 0);
    else if (to < 0 && layer > 0) this.jump(layer - 1, STEPS.length - 2);
  }

  /** @param {KeyboardEvent} event */
  key({ key, target, altKey, ctrlKey, metaKey }) {
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const other = /** @type {Element} */ (target).closest("input, textarea, [role=radiogroup], [role=tablist]");
    if (!by || this.section.hidden || other || altKey || ctrlKey || metaKey) return;
    this.pause();
    this.go(by);
  }

  play() {
    if (this.playing) return this.pause();
    this.setPlaying(true);
    this.began = this.atEnd ? 0 : this.wanted.layer;
    if (this.atEnd) this.jump(0, 0);
    else this.playOn();
  }

  /** Go on to the next step: all steps of the layer in which it began, and the gist of those after it. */
  playOn() {
    const { layer } = this.wanted;
    if (this.section.hidden) return this.pause();
    const gist = GIST.map(stepOf);
    const next = layer > this.began ? (gist.find((step) => step > this.at) ?? this.steps) : this.at + 1;
    this.moving = true;
    if (next < this.steps) this.jump(layer, next);
    else this.jump(layer + 1, gist[0]);
  }

  get inGuess() {
    return this.at === STEPS.length - 1;
  }

  get atEnd() {
    return this.wanted.layer === this.layers - 1 && this.at === this.steps - 1;
  }

  pause() {
    clearTimeout(this.timer);
    if (this.playing) this.setPlaying(false);
  }

  /** @param {boolean} playing */
  setPlaying(playing) {
    this.playing = playing;
    this.player.textContent = playing ? "Pause" : "Play";
  }

  /** @param {Trace} trace */
  draw(trace) {
    const { tokens, looks, layer, head, chosen, peaks } = trace;
    const step = STEPS[this.at];
    const steps = STEPS.length - Number(!this.guesses);
    this.place.textContent = `Layer ${layer}, head ${head}: step ${this.at + 1} of ${steps}`;
    const { at, weight } = peaks[layer][head];
    const why = [`Head ${head} mixes: its largest weight on another word is `];
    why.push(number(weight, `weights[${looks}, ${at}]`), ", on ", strong(tokens[at]), ".");
    this.because.replaceChildren(...(chosen && this.at <= stepOf("query") ? why : []));
    this.title.textContent = step.name;
    choose(this.track.children, this.at);
    this.track.lastChild.hidden = !this.guesses;
    const buttons = () => [...this.shows.querySelectorAll("button")];
    const focused = buttons().indexOf(/** @type {any} */ (document.activeElement));
    this.says.replaceChildren(...step.says(trace), ...(this.inGuess ? this.seen(tokens, looks) : []));
    this.shows.replaceChildren(step.picture(trace, this), ...(step.below?.(trace) ?? []));
    buttons()[focused]?.focus();
    const [place, of] = this.inHead ? [trace.feature, trace.query] : [trace.column, trace.entering];
    put(this.slider, { max: of.length - 1, value: place });
    this.one(".nth span").textContent = `number ${place}`;
    this.one(".nth").classList.toggle("idle", ["softmax", "guess"].includes(step.id));
  }

  /**
   * Say of a token that was not hidden that BERT could see it, and let it be hidden.
   * @param {string[]} tokens
   * @param {number} looks
   */
  seen(tokens, looks) {
    if (tokens[looks] === "[MASK]") return [];
    const said = [" BERT can see ", strong(tokens[looks]), ", so its guess is no test. "];
    if (["[CLS]", "[SEP]"].includes(tokens[looks])) return said;
    const button = element("button.hide.link", {}, "Hide it");
    button.onclick = async () => {
      this.page.setText(await this.ask("masked", { place: looks }));
      this.page.refresh();
    };
    return [...said, button];
  }

  /** Let what stands in one place run to another, one pair after the other. @param {[string, string][]} moves */
  move(moves) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    moves.forEach(([from, to], turn) => {
      const [sources, targets] = [from, to].map((places) => [...this.section.querySelectorAll(places)]);
      sources.forEach((source, i) => fly(source, targets[sources.length === targets.length ? i : 0], turn * FLIGHT));
      const half = FLIGHT / 2;
      for (const target of targets)
        target.animate({ opacity: [0, 1] }, { duration: half, delay: turn * FLIGHT + half, fill: "backwards" });
    });
  }
}

/** Let something run to another place and appear again in its own. @param {Element} source @param {Element} target
 * @param {number} delay */
function fly(source, target, delay) {
  const [start, end] = [source, target].map((one) => one.getBoundingClientRect());
  const right = end.x - start.x + (end.width - start.width) / 2;
  const down = end.y - start.y + (end.height - start.height) / 2;
  const transform = `translate(${right}px, ${down}px) scale(${Math.min(1, end.width / start.width)}, 1)`;
  const strength = Number(/** @type {HTMLElement} */ (source).style.getPropertyValue("--strength") || 1);
  const frames = [
    { transform: "none", opacity: 1, easing: "ease-in-out" },
    { transform, opacity: Math.max(0.15, strength), offset: 0.75 },
    { transform: "none", opacity: 0, offset: 0.76 },
    { transform: "none", opacity: 1 },
  ];
  source.animate(frames, { duration: FLIGHT, delay });
}
