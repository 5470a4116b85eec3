/* The three pictures of the view that follows one number: a head, the rest of its layer, the guess. */

/** @typedef {any} Trace  what the thread that computes answers to "trace" */

/**
 * One head: the query above the keys of all tokens, products, scores, weights, then values and what they add up to.
 * Each step adds what it speaks of.
 * @param {Trace} trace
 * @param {HeadView} view
 */
function headPicture(trace, view) {
  const { tokens, looks, looked, feature, query, queries, keys, values, scores, weights, made } = trace;
  const { at } = view;
  const asking = at === stepOf("query");
  const products = query.map((/** @type {number} */ value, /** @type {number} */ i) => value * trace.key[i]);
  const chosen = asking ? looks : looked;
  const names = tokenButtons(tokens, chosen, (i) =>
    view.follow(asking ? { looks: i, looked: null } : { looked: i }),
  );
  const giving = at >= stepOf("value");
  const [vectors, table] = giving ? [values, "value"] : asking ? [queries, "query"] : [keys, "key"];
  const full = giving ? largestOf(...values) : largestOf(query, ...keys);
  /** @param {(i: number) => Node} of */
  const forEach = (of) => tokens.map((/** @type {string} */ _, /** @type {number} */ i) => of(i));
  const strips = forEach((i) => {
    const strip = cells(table, `${table} of ${tokens[i]}`, vectors[i], `${table}[${i}, `, full, feature);
    strip.classList.toggle("most", i === chosen);
    strip.style.setProperty("--strength", String(weights[i]));
    return strip;
  });
  const scored = forEach((i) =>
    element(i === looked ? "b.lit" : "span", {}, number(scores[i], `scores[${looks}, ${i}]`)),
  );
  const raised = forEach((i) => number(Math.exp(scores[i]), `exp[${looks}, ${i}]`));
  const bars = forEach((i) => weighed(weights[i], number(weights[i], `weights[${looks}, ${i}]`)));
  const given = forEach((i) => number(weights[i] * values[i][feature], `given[${i}, ${feature}]`));
  const lastQuery = cells("query", `query of ${tokens[looks]}`, query, `query[${looks}, `, full, feature);
  /** @type {[string, Node | string, Node[], (Node | string)?][]} of each its class, what is above, in it, below */
  const columns = giving
    ? [
        ["weights", "weight", bars],
        ["wide", "value", strips],
      ]
    : [["wide", asking ? table : lastQuery, strips]];
  if (at === stepOf("score")) columns.push(["scores", "score", scored]);
  if (at === stepOf("softmax")) {
    columns.splice(0, 1, ["scores", "score", scored], ["raised", "e^score", raised], ["share", "weight", bars]);
  }
  let below = "";
  if (at === stepOf("products") || at === stepOf("score")) {
    columns[0][3] = cells("products", "products", products, "product[", largestOf(products), feature);
    below = "products";
  }
  if (at >= stepOf("sum")) {
    columns[1][3] = cells("made", "what the head makes", made, `made[${looks}, `, full, feature);
    columns.push(["pulls", "", [pulls(weights)]], ["given", "adds", given]);
    below = "their sum";
  }
  const top = asking || at >= stepOf("softmax") ? "" : element("span", {}, "query of ", strong(tokens[looks]));
  const all = [["names", top, names, below], ...columns].flatMap(([kind, above, inside, under = ""]) => [
    element("span.above", {}, /** @type {any} */ (above)),
    element(`div.column.${kind}`, {}, .../** @type {any} */ (inside)),
    element("span.under", {}, /** @type {any} */ (under)),
  ]);
  const picture = element("div.picture", {}, ...all);
  const group = only(".names", picture);
  put(group, { role: "radiogroup", "aria-label": asking ? "Which token looks" : "Which token it looks at" });
  arrowKeys(group, 1);
  picture.style.gridTemplateColumns = `auto ${columns.map(([kind]) => WIDTHS[kind] ?? "max-content").join(" ")}`;
  picture.style.setProperty("--tokens", String(tokens.length));
  return picture;
}

/** Buttons of tokens, of which one is chosen. @param {string[]} tokens @param {number} chosen
 * @param {(place: number) => void} pick */
function tokenButtons(tokens, chosen, pick) {
  const buttons = tokens.map((token, place) =>
    element("button.token", { role: "radio", onclick: () => pick(place) }, ...shown(token)),
  );
  choose(buttons, chosen);
  return buttons;
}

/** @type {Record<string, string>} */
const WIDTHS = { wide: "minmax(0, 1fr)", pulls: "1.8rem", weights: "6rem", share: "minmax(0, 1fr)" };

/** Lines from each token's value down to the sum, as thick as the weights. @param {Float32Array} weights */
function pulls(weights) {
  const drawing = shape("svg", {
    viewBox: `0 0 1 ${weights.length + 1}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  weights.forEach((weight, i) => {
    const to = weights.length + 0.5;
    drawing.append(curve(`M0,${i + 0.5} C1.2,${i + 0.5} 1.2,${to} 0,${to}`, weight));
  });
  return drawing;
}

/** A line as thick as a weight; too thin a line is left out. @param {string} path @param {number} weight */
function curve(path, weight) {
  return shape("path", { d: path, pathLength: 1, "stroke-width": weight < 0.005 ? 0 : 0.5 + 13 * weight });
}

/**
 * What a token's vector becomes in a layer, row below row, up to the step that one is at.
 * @param {Trace} trace
 * @param {HeadView} view
 */
function layerPicture(trace, view) {
  const { looks, column, units } = trace;
  const rows = LAYER.filter(({ from }) => view.at >= stepOf(from));
  const all = rows.flatMap(({ key, table, label }) => {
    const values = trace[key];
    const wide = values.length !== trace.entering.length;
    const marked = wide ? units.map((/** @type {any} */ { unit }) => unit) : [column];
    const name = (/** @type {number} */ i) => `${table}[${looks}, ${i}]`;
    return [
      element("span.name", {}, label),
      colours(key, label, values, values.length, name, marked),
      wide ? element("small", { title: "numbers" }, grouped(values.length)) : number(values[column], name(column)),
    ];
  });
  const arcs = shape("svg", {
    viewBox: `0 0 1 ${rows.length}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  for (const [start, end] of RESIDUALS)
    if (end < rows.length)
      arcs.append(curve(`M0,${start + 0.5} C1.2,${start + 0.5} 1.2,${end + 0.3} 0,${end + 0.3}`, 0.15));
  const picture = element("div.stack", {}, ...all, element("span.arcs", {}, arcs));
  picture.style.setProperty("--rows", String(rows.length));
  return picture;
}

/** The rows of that picture: what of the trace, its name in lesson 4, and the step from which on it is seen. */
const LAYER = [
  { key: "entering", table: "hidden", label: "what enters", from: "projection" },
  { key: "joined", table: "joined", label: "all heads, joined", from: "projection" },
  { key: "projected", table: "projected", label: "output projection", from: "projection" },
  { key: "attended", table: "attended", label: "add & LayerNorm", from: "first norm" },
  { key: "wider", table: "wider", label: "feed-forward", from: "feed-forward" },
  { key: "bent", table: "bent", label: "GELU", from: "feed-forward" },
  { key: "back", table: "back", label: "and back", from: "feed-forward" },
  { key: "out", table: "out", label: "add & LayerNorm", from: "second norm" },
];
const RESIDUALS = [
  [0, 3],
  [3, 7],
];

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
  picture.style.setProperty("--tokens", tokens.length);
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
