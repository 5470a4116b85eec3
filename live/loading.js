/* The weights on their way in, part by part, from beside the page or from within it. */

/**
 * Where the weights come from: what loads a part and hands it to the page, and what to say if that is not whole; and
 * the copies of a sibling, where there are any: their megabytes, where one lies, and what loads it.
 * @typedef {{load: (page: Page, number: number) => Promise<unknown>, missing: (number: number) => string,
 *     copies?: {megabytes: number, address: (steps: number) => string,
 *         load: (page: Page, steps: number) => Promise<unknown>}}} Source
 */

/** Scripts in a folder beside the page: a page that is opened from a file may load nothing else. @type {Source} */
const BESIDE = {
  load: (_, number) => runScript(addressOf(number)),
  missing: (number) =>
    `${addressOf(number)} is missing or damaged. Copy the folder live-weights beside this page again.`,
  copies: {
    megabytes: 40,
    address: (steps) => addressOf(`copy-${steps}`),
    load: (_, steps) => runScript(addressOf(`copy-${steps}`)),
  },
};

/** Elements of a page that stands alone. @type {Source} */
const WITHIN = {
  async load(page, number) {
    await new Promise((resolve) => setTimeout(resolve)); // the progress is drawn meanwhile
    const part = only(".weights");
    part.remove();
    if (number) page.part(page.come, part.textContent);
    else page.begin(JSON.parse(part.textContent));
  },
  missing: () => "A part of this page is missing or damaged. Copy live.html again.",
};

let source = document.querySelector(".weights") ? WITHIN : BESIDE;

/**
 * Load the weights. The first part begins; a damaged one loads, too.
 * @param {Page} page  how many numbers have `come`; of `data.ends`, how many must have after each part
 * @param {(done: number, of: number) => void} progress  called after each
 */
async function loadWeights(page, progress) {
  for (let number = 0; number < (page.data?.ends.length ?? 1); number++) {
    await source.load(page, number).catch(() => {}); // too few numbers have come then
    if (page.come !== page.data?.ends?.[number]) throw new Error(source.missing(number));
    progress(number, page.data.ends.length - 1);
  }
}

/** Load a copy of the sibling; one that has come stays. @param {Page} page @param {number} steps */
async function loadCopy(page, steps) {
  const { load, address } = /** @type {NonNullable<Source["copies"]>} */ (source.copies);
  if (!page.copies.has(steps)) await load(page, steps).catch(() => {});
  if (!page.copies.has(steps)) throw new Error(`${address(steps)} is missing or damaged. Copy its folder again.`);
}

/** @param {number | string} part */
function addressOf(part) {
  return `live-weights/${String(part).padStart(2, "0")}.js`;
}

/** The sum of bytes that zlib calls adler32: any byte that is damaged changes it. @param {string} bytes */
function sumOf(bytes) {
  let [low, high] = [1, 0];
  for (let i = 0; i < bytes.length; i++) {
    low = (low + bytes.charCodeAt(i)) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

/** Run a script beside the page, which calls `bertlab.begin`, `part` or `copy`. @param {string} address */
function runScript(address) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = script.onerror = resolve;
    document.head.append(script);
    script.remove();
  });
}
