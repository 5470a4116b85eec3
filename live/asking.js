/* Between the page and the thread that computes: the weights on their way in, questions and answers. */

/**
 * One question is under way at a time. In each lane only the newest waits: who types ten letters gets one answer. A
 * lane whose name begins with "later" waits for all others.
 */
class Asking {
  /** @param {string} source  the text of the program that computes */
  constructor(source) {
    const program = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(program);
    URL.revokeObjectURL(program);
    /** @type {Map<string, {message: object, resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {{number: number, resolve: (answer: any) => void, reject: (error: Error) => void} | null} */
    this.underWay = null;
    this.number = 0;
    this.open = false;
    this.worker.onmessage = ({ data }) => this.answered(data);
  }

  /** Let questions through, now that there is something to ask. */
  begin() {
    this.open = true;
    this.next();
  }

  /**
   * Ask, and wait for the answer; an error, if the question cannot be answered, or if a newer one takes its place.
   * @param {string} lane
   * @param {string} question  one of those that worker.js answers
   * @param {object} asked  the question's own words
   * @returns {Promise<any>}
   */
  ask(lane, question, asked) {
    this.waiting.get(lane)?.reject(new Error("A newer question came."));
    this.waiting.delete(lane); // the newest goes to the end of the row
    return new Promise((resolve, reject) => {
      this.waiting.set(lane, { message: { question, ...asked }, resolve, reject });
      this.next();
    });
  }

  /** Hand something over without waiting: a beginning, a part of the weights. @param {object} message */
  tell(message) {
    this.worker.postMessage({ number: 0, ...message });
  }

  next() {
    if (!this.open || this.underWay || !this.waiting.size) return;
    const lanes = [...this.waiting.keys()];
    const lane = lanes.find((name) => !name.startsWith("later")) ?? lanes[0];
    const asked = this.waiting.get(lane);
    if (!asked) return;
    this.waiting.delete(lane);
    this.underWay = { number: ++this.number, resolve: asked.resolve, reject: asked.reject };
    this.worker.postMessage({ ...asked.message, number: this.number });
  }

  /** @param {{number: number, answer?: any, problem?: string}} said */
  answered({ number, answer, problem }) {
    if (number !== this.underWay?.number) return; // the answer to what was only told
    const { resolve, reject } = this.underWay;
    this.underWay = null;
    if (problem === undefined) resolve(answer);
    else reject(new Error(problem));
    this.next();
  }
}

/**
 * Load the weights, part by part. They are scripts in a folder beside the page, since a page that is opened from a file
 * may read nothing else, or stand in the page itself. The first part begins; a damaged one loads, too.
 * @param {Page} page  how many numbers have `come`; of `data.ends`, how many must have after each part
 * @param {(done: number, of: number) => void} progress  called after each
 */
async function loadWeights(page, progress) {
  const within = [...document.querySelectorAll(".weights")];
  for (let number = 0; number < (page.data?.ends.length ?? 1); number++) {
    const address = `live-weights/${String(number).padStart(2, "0")}.js`;
    if (within.length) await readPart(page, number, within[number]);
    else await runScript(address);
    if (page.come !== page.data?.ends?.[number])
      throw new Error(
        within.length
          ? "A part of this page is missing or damaged. Copy live.html again."
          : `${address} is missing or damaged. Copy the folder live-weights beside this page again.`,
      );
    progress(number, page.data.ends.length - 1);
  }
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

/** Take a part that stands in the page. @param {Page} page @param {number} number @param {Element | undefined} part */
async function readPart(page, number, part) {
  await new Promise((resolve) => setTimeout(resolve)); // the progress is drawn meanwhile
  const text = part?.textContent ?? "";
  part?.remove();
  try {
    if (number) page.part(page.come, text);
    else page.begin(JSON.parse(text));
  } catch {
    // a damaged one: too few numbers have come
  }
}
