/* What is shown stands in the address, so that a slide can lead there, and *Back* goes back. */

const PAUSES = 200; // milliseconds without a change before the address is written: browsers count how often it is

class Address {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {number | undefined} until it is written */
    this.writing = undefined;
  }

  /** Put what is shown into the link, and after a while into the address. */
  show() {
    const { page } = this;
    const parts = new URLSearchParams({ view: page.sections[page.current].id, text: page.text });
    if (page.inline.on) parts.set("inline", "");
    for (const [name, value] of Object.entries(page.views[page.current].parts)) parts.set(name, String(value));
    if (page.seed !== null) parts.set("seed", String(page.seed));
    only("#link").href = `#${parts}`;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write("replaceState"), PAUSES);
  }

  /** Write what was shown last, in the place of the address or after it. @param {"replaceState" | "pushState"} how */
  write(how) {
    clearTimeout(this.writing);
    const { own, lent } = this.page;
    try {
      history[how]({ own, lent }, "", only("#link").hash);
    } catch {} // a page in a sandbox has no address of its own
  }

  /** Show what the address asks for. A sentence that a link brings is kept as if the person had typed it. */
  read() {
    const { page } = this;
    const asked = new URLSearchParams(location.hash.slice(1));
    page.inline.turn(asked.has("inline"));
    const seed = asked.get("seed");
    page.seed = seed === null ? null : Number(seed) | 0;
    ({ own: page.own = page.own || asked.has("text"), lent: page.lent = false } = history.state ?? {});
    page.showSeed();
    page.openAddress(asked);
  }
}
