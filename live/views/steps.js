/* The steps of the view that follows one number: what each says, and the lines of arithmetic under its picture. */

/**
 * One step: its name in full, and on the way; what it says; its picture; what stands below; and what moves where.
 * @typedef {{id: string, name: string, label: string, says: (trace: Trace) => (Node | string)[],
 *   picture: (trace: Trace, view: HeadView) => Node, below?: (trace: Trace) => Node[], moves: [string, string][]}} Step
 */

/** From what enters a layer to what leaves it, and to the guess. @type {Step[]} */
const STEPS = [
  {
    id: "enters",
    name: "What enters the layer",
    label: "enters",
    says: ({ tokens, looks, entering, layer }) => [
      `Each token is a vector of ${entering.length} numbers. The vector of `,
      strong(tokens[looks]),
      layer ? ` left layer ${layer - 1}.` : " is the sum of piece, position and segment, normalised (lesson 1).",
    ],
    picture: enteringPicture,
    below: ({ entering, looks, column }) => [numbered(column, entering[column], `hidden[${looks}, ${column}]`)],
    moves: [[".who .token", ".entered"]],
  },
  {
    id: "query",
    name: "Query",
    label: "query",
    says: ({ query, joined, head }) => [
      "What does each token look for? A matrix makes a query of its vector. ",
      `Head ${head} owns numbers ${head * query.length} to ${(head + 1) * query.length - 1} of ${joined.length}.`,
    ],
    picture: headPicture,
    below: ({ query, looks, feature }) => [numbered(feature, query[feature], `query[${looks}, ${feature}]`)],
    moves: [[".names .token", ".query"]],
  },
  {
    id: "key",
    name: "Key",
    label: "key",
    says: () => ["What does each token offer? Another matrix makes a key of its vector."],
    picture: headPicture,
    below: ({ key, looked, feature }) => [numbered(feature, key[feature], `key[${looked}, ${feature}]`)],
    moves: [[".names .token", ".key"]],
  },
  {
    id: "products",
    name: "Products",
    label: "products",
    says: ({ tokens, looked }) => ["Query times key of ", strong(tokens[looked]), ", number by number."],
    picture: headPicture,
    below: ({ query, key, looks, looked, feature }) => [
      line(
        ...[`number ${feature}: `, number(query[feature], `query[${looks}, ${feature}]`), " × "],
        ...[behind(key[feature], `key[${looked}, ${feature}]`), " = "],
        result(query[feature] * key[feature], `product[${feature}]`),
      ),
    ],
    moves: [
      [".query .cell", ".products .cell"],
      [".key.most .cell", ".products .cell"],
    ],
  },
  {
    id: "score",
    name: "Score",
    label: "score",
    says: ({ query }) => [
      `The sum of the products, divided by √${query.length}, so that long vectors do not make large scores. `,
      "Every key gets a score.",
    ],
    picture: headPicture,
    below: ({ query, scores, looks, looked }) => {
      const root = Math.sqrt(query.length);
      return [
        line(
          ...[number(scores[looked] * root, "product[sum]"), " ÷ ", number(root, "root"), " = "],
          result(scores[looked], `scores[${looks}, ${looked}]`),
        ),
      ];
    },
    moves: [[".products .cell", ".scores .lit"]],
  },
  {
    id: "softmax",
    name: "Softmax: scores become weights",
    label: "softmax",
    says: () => ["e to the power of (score − largest score), divided by the sum of these. The weights add up to 1."],
    picture: headPicture,
    moves: [
      [".scores .number", ".raised .number"],
      [".raised .number", ".share .weighed"],
    ],
  },
  {
    id: "value",
    name: "Value",
    label: "value",
    says: () => ["What does each token hand over? A third matrix makes a value of its vector."],
    picture: headPicture,
    below: ({ values, weights, looks, looked, feature }) => [
      line(
        ...[`number ${feature}: `, number(weights[looked], `weights[${looks}, ${looked}]`), " × "],
        ...[behind(values[looked][feature], `value[${looked}, ${feature}]`), " = "],
        result(weights[looked] * values[looked][feature], `given[${looked}, ${feature}]`),
      ),
    ],
    moves: [[".names .token", ".value"]],
  },
  {
    id: "sum",
    name: "Sum of values, each times its weight",
    label: "sum",
    says: ({ tokens, looks, feature }) => [
      "All values, each times its weight, add up to what the head makes for ",
      strong(tokens[looks]),
      `. What each adds to number ${feature}:`,
    ],
    picture: headPicture,
    below: ({ made, looks, feature }) => [numbered(feature, made[feature], `made[${looks}, ${feature}]`)],
    moves: [[".value", ".made"]],
  },
  {
    id: "projection",
    name: "Output projection: heads are combined",
    label: "projection",
    says: ({ byHead, column }) => [
      `The results of ${byHead.length} heads are joined, and a matrix mixes them. What each adds to number ${column}:`,
    ],
    picture: layerPicture,
    below: ({ byHead, projectionBias, projected, looks, column, head }) => [
      sumOfParts(
        [
          ...Array.from(byHead, (value, i) => [`head ${i}`, number(value, `byHead[${i}]`)]),
          ["bias", number(projectionBias, "projectionBias")],
          ["sum", result(projected[column], `projected[${looks}, ${column}]`)],
        ],
        head,
      ),
    ],
    moves: [[".joined", ".projected"]],
  },
  {
    id: "first norm",
    name: "Add & LayerNorm, after attention",
    label: "add & norm 1",
    says: () => ["What entered is added again (residual connection). LayerNorm brings the sums to one scale."],
    picture: layerPicture,
    below: (trace) => addAndNorm(trace, "projected", "entering", "attended"),
    moves: [[".projected", ".attended"], [".entering", ".attended"]],
  },
  {
    id: "feed-forward",
    name: "Feed-forward: each token alone",
    label: "feed-forward",
    says: ({ wider, bent, column }) => {
      const positive = bent.filter((/** @type {number} */ value) => value > 0).length;
      return [
        `A matrix makes ${grouped(wider.length)} numbers. GELU keeps those well above zero (${positive} are positive) `,
        `and brings the others near zero. Another matrix leads back. The units that add most to number ${column}:`,
      ];
    },
    picture: layerPicture,
    below: ({ wider, bent, units, otherUnits, backBias, back, looks, column }) => [
      table(
        ["unit", "before", "after GELU", "× weight", "= it adds"],
        units.map((/** @type {any} */ { unit, weight, product }) => [
          String(unit),
          number(wider[unit], `wider[${looks}, ${unit}]`),
          number(bent[unit], `bent[${looks}, ${unit}]`),
          number(weight, `backWeight[${column}, ${unit}]`),
          number(product, `byUnit[${column}, ${unit}]`),
        ]),
      ),
      sumOfParts([
        ["others", number(otherUnits, "otherUnits")],
        ["bias", number(backBias, `backBias[${column}]`)],
        ["sum of all", result(back[column], `back[${looks}, ${column}]`)],
      ]),
    ],
    moves: [
      [".attended", ".wider"],
      [".wider", ".bent"],
      [".bent", ".back"],
    ],
  },
  {
    id: "second norm",
    name: "Add & LayerNorm, after feed-forward",
    label: "add & norm 2",
    says: ({ layer, peaks }) => [
      "What entered the feed-forward is added again, then LayerNorm. ",
      `This vector leaves layer ${layer}${layer < peaks.length - 1 ? " and enters the next." : ", the last one."}`,
    ],
    picture: layerPicture,
    below: (trace) => addAndNorm(trace, "back", "attended", "out"),
    moves: [[".back", ".out"], [".attended", ".out"]],
  },
  {
    id: "guess",
    name: "The guess",
    label: "guess",
    says: ({ tokens, looks }) => [
      "The masked-word head turns the last vector of ",
      strong(tokens[looks]),
      " once more and multiplies it by each piece's row of the word table (lesson 6). Softmax makes probabilities.",
    ],
    picture: guessPicture,
    below: ({ guess }) => [
      table(
        ["piece", "product", "+ bias", "= logit", "probability"],
        guess.expected.map((/** @type {any} */ { piece, product, bias, logit, probability }) => [
          piece,
          number(product, `match[${piece}]`),
          number(bias, `pieceBias[${piece}]`),
          number(logit, `logits[${piece}]`),
          weighed(probability, `probability[${piece}]`),
        ]),
      ),
    ],
    moves: [[".out", ".turned"], [".turned", ".sums .weighed"]],
  },
];

/** @param {string} id */
function stepOf(id) {
  return STEPS.findIndex((step) => step.id === id);
}

/** @param {number} place @param {number} value @param {string} name */
function numbered(place, value, name) {
  return line(`number ${place}: `, result(value, name));
}

/** What adds up to a number, side by side. @param {any[]} parts @param {number} [marked] */
function sumOfParts(parts, marked) {
  const boxes = parts.map(([name, value], i) =>
    element(i === marked ? "li.most" : "li", {}, element("small", {}, name), value),
  );
  return element("ul.parts", {}, ...boxes);
}

/**
 * Add two vectors, then LayerNorm, for the number that is followed.
 * @param {Trace} trace
 * @param {string} first  which of its vectors
 * @param {string} second
 * @param {string} normed
 */
function addAndNorm(trace, first, second, normed) {
  const { looks, column, norms } = trace;
  const { sum, mean, root, scale, shift } = norms[normed];
  const name = (/** @type {string} */ vector) => `${tableOf(vector)}[${looks}, ${column}]`;
  const spot = `${normed}.norm`;
  return [
    line(
      ...[`number ${column}: `, number(trace[first][column], name(first)), " + "],
      ...[behind(trace[second][column], name(second)), " = ", number(sum, `${spot}[sum]`)],
    ),
    line(
      ...["(", number(sum, `${spot}[sum]`), " − mean ", behind(mean, `${spot}[mean]`), ") ÷ spread "],
      ...[number(root, `${spot}[root]`), " × weight ", behind(scale, `${spot}[weight]`), " + bias "],
      ...[behind(shift, `${spot}[bias]`), " = ", result(trace[normed][column], name(normed))],
    ),
  ];
}
