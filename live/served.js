/* Where a server shows a checkout of the course, nothing has to be built: the programs stand in files, and the weights
   and the vocabulary come from the package. This file is no part of the page that is written for a double click. */

const MODEL = "../bertlab/bertlab-mini";

/** @type {Blob[]} one for each tensor, in the order of the twin's */
let tensors = [];

source = {
  async load(page, number) {
    if (number) return page.part(page.come, await base64(tensors[number - 1]));
    const known = await (await fetch("known.json")).json();
    const newer = await (await fetch("newer.json")).json();
    const pieces = await (await fetch(`${MODEL}/vocab.txt`)).text();
    const weights = await arriving(await fetch(`${MODEL}/model.safetensors`));
    const length = Number(new DataView(await weights.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
    const header = JSON.parse(await weights.slice(8, 8 + length).text());
    tensors = known.tensors.map((/** @type {Tensor} */ { name }) => {
      const [start, end] = header[name].data_offsets;
      return weights.slice(8 + length + start, 8 + length + end);
    });
    const ends = [0, ...known.tensors.map((/** @type {Tensor} */ { start, size }) => start + size)];
    page.begin({ ...known, newer, ends, vocabulary: pieces.trimEnd().split("\n") });
  },
  missing: () =>
    "The weights in bertlab/bertlab-mini cannot be read from here. Type python -m http.server in the folder that has " +
    "bertlab and live in it, and open localhost:8000/live/. For a double click there is another page: make site " +
    "writes build/site/live.html.",
  copies: {
    megabytes: 30,
    address: (steps) => `live/learning/${steps}.bin`,
    load: async (page, steps) => page.copy(steps, await base64(await (await fetch(`learning/${steps}.bin`)).blob())),
  },
};

/** Take what a server sends, and show which share has come. @param {Response} response */
async function arriving(response) {
  const bar = only("#progress progress");
  bar.max = Number(response.headers.get("Content-Length")); // 0 if a server does not say: the bar is full at once
  const parts = [];
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    parts.push(part.value);
    bar.value += part.value.length;
  }
  return new Blob(parts);
}

/** @param {Blob} bytes @returns {Promise<string>} */
function base64(bytes) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1]);
    reader.readAsDataURL(bytes);
  });
}

const computing = only("#computing");
computing.textContent = computing.dataset.programs
  .split(" ")
  .map((/** @type {string} */ name) => `importScripts("${new URL(name, document.baseURI)}");`)
  .join("\n");
for (const link of document.querySelectorAll("a[href$='.html']")) {
  if (link.closest("nav")) link.remove();
  else link.replaceWith(...link.childNodes); // there is no book in a checkout
}
