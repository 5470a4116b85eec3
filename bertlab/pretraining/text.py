"""Text for pre-training: a folder of files to documents, and which documents are never trained on.

A file ``<family>.txt`` or ``<family>.txt.xz`` holds one paragraph a line and a blank line between documents.
Whether a document is held out depends on a hash of its text alone, so the list is the same whatever the
files are called and in whatever order they are read.
"""

import hashlib
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HELD_OUT_PER_MILLE = 10

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
        raise TextError(f"{folder} holds no .txt or .txt.xz file")
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
        raise TextError(f"{path} is not a whole .xz file: {error}") from error
    if b"\0" in raw:
        raise TextError(f"{path} is a binary file (it holds a NUL byte), not text")
    try:
        lines = raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TextError(f"{path} is not UTF-8: byte {error.start} is {raw[error.start]:#04x}") from error
    documents, paragraphs = [], []
    for line in [*lines, ""]:
        if line := line.strip():
            paragraphs.append(line)
        elif paragraphs:
            documents.append(Document(family_of(path), tuple(paragraphs)))
            paragraphs = []
    if not documents:
        raise TextError(f"{path} is empty: it holds no text")
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
