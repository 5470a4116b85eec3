/* A checkpoint of one's own: its files, as transformers saves them, become sizes, pieces and weights; what the page
   cannot compute is refused in a sentence. Files are read where they lie, a tensor at a time. */

const LARGEST = 180e6; // numbers: the layers of BERT-base, and a vocabulary of 120,000 pieces
const SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const WHOLE = "Drop the whole folder that save_pretrained wrote.";
const READER = new FileReaderSync();

/** Where a tensor lies. @typedef {{file: File, start: number, end: number, dtype: string, shape: number[]}} Stored */

/** The contents of a JSON file of a checkpoint. @param {File} file @returns {any} */
function contentsOf(file) {
  try {
    return JSON.parse(READER.readAsText(file));
  } catch {
    throw new Error(`${file.name} is damaged: copy it again.`);
  }
}

/**
 * Return what there is to know of a checkpoint before its numbers are read.
 * @param {File[]} files
 */
function checkpointIn(files) {
  const named = new Map(files.map((file) => [file.name, file]));
  const configured = named.get("config.json");
  if (!configured) throw new Error(`config.json is missing. ${WHOLE}`);
  const said = contentsOf(configured);
  const config = sizesOf(said);
  const stored = storedIn(files);
  const { vocabulary, rules } = piecesIn(named);
  if (vocabulary.length !== said.vocab_size)
    throw new Error(
      `The vocabulary has ${vocabulary.length} pieces, but by config.json the word table has ${said.vocab_size} ` +
        "rows: the files do not belong together.",
    );
  const tensors = tensorsOf(config, [vocabulary.length, said.type_vocab_size], stored);
  const numbers = tensors.reduce((sum, { size }) => sum + size, 0);
  if (numbers > LARGEST)
    throw new Error(`It has ${Math.round(numbers / 1e6)} million numbers; this page has room for 180 million.`);
  return { config, vocabulary, rules, tensors };
}

/** The sizes of a BERT. @param {any} said  what config.json says */
function sizesOf(said) {
  const { model_type: model = "bert", hidden_act: bend = "gelu", position_embedding_type: positions } = said;
  if (model !== "bert") throw new Error(`This is no BERT: config.json calls it ${model}.`);
  if (bend !== "gelu") throw new Error(`Its activation function is ${bend}; this page computes gelu alone.`);
  if (positions && positions !== "absolute")
    throw new Error(`Its positions are of the kind ${positions}; this page computes absolute ones alone.`);
  if (said.is_decoder)
    throw new Error("Its tokens see only those before them (is_decoder); this page computes BERTs that see all.");
  return {
    layers: said.num_hidden_layers,
    heads: said.num_attention_heads,
    hidden: said.hidden_size,
    feedForward: said.intermediate_size,
    positions: said.max_position_embeddings,
    epsilon: said.layer_norm_eps,
    spread: said.initializer_range,
    padding: said.pad_token_id,
  };
}

/** The pieces and what happens to a text before. @param {Map<string, File>} named */
function piecesIn(named) {
  const [whole, options, lines] = ["tokenizer.json", "tokenizer_config.json", "vocab.txt"].map((one) => named.get(one));
  if (!whole && !(options && lines))
    throw new Error(`tokenizer.json is missing, or vocab.txt with tokenizer_config.json. ${WHOLE}`);
  const { model, normalizer, pre_tokenizer: splits } = whole ? contentsOf(whole) : /** @type {any} */ ({});
  const told = options ? contentsOf(options) : {};
  const ours = whole
    ? model.type === "WordPiece" && normalizer?.type === "BertNormalizer" && splits?.type === "BertPreTokenizer"
    : /^BertTokenizer(Fast)?$/.test(told.tokenizer_class ?? "BertTokenizer");
  if (!ours) throw new Error("Its tokenizer is not that of the first BERT: this page cuts texts in no other way.");
  /** @type {string[]} */
  const vocabulary = [];
  if (whole) for (const [piece, id] of Object.entries(model.vocab)) vocabulary[Number(id)] = piece;
  else vocabulary.push(...READER.readAsText(/** @type {File} */ (lines)).replace(/\r?\n$/, "").split(/\r?\n/));
  const lacks = SPECIALS.filter((piece) => !vocabulary.includes(piece));
  if (lacks.length) throw new Error(`Its vocabulary lacks ${lacks.join(", ")}: this page needs ${SPECIALS.join(" ")}.`);
  return {
    vocabulary,
    rules: {
      lower: told.do_lower_case ?? normalizer?.lowercase ?? true,
      strip: told.strip_accents ?? normalizer?.strip_accents,
      chinese: told.tokenize_chinese_chars ?? normalizer?.handle_chinese_chars ?? true,
    },
  };
}

/**
 * Return where each tensor lies, by the name that BertForPreTraining gives it today.
 * @param {File[]} files
 * @returns {Map<string, Stored>}
 */
function storedIn(files) {
  const parts = files.filter(({ name }) => /^model(-\d+-of-\d+)?\.safetensors$/.test(name));
  const pickled = files.find(({ name }) => name.endsWith(".bin") && name.includes("model"));
  if (!parts.length && pickled)
    throw new Error(
      `${pickled.name} is pickled, and can run programs: load it in Python and save it with save_pretrained, which ` +
        "writes model.safetensors.",
    );
  if (!parts.length) throw new Error(`model.safetensors is missing. ${WHOLE}`);
  const stored = new Map();
  for (const file of parts) {
    const length = Number(new DataView(READER.readAsArrayBuffer(file.slice(0, 8))).getBigUint64(0, true));
    /** @type {[string, any][]} */
    const entries = Object.entries(contentsOf(new File([file.slice(8, 8 + length)], file.name)));
    for (const [name, { dtype, shape, data_offsets: offsets }] of entries) {
      if (name === "__metadata__") continue;
      const [start, end] = offsets.map((/** @type {number} */ offset) => 8 + length + offset);
      if (end > file.size) throw new Error(`${file.name} is cut off: copy it again.`);
      const todays = name
        .replace(/^(?=embeddings\.|encoder\.)/, "bert.")
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias")
        .replace("predictions.decoder.bias", "predictions.bias");
      stored.set(todays, { file, start, end, dtype, shape });
    }
  }
  return stored;
}

/**
 * Return the tensors that the page uses, each of the shape that the sizes want; those of the masked-word head, too, if
 * the checkpoint has one.
 * @param {Config} config
 * @param {number[]} rows  of the tables of words and of segments
 * @param {Map<string, Stored>} stored
 */
function tensorsOf({ layers, hidden, feedForward, positions }, [words, segments], stored) {
  /** @type {Record<string, number[]>} */
  const shapes = {};
  /** @param {string} name @param {number[]} shape */
  const add = (name, ...shape) => {
    shapes[`${name}.weight`] = shape;
    shapes[`${name}.bias`] = [shape[0]];
  };
  shapes["bert.embeddings.word_embeddings.weight"] = [words, hidden];
  shapes["bert.embeddings.position_embeddings.weight"] = [positions, hidden];
  shapes["bert.embeddings.token_type_embeddings.weight"] = [segments, hidden];
  add("bert.embeddings.LayerNorm", hidden);
  for (let number = 0; number < layers; number++) {
    const layer = `bert.encoder.layer.${number}`;
    for (const name of ["query", "key", "value"]) add(`${layer}.attention.self.${name}`, hidden, hidden);
    add(`${layer}.attention.output.dense`, hidden, hidden);
    add(`${layer}.attention.output.LayerNorm`, hidden);
    add(`${layer}.intermediate.dense`, feedForward, hidden);
    add(`${layer}.output.dense`, hidden, feedForward);
    add(`${layer}.output.LayerNorm`, hidden);
  }
  if (stored.has("cls.predictions.transform.dense.weight")) {
    add("cls.predictions.transform.dense", hidden, hidden);
    add("cls.predictions.transform.LayerNorm", hidden);
    shapes["cls.predictions.bias"] = [words];
    if (stored.has(DECODER)) shapes[DECODER] = [words, hidden];
  }
  return Object.entries(shapes).map(([name, shape]) => {
    const found = stored.get(name);
    if (!found) throw new Error(`The weights ${name} are missing. ${WHOLE}`);
    if (found.shape.join() !== shape.join())
      throw new Error(
        `${name} has the shape ${found.shape.join(" × ")}, but by config.json it is ${shape.join(" × ")}: the files ` +
          "do not belong together.",
      );
    if (!(found.dtype in NUMBERS)) throw new Error(`Its numbers are of the kind ${found.dtype}: save it in float32.`);
    return { ...found, name, size: shape.reduce((product, size) => product * size, 1) };
  });
}

/** What bytes stand for. @type {Record<string, (bytes: ArrayBuffer) => Float32Array>} */
const NUMBERS = {
  F32: (bytes) => new Float32Array(bytes),
  F16: (bytes) => new Float32Array(new Uint16Array(bytes)).map((bits) => HALVES[bits]),
  BF16: (bytes) => new Float32Array(new Uint32Array(new Uint16Array(bytes)).map((bits) => bits << 16).buffer),
};

/** Read a tensor's numbers. @param {Stored} stored */
function numbersOf({ file, start, end, dtype }) {
  return NUMBERS[dtype](READER.readAsArrayBuffer(file.slice(start, end)));
}
