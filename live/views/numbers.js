/* How the view of one head shows numbers: alone, as cells of a head's vector, as colours, in a table. */

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

/** What a line of arithmetic leads to. @param {number} value @param {string} name */
function result(value, name) {
  return element("b.here", {}, number(value, name));
}

/** A line of arithmetic. @param {(Node | string)[]} parts */
function line(...parts) {
  return element("p.line", {}, ...parts);
}

/** A token in running text: one without letters or digits is quoted. @param {string} token */
function inText(token) {
  return /[\p{L}\p{N}]/u.test(token) ? token : `"${token}"`;
}

/** @param {string} token */
function strong(token) {
  return element("b", {}, inText(token));
}

/**
 * A head's vector as coloured cells, whose numbers are seen on pointing at them; pressing one follows it.
 * @param {string} kind  its class
 * @param {string} label
 * @param {ArrayLike<number>} values
 * @param {string} name  of the table, up to the place of the number in it
 * @param {number} full  what has the full colour
 * @param {number} feature  the number that is followed
 */
function cells(kind, label, values, name, full, feature) {
  const row = Array.from(values, (value, i) => {
    const title = `${name}${i}]`;
    const cell = element("span.cell", { title }, number(value, title));
    cell.style.setProperty("--share", `${Math.min(100, (100 * Math.abs(value)) / full)}%`);
    cell.classList.toggle("against", value < 0);
    cell.classList.toggle("chosen", i === feature);
    return cell;
  });
  return element(`span.cells.${kind}`, { role: "img", "aria-label": `${label}: ${row.length} numbers` }, ...row);
}

/** The largest of some vectors' numbers, without their signs. @param {ArrayLike<number>[]} vectors */
function largestOf(...vectors) {
  return Math.max(...vectors.flatMap((vector) => Array.from(vector, Math.abs)));
}

/**
 * Vectors of tokens as colours, one a row of small squares; on pointing, a number and what it is.
 * @param {string} kind  its class
 * @param {string} label
 * @param {Float32Array} values
 * @param {number} width  how many numbers a row has
 * @param {(i: number) => string} name  of each number
 * @param {number[]} marked  places in a row
 */
function colours(kind, label, values, width, name, marked) {
  const canvas = element("canvas", { role: "img", "aria-label": `${label}, as colours` });
  const rows = values.length / width;
  const shares = values.map((value) => value / FULL);
  squares(canvas, width, shares);
  /** @param {MouseEvent} event */
  canvas.onmousemove = ({ offsetX, offsetY }) => {
    const row = Math.min(rows - 1, Math.floor((offsetY / canvas.clientHeight) * rows));
    const i = row * width + Math.min(width - 1, Math.floor((offsetX / canvas.clientWidth) * width));
    canvas.title = `${name(i)} = ${signed(values[i])}`;
  };
  const marks = marked.map((place) => {
    const mark = element("i");
    Object.assign(mark.style, { left: `${(100 * place) / width}%`, width: `${100 / width}%` });
    return mark;
  });
  return element(`span.colours.${kind}`, { "data-width": width }, canvas, ...marks);
}

/**
 * A table with one row per token, unit or piece.
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows
 */
function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
  /** @param {Node | string} inside @param {number} column */
  const cell = (inside, column) => (column ? element("td", {}, inside) : element("th", { scope: "row" }, inside));
  const body = rows.map((row) => element("tr", {}, ...row.map(cell)));
  return element("table.sums", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

/** A share, and beside it a bar as long. @param {number} share @param {string} name */
function weighed(share, name) {
  const bar = element("span.bar");
  bar.style.width = `${share * 100}%`;
  return element("span.weighed", {}, number(share, name), element("span.room", {}, bar));
}
