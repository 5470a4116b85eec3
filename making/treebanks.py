"""Make the tables of words and word classes that lessons 6 and 8 test on, from two English treebanks.

python making/treebanks.py en_ewt-ud-test.conllu bertlab/data/web_words.csv TEXTS      # UD_English-EWT
python making/treebanks.py en_pud-ud-test.conllu bertlab/data/news_words.csv TEXTS     # UD_English-PUD

It prints how many sentences remain and how many each rule removes, for the datasheets.
"""

import argparse
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bertlab.data import trees
from prepare import read_documents, split_sentences

SHORTEST, LONGEST = 4, 40  # words, punctuation marks included
RUN = 8  # consecutive words that no sentence may share with the training texts


def sentences(path: Path) -> Iterator[dict[str, str]]:
    """Yield the sentences of a CoNLL-U file, without the lines of multiword tokens and empty nodes."""
    for comments, rows in trees.sentences(path.read_text(encoding="utf-8")):
        whole = [row for row in rows if row[0].isdigit()]
        words, classes = " ".join(row[1] for row in whole), " ".join(row[3] for row in whole)
        yield {"source": comments["sent_id"], "text": comments["text"], "words": words, "classes": classes}


def plain(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation; *don't* and *dont* are the same."""
    return re.findall(r"[^\W_]+", re.sub(r"['’]", "", text.lower()))


def read_before(texts: list[str], corpus: Path) -> set[str]:
    """Return the texts that are sentences of the corpus, or share `RUN` consecutive words with it."""
    whole, runs = {}, {}
    for text in texts:
        words = plain(text)
        whole.setdefault(" ".join(words), []).append(text)
        for start in range(len(words) - RUN + 1):
            runs.setdefault(" ".join(words[start : start + RUN]), []).append(text)
    known = set()
    for document in read_documents(corpus):
        for paragraph in document.paragraphs:
            words = plain(paragraph)
            for start in range(len(words) - RUN + 1):
                if (run := " ".join(words[start : start + RUN])) in runs:
                    known.update(runs[run])
            for sentence in split_sentences(paragraph):
                known.update(whole.get(" ".join(plain(sentence)), ()))
    return known


def select(treebank: Path, table: Path, corpus: Path) -> None:
    """Write the table of the sentences that no rule removes."""
    removed, rows = Counter(), {}
    for row in sentences(treebank):
        if not SHORTEST <= len(row["words"].split()) <= LONGEST:
            removed["too short or too long"] += 1
        elif row["text"] in rows:
            removed["stands there already"] += 1
        else:
            rows[row["text"]] = row
    for text in read_before(list(rows), corpus):
        removed["read in training"] += 1
        del rows[text]
    file = io.StringIO()
    writer = csv.DictWriter(file, ["source", "text", "words", "classes"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    table.write_text(file.getvalue(), "utf-8", newline="")
    print(len(rows), "sentences,", sum(len(row["words"].split()) for row in rows.values()), "words;", dict(removed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path, help="a file in CoNLL-U")
    parser.add_argument("table", type=Path, help="the table to write")
    parser.add_argument("corpus", type=Path, help="folder of the texts that bertlab-mini was trained on")
    select(**vars(parser.parse_args()))
