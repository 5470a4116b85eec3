"""Turn texts into a vocabulary and arrays of piece ids, which training reads in random order.

python making/prepare.py TEXTS PREPARED                             # a new vocabulary
python making/prepare.py TEXTS PREPARED --vocabulary-of MODEL       # that of the model a run will begin with
"""

import argparse
import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path

import numpy as np
from tokenizers import BertWordPieceTokenizer
from transformers import BertTokenizer

# BERT's own ids for the special tokens, so that the lessons are right about both models.
SPECIAL_TOKENS = ["[PAD]", *(f"[unused{i}]" for i in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = 0, 100, 101, 102, 103
FIRST_WORD = len(SPECIAL_TOKENS)

VOCABULARY, POSITIONS = 16_000, 128  # pieces, the special ones included; the longest input
RAREST, ALPHABET = 2, 200  # how often a piece must occur, and how many characters are known
LONGEST = 500  # pieces; the few longer "sentences" are tables and lists, and are cut

# The same for every run: `card.py` recognises held-out documents by their text alone, so another share would
# measure a model on documents that it was trained on.
HELD_OUT_PER_MILLE = 10

# A rule, not a model: titles (Mr.) and initials (J. S.) do not end a sentence, other abbreviations may.
TITLES = "Mr Mrs Ms Messrs Dr Prof St Rev Hon Capt Col Gen Lt Maj Sgt Gov Sen Rep Jr Sr vs Fig Mt cf viz"
NO_END = r"(?<!\b[A-Z]\.)(?<!\b[ie]\.[ge]\.)" + "".join(rf"(?<!\b{title}\.)" for title in TITLES.split())
BOUNDARY = re.compile(NO_END + r"(?<=[.!?])([\"')\]]*)\s+(?=[\"'(\[]*[A-Z0-9])")


@dataclass(frozen=True)
class Document:
    """A document: its family and its paragraphs."""

    family: str
    paragraphs: tuple[str, ...]

    @property
    def held_out(self) -> bool:
        """Whether it is kept for evaluation, like one in a hundred documents, by a hash of its text."""
        fingerprint = hashlib.sha256("\n".join(self.paragraphs).encode()).hexdigest()[:16]
        return int(fingerprint, 16) % 1000 < HELD_OUT_PER_MILLE

    @property
    def sentences(self) -> list[str]:
        """The sentences of all paragraphs, in order."""
        return list(chain.from_iterable(map(split_sentences, self.paragraphs)))


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph after ``.``, ``!`` or ``?`` and closing quotes if a capital or a digit follows."""
    return [sentence.strip() for sentence in BOUNDARY.sub(r"\1\n", paragraph).split("\n") if sentence.strip()]


def read_documents(folder: Path) -> list[Document]:
    """Return the documents of the files ``<family>.txt`` and ``<family>.txt.xz`` of a folder, family by family."""
    documents = []
    for path in sorted([*folder.glob("*.txt"), *folder.glob("*.txt.xz")]):
        family = path.name.removesuffix(".xz").removesuffix(".txt")
        opener = lzma.open if path.suffix == ".xz" else open
        with opener(path, "rt", encoding="utf-8-sig") as file:
            lines = [line.strip() for line in file.read().splitlines()]
        for filled, paragraphs in groupby(lines, key=bool):  # a blank line ends a document
            if filled:
                documents.append(Document(family, tuple(paragraphs)))
    return documents


def held_out_documents(folder: Path) -> list[Document]:
    """Return the documents of a folder that are never trained on."""
    return [document for document in read_documents(folder) if document.held_out]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences as flat arrays: ``pieces[starts[s]:starts[s + 1]]`` is sentence s, ``documents[s]`` its document.

    `families` has the first sentence of each family and the one after its last.
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
    """Return documents, sorted by family, as a corpus."""
    pieces, lengths, numbers, families = [], [], [], {}
    for number, document in enumerate(documents):
        options = {"add_special_tokens": False, "truncation": True, "max_length": LONGEST}
        sentences = tokenizer(document.sentences, **options)["input_ids"]
        sentences = [ids for ids in sentences if ids]  # a sentence of unknown symbols may have no piece
        first, _ = families.get(document.family, (len(numbers), None))
        pieces.append(np.fromiter(chain.from_iterable(sentences), dtype=np.uint16))
        lengths += map(len, sentences)
        numbers += [number] * len(sentences)
        families[document.family] = [first, len(numbers)]
    return Corpus(np.concatenate(pieces), np.cumsum([0, *lengths]), np.array(numbers), families)


def train_vocabulary(texts: Iterable[str], size: int, positions: int) -> BertTokenizer:
    """Train a lower-cased WordPiece vocabulary and return its tokenizer."""
    trainer = BertWordPieceTokenizer(lowercase=True)
    options = {"min_frequency": RAREST, "limit_alphabet": ALPHABET, "show_progress": False}
    trainer.train_from_iterator(texts, vocab_size=size, special_tokens=SPECIAL_TOKENS, **options)
    return BertTokenizer(vocab=trainer.get_vocab(), do_lower_case=True, model_max_length=positions)


def prepare(
    texts: Path, folder: Path, vocabulary: int = VOCABULARY, positions: int = POSITIONS, model: Path | None = None
) -> None:
    """Write the tokenizer and the arrays of training and held-out text."""
    documents = read_documents(texts)
    training = [document for document in documents if not document.held_out]
    if model is None:
        paragraphs = chain.from_iterable(document.paragraphs for document in training)
        tokenizer = train_vocabulary(paragraphs, vocabulary, positions)
    else:
        tokenizer = BertTokenizer.from_pretrained(model, local_files_only=True)
        if len(tokenizer) <= len(tokenizer.all_special_tokens):  # so a folder that is not there is read
            raise ValueError(f"{model} holds no vocabulary")
    tokenizer.save_pretrained(folder / "tokenizer")
    encode(training, tokenizer).save(folder / "train")
    encode([document for document in documents if document.held_out], tokenizer).save(folder / "held-out")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, help="folder of .txt or .txt.xz files, one per family")
    parser.add_argument("folder", type=Path, help="where the tokenizer and the arrays go")
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY, help="pieces at most, the special ones included")
    parser.add_argument("--positions", type=int, default=POSITIONS, help="longest input in pieces")
    parser.add_argument("--vocabulary-of", dest="model", type=Path, help="folder of a model whose vocabulary is taken")
    prepare(**vars(parser.parse_args()))
