"""The claims of lesson 6, computed with transformers, torch and scipy alone, from a checkpoint and the shipped tables.

python making/claims/lesson_6.py bertlab/bertlab-mini
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import BertForPreTraining, BertTokenizerFast

DATA = Path(__file__).parents[2] / "bertlab" / "data"
FOLDER = Path(sys.argv[1])
# Settings, fixed before a result was seen. Two nouns: all nouns of the table, in the frames of lesson 9's first set; the
# near noun is the seventh after the subject's in the table. Right is a beginning if the verbs that fit are together
# more probable than the others. A swap is right if the two facts' log ratios of true to false word add up to more than 0.
FRAMES, FURTHER = "first", 7

tokenizer = BertTokenizerFast.from_pretrained(FOLDER)
bert = BertForPreTraining.from_pretrained(FOLDER, dtype=torch.float32).eval()


def table(name: str) -> pd.DataFrame:
    """Return a shipped table."""
    return pd.read_csv(DATA / f"{name}.csv", keep_default_na=False)


def at_gap(texts: list[str], words: list[list[str]]) -> list[np.ndarray]:
    """Return the log-probabilities of words at the [MASK] of each text."""
    found = []
    for text, some in zip(texts, words, strict=True):
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = bert(**inputs).prediction_logits[inputs["input_ids"] == tokenizer.mask_token_id][0]
        ids = tokenizer.convert_tokens_to_ids([word.lower() for word in some])
        found.append(logits.log_softmax(dim=-1)[ids].numpy())
    return found


def sentence_score(text: str) -> float:
    """Return the sum of each piece's log-probability, hidden in turn."""
    ids = tokenizer(text, return_tensors="pt")["input_ids"][0]
    places = torch.arange(1, len(ids) - 1)
    copies = ids.repeat(len(places), 1)
    copies[places - 1, places] = tokenizer.mask_token_id
    with torch.no_grad():
        logits = bert(input_ids=copies).prediction_logits[places - 1, places]
    return float(logits.log_softmax(dim=-1)[places - 1, ids[places]].sum())


def two_words_beside(text: str) -> str:
    """Return a text cut to two words or marks on either side of its [MASK]."""
    import re

    word = r"(?:[\w'’]+|[^\w\s])"
    return re.search(rf"(?:{word}\s*){{0,2}}\[MASK\](?:\s*{word}){{0,2}}", text)[0]


def confused_words() -> tuple[dict[str, np.ndarray], pd.Series]:
    """Return who chooses the original word, and the set of each gap."""
    gaps = table("confused_words")
    sets = [words.split("/") for words in gaps["set"]]
    ways = {}
    for name, texts in {"BERT": gaps["text"], "BERT, two words": gaps["text"].map(two_words_beside)}.items():
        best = [words[shares.argmax()] for words, shares in zip(sets, at_gap([*texts], sets), strict=True)]
        ways[name] = np.array(best == gaps["word"])
    for name in ("own_window", "table_window", "both_window", "most_frequent"):
        ways[name] = (gaps[name] == gaps["word"]).to_numpy()
    return ways, gaps["set"]


def minimal_pairs() -> tuple[dict[str, np.ndarray], list[str]]:
    """Return for each pair whether the grammatical sentence scores higher, and its exchange."""
    pairs = table("minimal_pairs")
    right = [sentence_score(good) > sentence_score(bad) for good, bad in zip(pairs["good"], pairs["bad"], strict=True)]
    words = [set(row.good.strip(".").split()) ^ set(row.bad.strip(".").split()) for row in pairs.itertuples()]
    same = [min(two) in row.good.strip(".").split() for two, row in zip(words, pairs.itertuples(), strict=True)]
    return {"BERT": np.array(right), "always the same word": np.array(same)}, [" / ".join(sorted(two)) for two in words]


def noun_in_between() -> tuple[dict[str, np.ndarray], pd.Series]:
    """Return whether the right verb is preferred beside a noun of the other number, and of the same one; by verb."""
    pairs = table("agreement_pairs")
    pairs = pairs[[len(tokenizer.tokenize(p.good)) == len(tokenizer.tokenize(p.same)) for p in pairs.itertuples()]]
    ways = {}
    for name, column in {"other number": "good", "same number": "same"}.items():
        texts, verbs = [], []
        for good, bad, text in zip(pairs["good"].str.split(), pairs["bad"].str.split(), pairs[column], strict=True):
            at = next(i for i, word in enumerate(good) if word != bad[i])
            texts.append(" ".join([*text.split()[:at], "[MASK]", *text.split()[at + 1 :]]))
            verbs.append([good[at], bad[at]])
        ways[name] = np.array([right > wrong for right, wrong in at_gap(texts, verbs)])
    return ways, pairs["verb"]


def two_nouns() -> pd.DataFrame:
    """Return for each frame, noun and number of both nouns whether the right verbs are preferred."""
    nouns, frames = table("number_nouns"), table("number_frames")
    rows = []
    for frame in frames[frames["set"] == FRAMES].itertuples():
        for i, noun in nouns.iterrows():
            near = nouns.iloc[(i + FURTHER) % len(nouns)]
            for first in ("singular", "plural"):
                for second in ("singular", "plural"):
                    text = frame.frame.format(subject=noun[first], near=near[second])
                    rows.append((frame.name, noun["singular"], first, second, text))
    found = pd.DataFrame(rows, columns=["frame", "noun", "subject", "near", "text"])
    logs = np.exp(at_gap([*found["text"]], [["is", "was", "are", "were"]] * len(found)))  # all of these frames' verbs
    plural = logs[:, 2:].sum(axis=1) > logs[:, :2].sum(axis=1)
    return found.assign(right=plural == (found["subject"] == "plural"))


def facts() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return for each swap whether BERT, and the word table, are moved the right way, and how often BERT changes."""
    asked = table("facts")
    swaps = [" / ".join(sorted(two)) for two in asked[["true", "false"]].to_numpy()]
    words = asked[["true", "false"]].to_numpy().tolist()
    by_bert = [true - false for true, false in at_gap([*asked["template"]], words)]
    rows = torch.nn.functional.normalize(bert.bert.embeddings.word_embeddings.weight.detach(), dim=-1)
    by_table = []
    for text, two in zip(asked["template"], words, strict=True):
        around = tokenizer(text.replace("[MASK]", ""), add_special_tokens=False)["input_ids"]
        ids = tokenizer.convert_tokens_to_ids([word.lower() for word in two])
        true, false = (rows[around] @ rows[ids].T).mean(dim=0).tolist()
        by_table.append(true - false)
    sums = pd.DataFrame({"BERT": by_bert, "word table": by_table}).groupby(swaps).sum()
    both = (pd.Series(by_bert) > 0).groupby(swaps).sum()
    return {name: (sums[name] > 0).to_numpy() for name in sums}, both.to_numpy()
