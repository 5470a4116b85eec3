/* Words that are hidden or changed in a text as it was typed: so one sentence becomes two that can be compared. */

const NEAREST = 8; // words around the hidden one that may be changed
const EXPECTED_THERE = 32; // pieces from which the most similar one takes a word's place
const LONG = 40; // tokens: in a longer sentence each try takes long, and there are two
const LETTERS = 4; // words as long as this say more of what is told than shorter ones
const AGREES = ["is", "are", "was", "were", "has", "have", "his", "her"]; // with another word: hidden first

/** A word of a text: from where to where it goes, and its tokens. @typedef {{from: number, to: number, word: string,
 *  place: number, size: number}} Span */

/**
 * Return the words of a text as they stand there, or nothing, if that is not how the tokenizer splits it.
 * @param {string} text
 * @returns {Span[]}
 */
function spansIn(text) {
  let place = 1; // after [CLS]
  const ids = [];
  const spans = [];
  for (const { 0: word, index } of text.matchAll(/\[(?:PAD|UNK|MASK)\]|[\p{L}\p{M}\p{N}]+|\S/gu)) {
    const own = tokenizer.read(word).ids.slice(1, -1);
    spans.push({ from: index, to: index + word.length, word, place, size: own.length });
    place += own.length;
    ids.push(...own);
  }
  return ids.join() === tokenizer.read(text).ids.slice(1, -1).join() ? spans : [];
}

/** Return a text with some words written otherwise. @param {string} text @param {Map<Span, string>} written */
function rewritten(text, written) {
  return [...written]
    .sort(([one], [other]) => other.from - one.from) // from the last on, so that the others stay where they are
    .reduce((whole, [{ from, to }, word]) => whole.slice(0, from) + word + whole.slice(to), text);
}

/** @param {Span[]} spans @param {number} place */
function spanAt(spans, place) {
  return spans.find((span) => span.place <= place && place < span.place + span.size);
}

/** Return a text in which the word at a token is hidden. @param {string} text @param {number} place */
function masked(text, place) {
  const span = spanAt(spansIn(text), place);
  return span ? rewritten(text, new Map([[span, "[MASK]"]])) : text;
}

/** Whether a word can be hidden or changed: letters, and one piece. @param {Span} span */
function isWord({ word, size }) {
  return size === 1 && /^\p{L}+$/u.test(word);
}

/** Return a word with a capital if another one has it. @param {string} word @param {string} other */
function capitalAs(word, other) {
  return /^\p{Lu}/u.test(other) ? word[0].toUpperCase() + word.slice(1) : word;
}

/** Return the partner of a word, if there is one: the other number of a noun, she for he. @param {string} word */
function partnerOf(word) {
  const small = word.toLowerCase();
  return beginning.partners.find((both) => both.includes(small))?.find((one) => one !== small);
}

/** The cosine of two rows of the word table (lesson 1). @param {Bert} bert @param {number} one @param {number} other */
function alike(bert, one, other) {
  const { hidden } = bert.config;
  const table = bert.weight("bert.embeddings.word_embeddings.weight");
  let [together, ones, others] = [0, 0, 0];
  for (let i = 0; i < hidden; i++) {
    const [a, b] = [table[one * hidden + i], table[other * hidden + i]];
    [together, ones, others] = [together + a * b, ones + a * a, others + b * b];
  }
  return together / Math.sqrt(ones * others);
}

/**
 * Return a text with one [MASK], each time with another word changed. First come words that have a partner. Then a word
 * near [MASK] becomes the most similar of those that BERT expects there; what moves most at [MASK] comes first.
 * @param {string} text
 * @param {number | null} seed
 * @returns {string[]}
 */
function changesOf(text, seed) {
  const bert = bertOf(seed);
  const spans = spansIn(text);
  const found = withGap(text);
  const mask = onlyGap(found);
  /** @param {number[]} ids */
  const shares = (ids) => softmax(logitsAt(bert, bert.read(ids), mask));
  const before = shares(found.ids);
  const most = found.ids.length > LONG ? 2 : NEAREST;
  const far = (/** @type {Span} */ { place }) => Math.abs(place - mask);
  /** @param {Span} span @param {string} word */
  const instead = (span, word) => rewritten(text, new Map([[span, capitalAs(word, span.word)]]));
  const partners = spans.flatMap((span) => {
    const partner = partnerOf(span.word);
    return partner ? [instead(span, partner)] : [];
  });
  const words = spans.filter((span) => isWord(span) && !partnerOf(span.word));
  const telling = words.filter(({ word }) => word.length >= LETTERS);
  const near = (telling.length ? telling : words).sort((one, other) => far(one) - far(other));
  if (!near.length && !partners.length)
    throw new Error("Type a sentence of some more words: one is hidden, and another is changed.");
  const [guess] = largest(before, 1);
  const filled = { ...found, ids: found.ids.map((id, place) => (place === mask ? guess : id)) };
  const changes = near.slice(0, most).map((span) => {
    const [expected] = expectedAt(filled, [span.place], seed);
    const own = found.ids[span.place];
    const others = largest(expected, EXPECTED_THERE).filter(
      (id) => id !== own && /^\p{L}+$/u.test(tokenizer.vocabulary[id]),
    );
    if (!others.length) return { moved: -1, other: text };
    const other = others.reduce((best, id) => (alike(bert, own, id) > alike(bert, own, best) ? id : best));
    const after = shares(found.ids.map((id, place) => (place === span.place ? other : id)));
    return {
      moved: after.reduce((sum, share, id) => sum + Math.abs(share - before[id]), 0),
      other: instead(span, tokenizer.vocabulary[other]),
    };
  });
  changes.sort((one, other) => other.moved - one.moved);
  return [...partners, ...changes.map(({ other }) => other)];
}

/** Return a text with a [MASK] if it had none: its last word is hidden. @param {string} text */
function gapped(text) {
  if (withGap(text).tokens.includes("[MASK]")) return text;
  const words = spansIn(text).filter(isWord);
  return masked(text, words[words.length - 1]?.place ?? 1);
}

/**
 * Return two sentences that can be compared: the first with a hidden word, which is typed, pressed (hide), hidden in
 * the second, one that agrees with another, or the last one; the second as it is typed, if it suits the first, or else
 * with a word changed (anew).
 * @param {Asked} asked  may: whether a word may be changed
 */
function pairOf({ text, other, hide, may, seed }) {
  const [one, two] = [withGap(text), tokenizer.read(other)];
  const [typed, theirs] = [one, two].map(({ tokens }) => tokens.indexOf("[MASK]"));
  const differ = one.ids.filter((id, place) => id !== two.ids[place]).length;
  const left = may && hide === undefined && differ > one.ids.length / 2; // it belonged to another sentence
  const same = one.ids.length === two.ids.length && !left;
  /** @param {number} place */
  const isOther = (place) => same && one.ids[place] !== two.ids[place] && place !== theirs;
  const changed = [...one.ids.keys()].filter(isOther);
  /** @param {string} first */
  const anew = (first) => ({ text: first, other: may ? changesOf(first, seed)[0] : other, anew: may });
  if (typed > 0) {
    const suits = changed.some((place) => place !== typed) && (theirs < 0 || theirs === typed);
    if (!suits) return anew(text);
    return { text, other: theirs < 0 ? masked(other, typed) : other };
  }
  const [spans, theirSpans] = [text, other].map(spansIn);
  const free = spans.filter((span) => isWord(span) && !changed.includes(span.place));
  const agrees = free.findLast(({ word }) => AGREES.includes(word)) ?? free[free.length - 1];
  const wanted = hide ?? (same && theirs > 0 ? theirs : agrees?.place);
  const hidden = spanAt(spans, wanted ?? 1);
  if (!hidden) return { text, other };
  const written = new Map([[hidden, "[MASK]"]]);
  const gap = rewritten(text, written);
  for (const place of changed) {
    const [mine, instead] = [spanAt(spans, place), spanAt(theirSpans, place)];
    if (mine && instead && mine !== hidden) written.set(mine, instead.word);
  }
  if (written.size < 2) return anew(gap);
  return { text: gap, other: rewritten(text, written), anew: hide !== undefined };
}

/**
 * Return, for each word of a text that has no [MASK] of its own, whether it is the one that is hidden.
 * @param {string} text
 * @param {number} mask
 */
function wordsToHide(text, mask) {
  if (text.includes("[MASK]")) return [];
  return spansIn(text).map(({ word, place }) => ({ word, place, hidden: place === mask }));
}

/**
 * Return a sentence with [MASK] in the place of a word, and as much around it as BERT reads, in whole words: of the
 * side that has more pieces, the farthest word goes first.
 * @param {string} sentence
 * @param {number} start
 * @param {number} end
 */
function gapIn(sentence, start, end) {
  const room = beginning.config.positions - 3; // without [CLS], [SEP] and [MASK]
  const spans = [...sentence.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
    size: tokenizer.read(word).ids.length - 2,
  }));
  const before = spans.filter(({ from }) => from < start);
  const after = spans.filter(({ to }) => to > end);
  const sizes = () => [before, after].map((side) => side.reduce((sum, { size }) => sum + size, 0));
  let low = before.length ? before[0].from : start;
  let high = after.length ? after[after.length - 1].to : end;
  for (let [left, right] = sizes(); left + right > room; [left, right] = sizes()) {
    if (left > right) low = Math.max(low, Math.min(/** @type {any} */ (before.shift()).to, start));
    else high = Math.min(high, Math.max(/** @type {any} */ (after.pop()).from, end));
  }
  return `${sentence.slice(low, start)}[MASK]${sentence.slice(end, high)}`;
}
