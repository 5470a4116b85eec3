/* What BERT expects in a place: all pieces, or the first few. */

/**
 * Return what BERT expects at some places of a text, which are hidden for it: all pieces, the most probable first.
 * @param {Tokens} found
 * @param {number[]} places
 * @param {number | null} seed
 * @param {number} [copy]
 */
function expectedAt(found, places, seed, copy) {
  const bert = bertOf(seed, copy);
  const width = bert.config.hidden;
  const ids = found.ids.map((id, place) => (places.includes(place) ? tokenizer.id("[MASK]") : id));
  const last = readingOf(ids, seed, copy).hidden[bert.config.layers];
  return places.map((place) => softmax(bert.logits(last.slice(place * width, (place + 1) * width))));
}

/** The number of each piece, from the most probable on. @param {Float32Array} shares */
function inOrder(shares) {
  return [...shares.keys()].sort((one, other) => shares[other] - shares[one] || one - other);
}

/** The first of these, a few, without putting all in order. @param {Float32Array} shares @param {number} count */
function largest(shares, count) {
  let found = [0];
  for (let i = 1; i < shares.length; i++) {
    if (found.length === count && shares[i] <= shares[found[count - 1]]) continue;
    const place = found.findIndex((one) => shares[one] < shares[i]);
    found.splice(place < 0 ? found.length : place, 0, i);
    found = found.slice(0, count);
  }
  return found;
}

/** What is expected first. @param {Float32Array} logits @param {number} count */
function expectedFirst(logits, count) {
  const shares = softmax(logits);
  return largest(shares, count).map((id) => named(id, shares));
}

/** @param {number} id @param {Float32Array} shares */
function named(id, shares) {
  return { piece: tokenizer.vocabulary[id], probability: shares[id] };
}

/** The logits at one place. @param {Bert} bert @param {Reading} reading @param {number} place */
function logitsAt(bert, { hidden }, place) {
  const width = bert.config.hidden;
  return bert.logits(hidden[hidden.length - 1].slice(place * width, (place + 1) * width));
}
