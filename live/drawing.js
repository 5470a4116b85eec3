/* What several views need. What a person typed only ever becomes text: nothing here writes markup. */

/**
 * Return a new element with some properties and what stands in it.
 * @param {string} tag  with its class after a dot: "span.piece"
 * @param {Record<string, any>} [properties]  those with a dash or called role are attributes
 * @param {(Node | string)[]} inside
 * @returns {any}
 */
function element(tag, properties = {}, ...inside) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  made.className = classes.join(" ");
  put(made, properties);
  made.append(...inside);
  return made;
}

/**
 * Return a new part of a drawing in SVG.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {string} [text]
 */
function shape(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** @param {any} made @param {Record<string, any>} properties */
function put(made, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") made.setAttribute(name, value);
    else made[name] = value;
  }
}

/**
 * The one element of a page that a selector means.
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {any}
 */
function only(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** A share as a person reads it: 72 %, 7.2 %, 0.07 %; never all, and never nothing. @param {number} share */
function percent(share) {
  const hundred = 100 * share;
  if (hundred < 0.01) return "< 0.01 %";
  if (hundred >= 99.5) return "> 99 %";
  return `${hundred.toFixed(hundred >= 9.95 ? 0 : hundred >= 0.095 ? 1 : 2)} %`;
}

/** A number with two decimals, and a minus sign that is one. @param {number} value */
function signed(value) {
  return value
    .toFixed(2)
    .replace(/^-0\.00$/, "0.00")
    .replace("-", "−");
}

/** A number in groups of three: 16,000. @param {number} number */
function grouped(number) {
  return number.toLocaleString("en");
}

/** The name of a state: after 0 layers is what enters the first. @param {number} layers */
function afterLayers(layers) {
  return `after ${layers} layer${layers === 1 ? "" : "s"}`;
}

/** A colour of the style sheet, for canvases, as red, green and blue. @param {string} name @returns {number[]} */
function colour(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
  return [0, 2, 4].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

/**
 * Fill a canvas with one small square a number.
 * @param {HTMLCanvasElement} canvas
 * @param {number} columns
 * @param {ArrayLike<number>} values  from -1 to 1, row after row
 */
function squares(canvas, columns, values) {
  canvas.width = columns;
  canvas.height = values.length / columns;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(canvas.width, canvas.height);
  const [none, more, less] = ["--ground", "--more", "--less"].map(colour);
  for (let i = 0; i < values.length; i++) {
    const share = Math.min(1, Math.abs(values[i]));
    const end = values[i] < 0 ? less : more;
    for (let part = 0; part < 3; part++) image.data[4 * i + part] = none[part] + share * (end[part] - none[part]);
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

/**
 * Give a drawing the width that it has on the page, so that its letters are as large as others, and say how large.
 * @param {SVGElement} drawing
 * @param {number} letters  its height
 */
function sized(drawing, letters) {
  const letter = parseFloat(getComputedStyle(drawing).fontSize);
  const width = drawing.clientWidth || 700;
  drawing.style.height = `${letters}em`; // at once, also before it is drawn again
  drawing.setAttribute("viewBox", `0 0 ${width} ${letters * letter}`);
  return { width, letter, height: letters * letter };
}

/**
 * Draw a canvas in the sharpness of the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
function sharp(canvas, width, height) {
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(devicePixelRatio, devicePixelRatio);
  return context;
}

/**
 * Return a token as it is shown: ## in a paler colour, for it only says that the word goes on.
 * @param {string} token
 * @returns {(Node | string)[]}
 */
function shown(token) {
  return token.startsWith("##") && token.length > 2 ? [element("span.on", {}, "##"), token.slice(2)] : [token];
}

/**
 * Return what is expected in a place as bars; the longest is the first one, if no longer one stands beside them.
 * @param {{piece: string, probability: number}[]} expected
 * @param {string} [truth]  the piece that was there
 * @param {number} [longest]  the probability whose bar has the whole width
 */
function barsOf(expected, truth, longest = expected[0].probability) {
  const rows = expected.map(({ piece, probability }) => {
    const bar = element("span.bar");
    bar.style.width = `${(100 * probability) / longest}%`;
    const name = element("span.name", {}, ...shown(piece));
    const value = element("span.value", {}, percent(probability));
    return element(piece === truth ? "li.truth" : "li", {}, name, element("span.room", {}, bar), value);
  });
  return element("ol.bars", {}, ...rows);
}

/** Let what goes on beyond the edge of a row fade, as a sign that it can be scrolled. @param {HTMLElement} row */
function fading(row) {
  const look = () =>
    row.classList.toggle("more", row.scrollLeft + row.clientWidth < row.scrollWidth - 4);
  row.onscroll = look;
  new ResizeObserver(look).observe(row);
  look();
}

/**
 * Let arrow keys go through a group of buttons, of which Tab finds only the chosen one.
 * @param {HTMLElement} group
 * @param {number} columns
 */
function arrowKeys(group, columns) {
  group.onkeydown = (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const buttons = [...group.querySelectorAll("button:not([hidden])")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : at + (steps[event.key] ?? NaN);
    if (at < 0 || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
    buttons[to].click();
  };
}

/** Mark one of a group of buttons as chosen. @param {Iterable<HTMLElement>} buttons @param {number} chosen */
function choose(buttons, chosen) {
  for (const [i, button] of [...buttons].entries()) {
    button.setAttribute(
      button.getAttribute("role") === "tab" ? "aria-selected" : "aria-checked",
      String(i === chosen),
    );
    button.tabIndex = i === chosen ? 0 : -1;
  }
}

/**
 * The cosine of two vectors (lesson 1).
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function cosine(one, other) {
  let [together, ones, others] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    together += one[i] * other[i];
    ones += one[i] ** 2;
    others += other[i] ** 2;
  }
  return together / Math.sqrt(ones * others);
}
