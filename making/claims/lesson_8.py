"""Compute the claims of lesson 8 again: `python making/claims/lesson_8.py bertlab/bertlab-mini`, 15 minutes on a core.

What is trained here has another loop and other pairs than in the lesson, so its numbers differ as those of seeds do.
"""

import copy
import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from base import DATA, Checkpoint, lead, read
from scipy import sparse, stats
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch.nn.functional import cosine_similarity, cross_entropy, normalize

WEB, NEWS = (pd.read_csv(DATA / f"{name}_words.csv") for name in ("web", "news"))
LEARNED, SAMPLES = 200, (0, 1, 2)  # so many sentences, in three samples
OFTEN = 2  # a word is asked if it is a noun and a verb, each at least so often, in both collections together


def flat(column: pd.Series) -> np.ndarray:
    """Return all words, or all classes, of some sentences."""
    return np.array(" ".join(column).split())


def begin(offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the pieces that begin a word: text before them, if any, ends with a space."""
    ends = {end for start, end in offsets if end > start}
    return [i for i, (start, end) in enumerate(offsets) if end > start and start not in ends]


def window(sentence: str) -> list[dict[str, str | bool]]:
    """Return what the rule sees: each word in small letters, its last letters, its neighbours."""
    words = ["", *sentence.lower().split(), ""]
    return [
        {f"last {n}": word[-n:] for n in (1, 2, 3, 4)}
        | {"word": word, "before": words[i], "after": words[i + 2]}
        | {"letters": word.isalpha(), "digits": word.isdigit()}
        for i, word in enumerate(words[1:-1])
    ]


def rows_and_vectors(bert: Checkpoint, sentences: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return each word's row beside those of its neighbours, less the mean row, and its vector after the last layer."""
    rows, vectors = [], []
    table = (bert.table - bert.table.mean(dim=0)).numpy()
    for text in bert.hidden(sentences.tolist()):
        firsts = begin(text.offsets)
        around = np.pad(table[np.array(text.ids)[firsts]], ((1, 1), (0, 0)))
        rows.append(np.hstack([around[1:-1], around[:-2], around[2:]]))
        vectors.append(text.hidden[-1, firsts].numpy())
    return np.vstack(rows), np.vstack(vectors)


def noun_or_verb(bert: Checkpoint, learned: pd.DataFrame = WEB, asked: pd.DataFrame = NEWS) -> None:
    """Nouns and verbs of 200 sentences are learned from; asked are the words of the other collection that are both."""
    both = pd.concat([WEB, NEWS])
    often = pd.crosstab(np.char.lower(flat(both["words"])), flat(both["classes"]))
    words = often.index[(often["NOUN"] >= OFTEN) & (often["VERB"] >= OFTEN)]
    truth, spelled = flat(asked["classes"]), np.char.lower(flat(asked["words"]))
    chosen = np.isin(spelled, words) & np.isin(truth, ["NOUN", "VERB"])
    seen = np.array([features for sentence in asked["words"] for features in window(sentence)])[chosen]
    models = {"BERT": bert} | {f"twin {seed}": read(bert.model.name_or_path, seed) for seed in SAMPLES}
    of_asked = {name: rows_and_vectors(model, asked["words"]) for name, model in models.items()}
    print(f"\nnoun or verb: {len(words)} words, asked {chosen.sum()}, {(truth[chosen] == 'NOUN').sum()} of them nouns")
    for sample in SAMPLES:
        learn = learned.sample(LEARNED, random_state=sample)
        classes = flat(learn["classes"])
        usable = np.isin(classes, ["NOUN", "VERB"])
        right = {}
        for name, model in models.items():
            of_learned = rows_and_vectors(model, learn["words"])
            for what, train, test in zip(("rows", "vectors"), of_learned, of_asked[name], strict=True):
                line = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000))
                right[f"{name}, {what}"] = (
                    line.fit(train[usable], classes[usable]).predict(test[chosen]) == truth[chosen]
                )
        features = np.array([seen_one for sentence in learn["words"] for seen_one in window(sentence)])[usable]
        rule = make_pipeline(DictVectorizer(), LogisticRegression(C=10, max_iter=1000)).fit(features, classes[usable])
        right["rule"] = rule.predict(seen) == truth[chosen]
        print(f"sample {sample}:", {name: int(values.sum()) for name, values in right.items()})
        for rival in ("BERT, rows", "rule"):
            print(f"  vectors beside {rival}:", lead(right["BERT, vectors"], right[rival], spelled[chosen]))


def encoded(bert: Checkpoint, texts: list[str]) -> dict:
    """Return texts as the model takes them, with offsets."""
    return bert.tokenizer(texts, padding=True, return_tensors="pt", return_offsets_mapping=True)


def means(model: torch.nn.Module, given: dict) -> torch.Tensor:
    """Return the mean vector of each text, (texts, hidden)."""
    mask = given["attention_mask"][..., None]
    return (model.bert(**given).last_hidden_state * mask).sum(dim=1) / mask.sum(dim=1)


def trained(bert: Checkpoint, texts: list[str], labels: list[list[int]], asked: list[str], seed: int) -> np.ndarray:
    """Train a copy and a head word by word, for 4 epochs in batches of 8; return what it answers to other texts."""
    torch.manual_seed(seed)
    model = copy.deepcopy(bert.model).eval()
    model.bert.embeddings.requires_grad_(False)
    head = torch.nn.Linear(model.config.hidden_size, 1 + max(map(max, labels)))

    def scores(some: list[str]) -> torch.Tensor:
        given = encoded(bert, some)
        offsets = given.pop("offset_mapping").tolist()
        hidden = model.bert(**given).last_hidden_state
        return head(torch.cat([vectors[begin(places)] for vectors, places in zip(hidden, offsets, strict=True)]))

    parts = [part for part in [*model.bert.parameters(), *head.parameters()] if part.requires_grad]
    optimizer = torch.optim.AdamW(parts, lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 1e-3, total_steps=len(texts) // 2 + 1, pct_start=0.1, anneal_strategy="linear", cycle_momentum=False
    )
    for _ in range(4):
        for group in torch.randperm(len(texts)).split(8):
            loss = cross_entropy(
                scores([texts[i] for i in group]), torch.tensor(np.concatenate([labels[i] for i in group]))
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        return torch.cat([scores(asked[i : i + 64]).argmax(dim=-1) for i in range(0, len(asked), 64)]).numpy()


def word_classes(bert: Checkpoint) -> None:
    """All words of the news that the 200 sentences do not show: fine-tuned beside the rule with rows, by document."""
    truth, words = flat(NEWS["classes"]), np.char.lower(flat(NEWS["words"]))
    document = NEWS["source"].str[:6].repeat(NEWS["words"].str.split().str.len()).to_numpy()
    of_news, _ = rows_and_vectors(bert, NEWS["words"])
    differences, groups = [], []
    for sample in SAMPLES:
        learn = WEB.sample(LEARNED, random_state=sample)
        names = sorted(set(flat(learn["classes"])))
        labels = [[names.index(name) for name in row.split()] for row in learn["classes"]]
        answers = trained(bert, learn["words"].tolist(), labels, NEWS["words"].tolist(), sample)
        new = ~np.isin(words, np.char.lower(flat(learn["words"])))
        right = {"BERT": (np.array(names)[answers] == truth)[new]}
        features = DictVectorizer().fit([seen for sentence in learn["words"] for seen in window(sentence)])
        parts = []
        for part, rows in ((learn, rows_and_vectors(bert, learn["words"])[0]), (NEWS, of_news)):
            seen = features.transform([seen for sentence in part["words"] for seen in window(sentence)])
            parts.append(
                {"rule": seen.tocsr(), "rule with rows": sparse.hstack([seen, sparse.csr_matrix(rows)]).tocsr()}
            )
        for name in parts[0]:
            line = LogisticRegression(C=10, max_iter=1000).fit(parts[0][name], flat(learn["classes"]))
            right[name] = line.predict(parts[1][name][new]) == truth[new]
        print(
            f"\nword classes, sample {sample}: of {new.sum()}", {name: int(each.sum()) for name, each in right.items()}
        )
        print("  BERT beside the rule with rows:", lead(right["BERT"], right["rule with rows"], document[new]))
        differences.append(right["BERT"].astype(float) - right["rule with rows"])
        groups.append(document[new])
    together = np.concatenate(differences)
    print("  three samples together:", lead(together, np.zeros(len(together)), np.concatenate(groups)))


def contrast(bert: Checkpoint) -> None:
    """Sentence vectors trained on a hundred paraphrases: how they follow the grades, beside [CLS] without training."""
    trios, graded = (pd.read_csv(DATA / f"{name}.csv") for name in ("paraphrases", "graded_pairs"))
    grades = graded[["grade_a", "grade_b"]].mean(axis=1).to_numpy()
    torch.manual_seed(0)
    learner = copy.deepcopy(bert.model).train()
    for part in learner.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.1
    optimizer = torch.optim.AdamW(learner.bert.parameters(), lr=1e-4)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, total_iters=24)
    for _ in range(6):
        for batch in torch.randperm(len(trios)).split(32):
            some = trios.iloc[batch.tolist()]
            given = encoded(bert, [*some["sentence"], *some["paraphrase"]])
            given.pop("offset_mapping")
            first, second = normalize(means(learner, given), dim=-1).chunk(2)
            loss = cross_entropy(first @ second.T / 0.05, torch.arange(len(some)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    after = bert._replace(model=learner.eval())

    def cosines(model: Checkpoint, one: pd.Series, other: pd.Series, cls: bool = False) -> np.ndarray:
        vectors = []
        for texts in (one, other):
            read_texts = model.hidden(texts.tolist())
            vectors.append(torch.stack([t.hidden[-1, 0] if cls else t.hidden[-1].mean(dim=0) for t in read_texts]))
        return cosine_similarity(*vectors).numpy()

    ways = {"after": cosines(after, graded["first"], graded["second"])}
    ways["before"] = cosines(bert, graded["first"], graded["second"])
    ways["before, [CLS]"] = cosines(bert, graded["first"], graded["second"], cls=True)
    found = {name: stats.spearmanr(values, grades).statistic for name, values in ways.items()}
    print("\ncontrast:", {name: round(float(value), 3) for name, value in found.items()})
    chance = np.random.default_rng(0)
    for rival in ("before", "before, [CLS]"):
        leads = []
        for drawn in chance.integers(len(grades), size=(2000, len(grades))):
            one, other = (stats.spearmanr(ways[name][drawn], grades[drawn]).statistic for name in ("after", rival))
            leads.append(one - other)
        ends = np.quantile(leads, [0.025, 0.975]).round(3)
        print(f"  after beside {rival}: lead {found['after'] - found[rival]:.3f}, {ends[0]} to {ends[1]}")
    for name, model in {"before": bert, "after": after}.items():
        nearer = cosines(model, trios["sentence"], trios["paraphrase"]) > cosines(
            model, trios["sentence"], trios["contrast"]
        )
        print(f"  {name}: the paraphrase is nearer than the contrast for {nearer.sum()} of {len(trios)}")


if __name__ == "__main__":
    checkpoint = read(sys.argv[1])
    noun_or_verb(checkpoint)
    word_classes(checkpoint)
    contrast(checkpoint)
