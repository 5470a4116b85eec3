"""Texts to tokens: a vocabulary, and arrays of piece ids that training reads at random.

python making/prepare.py TEXTS PREPARED                             # a new vocabulary
python making/prepare.py TEXTS PREPARED --vocabulary-of MODEL       # that of the model a run shall begin with
"""

import argparse
import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from tokenizers import BertWordPieceTokenizer
from transformers import BertTokenizer

# BERT's own ids for the special tokens, so that what a lesson says of them holds for both models.
SPECIAL_TOKENS = ["[PAD]", *(f"[unused{i}]" for i in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = 0, 100, 101, 102, 103
FIRST_WORD = len(SPECIAL_TOKENS)

VOCABULARY, POSITIONS = 16_000, 128  # pieces, the special ones included; the longest input
RAREST, ALPHABET = 2, 200  # how often a piece must occur, and how many characters are known
LONGEST = 500  # pieces; the few longer "sentences" are tables and lists, and are cut there

# A rule for every run: `evaluate.py` finds the held-out documents again from the text alone, and another share would
# put documents that a model was trained on among those that it is measured on.
HELD_OUT_PER_MILLE = 10

# A rule, not a model: titles (Mr.) and initials (J. S.) do not end a sentence, other abbreviations may.
TITLES = "Mr Mrs Ms Messrs Dr Prof St Rev Hon Capt Col Gen Lt Maj Sgt Gov Sen Rep Jr Sr vs Fig Mt cf viz"
NO_END = r"(?<!\b[A-Z]\.)(?<!\b[ie]\.[ge]\.)" + "".join(rf"(?<!\b{title}\.)" for title in TITLES.split())
BOUNDARY = re.compile(NO_END + r"(?<=[.!?])([\"')\]]*)\s+(?=[\"'(\[]*[A-Z0-9])")


@dataclass(frozen=True)
class Document:
    """One document: the family it comes from, and its paragraphs."""

    family: str
    paragraphs: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """The document's name in lists: it depends on the text alone, and not on the files or their order."""
        return hashlib.sha256("\n".join(self.paragraphs).encode()).hexdigest()[:16]

    @property
    def held_out(self) -> bool:
        """Whether it is kept for evaluation: about one document in a hundred."""
        return int(self.fingerprint, 16) % 1000 < HELD_OUT_PER_MILLE

    @property
    def sentences(self) -> list[str]:
        """The sentences of all paragraphs, in order."""
        return list(chain.from_iterable(map(split_sentences, self.paragraphs)))


def split_sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after ``.``, ``!`` or ``?`` where a capital or a digit follows."""
    sentences, start = [], 0
    for match in BOUNDARY.finditer(paragraph):
        sentences.append(paragraph[start : match.end(1)])  # closing quotes stay with the sentence
        start = match.end()
    sentences.append(paragraph[start:])
    return [sentence.strip() for sentence in sentences if sentence.strip()]


def read_documents(folder: Path) -> list[Document]:
    """Return the documents of the files ``<family>.txt`` and ``<family>.txt.xz`` of a folder, family by family."""
    files = sorted(path for path in folder.iterdir() if path.name.endswith((".txt", ".txt.xz")))
    families = [path.name.removesuffix(".xz").removesuffix(".txt") for path in files]
    if not files or len(set(families)) < len(files):
        raise ValueError(f"{folder} needs files <family>.txt or <family>.txt.xz, each family once")
    documents = []
    for family, path in zip(families, files, strict=True):
        paragraphs: list[str] = []
        for line in [*read_lines(path), ""]:
            if line := line.strip():
                paragraphs.append(line)
            elif paragraphs:  # a blank line ends a document
                documents.append(Document(family, tuple(paragraphs)))
                paragraphs = []
    return documents


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file; an error names the file, as Python's own do not."""
    try:
        content = path.read_bytes()
        return (lzma.decompress(content) if path.suffix == ".xz" else content).decode("utf-8-sig").splitlines()
    except (UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path} is not a whole file of UTF-8 text: {error}") from error


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences as flat arrays: ``pieces[starts[s]:starts[s + 1]]`` is sentence s, ``documents[s]`` its document.

    `families` has for each family its first sentence and the one after its last.
    """

    pieces: np.ndarray
    starts: np.ndarray
    documents: np.ndarray
    families: dict[str, list[int]]

    def save(self, folder: Path) -> None:
        """Write the arrays and the families."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("pieces", "starts", "documents"):
            np.save(folder / f"{name}.npy", getattr(self, name))
        (folder / "families.json").write_text(json.dumps(self.families, indent=1))

    @classmethod
    def load(cls, folder: Path) -> "Corpus":
        """Map the arrays of a folder into memory."""
        arrays = [np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("pieces", "starts", "documents")]
        return cls(*arrays, json.loads((folder / "families.json").read_text()))


def encode(documents: Sequence[Document], tokenizer: BertTokenizer) -> Corpus:
    """Turn documents, sorted by family, into a corpus."""
    texts, numbers = [], []
    for number, document in enumerate(documents):
        sentences = document.sentences
        texts += sentences
        numbers += [number] * len(sentences)
    chunks, lengths = [], []
    for start in range(0, len(texts), 8192):
        some = texts[start : start + 8192]
        ids = tokenizer(some, add_special_tokens=False, truncation=True, max_length=LONGEST)["input_ids"]
        chunks.append(np.fromiter(chain.from_iterable(ids), dtype=np.uint16))
        lengths += map(len, ids)
    filled = np.array(lengths) > 0  # a sentence of strange signs may have no piece
    numbers = np.array(numbers)[filled]
    names = np.array([document.family for document in documents])[numbers]
    families = {}
    for name in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero(names == name)
        families[name] = [int(rows[0]), int(rows[-1]) + 1]
    starts = np.concatenate([[0], np.cumsum(np.array(lengths)[filled])])
    return Corpus(np.concatenate(chunks), starts, numbers, families)


def train_vocabulary(texts: Iterable[str], size: int, positions: int) -> BertTokenizer:
    """Train a lower-cased WordPiece vocabulary and return its tokenizer."""
    trainer = BertWordPieceTokenizer(lowercase=True)
    options = {"min_frequency": RAREST, "limit_alphabet": ALPHABET, "show_progress": False}
    trainer.train_from_iterator(texts, vocab_size=size, special_tokens=SPECIAL_TOKENS, **options)
    if (pieces := trainer.get_vocab_size()) != size:
        raise ValueError(f"the text gives a vocabulary of {pieces} pieces, not {size}: more text, or --vocabulary")
    return BertTokenizer(vocab=trainer.get_vocab(), do_lower_case=True, model_max_length=positions)


def prepare(
    texts: Path, folder: Path, vocabulary: int = VOCABULARY, positions: int = POSITIONS, model: Path | None = None
) -> None:
    """Write the tokenizer, the arrays of training and held-out text, and the list of what is held out."""
    documents = read_documents(texts)
    training = [document for document in documents if not document.held_out]
    held_out = [document for document in documents if document.held_out]
    if model is None:
        paragraphs = chain.from_iterable(document.paragraphs for document in training)
        tokenizer = train_vocabulary(paragraphs, vocabulary, positions)
    else:
        tokenizer = BertTokenizer.from_pretrained(model, local_files_only=True)
    tokenizer.save_pretrained(folder / "tokenizer")
    encode(training, tokenizer).save(folder / "train")
    encode(held_out, tokenizer).save(folder / "held-out")
    (folder / "held-out.txt").write_text("\n".join(sorted({document.fingerprint for document in held_out})) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, help="folder of .txt or .txt.xz files, one a family")
    parser.add_argument("folder", type=Path, help="where the tokenizer and the arrays go")
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY, help="pieces, the special ones included")
    parser.add_argument("--positions", type=int, default=POSITIONS, help="longest input in pieces")
    parser.add_argument("--vocabulary-of", dest="model", type=Path, help="folder of a model whose vocabulary is taken")
    prepare(**vars(parser.parse_args()))
