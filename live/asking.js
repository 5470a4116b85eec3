/* Between the page and the thread that computes: questions and answers. */

const LATE = 700; // milliseconds without an answer

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
    /** @type {number | undefined} until it is said that one waits */
    this.late = undefined;
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
   * Ask, and wait for the answer; an error, if the question cannot be answered. If a newer one takes its place, nobody
   * is told anything: what waits for it, waits for ever.
   * @param {string} lane
   * @param {string} question  one of those that worker.js answers
   * @param {object} asked  the question's own words
   * @returns {Promise<any>}
   */
  ask(lane, question, asked) {
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

  /** Let nobody be told what was asked so far. */
  forget() {
    this.waiting.clear();
    this.rest();
  }

  rest() {
    this.underWay = null;
    clearTimeout(this.late);
    document.documentElement.classList.remove("busy");
  }

  next() {
    if (!this.open || this.underWay || !this.waiting.size) return;
    const lanes = [...this.waiting.keys()];
    const lane = lanes.find((name) => !name.startsWith("later")) ?? lanes[0];
    const asked = this.waiting.get(lane);
    if (!asked) return;
    this.waiting.delete(lane);
    this.underWay = { number: ++this.number, resolve: asked.resolve, reject: asked.reject };
    this.late = setTimeout(() => document.documentElement.classList.add("busy"), LATE);
    this.worker.postMessage({ ...asked.message, number: this.number });
  }

  /** @param {{number: number, answer?: any, problem?: string}} said */
  answered({ number, answer, problem }) {
    if (number !== this.underWay?.number) return; // the answer to what was only told
    const { resolve, reject } = this.underWay;
    this.rest();
    if (problem === undefined) resolve(answer);
    else reject(new Error(problem));
    this.next();
  }
}
