"""Dependency trees: who depends on whom in a sentence, annotated by hand (lessons 4 and 5).

A tree names for every word but one the word that *governs* it, and the relation between the two, as Universal
Dependencies defines them (de Marneffe et al. 2021): in *the cat sleeps*, *the* depends on *cat* as its ``det``,
*cat* on *sleeps* as its ``nsubj``, and *sleeps* is the root. Treebanks call the governor the word's head; here a
head is always an attention head. This module reads trees; `bertlab.attention.syntax`
compares attention with them. Drawing trees and parsing text are left out.

The package conllu reads the format too, but takes cycles, two roots, wrong numbers and surplus columns without a word,
and names no line. All that has to be checked here anyway, and what is left for it is to split lines at tabs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SHIPPED = Path(__file__).parents[1] / "data" / "trees.conllu"
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


@dataclass(frozen=True)
class Tree:
    """A sentence and its dependency tree. Words are counted from 0, punctuation marks included.

    Attributes
    ----------
    text
    words
    spans
        Where each word stands in the text: ``text[start:end]`` is the word.
    governors
        The number of the word that each word depends on; None for the root.
    relations
        How each word depends on its governor, such as ``"nsubj"``; ``"root"`` for the root.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    governors: tuple[int | None, ...]
    relations: tuple[str, ...]


class _Word(NamedTuple):
    """One line of a file: a word, still with its governor's number from 1, and 0 for the root."""

    place: str
    form: str
    governor: int
    relation: str
    glued: bool


def read_trees(path: str | Path | None = None) -> list[Tree]:
    """Read dependency trees from a file in CoNLL-U, the format of Universal Dependencies.

    Every word must be a stretch of the text. So multiword tokens (a line *2-3* for *don't*) and empty nodes (a
    line *2.1*) are refused, which many files of Universal Dependencies have.

    Parameters
    ----------
    path
        The file; by default the lessons' own sentences, ``bertlab/data/trees.conllu``.

    Returns
    -------
    list of Tree
        One a sentence, in the file's order. Lemmas, word classes and features are not kept.

    Raises
    ------
    ValueError
        If the file is no well-formed CoNLL-U, with the line and what to do; if it holds no sentence; if it is
        not encoded in UTF-8.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> tree = read_trees()[0]
    >>> tree.text
    'Everyone hoped that the storm would pass before morning.'
    >>> tree.words[0], tree.relations[0], tree.words[tree.governors[0]]
    ('Everyone', 'nsubj', 'hoped')
    """
    file = SHIPPED if path is None else Path(path)
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file.name} is not UTF-8 at byte {error.start}. Save it with that encoding.") from None
    trees: list[Tree] = []
    sentence: list[tuple[str, str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            sentence.append((f"{file.name}, line {number}", line))
        elif sentence:
            trees.append(_tree(sentence))
            sentence = []
    if not trees:
        raise ValueError(f"{file.name} holds no sentence. Give a file in CoNLL-U, one line a word.")
    return trees


def _tree(lines: Sequence[tuple[str, str]]) -> Tree:
    """Return the tree of one sentence's lines, each with its place in the file."""
    rows = [(place, line) for place, line in lines if not line.startswith("#")]
    if not rows:
        raise ValueError(f"{lines[0][0]}: these comments belong to no sentence. Add the words below, or remove them.")
    words = [_word(place, line, number) for number, (place, line) in enumerate(rows, start=1)]
    _refuse_no_tree(words)
    text, spans = _joined(words)
    _refuse_other_text(lines, text)
    return Tree(
        text=text,
        words=tuple(word.form for word in words),
        spans=tuple(spans),
        governors=tuple(word.governor - 1 if word.governor else None for word in words),
        relations=tuple(word.relation for word in words),
    )


def _word(place: str, line: str, due: int) -> _Word:
    """Return one word, or refuse its line; `due` is the number that it must have."""
    fields = line.split("\t")
    if len(fields) != len(COLUMNS):
        raise ValueError(
            f"{place}: there are {len(fields)} columns, and CoNLL-U has {len(COLUMNS)}, with a tab between each two: "
            f"{', '.join(COLUMNS)}. Put _ where there is nothing to say."
        )
    number, form, _, _, _, _, governor, relation, _, misc = fields
    if "-" in number or "." in number:
        raise ValueError(
            f"{place}: {number} is a multiword token or an empty node, and here each word is a stretch of the text. "
            "Remove the line, and give words that were written together SpaceAfter=No in the last column."
        )
    if number != str(due):
        raise ValueError(
            f"{place}: the word has number {number!r} where {due} is due. Number each sentence's words 1, 2, 3 and so "
            "on, and put an empty line between sentences."
        )
    if not form.strip() or form != form.strip():
        raise ValueError(f"{place}: the word is {form!r}. Write it in the second column, without spaces around it.")
    if not (governor.isascii() and governor.isdigit()):
        raise ValueError(
            f"{place}: HEAD is {governor!r}, and not a whole number. Give the governor's number, or 0 for the root."
        )
    if relation in ("", "_") or (relation == "root") != (int(governor) == 0):
        raise ValueError(
            f"{place}: DEPREL is {relation!r} with HEAD {governor}. Name the relation; the root, and no other word, "
            "has the relation root and the HEAD 0."
        )
    return _Word(place, form, int(governor), relation, "SpaceAfter=No" in misc.split("|"))


def _refuse_no_tree(words: Sequence[_Word]) -> None:
    """Refuse words that do not make a tree: a governor outside, no root or two, a cycle."""
    for word in words:
        if word.governor > len(words):
            raise ValueError(
                f"{word.place}: HEAD is {word.governor}, and the sentence has {len(words)} words. Give a number up to "
                f"{len(words)}, or 0 for the root."
            )
    roots = [word for word in words if word.governor == 0]
    if not roots:
        raise ValueError(f"{words[0].place}: this sentence has no root. Give its main predicate HEAD 0, DEPREL root.")
    if len(roots) > 1:
        raise ValueError(f"{roots[1].place}: this sentence has a second root. Give one of the two a governor.")
    for number, word in enumerate(words, start=1):
        above = word.governor
        for _ in words:  # no way up to the root is longer than that
            if above == number:
                raise ValueError(
                    f"{word.place}: from {word.form!r} the way from governor to governor leads back to it, and not to "
                    "the root. Correct the HEAD of a word on that way."
                )
            above = words[above - 1].governor if above else 0


def _joined(words: Sequence[_Word]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text that the words make, and where each stands in it."""
    text, spans = "", []
    for word in words:
        spans.append((len(text), len(text) + len(word.form)))
        text += word.form + ("" if word.glued else " ")
    return text.rstrip(" "), spans


def _refuse_other_text(lines: Sequence[tuple[str, str]], text: str) -> None:
    """Refuse a sentence whose comment ``# text`` is missing or differs from what its words make."""
    given = [(place, line.partition("=")[2].strip()) for place, line in lines if line.split("=")[0].strip() == "# text"]
    if not given:
        raise ValueError(f"{lines[0][0]}: this sentence has no comment '# text = ...'. Add it: '# text = {text}'.")
    for place, comment in given:
        if comment != text:
            raise ValueError(
                f"{place}: the comment has {comment!r}, but the words make {text!r}. Correct the one that is wrong; "
                "SpaceAfter=No in a word's last column joins it to the next."
            )
