/* The weights on their way in, part by part, from beside the page or from within it. */

/**
 * Where the weights come from: what loads a part and hands it to the page, and what to say if that is not whole.
 * @typedef {{load: (page: Page, number: number) => Promise<unknown>, missing: (number: number) => string}} Source
 */

/** Scripts in a folder beside the page: a page that is opened from a file may load nothing else. @type {Source} */
const BESIDE = {
  load: (_, number) => runScript(addressOf(number)),
  missing: (number) =>
    `${addressOf(number)} is missing or damaged. Copy the folder live-weights beside this page again.`,
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

/** @param {number} number */
function addressOf(number) {
  return `live-weights/${String(number).padStart(2, "0")}.js`;
}

/** Run a script beside the page, which calls `bertlab.begin` or `bertlab.part`. @param {string} address */
function runScript(address) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = script.onerror = resolve;
    document.head.append(script);
    script.remove();
  });
}
