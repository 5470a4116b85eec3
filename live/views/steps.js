/* The steps of the view that follows one number: what each says, and its numbers, named as lesson 4 names them. */

/** The size of a head's vectors, and of the root that its scores are divided by. @param {Trace} trace */
function sizeOf(trace) {
  return trace.query.length;
}

/**
 * From what enters a layer to what leaves it, and to the guess.
 * @type {{name: string, part: string, draw: (trace: Trace, view: HeadView) => Node[]}[]}
 */
const STEPS = [
  {
    name: "What enters the layer",
    part: "what enters",
    draw: ({ tokens, entering }, view) => {
      const { layer, looks, column } = view.followed;
      const from = layer
        ? `It left layer ${layer - 1}.`
        : "It is the sum of three rows, for piece, position and segment, after LayerNorm (lesson 1).";
      return [
        says(
          "",
          strong(tokens[looks]),
          ` enters layer ${layer} as a vector of ${entering.length} numbers. ${from}`,
        ),
        strip(entering, view),
        line(`number ${column}: `, element("b.here", {}, number(entering[column], `hidden[${looks}, ${column}]`))),
      ];
    },
  },
  {
    name: "Query",
    part: "head",
    draw: (trace, view) => [
      says(
        "What does ",
        strong(trace.tokens[trace.looks]),
        ` look for? A matrix turns its vector into a query; ${sizeOf(trace)} numbers of it belong to this head.`,
      ),
      cells(`query of ${trace.tokens[trace.looks]}`, trace.query, `query[${trace.looks}, `, view, "here"),
    ],
  },
  {
    name: "Key",
    part: "head",
    draw: (trace, view) => [
      says(
        "What does ",
        strong(trace.tokens[trace.looked]),
        " offer to those that look? Another matrix turns its vector into a key.",
      ),
      cells(`key of ${trace.tokens[trace.looked]}`, trace.key, `key[${trace.looked}, `, view),
    ],
  },
  {
    name: "Products",
    part: "head",
    draw: (trace, view) => {
      const { looks, looked } = trace;
      const { feature } = view.followed;
      const products = trace.query.map(
        (/** @type {number} */ value, /** @type {number} */ i) => value * trace.key[i],
      );
      return [
        says(
          "How well does the query of ",
          strong(trace.tokens[looks]),
          " fit the key of ",
          strong(trace.tokens[looked]),
          "? Number times number:",
        ),
        line(
          ...[
            number(trace.query[feature], `query[${looks}, ${feature}]`),
            " × ",
            behind(trace.key[feature], `key[${looked}, ${feature}]`),
          ],
          ...[" = ", element("b.here", {}, number(products[feature], `product[${feature}]`))],
        ),
        cells("products", products, "product[", view),
      ];
    },
  },
  {
    name: "Score",
    part: "head",
    draw: (trace) => {
      const { looks, looked, scores } = trace;
      const root = Math.sqrt(sizeOf(trace));
      return [
        says(
          `All ${sizeOf(trace)} products are added up. The sum, divided by the root of ${sizeOf(trace)}, is the score.`,
        ),
        line(
          ...[number(scores[looked] * root, "product[sum]"), " ÷ ", number(root, "root"), " = "],
          element("b.here", {}, number(scores[looked], `scores[${looks}, ${looked}]`)),
        ),
        says(
          "Without the root, the sums of long vectors would be large, and softmax would give nearly all to one token.",
        ),
      ];
    },
  },
  {
    name: "Softmax",
    part: "head",
    draw: ({ tokens, looks, looked, scores, weights }) => [
      says(
        "",
        strong(tokens[looks]),
        " has a score for each token. Softmax raises e to the power of each and divides by the sum. ",
        "The weights add up to one.",
      ),
      table(
        ["looks at", "score", "e to that power", "weight"],
        tokens.map((/** @type {string} */ token, /** @type {number} */ i) => [
          token,
          number(scores[i], `scores[${looks}, ${i}]`),
          number(Math.exp(scores[i]), `exp[${looks}, ${i}]`),
          weighed(weights[i], number(weights[i], `weights[${looks}, ${i}]`)),
        ]),
        looked,
      ),
    ],
  },
  {
    name: "Value",
    part: "head",
    draw: (trace, view) => {
      const { looks, looked, tokens, values, weights } = trace;
      const { feature } = view.followed;
      return [
        says(
          "What does ",
          strong(tokens[looked]),
          " hand over to those that look at it? A third matrix makes its value. It is taken times the weight.",
        ),
        cells(`value of ${tokens[looked]}`, values[looked], `value[${looked}, `, view),
        line(
          ...[`number ${feature}: `, number(weights[looked], `weights[${looks}, ${looked}]`), " × "],
          ...[behind(values[looked][feature], `value[${looked}, ${feature}]`), " = "],
          element("b.here", {}, number(weights[looked] * values[looked][feature], `given[${looked}, ${feature}]`)),
        ),
      ];
    },
  },
  {
    name: "Sum",
    part: "head",
    draw: (trace, view) => {
      const { looks, looked, tokens, values, weights, made } = trace;
      const { feature } = view.followed;
      return [
        says(`All values, each times its weight, are added up. Number ${feature} of the result:`),
        element(
          "div.pair",
          {},
          table(
            ["from", "weight", "value", "weight × value"],
            tokens.map((/** @type {string} */ token, /** @type {number} */ i) => [
              token,
              number(weights[i], `weights[${looks}, ${i}]`),
              number(values[i][feature], `value[${i}, ${feature}]`),
              number(weights[i] * values[i][feature], `given[${i}, ${feature}]`),
            ]),
            looked,
          ),
          element(
            "div",
            {},
            says("What the head makes for ", strong(tokens[looks]), ":"),
            cells("what the head makes", made, `made[${looks}, `, view, "here"),
          ),
        ),
      ];
    },
  },
  {
    name: "Combine the heads: output projection",
    part: "combine heads",
    draw: (trace, view) => {
      const { looks, column, head } = view.followed;
      const { byHead, projectionBias, projected } = trace;
      return [
        says(
          `The ${byHead.length} heads' results are joined, and one more matrix mixes them. `,
          `What each head adds to number ${column} of the token's vector:`,
        ),
        table(
          ["from", "it adds"],
          [
            ...[...byHead].map((value, i) => [`head ${i}`, number(value, `byHead[${i}]`)]),
            ["bias", number(projectionBias, "projectionBias")],
            ["sum", number(projected[column], `projected[${looks}, ${column}]`)],
          ],
          head,
        ),
        strip(projected, view),
      ];
    },
  },
  {
    name: "Add and normalise: LayerNorm",
    part: "add & normalise after attention",
    draw: ({ projected, entering, firstNorm, attended }, view) =>
      addAndNorm(projected, "projected", entering, "hidden", firstNorm, attended, "attended", view),
  },
  {
    name: "Feed-forward block",
    part: "feed-forward",
    draw: ({ wider, bent, units, otherUnits, backBias, back }, view) => {
      const { looks, column } = view.followed;
      const positive = bent.filter((/** @type {number} */ value) => value > 0).length;
      return [
        says(
          `Here the token is alone. A matrix turns its vector into ${grouped(wider.length)} numbers. A curve (GELU) `,
          `keeps those well above zero, here ${positive} are positive, and brings the others near zero. `,
          `Another matrix leads back. What adds most to number ${column}:`,
        ),
        table(
          ["unit", "before", "after GELU", "weight", "it adds"],
          [
            ...units.map((/** @type {any} */ { unit, weight, product }) => [
              String(unit),
              number(wider[unit], `wider[${looks}, ${unit}]`),
              number(bent[unit], `bent[${looks}, ${unit}]`),
              number(weight, `backWeight[${column}, ${unit}]`),
              number(product, `byUnit[${column}, ${unit}]`),
            ]),
            [`${grouped(wider.length - units.length)} others`, "", "", "", number(otherUnits, "otherUnits")],
            ["bias", "", "", "", number(backBias, `backBias[${column}]`)],
            ["sum", "", "", "", number(back[column], `back[${looks}, ${column}]`)],
          ],
        ),
      ];
    },
  },
  {
    name: "Add and normalise: LayerNorm",
    part: "add & normalise after feed-forward",
    draw: ({ back, attended, secondNorm, out }, view) => [
      ...addAndNorm(back, "back", attended, "attended", secondNorm, out, "out", view),
      says(
        `This vector leaves layer ${view.followed.layer}`,
        view.followed.layer < view.page.data.config.layers - 1 ? " and enters the next." : ", the last one.",
      ),
    ],
  },
  {
    name: "The guess",
    part: "the guess",
    draw: ({ tokens, looks, guess }) => [
      says(
        "The masked-word head turns the last vector of ",
        strong(tokens[looks]),
        " once more, and multiplies it by the row of each piece in the word table (lesson 6). ",
        "Softmax turns these logits into probabilities.",
      ),
      table(
        ["expected", "product", "bias", "logit", "probability"],
        guess.expected.map((/** @type {any} */ { piece, product, bias, logit, probability }) => [
          piece,
          number(product, `match[${piece}]`),
          number(bias, `pieceBias[${piece}]`),
          number(logit, `logits[${piece}]`),
          weighed(probability, number(probability, `probability[${piece}]`)),
        ]),
        0,
      ),
    ],
  },
];
