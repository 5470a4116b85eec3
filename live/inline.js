/* In a lesson or the book: a frame with the sentence and one view. It says how high it is, and takes their theme. */

class Inline {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.on = this.ready = false;
    /** @type {CSSMediaRule[] | null} the colours of a dark screen */
    this.dark = null;
    new ResizeObserver(() => this.tell()).observe(document.body);
    window.onmessage = ({ data }) => this.take(data?.theme);
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    document.documentElement.classList.toggle("inline", on);
  }

  /** The view shows something, or says why it cannot: the next frame may load. */
  done() {
    this.ready = true;
    this.tell();
  }

  /** Tell who has the frame, whoever that is, how high it must be, and whether it is ready: nothing of the sentence. */
  tell() {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (this.on) parent.postMessage({ bertlab: "view", height, ready: this.ready }, "*");
  }

  /** Be light or dark as who has the frame. @param {unknown} theme */
  take(theme) {
    const { style } = document.documentElement;
    if (!this.on || (theme !== "light" && theme !== "dark") || style.colorScheme === theme) return;
    style.colorScheme = theme;
    const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
    this.dark ??= /** @type {any} */ (rules.filter((/** @type {any} */ rule) => /dark/.test(rule.conditionText)));
    for (const { media } of this.dark ?? []) media.mediaText = theme === "dark" ? "all" : "not all";
    this.page.refresh(); // canvases keep their colours
  }
}
