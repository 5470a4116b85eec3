"""Lesson 2's claims once more, without bertlab."""

import re
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[2] / "bertlab" / "data"
SHORTEST, LONGEST = 7, 50  # pieces of a sentence, with [CLS] and [SEP]: two of them fit into any BERT
A_DOCUMENT = 4  # pairs, so that no document has many
FOILS = 3  # sentences of other documents beside each follower


def neighbours(tokenizer) -> pd.DataFrame:
    """Return pairs of neighbouring sentences of one document: first, second, document, kind, foils.

    A foil follows a first sentence in a document of the same kind (weblog, email, ...), but in another document.
    """
    web = pd.read_csv(DATA / "web_words.csv")
    web[["document", "number"]] = web["source"].str.extract(r"(.*)-(\d+)$")
    pieces = web["text"].map(lambda text: len(tokenizer(text).input_ids))
    web = web[pieces.between(SHORTEST, LONGEST)]
    after = web.shift(-1)
    is_next = (web["document"] == after["document"]) & (after["number"].astype(float) == web["number"].astype(int) + 1)
    pairs = pd.DataFrame({"first": web["text"], "second": after["text"], "document": web["document"]})[is_next]
    pairs["kind"] = pairs["document"].map(lambda name: re.match("[a-z]+", name)[0])
    pairs = pairs.sample(frac=1, random_state=0).groupby("document").head(A_DOCUMENT)
    foils = []
    for seed, pair in enumerate(pairs.itertuples()):
        elsewhere = pairs[(pairs["kind"] == pair.kind) & (pairs["document"] != pair.document)]
        foils.append(elsewhere["second"].sample(FOILS, random_state=seed).tolist())
    return pairs.assign(foils=foils)
