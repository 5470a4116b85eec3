/* What each view is: a section of the page, what is remembered of it, and questions about the sentence. */

class View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    this.section = section;
    this.page = page;
    this.ofSentence = only(".its .problem");
    /** @type {HTMLElement} where it is said why something cannot be done */
    this.problem = section.querySelector(".problem") ?? this.ofSentence;
    for (const button of section.querySelectorAll(".presets button")) {
      button.addEventListener("click", () => this.example(/** @type {HTMLElement} */ (button)));
    }
  }

  /** The one element of this view that a selector means. @param {string} selector */
  one(selector) {
    return only(selector, this.section);
  }

  /** Look at the sentence as it is now. */
  async show() {}

  /** What is remembered beside the sentence, by the names that stand in the address. @returns {Record<string, any>} */
  get parts() {
    return {};
  }

  /**
   * Take it from an address.
   * @param {(name: string, below: number) => number | null} _whole  reads a whole number below another
   * @param {URLSearchParams} _asked
   */
  take(_whole, _asked) {}

  /** Forget what another BERT has computed. */
  forget() {}

  /** Put an example's sentence, and what belongs to it, in place. @param {HTMLElement} button */
  example(button) {
    this.page.openAddress(new URLSearchParams(button.dataset.where));
  }

  /**
   * Ask the thread that computes, about the sentence as it is now if no other is given.
   * @param {string} question
   * @param {object} [asked]
   * @returns {Promise<any>}
   */
  ask(question, asked = {}) {
    const { text, seed } = this.page;
    return this.page.ask(this.section.id, question, { text, seed, ...asked });
  }

  /** Ask what may wait for everything else. @param {string} question @param {object} asked @returns {Promise<any>} */
  askLater(question, asked) {
    return this.page.ask(`later, ${this.section.id}`, question, asked);
  }

  /** Replace the buttons of a group; one in the place of the one with the focus gets it. @param {HTMLElement} group
   * @param {HTMLElement[]} buttons */
  renew(group, buttons) {
    const focused = [...group.children].indexOf(/** @type {any} */ (document.activeElement));
    group.replaceChildren(...buttons);
    /** @type {any} */ (group.children[focused])?.focus();
  }
}
