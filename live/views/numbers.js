/* How the view of one head shows numbers: alone, in a vector, in a table, as colours. */

/**
 * A number, which says on pointing at it what it is.
 * @param {number} value
 * @param {string} name  of the table, with the place of the number in it
 */
function number(value, name) {
  return element("span.number", { title: name }, signed(value));
}

/** A number behind + − × or ÷: in brackets, if it is negative. @param {number} value @param {string} name */
function behind(value, name) {
  const shown = number(value, name);
  return signed(value).startsWith("−") ? element("span", {}, "(", shown, ")") : shown;
}

/** A line of arithmetic. @param {(Node | string)[]} parts */
function line(...parts) {
  return element("p.line", {}, ...parts);
}

/** @param {string} text @param {(Node | string)[]} more */
function says(text, ...more) {
  return element("p", {}, text, ...more);
}

/** @param {string} text */
function strong(text) {
  return element("b", {}, text);
}

/**
 * The numbers of a head's vector, of which one is followed.
 * @param {string} label
 * @param {Float32Array} values
 * @param {string} name  of the table, up to the place of the number in it
 * @param {HeadView} view
 * @param {string} kind  of the box: "here" in the colour of what is followed
 */
function cells(label, values, name, view, kind = "") {
  const buttons = [...values].map((value, i) => {
    const button = element(
      "button",
      { role: "radio", "aria-label": `${label}: number ${i}` },
      number(value, `${name}${i}]`),
    );
    button.onclick = () => view.follow({ feature: i });
    return button;
  });
  choose(buttons, view.followed.feature);
  return element(`div.cells${kind && `.${kind}`}`, { role: "radiogroup", "aria-label": label }, ...buttons);
}

/**
 * All numbers of a token's vector as colours, and one of them, which can be chosen.
 * @param {Float32Array} values
 * @param {HeadView} view
 */
function strip(values, view) {
  const canvas = element("canvas", { role: "img", "aria-label": `${values.length} numbers, as colours` });
  squares(
    canvas,
    values.length,
    values.map((value) => value / FULL),
  );
  const { column } = view.followed;
  const label = "Which number of the vector is followed";
  const slider = element("input", {
    type: "range",
    min: 0,
    max: values.length - 1,
    value: column,
    "aria-label": label,
  });
  slider.oninput = () => view.follow({ column: Number(slider.value) });
  return element("div.strip", {}, canvas, slider);
}

/**
 * A table with one row per token or head.
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows
 * @param {number} marked
 */
function table(heads, rows, marked = -1) {
  const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((row, i) =>
    element(
      i === marked ? "tr.most" : "tr",
      {},
      ...row.map((cell, column) => (column ? element("td", {}, cell) : element("th", { scope: "row" }, cell))),
    ),
  );
  return element("table.sums", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

/**
 * Add two vectors, then LayerNorm, for the number that is followed.
 * @param {Float32Array} first
 * @param {string} firstName
 * @param {Float32Array} second
 * @param {string} secondName
 * @param {any} norm
 * @param {Float32Array} normed
 * @param {string} normedName
 * @param {HeadView} view
 */
function addAndNorm(first, firstName, second, secondName, norm, normed, normedName, view) {
  const { looks, column } = view.followed;
  const at = `[${looks}, ${column}]`;
  const { sum, mean, root, scale, shift } = norm;
  const spot = `${normedName}.norm`;
  return [
    says("What the token had is added again (the residual connection): "),
    line(
      number(first[column], firstName + at),
      " + ",
      behind(second[column], secondName + at),
      " = ",
      number(sum, `${spot}[sum]`),
    ),
    says(
      `LayerNorm brings the ${first.length} sums to one scale: minus their mean, divided by their spread, times a ` +
        "weight, plus a bias.",
    ),
    line(
      ...[
        "(",
        number(sum, `${spot}[sum]`),
        " − ",
        behind(mean, `${spot}[mean]`),
        ") ÷ ",
        number(root, `${spot}[root]`),
      ],
      ...[" × ", behind(scale, `${spot}[weight]`), " + ", behind(shift, `${spot}[bias]`), " = "],
      element("b.here", {}, number(normed[column], normedName + at)),
    ),
    strip(normed, view),
  ];
}

/** A share, with a bar as long. @param {number} share @param {HTMLElement} written */
function weighed(share, written) {
  const bar = element("span.bar", {});
  bar.style.width = `${share * 100}%`;
  return element("span.weighed", {}, element("span.room", {}, bar), written);
}
