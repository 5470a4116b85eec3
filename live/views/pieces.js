/* Pieces: what the tokenizer makes of a text, and each piece's row in the word table (lesson 1). */

class PiecesView extends View {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    super(section, page);
    this.list = this.one("ol");
    this.summary = this.one(".summary");
  }

  async show() {
    const { data } = this.page;
    /** @type {Tokens} */
    const { tokens, ids, words } = await this.ask("tokens");
    const limit = data.config.positions;
    const cards = tokens.map((token, place) => {
      const unknown = token === "[UNK]" && words[place] !== "[UNK]";
      const kind = unknown
        ? "unknown"
        : /^\[[A-Z]+\]$/.test(token)
          ? "special"
          : token.startsWith("##")
            ? "joined"
            : "word";
      const was = unknown ? [element("small", {}, words[place])] : [];
      return element(
        `li.card.${kind}`,
        {},
        element("b", {}, ...shown(token)),
        ...was,
        element("span", {}, grouped(ids[place])),
      );
    });
    this.list.replaceChildren(...cards);
    const split = new Set(words.filter((_, place) => tokens[place].startsWith("##"))).size;
    const unknown = tokens.filter((token, place) => token === "[UNK]" && words[place] !== "[UNK]").length;
    const more = [
      `${tokens.length} tokens, with [CLS] and [SEP]`,
      split ? `${split} ${split === 1 ? "word is" : "words are"} split` : "no word is split",
      unknown
        ? `${unknown} cannot be written with this vocabulary and ${unknown === 1 ? "becomes" : "become"} [UNK]`
        : "",
      tokens.length > limit ? `longer than the ${limit} that this BERT reads` : "",
    ];
    this.summary.textContent = `${more.filter(Boolean).join("; ")}.`;
  }
}
