/* The three pictures of the view that follows one number: a head, the rest of its layer, the guess. */

/** @typedef {any} Trace  what the thread that computes answers to "trace" */

/**
 * One head: the query above the keys of all tokens, products, scores, weights, then values and what they add up to.
 * @param {Trace} trace
 * @param {HeadView} view
 */
function headPicture(trace, view) {
  const { tokens, looks, looked, feature, query, queries, key, keys, values, scores, weights, made } = trace;
  const { id } = STEPS[view.at];
  const asking = id === "query";
  const [full, most] = [largestOf(...queries, ...keys), largestOf(...values)]; // what has the full colour
  /** @param {(i: number) => Node} of */
  const each = (of) => tokens.map((/** @type {string} */ _, /** @type {number} */ i) => of(i));
  /** @param {string} kind @param {Float32Array[]} vectors @param {number} full */
  const strips = (kind, vectors, full) =>
    each((i) => {
      const strip = cells(kind, `${kind} of ${tokens[i]}`, vectors[i], `${kind}[${i}, `, full, feature);
      strip.classList.toggle("most", i === (asking ? looks : looked));
      strip.style.setProperty("--strength", String(weights[i]));
      return strip;
    });
  const score = (/** @type {number} */ i) =>
    element(i === looked ? "b.lit" : "span", {}, number(scores[i], `scores[${looks}, ${i}]`));
  const products = query.map((/** @type {number} */ value, /** @type {number} */ i) => value * key[i]);
  const raised = scores.map((/** @type {number} */ value) => Math.exp(value - Math.max(...scores)));
  const total = number(raised.reduce((/** @type {number} */ sum, /** @type {number} */ one) => sum + one), "exp[sum]");
  /** @type {Record<string, any>} the columns: of each its class, what stands above it, in it, below it */
  const column = {
    queries: () => ["wide", "query", strips("query", queries, full)],
    keys: (/** @type {Node} */ below) => {
      const above = cells("query", `query of ${tokens[looks]}`, query, `query[${looks}, `, full, feature);
      return ["wide", above, strips("key", keys, full), below];
    },
    products: () => column.keys(cells("products", "products", products, "product[", largestOf(products), feature)),
    scores: () => ["scores", "score", each(score)],
    raised: () => ["raised", "e^(score − largest)", each((i) => number(raised[i], `exp[${looks}, ${i}]`)), total],
    weights: (kind = "weights") => [kind, "weight", each((i) => weighed(weights[i], `weights[${looks}, ${i}]`))],
    values: (/** @type {Node} */ below) => ["wide", "value", strips("value", values, most), below],
    sum: () => column.values(cells("made", "sum", made, `made[${looks}, `, most, feature)),
    pulls: () => ["pulls", "", [pulls(weights)]],
    given: () => ["given", "adds", each((i) => number(weights[i] * values[i][feature], `given[${i}, ${feature}]`))],
  };
  /** @type {Record<string, () => any[][]>} */
  const columns = {
    query: () => [column.queries()],
    key: () => [column.keys()],
    products: () => [column.products()],
    score: () => [column.products(), column.scores()],
    softmax: () => [column.scores(), column.raised(), column.weights("share")],
    value: () => [column.weights(), column.values()],
    sum: () => [column.weights(), column.sum(), column.pulls(), column.given()],
  };
  const above = ["key", "products", "score"].includes(id) ? ["query of ", strong(tokens[looks])] : [];
  const below = { products: "products", score: "products", sum: "their sum", softmax: "sum" }[id] ?? "";
  const names = asking
    ? tokenButtons(tokens, looks, (i) => view.follow({ looks: i, looked: null }))
    : tokenButtons(tokens, looked, (i) => view.follow({ looked: i }));
  const all = [["names", element("span", {}, ...above), names, below], ...columns[id]()];
  const drawn = all.flatMap(([kind, over, inside, under = ""]) => [
    element("span.above", {}, over),
    element(`div.column.${kind}`, {}, ...inside),
    element("span.under", {}, under),
  ]);
  put(drawn[1], { role: "radiogroup", "aria-label": asking ? "Which token looks" : "Which token it looks at" });
  arrowKeys(drawn[1], 1);
  const picture = element("div.picture", {}, ...drawn);
  picture.style.gridTemplateColumns = all.map(([kind]) => WIDTHS[kind] ?? "max-content").join(" ");
  return picture;
}

/** @type {Record<string, string>} */
const WIDTHS = { wide: "minmax(0, 1fr)", pulls: "1.8rem", weights: "minmax(3rem, 0.4fr)", share: "minmax(0, 1fr)" };

/** Buttons of tokens, of which one is chosen. @param {string[]} tokens @param {number} chosen
 * @param {(place: number) => void} pick */
function tokenButtons(tokens, chosen, pick) {
  const buttons = tokens.map((token, place) =>
    element("button.token", { role: "radio", onclick: () => pick(place) }, ...shown(token)),
  );
  choose(buttons, chosen);
  return buttons;
}

/** Lines from each token's value down to the sum, as thick as the weights. @param {Float32Array} weights */
function pulls(weights) {
  const lines = Array.from(weights, (weight, i) => [i + 0.5, weights.length + 0.5, weight]);
  return arcs(weights.length + 1, lines);
}

/** Arcs beside rows: of each where it starts, where it ends, its weight. @param {number} rows
 * @param {number[][]} lines */
function arcs(rows, lines) {
  const box = { viewBox: `0 0 1 ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const drawing = shape("svg", box);
  drawing.append(...lines.map(([from, to, weight]) => curve(`M0,${from} C1.2,${from} 1.2,${to} 0,${to}`, weight)));
  return drawing;
}

/** A line as thick as a weight; too thin a line is left out. @param {string} path @param {number} weight */
function curve(path, weight) {
  return shape("path", { d: path, "stroke-width": weight < 0.005 ? 0 : 0.5 + 13 * weight });
}

/**
 * What a token's vector becomes in a layer, row below row, up to the step that one is at.
 * @param {Trace} trace
 * @param {HeadView} view
 */
function layerPicture(trace, view) {
  const { looks, column, units } = trace;
  const rows = LAYER.filter(({ from }) => view.at >= stepOf(from));
  const all = rows.flatMap(({ key, label }) => {
    const values = trace[key];
    const wide = values.length !== trace.entering.length;
    const marked = wide ? units.map((/** @type {any} */ { unit }) => unit) : [column];
    const name = (/** @type {number} */ i) => `${tableOf(key)}[${looks}, ${i}]`;
    return [
      element("span.name", {}, label),
      colours(key, label, values, values.length, name, marked),
      wide ? element("small", { title: "numbers" }, grouped(values.length)) : number(values[column], name(column)),
    ];
  });
  const added = RESIDUALS.filter((end) => end < rows.length);
  const lines = added.map((end, i) => [(i ? added[i - 1] : 0) + 0.5, end + 0.3, 0.15]);
  const picture = element("div.stack", {}, ...all, element("span.arcs", {}, arcs(rows.length, lines)));
  picture.style.setProperty("--rows", String(rows.length));
  return picture;
}

/** The rows of that picture, and the step from which on each is seen. */
const LAYER = [
  { key: "entering", label: "what enters", from: "projection" },
  { key: "joined", label: "all heads, joined", from: "projection" },
  { key: "projected", label: "output projection", from: "projection" },
  { key: "attended", label: "add & LayerNorm", from: "first norm" },
  { key: "wider", label: "feed-forward", from: "feed-forward" },
  { key: "bent", label: "GELU", from: "feed-forward" },
  { key: "back", label: "and back", from: "feed-forward" },
  { key: "out", label: "add & LayerNorm", from: "second norm" },
];
/** The table that a token's vector is a row of, as lesson 4 names it. @param {string} key */
const tableOf = (key) => (key === "entering" ? "hidden" : key);
const RESIDUALS = [3, 7]; // where what enters is added again, and then that sum

/**
 * The vectors of all tokens as they enter a layer.
 * @param {Trace} trace
 */
function enteringPicture({ tokens, entered, entering, looks, column }) {
  const width = entering.length;
  const names = tokens.map((/** @type {string} */ token, /** @type {number} */ i) =>
    element(i === looks ? "b" : "span", {}, ...shown(token)),
  );
  const name = (/** @type {number} */ i) => `hidden[${Math.floor(i / width)}, ${i % width}]`;
  const picture = element(
    "div.entrance",
    {},
    element("div.column.names", {}, ...names),
    colours("entered", `${tokens.length} tokens, ${width} numbers each`, entered, width, name, [column]),
  );
  picture.style.setProperty("--looks", looks);
  return picture;
}

/**
 * The vector that leaves the last layer, and what the masked-word head makes of it.
 * @param {Trace} trace
 */
function guessPicture({ out, guess, looks }) {
  const strip = (/** @type {string} */ kind, /** @type {string} */ label, /** @type {Float32Array} */ values) => [
    element("span.name", {}, label),
    colours(kind, label, values, values.length, (i) => `${kind}[${looks}, ${i}]`, []),
  ];
  return element(
    "div.stack.short",
    {},
    ...strip("out", "last vector", out),
    ...strip("turned", "turned", guess.turned),
  );
}
