/* The guess that stands in each view: what is told of it, what is shown, and the way back to one's own sentence. */

class Guessing {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<HTMLInputElement, string>} what the person typed where an example stands now */
    this.mine = new Map();
  }

  /**
   * Tell whoever guesses whether it is so, and why, and show it. In class the hands for each option are counted first.
   * @param {HTMLElement} section
   */
  listenTo(section) {
    const { page } = this;
    const guess = only(".guess", section);
    const options = [...guess.querySelectorAll("button")];
    const asks = only("p", guess);
    const unfold = element("button.unfold", { "aria-expanded": "false" }, ...asks.cloneNode(true).childNodes);
    unfold.onclick = () => unfold.setAttribute("aria-expanded", String(unfold.ariaExpanded !== "true"));
    const reply = element("p.why", { role: "status" });
    const answer = element("button.answer", {}, "Show the answer");
    const back = element("button.back", { hidden: true }, "Back to your sentence");
    put(guess, { role: "group", "aria-label": asks.textContent });
    guess.prepend(unfold);
    guess.append(answer, reply, back);
    const { right, why, text, hide, untrained, into, value, where } = guess.dataset;
    const box = into ? only(into) : null;
    let typed = false; // by the person, into that box
    box?.addEventListener("input", () => (typed = box.type !== "range"));
    /** @param {string} said */
    const show = (said) => {
      options[Number(right)].classList.add("right");
      reply.textContent = `${said} ${why}`;
      section.classList.add("answered");
      if (text) page.setExample(text, hide);
      if (typed) this.mine.set(box, box.value);
      if (box) box.value = value;
      typed = false;
      if (where) page.take(page.sections.indexOf(section), new URLSearchParams(where));
      page.setSeed(untrained ? (page.seed ?? 0) : null, untrained !== undefined && (page.lent || page.seed === null));
    };
    const wanted = options[Number(right)].textContent;
    options.forEach((button, i) => {
      button.onclick = () => {
        if (page.large.on) {
          button.dataset.hands = String(Number(button.dataset.hands ?? 0) + 1);
          return;
        }
        options.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        show(i === Number(right) ? "Right." : `Not quite: ${wanted}.`);
      };
    });
    answer.onclick = () => show(`The answer: ${wanted}.`);
    back.onclick = () => this.giveBack();
  }

  /**
   * Show the answer of the view that is open, and return whether there was one: to a guess that is asked, or one about
   * the sentence that a link has brought.
   */
  answer() {
    const section = this.page.sections[this.page.current];
    if (section.matches(".own *") || (section.matches(".answered") && !this.asks(section))) return false;
    only(".answer", section).click();
    return true;
  }

  /** Whether a view's guess is about the sentence that is there, and open. @param {HTMLElement} section */
  asks(section) {
    return only(".guess", section).dataset.text === this.page.text && !only(".why", section).textContent;
  }

  /** Suit a view's guess to the sentence, and offer what the person typed if an example stands in its place.
   * @param {HTMLElement} section */
  suit(section) {
    const { text = this.page.text } = only(".guess", section).dataset;
    if (text !== this.page.text) only(".why", section).textContent = ""; // it spoke of another sentence
    section.classList.toggle("asks", this.asks(section));
    only(".back", section).hidden = ![...this.mine.keys()].some((box) => box.offsetParent);
  }

  /** Put what the person typed where it was, as if it were typed again. */
  giveBack() {
    for (const [box, text] of this.mine) {
      box.value = text;
      box.dispatchEvent(new Event("input"));
    }
    this.mine.clear();
    this.page.refresh();
  }
}
