/* The page: the sentence, the views that look at it, and what each shows next. */

const FIRST = 8; // views for a first look; the others are marked as further

// What views have drawn of a BERT, and what they have said of it
const DRAWN =
  ".gaps, section:not(#learning) .said, " +
  ".grid, .map, .shows, .layers, .marked, .doubts, .fields, .brings, .scores, .matters, .first, .panel, .compared";

class Page {
  constructor() {
    this.asking = new Asking(only("#computing").textContent);
    /** @type {any} what `bertlab.begin` was given: sizes, vocabulary, graded pairs, sentences, recorded points */
    this.data = null;
    this.come = 0; // numbers of the weights
    /** @type {Set<number>} steps of the sibling's copies that have come */
    this.copies = new Set();
    /** @type {number | null} of the random numbers; null is the trained BERT */
    this.seed = null;
    this.lent = false; // whether a guess switched it on, and not the person
    /** @type {{hide?: string} | null} what an example wants to be done with it, once */
    this.example = null;
    this.own = false; // whether the sentence is the person's own; examples do not take its place
    this.box = only("#sentence");
    /** @type {HTMLElement[]} */
    this.sections = [...document.querySelectorAll("main > section")].map((section) => /** @type {any} */ (section));
    this.tabs = this.sections.map(tabOf);
    const further = element("span.further", { "aria-hidden": "true" }, "further:");
    only("[role=tablist]").append(...this.tabs.slice(0, FIRST), further, ...this.tabs.slice(FIRST));
    /** @type {View[]} in the order of the tabs */
    this.views = [
      HideView,
      PiecesView,
      HeadsView,
      HeadView,
      VectorsView,
      SecondView,
      ProofreadView,
      LearningView,
      SwapView,
      KnobsView,
    ].map((Each, i) => new Each(this.sections[i], this));
    this.current = this.turn = 0;
    this.large = new Large(this);
    this.guessing = new Guessing(this);
    this.inline = new Inline(this);
    this.address = new Address(this);
    this.listen();
  }

  get text() {
    return this.box.value;
  }

  /** Ask the thread that computes. @param {string} lane @param {string} question @param {object} asked */
  ask(lane, question, asked) {
    return this.asking.ask(lane, question, asked);
  }

  /** Take what is needed of the package: `bertlab.begin`. @param {any} data */
  begin(data) {
    this.data = data;
    this.showSizes();
    const { config, vocabulary, newer, tensors, partners } = data;
    this.asking.tell({ question: "begin", begin: { config, vocabulary, newer, tensors, partners } });
  }

  /**
   * Take a part of the weights: `bertlab.part`.
   * @param {number} start
   * @param {string} numbers  of 16 bits, as base64
   */
  part(start, numbers) {
    if (start !== this.come) return; // the script of another part
    const bytes = atob(numbers);
    const { sums, ends } = this.data;
    if (sums && sumOf(bytes) !== sums[ends.indexOf(start)]) return; // damaged inside
    this.asking.tell({ question: "part", start, bytes });
    this.come += bytes.length / 2;
  }

  /** Take a copy of the sibling: `bertlab.copy`. @param {number} steps @param {string} numbers  as base64 */
  copy(steps, numbers) {
    const bytes = atob(numbers);
    if (sumOf(bytes) !== this.data.copies[steps]) return; // damaged inside
    this.asking.tell({ question: "copy", copy: steps, bytes });
    this.copies.add(steps);
  }

  /** Write this BERT's sizes into what the views say. */
  showSizes() {
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-size]")))
      place.textContent = grouped(this.data.config[place.dataset.size ?? ""]);
  }

  /** Show another BERT from now on. @param {Asking} asking  the thread that has it @param {any} data */
  use(asking, data) {
    this.asking.forget();
    this.asking = asking;
    this.data = data;
    this.showSizes();
    for (const drawn of document.querySelectorAll(DRAWN)) drawn.replaceChildren();
    this.views.forEach((view, i) => {
      view.forget();
      this.take(i, new URLSearchParams("layer=0&head=0&knobs=")); // others may not be there
    });
    this.setSeed(null);
  }

  /** Let the view that is open look at the sentence as it is now. */
  async refresh() {
    if (!this.data) return;
    const section = this.sections[this.current];
    this.guessing.suit(section);
    this.address.show();
    const turn = ++this.turn;
    let refusal = "";
    try {
      await this.views[this.current].show();
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
    }
    if (turn !== this.turn) return; // a newer one has the word
    this.address.show(); // the view may have changed what it remembers
    this.large.fitSentences();
    this.refuse(refusal);
    this.inline.done();
  }

  /** Say why something cannot be done, under the field that it is about, or nothing. @param {string} refusal */
  refuse(refusal) {
    for (const one of document.querySelectorAll(":is(.its, section) > .problem")) one.textContent = "";
    const { section, problem } = this.views[this.current];
    problem.textContent = refusal;
    section.classList.toggle("refused", refusal !== "");
  }

  listen() {
    this.box.oninput = () => {
      this.own = true;
      this.guessing.mine.delete(this.box);
      this.refresh();
    };
    for (const button of only("#examples").querySelectorAll("button")) {
      button.onclick = () => {
        this.setExample(button.textContent ?? "", button.dataset.hide);
        this.refresh();
      };
    }
    this.tabs.forEach((tab, i) => (tab.onclick = () => this.turnTo(i)));
    arrowKeys(only("[role=tablist]"), 1);
    for (const row of document.querySelectorAll(".chips, [role=tablist]")) fading(/** @type {any} */ (row));
    for (const section of this.sections) {
      this.addSwitch(section);
      this.guessing.listenTo(section);
    }
    matchMedia("(prefers-color-scheme: dark)").onchange = () => this.refresh(); // canvases keep their colours
    window.onpopstate = () => this.address.read(); // also where a link leads to another #
  }

  /** @param {string} text @param {string} [hide]  a piece that is hidden to begin with */
  setText(text, hide) {
    this.box.value = text;
    this.example = { hide };
  }

  /** Put an example in the place of a sentence, which comes back if it is the person's own. @param {string} text
   * @param {string} [hide] */
  setExample(text, hide) {
    if (this.own) this.guessing.mine.set(this.box, this.text);
    this.own = false;
    this.setText(text, hide);
  }

  /** Open another view, from which *Back* leads here. @param {number} number */
  turnTo(number) {
    if (number !== this.current) this.leave();
    this.open(number);
  }

  /** Leave a view: *Back* leads to it as it is now, and what its guess switched on is switched off. */
  leave() {
    this.address.write("replaceState");
    this.address.write("pushState");
    if (!this.lent) return;
    [this.seed, this.lent] = [null, false];
    this.showSeed();
  }

  /**
   * Open a view, with a sentence that suits it if the person has typed none.
   * @param {number} number
   * @param {boolean} [keep]  the sentence as it is
   */
  open(number, keep = this.own) {
    this.current = number;
    choose(this.tabs, number);
    const [tab, list] = [this.tabs[number], only("[role=tablist]")];
    list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2; // on a phone
    this.sections.forEach((section, i) => (section.hidden = i !== number));
    const { sentence, hide } = this.sections[number].dataset;
    for (const part of document.querySelectorAll(".its")) part.classList.toggle("unused", !sentence);
    if (!keep && sentence) this.setText(sentence, hide);
    this.example ??= {}; // so that a view that hides a word hides one to begin with
    this.guessFirst();
    this.refresh();
  }

  /** In class, a guess stands under the sentence that it is about. */
  guessFirst() {
    const section = this.sections[this.current];
    const { text, hide } = only(".guess", section).dataset;
    if (!this.large.on || section.matches(".answered, .own *") || !text) return;
    this.setExample(text, hide);
  }

  /**
   * Every view but that of the training has the switch to a BERT that was never trained; all of them are one.
   * @param {HTMLElement} section
   */
  addSwitch(section) {
    if (section.id === "learning") return;
    only(".title", section).append(only("#switch").content.cloneNode(true));
    only("[role=switch]", section).onclick = () => this.setSeed(this.seed === null ? 0 : null);
    only(".again", section).onclick = () => this.setSeed((this.seed ?? 0) + 1);
  }

  /** @param {number | null} seed @param {boolean} [lent]  for as long as the view is open */
  setSeed(seed, lent = false) {
    [this.seed, this.lent] = [seed, lent];
    this.showSeed();
    this.refresh();
  }

  showSeed() {
    const { seed } = this;
    for (const group of document.querySelectorAll(".switch")) {
      const [turn, again] = group.querySelectorAll("button");
      turn.setAttribute("aria-checked", String(seed !== null));
      again.hidden = seed === null;
      again.textContent = `Draw others (these have seed ${seed})`;
    }
    document.documentElement.classList.toggle("untrained", seed !== null);
  }

  /** @param {number} by */
  openNext(by) {
    const { length } = this.sections;
    const next = (this.current + by + length) % length;
    only(".why", this.sections[next]).textContent = ""; // it was of the round before
    this.turnTo(next);
  }

  /** Press the example after the one that was pressed last, of the view that is open. */
  nextExample() {
    const section = this.sections[this.current];
    const group = section.querySelector(".presets") ?? only("#examples");
    const buttons = [...group.querySelectorAll("button")];
    const pressed = Number(group.dataset.pressed ?? -1);
    group.dataset.pressed = String((pressed + 1) % buttons.length);
    section.classList.add("answered");
    buttons[(pressed + 1) % buttons.length].click();
  }

  /**
   * Open a view with a sentence and what belongs to it: view=heads&text=The cat sat.&layer=1&head=3&token=2.
   * What is not named stays as it is, and what names nothing is left out.
   * @param {URLSearchParams} asked
   */
  openAddress(asked) {
    const named = this.sections.findIndex(({ id }) => id === asked.get("view"));
    const view = Math.max(0, named);
    const text = asked.get("text");
    if (text !== null) this.setText(text, asked.get("hide") ?? undefined);
    this.take(view, asked);
    this.open(view, text !== null);
    this.refuse(""); // it was of another sentence
  }

  /** Let a view take what an address says of it. @param {number} view @param {URLSearchParams} asked */
  take(view, asked) {
    /** @param {string} name @param {number} below */
    const whole = (name, below) => {
      const value = asked.get(name);
      return value !== null && /^\d+$/.test(value) && Number(value) < below ? Number(value) : null;
    };
    this.views[view].take(whole, asked);
  }
}

/** Make the tab of a view, under which its section stands. @param {HTMLElement} section @returns {HTMLElement} */
function tabOf(section) {
  const tab = { role: "tab", id: `tab-${section.id}`, "aria-controls": section.id };
  put(section, { role: "tabpanel", "aria-labelledby": tab.id });
  return element("button", tab, only("h2", section).textContent);
}
