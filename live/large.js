/* In class: large letters, nothing but a sentence and its result, a guess first, and keys, also a presenter's. */

const SMALLEST = 14; // pixels: below that, one has to scroll
const LEGIBLE = { large: 20, small: 16 }; // pixels: a sentence becomes no smaller, even to be seen whole

class Large {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.root = document.documentElement;
    this.button = only("#large");
    this.button.onclick = () => this.toggle();
    document.onfullscreenchange = () => this.show(document.fullscreenElement !== null);
    document.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.fit()).observe(only("main"));
    window.addEventListener("resize", () => this.fit());
  }

  get on() {
    return this.root.classList.contains("large");
  }

  toggle() {
    const wanted = !this.on;
    this.show(wanted);
    if (wanted)
      this.root.requestFullscreen?.().catch(() => {}); // large letters do without it
    else if (document.fullscreenElement) document.exitFullscreen();
  }

  /** @param {boolean} large */
  show(large) {
    this.root.classList.toggle("large", large);
    this.button.setAttribute("aria-pressed", String(large));
    const { page } = this;
    if (large && page.own)
      page.sections[page.current].classList.add("answered"); // nothing is asked about a sentence of one's own
    else page.guessFirst();
    this.fit();
    page.refresh();
  }

  /** Make letters as large as the screen allows without scrolling. */
  fit() {
    this.root.style.fontSize = "";
    if (this.on) {
      let size = parseFloat(getComputedStyle(this.root).fontSize);
      while (size > SMALLEST && this.root.scrollHeight > innerHeight) this.root.style.fontSize = `${--size}px`;
    }
    this.fitSentences();
  }

  /** Make sentences a little smaller that would be cut off. */
  fitSentences() {
    const least = this.on ? LEGIBLE.large : LEGIBLE.small;
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".sentence input"))) {
      box.style.fontSize = "";
      let size = parseFloat(getComputedStyle(box).fontSize);
      while (size > least && box.scrollWidth > box.clientWidth) box.style.fontSize = `${--size}px`;
    }
  }

  /**
   * Page Down: the answer, then the next view; Page Up: the view before; E: the next example.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const { type } = /** @type {HTMLInputElement} */ (event.target);
    if (!this.on || event.ctrlKey || event.altKey || event.metaKey || type === "range") return;
    const typing = /** @type {HTMLElement} */ (event.target).matches("input, textarea");
    if (event.key === "PageDown") this.page.guessing.answer() || this.page.openNext(1);
    else if (event.key === "PageUp") this.page.openNext(-1);
    else if (event.key.toLowerCase() === "e" && !typing) this.page.nextExample();
    else if (event.key === "Escape" && !document.fullscreenElement) this.show(false); // as the browser does otherwise
    else return;
    event.preventDefault();
  }
}
