/* From a text to pieces and their ids, as in lesson 1: the tokenizer that BERT was trained with, step by step.

   A text is cleaned, and made of small letters and bare of accents if the vocabulary is so; it is split at spaces and
   at signs; each word is then cut into the longest pieces that the vocabulary has, from left to right. This is
   WordPiece. */

/**
 * What a text becomes. All lists are as long as there are tokens.
 * @typedef {object} Tokens
 * @property {string[]} tokens  the pieces, with [CLS] and [SEP]
 * @property {number[]} ids  each one's row in the word table
 * @property {string[]} words  the word that each piece was cut from, after cleaning
 */

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/; // typed like this, they are one token each
const LONGEST_WORD = 100; // characters; a longer word becomes [UNK] as a whole

const MARKS = /[\p{Mn}\u{1734}\u{1171e}]/gu; // the two are none any more, to a browser

class Tokenizer {
  /**
   * @param {string[]} vocabulary  all pieces; a piece's id is its place in this list
   * @param {{marks: string, signs: string}} newer  characters that a browser knows and this tokenizer takes for letters
   * @param {{lower?: boolean, strip?: boolean | null, chinese?: boolean}} rules  whether letters become small, whether
   *   accents go (if it is not said: when letters become small), whether each Chinese character is a word
   */
  constructor(vocabulary, newer, { lower = true, strip = null, chinese = true } = {}) {
    this.lower = lower;
    this.strip = strip ?? lower;
    this.chinese = chinese;
    const [marks, signs] = [ranges(newer.marks), ranges(newer.signs)];
    this.invisible = new RegExp(`(?![${marks}])[\\p{Cc}\\p{Cf}\\p{Co}\\u{fffd}]`, "gu");
    this.known = new RegExp(`[^${marks}]+`, "gu");
    this.sign = new RegExp(`(?![${signs}])[!-/:-@[-\`{-~\\p{P}\\u{166d}\\u{111c9}]`, "gu");
    this.vocabulary = vocabulary;
    this.ids = new Map(vocabulary.map((piece, id) => [piece, id]));
  }

  /** @param {string} piece  which the vocabulary has @returns {number} */
  id(piece) {
    return this.ids.get(piece) ?? NaN;
  }

  /**
   * Return the tokens of a text.
   * @param {string} text
   * @returns {Tokens}
   */
  read(text) {
    /** @type {Tokens} */
    const found = { tokens: [], ids: [], words: [] };
    /** @param {string} piece @param {string} word */
    const add = (piece, word) => {
      found.tokens.push(piece);
      found.ids.push(this.id(piece));
      found.words.push(word);
    };
    add("[CLS]", "");
    for (const stretch of text.split(SPECIAL)) {
      if (SPECIAL.test(stretch)) {
        add(stretch, stretch);
        continue;
      }
      for (const word of this.words(this.cleaned(stretch))) {
        for (const piece of this.pieces(word)) add(piece, word);
      }
    }
    add("[SEP]", "");
    return found;
  }

  /**
   * Cut a word into pieces: always the longest that the vocabulary has. All but the first begin with ##.
   * @param {string} word
   * @returns {string[]}
   */
  pieces(word) {
    const letters = [...word]; // by whole characters: an emoji is one
    if (letters.length > LONGEST_WORD) return ["[UNK]"];
    const pieces = [];
    for (let start = 0; start < letters.length;) {
      let end = letters.length;
      let piece = "";
      for (; end > start; end--) {
        piece = (start ? "##" : "") + letters.slice(start, end).join("");
        if (this.ids.has(piece)) break;
      }
      if (end === start) return ["[UNK]"]; // one letter that is not there, and the whole word is unknown
      pieces.push(piece);
      start = end;
    }
    return pieces;
  }

  /**
   * Return a text without control characters and, by the rules, accents and large letters, and with spaces around
   * Chinese characters.
   * @param {string} text
   */
  cleaned(text) {
    const visible = text
      .replace(/[\t\n\r]/g, " ")
      .replace(this.invisible, "")
      .replace(/\p{White_Space}/gu, " ");
    const spaced = this.chinese ? visible.replace(CHINESE, " $& ") : visible;
    return spaced.replace(this.known, (known) => {
      // é becomes e and an accent, and the accent goes; letters become small one by one: Σ is σ at a word's end, too
      const bare = this.strip ? known.normalize("NFD").replace(MARKS, "") : known;
      return this.lower ? bare.replace(/./gsu, (letter) => letter.toLowerCase()) : bare;
    });
  }

  /**
   * Split a cleaned text at spaces, and around each sign.
   * @param {string} text
   */
  words(text) {
    return text.replace(this.sign, " $& ").split(" ").filter(Boolean);
  }
}

/**
 * Return ranges such as "4e00-9fff f900" as they stand inside the brackets of a regular expression.
 * @param {string} list
 */
function ranges(list) {
  return list.replace(/[0-9a-f]+/g, "\\u{$&}").replaceAll(" ", "");
}

const CHINESE = new RegExp(
  `[${ranges("4e00-9fff 3400-4dbf 20000-2a6df 2a700-2b73f 2b740-2b81f 2b920-2ceaf f900-faff 2f800-2fa1f")}]`,
  "gu",
);
