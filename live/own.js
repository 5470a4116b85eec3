/* A BERT of one's own: a checkpoint's files, dropped on the page or chosen, take the place of bertlab-mini. They are
   read in a thread of their own, so that bertlab-mini stays, whatever comes of it. */

const LONG = 30e6; // numbers of a BERT with which one waits

class Own {
  /** @param {Page} page  with its weights */
  constructor(page) {
    this.page = page;
    this.shipped = { asking: page.asking, data: page.data };
    /** @type {Asking | undefined} the thread of a BERT that is being read, or of the one that is shown */
    this.asking = undefined;
    const box = only("#own");
    this.said = only(".said", box);
    this.problem = only(".problem", box);
    this.bar = only("progress", box);
    this.target = only("#drop");
    this.folder = only("input", this.target);
    only("#choose").onclick = () => this.folder.click();
    this.back = only("#back");
    this.back.onclick = () => this.leave();
    this.folder.onchange = () => this.take([...this.folder.files]);
    window.addEventListener("dragenter", ({ dataTransfer }) => {
      const framed = document.documentElement.classList.contains("inline");
      if (dataTransfer?.types.includes("Files") && !framed) this.target.hidden = false;
    });
    this.target.ondragleave = () => (this.target.hidden = true);
    this.target.ondrop = (/** @type {DragEvent} */ event) => this.drop(event);
  }

  /**
   * A folder that falls on the field for folders is opened by the browser, which then says what changed; files are
   * taken here. (Of a page that was opened from a file, Chromium lets no program open a folder.)
   * @param {DragEvent} event
   */
  drop(event) {
    this.target.hidden = true;
    const { items, files } = /** @type {DataTransfer} */ (event.dataTransfer);
    if ([...items].some((item) => item.webkitGetAsEntry()?.isDirectory)) return;
    event.preventDefault();
    this.take([...files]);
  }

  /** Read a checkpoint, and show it if it is one. @param {File[]} all */
  async take(all) {
    const files = all.filter(({ webkitRelativePath: path }) => path.split("/").length < 3); // none of folders within
    const name = files[0]?.webkitRelativePath.split("/")[0] || "Your BERT";
    const { newer, partners } = this.shipped.data;
    const asking = new Asking(only("#computing").textContent);
    if (this.asking !== this.page.asking) this.asking?.worker.terminate(); // it was still being read
    this.asking = asking;
    this.folder.value = ""; // so that the same folder can be chosen again
    const before = this.said.textContent;
    this.say("");
    asking.begin();
    try {
      const { sizes, ...its } = await asking.ask("own", "own", { files, newer, partners });
      const numbers = sizes.reduce((/** @type {number} */ sum, /** @type {number} */ size) => sum + size, 0);
      this.say(`Reading ${name}: ${(numbers / 1e6).toFixed(1)} million numbers ...`);
      put(this.bar, { hidden: false, max: numbers, value: 0 });
      for (const [place, size] of sizes.entries()) {
        await asking.ask("own", "tensor", { place });
        this.bar.value += size;
      }
      this.enter(asking, its);
      this.say(described(name, its, numbers));
    } catch (error) {
      asking.worker.terminate();
      this.say(before, /** @type {Error} */ (error).message);
    }
  }

  /** @param {Asking} asking @param {any} its */
  enter(asking, its) {
    const { data } = this.shipped;
    const before = this.page.asking;
    const proofreader = watchedIn(data.proofreader, its.vocabulary, its.cased);
    this.show(asking, { ...data, ...its, proofreader, pairs: [] }); // the pairs' cosines are bertlab-mini's
    if (before !== this.shipped.asking) before.worker.terminate();
  }

  /** Show bertlab-mini again. */
  leave() {
    this.asking?.worker.terminate();
    this.show(this.shipped.asking, this.shipped.data);
    this.say("bertlab-mini is back.");
    only("#choose").focus({ preventScroll: true });
  }

  /** @param {Asking} asking @param {any} data */
  show(asking, data) {
    const own = asking !== this.shipped.asking;
    document.documentElement.classList.toggle("own", own);
    this.back.hidden = !own;
    this.page.use(asking, data);
  }

  /** @param {string} said @param {string} [problem] */
  say(said, problem = "") {
    this.bar.hidden = true;
    this.said.textContent = said;
    this.problem.textContent = problem;
    only("#own").scrollIntoView({ block: "nearest" });
  }
}

/** What is said of a BERT that is shown. @param {string} name @param {any} its @param {number} numbers */
function described(name, { config: { layers, heads, hidden }, vocabulary, cased, guesses }, numbers) {
  const sizes = `${layers} layers of ${heads} heads, ${hidden} numbers a vector, ${grouped(vocabulary.length)} pieces`;
  return [
    `${name}: ${sizes}, ${cased ? "with" : "without"} capitals.`,
    guesses ? "" : "It came without a masked-word head, so it guesses no words.",
    numbers > LONG ? "So large a BERT takes some seconds for a sentence." : "",
  ].join(" ").trim();
}
