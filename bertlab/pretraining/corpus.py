"""The corpus as arrays: every sentence's piece ids in one flat array, with the places where things begin.

Training reads millions of sentences at random. Flat arrays of small integers, mapped into memory, make that
free of Python objects: ``pieces[starts[s]:starts[s + 1]]`` is sentence ``s`` and ``documents[s]`` the number of
its document. Training text and held-out text are two such corpora in two folders.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from transformers import BertTokenizer

from bertlab.pretraining.text import Document, read_folder
from bertlab.pretraining.vocabulary import save_vocabulary, train_vocabulary

LONGEST_SENTENCE = 500  # pieces; the few longer "sentences" are tables and lists, cut here
_ARRAYS = ("pieces", "starts", "documents")


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
        for name in _ARRAYS:
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
        pieces, starts, documents = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS)
        families = {name: tuple(span) for name, span in json.loads((folder / "families.json").read_text()).items()}
        if len(starts) != len(documents) + 1 or starts[-1] != len(pieces):
            raise ValueError(f"the arrays in {folder} do not fit each other: prepare the corpus again")
        return cls(pieces, starts, documents, families)


def encode(documents: Iterable[Document], tokenizer: BertTokenizer) -> Corpus:
    """Turn documents into a corpus; they must come family by family.

    Raises
    ------
    ValueError
        If no document is given, if a family comes back after another, or if the ids do not fit 16 bits.
    """
    if len(tokenizer) > 2**16:
        raise ValueError("piece ids are stored in 16 bits: the vocabulary may have at most 65,536 rows")
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
            for ids in (next(encoded).ids[:LONGEST_SENTENCE] for _ in its_sentences):
                if ids:
                    chunks.append(np.array(ids, dtype=np.uint16))
                    lengths.append(len(ids))
                    numbers.append(number)
            start, end = families.get(document.family, (first, first))
            if end != first:
                raise ValueError(f"the documents of {document.family} do not come one after the other")
            families[document.family] = (start, len(lengths))
            number += 1
    if not lengths:
        raise ValueError("no document to encode")
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Corpus(np.concatenate(chunks), starts, np.array(numbers, dtype=np.int64), families)


def prepare(texts: str | Path, folder: str | Path, vocabulary_size: int = 16_000, positions: int = 128) -> Path:
    """Make everything training reads from a folder of text.

    Writes ``tokenizer/``, ``train/``, ``held-out/`` (see `Corpus`) and ``held-out.txt``, the fingerprints of the
    documents never trained on. The vocabulary is made from the training documents alone.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    folder = Path(folder)
    documents = list(read_folder(texts))
    training = [document for document in documents if not document.held_out]
    held_out = [document for document in documents if document.held_out]
    paragraphs = (paragraph for document in training for paragraph in document.paragraphs)
    tokenizer = train_vocabulary(paragraphs, vocabulary_size, positions)
    save_vocabulary(tokenizer, folder / "tokenizer")
    encode(training, tokenizer).save(folder / "train")
    encode(held_out, tokenizer).save(folder / "held-out")
    fingerprints = sorted({document.fingerprint for document in held_out})
    (folder / "held-out.txt").write_text("".join(f"{fingerprint}\n" for fingerprint in fingerprints))
    return folder


def _batches(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Yield lists of at most `size` documents."""
    iterator = iter(documents)
    while batch := list(islice(iterator, size)):
        yield batch
