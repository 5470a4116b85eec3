"""Text as documents, and as arrays of piece ids: what training reads.

A folder of text holds files ``<family>.txt`` or ``<family>.txt.xz``, with one paragraph a line and a blank line between
documents. Whether a document is held out depends on a hash of its text alone, so the list is the same whatever the
files are called and in whatever order they are read.

Training reads millions of sentences at random, so each corpus is stored as flat arrays of small integers that are
mapped into memory: ``pieces[starts[s]:starts[s + 1]]`` is sentence ``s``, ``documents[s]`` the number of its document.
Training text and held-out text are two such corpora in two folders.
"""

import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from transformers import BertTokenizer

from bertlab.pretraining.recipe import Preparation
from bertlab.pretraining.vocabulary import save_vocabulary, train_vocabulary

# A rule for every run, and so no number of the recipe: `evaluate` finds the held-out documents again from the text
# alone. Another share would put documents that a model was trained on among those it is measured on.
HELD_OUT_PER_MILLE = 10
ARRAYS = ("pieces", "starts", "documents")
_TITLES = "Mr Mrs Ms Messrs Dr Prof St Rev Hon Capt Col Gen Lt Maj Sgt Gov Sen Rep Jr Sr vs Fig Mt cf viz"
_NO_END = r"(?<!\b[A-Z]\.)(?<!\b[ie]\.[ge]\.)" + "".join(rf"(?<!\b{title}\.)" for title in _TITLES.split())
_BOUNDARY = re.compile(_NO_END + r"(?<=[.!?])([\"')\]]*)\s+(?=[\"'(\[]*[A-Z0-9])")


class TextError(ValueError):
    """A text file that cannot be used; the message names the file and says what is wrong with it."""


@dataclass(frozen=True)
class Document:
    """One document: the family it comes from and its paragraphs, in order."""

    family: str
    paragraphs: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the text: the document's name in lists."""
        return hashlib.sha256("\n".join(self.paragraphs).encode()).hexdigest()[:16]

    @property
    def held_out(self) -> bool:
        """Whether the document is kept for evaluation (about one in a hundred, decided by the fingerprint)."""
        return int(self.fingerprint, 16) % 1000 < HELD_OUT_PER_MILLE

    @property
    def sentences(self) -> list[str]:
        """The sentences of all paragraphs, in order."""
        return [sentence for paragraph in self.paragraphs for sentence in split_sentences(paragraph)]


def split_sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after ``.``, ``!`` or ``?`` where a capital or a digit follows.

    A rule, not a model: titles (*Mr.*) and initials (*J. S.*) do not end a sentence, other abbreviations may.

    Examples
    --------
    >>> split_sentences("Mr. Holmes smiled. 'Why?' asked J. Watson.")
    ['Mr. Holmes smiled.', "'Why?' asked J. Watson."]
    """
    sentences, start = [], 0
    for match in _BOUNDARY.finditer(paragraph):
        sentences.append(paragraph[start : match.end(1)])  # closing quotes stay with the sentence
        start = match.end()
    sentences.append(paragraph[start:])
    return [sentence.strip() for sentence in sentences if sentence.strip()]


def find_files(folder: str | Path) -> list[Path]:
    """Return the ``.txt`` and ``.txt.xz`` files of a folder, sorted by name.

    Raises
    ------
    TextError
        If the folder does not exist, holds no such file, or holds one family twice.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TextError(f"{folder} is not a folder: give a folder of .txt or .txt.xz files")
    files = sorted(path for path in folder.iterdir() if path.name.endswith((".txt", ".txt.xz")))
    if not files:
        raise TextError(f"{folder} holds no .txt or .txt.xz file: put the text there, a file for each family")
    families = [family_of(path) for path in files]
    for name in families:
        if families.count(name) > 1:
            raise TextError(f"{folder} holds both {name}.txt and {name}.txt.xz: keep one of them")
    return files


def family_of(path: Path) -> str:
    """Return the family a file holds: its name without ``.txt`` or ``.txt.xz``."""
    return path.name.removesuffix(".xz").removesuffix(".txt")


def read_file(path: str | Path) -> list[Document]:
    """Read the documents of one file.

    Raises
    ------
    TextError
        If the file is empty, binary (it holds a NUL byte), not UTF-8, or not whole (a damaged ``.xz``).
    """
    path = Path(path)
    try:
        raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    except (lzma.LZMAError, EOFError) as error:
        raise TextError(f"{path} is not a whole .xz file: {error}. Copy it again, or leave it out.") from error
    if b"\0" in raw:
        raise TextError(f"{path} is a binary file (it holds a NUL byte), not text: leave it out, or save its text")
    try:
        lines = raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {raw[error.start]:#04x}"
        raise TextError(f"{path} is not UTF-8: {found}. Save it in UTF-8, or leave it out.") from error
    documents, paragraphs = [], []
    for line in [*lines, ""]:
        if line := line.strip():
            paragraphs.append(line)
        elif paragraphs:
            documents.append(Document(family_of(path), tuple(paragraphs)))
            paragraphs = []
    if not documents:
        raise TextError(f"{path} is empty: it holds no text. Leave it out.")
    return documents


def read_folder(folder: str | Path) -> Iterator[Document]:
    """Yield the documents of every text file of a folder, file by file.

    Raises
    ------
    TextError
        As `find_files` and `read_file` do. Every file is looked at before the caller has used the whole text.
    """
    for path in find_files(folder):
        yield from read_file(path)


@dataclass(frozen=True)
class Corpus:
    """Sentences as arrays, sorted by family.

    Parameters
    ----------
    pieces
        uint16, shape (pieces,): the ids of all sentences, one after the other, without special tokens.
    starts
        int64, shape (sentences + 1,): where each sentence begins in `pieces`.
    documents
        int64, shape (sentences,): the number of the document a sentence belongs to, rising.
    families
        For each family the first sentence and the one after its last.
    """

    pieces: np.ndarray
    starts: np.ndarray
    documents: np.ndarray
    families: dict[str, tuple[int, int]]

    def save(self, folder: str | Path) -> None:
        """Write the arrays as ``.npy`` and the families as ``families.json``."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        (folder / "families.json").write_text(json.dumps(self.families, indent=1) + "\n")

    @classmethod
    def load(cls, folder: str | Path) -> "Corpus":
        """Map the arrays of a folder into memory.

        Raises
        ------
        FileNotFoundError
            If the folder holds no prepared corpus.
        ValueError
            If the arrays do not fit each other (an interrupted or damaged preparation).
        """
        folder = Path(folder)
        if not (folder / "families.json").is_file():
            raise FileNotFoundError(f"{folder} holds no prepared corpus: run `python -m bertlab.pretraining prepare`")
        pieces, starts, documents = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ARRAYS)
        families = {name: tuple(span) for name, span in json.loads((folder / "families.json").read_text()).items()}
        if len(starts) != len(documents) + 1 or starts[-1] != len(pieces):
            raise ValueError(f"the arrays in {folder} do not fit each other: prepare the corpus again")
        return cls(pieces, starts, documents, families)


def encode_documents(
    documents: Iterable[Document], tokenizer: BertTokenizer, longest_sentence: int = Preparation.longest_sentence
) -> Corpus:
    """Turn documents into a corpus; they must come family by family, and longer sentences are cut.

    Raises
    ------
    ValueError
        If no document is given, if a family comes back after another, or if the ids do not fit 16 bits.
    """
    if len(tokenizer) > 2**16:
        raise ValueError(f"the vocabulary has {len(tokenizer):,} pieces, and ids are stored in 16 bits: 65,536 at most")
    tokenizer.backend_tokenizer.no_padding()  # a call before may have left both on
    tokenizer.backend_tokenizer.no_truncation()
    chunks, lengths, numbers = [], [], []
    families: dict[str, tuple[int, int]] = {}
    number = 0
    for batch in _batches(documents, 512):
        sentences = [document.sentences for document in batch]
        encoded = iter(
            tokenizer.backend_tokenizer.encode_batch([s for d in sentences for s in d], add_special_tokens=False)
        )
        for document, its_sentences in zip(batch, sentences, strict=True):
            first = len(lengths)
            for ids in (next(encoded).ids[:longest_sentence] for _ in its_sentences):
                if ids:
                    chunks.append(np.array(ids, dtype=np.uint16))
                    lengths.append(len(ids))
                    numbers.append(number)
            start, end = families.get(document.family, (first, first))
            if end != first:
                raise ValueError(f"the documents of {document.family} do not come one after the other: sort by family")
            families[document.family] = (start, len(lengths))
            number += 1
    if not lengths:
        raise ValueError("there is no document to encode: give texts, of which about one document in 100 is held out")
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Corpus(np.concatenate(chunks), starts, np.array(numbers, dtype=np.int64), families)


def prepare(
    texts: str | Path,
    folder: str | Path,
    preparation: Preparation | None = None,
    vocabulary_of: str | Path | None = None,
) -> Path:
    """Make everything training reads from a folder of text, and return the folder it is in.

    Writes ``tokenizer/``, ``train/``, ``held-out/`` (see `Corpus`), ``held-out.txt``, the fingerprints of the documents
    never trained on, and ``preparation.json``. The vocabulary is made from the training documents alone, or taken from
    the model in the folder `vocabulary_of`, for a run that begins with that model's weights.
    """
    folder, preparation = Path(folder), preparation or Preparation()
    documents = list(read_folder(texts))
    training = [document for document in documents if not document.held_out]
    held_out = [document for document in documents if document.held_out]
    paragraphs = (paragraph for document in training for paragraph in document.paragraphs)
    if vocabulary_of is None:
        tokenizer = train_vocabulary(paragraphs, preparation)
    else:
        tokenizer = BertTokenizer.from_pretrained(vocabulary_of, local_files_only=True)
        preparation = replace(preparation, vocabulary=len(tokenizer))
    save_vocabulary(tokenizer, folder / "tokenizer")
    encode_documents(training, tokenizer, preparation.longest_sentence).save(folder / "train")
    encode_documents(held_out, tokenizer, preparation.longest_sentence).save(folder / "held-out")
    fingerprints = sorted({document.fingerprint for document in held_out})
    (folder / "held-out.txt").write_text("".join(f"{fingerprint}\n" for fingerprint in fingerprints))
    (folder / "preparation.json").write_text(preparation.to_json())
    return folder


def _batches(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Yield lists of at most `size` documents."""
    iterator = iter(documents)
    while batch := list(islice(iterator, size)):
        yield batch
