"""The checks of lesson 1, Embedding layer."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import reads

WORD_ROWS = "these are rows of the word table: take those of position_embeddings."


def layer_norm(answer: Callable) -> Outcome:
    """Check exercise 1.1, LayerNorm by hand, against torch's own."""
    chance = generator()

    def case(tokens: int, hidden: int, eps: float) -> tuple:
        x = 3 * torch.randn(tokens, hidden, generator=chance) + 1
        return x, torch.randn(hidden, generator=chance), torch.randn(hidden, generator=chance), eps

    def truth(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], weight, bias, eps)

    def wrong(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> dict[str, Any]:
        def over(divisor: Tensor) -> Tensor:
            return (x - x.mean(-1, keepdim=True)) / divisor * weight + bias

        mean = x.mean(-1, keepdim=True)
        variance, corrected = (x.var(-1, correction=by, keepdim=True) for by in (0, 1))
        root = (variance + eps).sqrt()
        across_tokens, across_corrected = ((x.var(0, correction=by) + eps).sqrt() for by in (0, 1))
        column_by_column = (x - x.mean(0)) * weight
        return {
            "two things: epsilon is added inside the root; and LayerNorm divides by hidden, not by hidden - 1, which "
            "takes correction=0.": over(corrected.sqrt() + eps),
            "torch divides by hidden - 1; LayerNorm by hidden, correction=0.": over((corrected + eps).sqrt()),
            "epsilon is outside the root: add it to the variance.": over(variance.sqrt() + eps),
            "epsilon is missing, or another number is in its place: eps, which is handed over, is added to the "
            "variance, before the square root.": over(variance.sqrt()),
            "the square root is missing: divide by the standard deviation.": over(variance + eps),
            "wrong axis: each token is normalised over its own features, dim=-1.": (
                column_by_column / across_tokens + bias,
                column_by_column / across_corrected + bias,  # of a single token not a number
                column_by_column / root + bias,
            ),
            "the learned weight and bias are missing at the end.": truth(x, None, None, eps),
            "the bias is missing: it is added at the end.": truth(x, weight, None, eps),
            "the weight is missing: multiply by it before the bias is added.": truth(x, None, bias, eps),
            "the bias is added too early: multiply by weight, then add bias.": ((x - mean) / root + bias) * weight,
            "weight and bias are swapped: multiply by weight, then add bias.": truth(x, bias, weight, eps),
            "the mean is not subtracted: (x - mean) belongs above the fraction's line.": x / root * weight + bias,
            "brackets are missing: x - mean / ... divides the mean alone. Write (x - mean) / ...": x
            - mean / root * weight
            + bias,
            "mean and variance are taken over all numbers of x: each token has its own, dim=-1.": truth(
                x.reshape(1, -1), None, None, eps
            ).reshape(x.shape)
            * weight
            + bias,
            "the mean is taken over all numbers of x: each token has its own, dim=-1.": (x - x.mean()) / root * weight
            + bias,
        }

    def asks_torch(words: set[str]) -> bool:
        norms = {word for word in words if word.isidentifier() and ("Norm" in word or word.endswith("_norm"))}
        # The exercise's own function has the name layer_norm too.
        return bool(norms - {"layer_norm"}) or ("layer_norm" in norms and bool(words & {"functional", "F", "torch"}))

    shortcuts = {"torch normalises for you. Write it out, from mean to bias.": asks_torch}
    # BERT's epsilon is so small that its place in the formula would not show; in two cases it is large.
    cases = [case(4, 6, 0.5), case(1, 5, 0.1), case(9, 7, 1e-12)]
    praise = "your LayerNorm equals torch's on three inputs, one of them with an epsilon as small as BERT's."
    keepdim = "the mean or the variance has lost its axis, it seems: keepdim=True keeps it as a column that fits x."
    meanings = {"must match the size of tensor": keepdim}
    return judge(answer, cases, truth, wrong, praise, shortcuts=shortcuts, meanings=meanings)


def embed_pair(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 1.2, the embedding of a pair of sentences, against the model's own layer."""

    def embedded(bert: Bert, ids: list[int], segments: list[int], positions: Iterable[int] | None = None) -> Tensor:
        rows = {"input_ids": ids, "token_type_ids": segments, "position_ids": positions or range(len(ids))}
        batch = {name: torch.tensor([list(row)], device=bert.model.device) for name, row in rows.items()}
        return bert.model.bert.embeddings(**batch)[0]

    def truth(bert: Bert, first: str, second: str) -> Tensor:
        inputs = bert.tokenizer(first, second)
        return embedded(bert, inputs["input_ids"], inputs["token_type_ids"])

    def wrong(bert: Bert, first: str, second: str) -> dict[str, Any]:
        inputs = bert.tokenizer(first, second)
        ids, segments = inputs["input_ids"], inputs["token_type_ids"]
        start = segments.index(1)  # where the second sentence starts
        two_starts = [*ids[:start], ids[0], *ids[start:]]
        undivided = [*ids[: start - 1], *ids[start:]]
        counted_twice = [*range(start), *range(len(ids) - start)]
        cls, sep, one, two = ids[0], ids[-1], ids[1 : start - 1], ids[start:-1]
        exchanged = bert.tokenizer(second, first)

        def by_words(first: str, second: str) -> Tensor:
            words: Any = [bert.tokenizer.convert_tokens_to_ids(text.split()) for text in (first, second)]
            one, two = [cls, *words[0], sep], [*words[1], sep]
            return embedded(bert, one + two, [0] * len(one) + [1] * len(two))

        layer: Any = bert.model.bert.embeddings
        words, kinds = layer.word_embeddings.weight[ids], layer.token_type_embeddings.weight[segments]
        positions = layer.position_embeddings.weight[: len(ids)]
        pair = torch.tensor([ids, segments], device=words.device)
        encoded = bert.model.bert(pair[:1], None, pair[1:])
        summed = words + positions + kinds
        return {
            "every token has segment 0: the second sentence and its [SEP] have 1.": embedded(bert, ids, [0] * len(ids)),
            "the first [SEP] belongs to the first sentence: segment 0.": embedded(bert, ids, [*segments[1:], 1]),
            "[CLS] appears only once, at the very beginning.": embedded(bert, two_starts, [*segments, 1]),
            "the last [SEP] is missing: each sentence ends in one.": embedded(bert, ids[:-1], segments[:-1]),
            "the [SEP] between the sentences is missing.": embedded(bert, undivided, segments[1:]),
            "[CLS] is missing at the beginning.": embedded(bert, ids[1:], segments[1:]),
            "positions run on: they do not start again at 0.": embedded(bert, ids, segments, counted_twice),
            "the segments are swapped: 0 for the first sentence, 1 for the second.": embedded(
                bert, ids, [1 - segment for segment in segments]
            ),
            "[CLS] and [SEP] are missing: one [CLS] at the beginning, and a [SEP] after each sentence.": embedded(
                bert, [*one, *two], [0] * len(one) + [1] * len(two)
            ),
            "words are not yet pieces: bert.tokenizer.tokenize splits a sentence, and split() does not.": (
                by_words(first, second),
                by_words(first.lower(), second.lower()),
            ),
            "the sentences are swapped: first comes first.": embedded(
                bert, exchanged["input_ids"], exchanged["token_type_ids"]
            ),
            "this is the sum of the three rows; LayerNorm comes after it.": summed,
            "LayerNorm's own weight and bias are missing: use the layer's LayerNorm.": F.layer_norm(
                summed, summed.shape[-1:], eps=layer.LayerNorm.eps
            ),
            "this leaves BERT's last layer; what leaves the embedding layer is asked for.": encoded.last_hidden_state[
                0
            ],
            "the word rows are missing in the sum.": layer.LayerNorm(positions + kinds),
            "the position rows are missing in the sum.": layer.LayerNorm(words + kinds),
            "the segment rows are missing in the sum.": layer.LayerNorm(words + positions),
        }

    def by_bertlab(words: set[str]) -> bool:
        return reads(words) or {"embedding", "parts"} <= words

    shortcuts = {"bertlab reads the pair for you. Put ids, segments and positions together yourself.": by_bertlab}
    long, short = sentences(2)
    cases = [(bert, long, short), (other_bert(bert), short, long)]
    praise = "your pair equals the model's own embedding layer, for two pairs and two models."
    meanings = {
        "must match the size of tensor": "ids, positions and segments differ in length. [CLS] and both [SEP] "
        "have a position and a segment too.",
        "index out of range": "you ask for a row that is not in its table. Segments are 0 and 1, positions begin at 0.",
        "must be Tensor, not list": "a table takes its rows by a tensor: torch.tensor(ids).",
    }
    outcome = judge(answer, cases, truth, wrong, praise, shortcuts=shortcuts, meanings=meanings)
    if outcome.reason == "right" and _hands_over_both(answer, bert, long, short):
        taken = "the tokenizer puts the pair together for you. Give it one sentence at a time."
        return Outcome("shortcut", f"the values are right, but by a shortcut: {taken}")
    return outcome


class _OneSentence:
    """A tokenizer whose methods all refuse a pair."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, *given: Any, **options: Any) -> Any:
        return self._ask(self._tokenizer, *given, **options)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._tokenizer, name)
        return partial(self._ask, value) if callable(value) else value

    def _ask(self, method: Callable, *given: Any, **options: Any) -> Any:
        texts = [part for part in given if isinstance(part, str | list | tuple)]
        several = [text for text in [*texts, options.get("text")] if isinstance(text, list | tuple)]
        pairs = [part for text in several for part in text if isinstance(part, list | tuple)]
        if pairs or len(texts) > 1 or any("pair" in name for name in options):
            raise PermissionError
        return method(*given, **options)


def _hands_over_both(answer: Callable, bert: Bert, first: str, second: str) -> bool:
    """Return whether a function lets the tokenizer join the pair."""
    refusing: Any = _OneSentence(bert.tokenizer)
    try:
        answer(replace(bert, tokenizer=refusing), first, second)
    except PermissionError:
        return True
    return False


def neighbour_similarity(bert: Bert, twin: Bert, answer: Callable) -> Outcome:
    """Check exercise 1.3, how similar neighbouring positions are, against scikit-learn's cosines."""

    def rows_of(bert: Bert, table: str = "position") -> Tensor:
        return getattr(bert.model.bert.embeddings, f"{table}_embeddings").weight.detach().cpu()

    def truth(bert: Bert) -> Tensor:
        return torch.from_numpy(cosine_similarity(rows_of(bert).numpy())).diagonal(offset=1).mean()

    def wrong(bert: Bert) -> dict[str, Any]:
        rows, words = rows_of(bert), rows_of(bert, "word")
        cosines = torch.from_numpy(cosine_similarity(rows.numpy()))
        neighbours = cosines.diagonal(offset=1)
        around = torch.cosine_similarity(rows, rows.roll(1, dims=0))
        of_words = torch.cosine_similarity(words[:-1], words[1:])
        return {
            "each row is compared with itself: compare rows[:-1] with rows[1:].": cosines.diagonal().mean(),
            "this is the mean dot product: divide by both lengths.": (rows[:-1] * rows[1:]).sum(dim=-1).mean(),
            "all pairs of positions are averaged in: take only each position and the next one.": cosines.mean(),
            "the last position is compared with the first: there is no next one for it (torch.roll).": around.mean(),
            "you divide by n: n positions have n - 1 pairs of neighbours.": neighbours.sum() / len(rows),
            "the cosines are right, and now take their mean: one number is asked for.": neighbours,
            WORD_ROWS: of_words.mean(),
            "these are the first 32 positions: take all of them.": neighbours[:31].mean(),
            "this is the first pair alone: return stands inside the loop, it seems.": neighbours[0],
        }

    trained, untrained = (round(float(truth(model)), 2) + 0.0 for model in (bert, twin))  # + 0.0: never "-0.00"
    praise = f"{trained:.2f} for {bert.name}, {untrained:.2f} for its untrained twin."
    cases = [(bert,), (twin,), (other_bert(bert),)]
    meanings = {"A vector of zeros": WORD_ROWS}  # which [PAD] has in the word table of one case
    # A mean of cosines that nearly cancel needs the tolerance.
    return judge(answer, cases, truth, wrong, praise, meanings=meanings, atol=1e-6)
