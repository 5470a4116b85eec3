"""Short texts from three kinds of web page, which counting words sorts almost as well as BERT does (lesson 8)."""

import numpy as np
import pandas as pd

from bertlab import data

KINDS = ("answers", "email", "reviews")


def kinds_of_text() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return short texts for practice and for the test, from different documents, with equally many of each kind.

    Returns
    -------
    practice, test : pandas.DataFrame
        One row per text: the ``document`` in the treebank of web pages (Silveira et al. 2014), the ``text`` of two
        consecutive sentences, and the ``label``, which is the kind of document.

    Examples
    --------
    >>> practice, test = kinds_of_text()
    >>> sorted(set(test["label"]))
    ['answers', 'email', 'reviews']
    """
    web = data.read("web_words")
    web["label"] = web["source"].str.partition("-")[0]
    web["document"] = web["source"].str.rpartition("-")[0]
    rows = []
    for (document, label), sentences in web[web["label"].isin(KINDS)].groupby(["document", "label"], sort=False):
        texts = sentences["text"].tolist()
        rows += [(document, " ".join(texts[i : i + 2]), label) for i in range(0, len(texts), 2)]
    table = pd.DataFrame(rows, columns=["document", "text", "label"])
    documents = np.random.default_rng(0).permutation(table["document"].unique())
    first = table["document"].isin(documents[::2])
    halves = table[first], table[~first]
    count = min(half["label"].value_counts().min() for half in halves)
    practice, test = (half.groupby("label").sample(count, random_state=0) for half in halves)
    return practice.reset_index(drop=True), test.reset_index(drop=True)
