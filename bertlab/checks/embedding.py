"""The checks of lesson 1, Embedding layer."""

from collections.abc import Callable
from typing import Any

import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge


def layer_norm(answer: Callable) -> Outcome:
    """Check exercise 1.1, LayerNorm by hand, against torch's own."""
    chance = generator()

    def case(tokens: int, hidden: int, eps: float) -> tuple:
        x = 3 * torch.randn(tokens, hidden, generator=chance) + 1
        return x, torch.randn(hidden, generator=chance), torch.randn(hidden, generator=chance), eps

    def by_torch(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], weight, bias, eps)

    def root(variance: Tensor, eps: float) -> Tensor:
        return (variance + eps).sqrt()

    def outside(variance: Tensor, eps: float) -> Tensor:
        return variance.sqrt() + eps

    def by_hand(divisor: Callable = root, correction: int = 0, axis: int = -1) -> Callable[..., Tensor]:
        def norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
            variance = x.var(axis, correction=correction, keepdim=True)
            return (x - x.mean(axis, keepdim=True)) / divisor(variance, eps) * weight + bias

        return norm

    wrong = {
        "two things: epsilon is added to the variance, inside the root; and LayerNorm divides by hidden, not by "
        "hidden - 1, which takes correction=0.": by_hand(outside, correction=1),
        "you divide by (hidden - 1), torch's default: LayerNorm divides by hidden, correction=0.": by_hand(
            correction=1
        ),
        "epsilon stands outside the root: it is added to the variance, before the square root.": by_hand(outside),
        "epsilon is missing: it is added to the variance, before the square root.": by_hand(
            lambda variance, eps: variance.sqrt()
        ),
        "the square root is missing: divide by the standard deviation, not by the variance.": by_hand(
            lambda variance, eps: variance + eps
        ),
        "wrong axis: each token is normalised over its own features, dim=-1, not over the tokens.": by_hand(axis=0),
        "the learned weight and bias are missing: multiply by one and add the other at the end.": (
            lambda x, weight, bias, eps: by_torch(x, None, None, eps)
        ),
        "the bias is missing: it is added at the end.": lambda x, weight, bias, eps: by_torch(x, weight, None, eps),
        "the weight is missing: multiply by it before the bias is added.": (
            lambda x, weight, bias, eps: by_torch(x, None, bias, eps)
        ),
    }
    shortcuts = {
        "torch's own LayerNorm gives the answer. Write it out: mean, variance, epsilon, root, weight, bias.": (
            # The exercise's own function has the name layer_norm too.
            lambda words: "LayerNorm" in words or ("layer_norm" in words and bool(words & {"functional", "F"}))
        )
    }
    # BERT's epsilon is so small that its place in the formula would not show; in two cases it is large.
    cases = [case(4, 6, 0.5), case(1, 5, 0.1), case(9, 7, 1e-12)]
    praise = "your LayerNorm equals torch's on three inputs, one of them with an epsilon as small as BERT's."
    return judge(answer, cases, by_torch, wrong, praise, shortcuts=shortcuts)


def embed_pair(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 1.2, the embedding of a pair of sentences, against the model's own layer."""

    def arranged(arrange: Callable[[list[int], list[int], int], tuple]) -> Callable[..., Tensor]:
        """Return the model's own way to a pair whose ids, segments and positions are arranged anew."""

        def embedded(bert: Bert, first: str, second: str) -> Tensor:
            inputs = bert.tokenizer(first, second)
            ids, segments = inputs["input_ids"], inputs["token_type_ids"]
            rows = arrange(ids, segments, segments.index(1))  # where the second sentence starts
            names = ("input_ids", "token_type_ids", "position_ids")[: len(rows)]
            batch = {name: torch.tensor([row], device=bert.model.device) for name, row in zip(names, rows, strict=True)}
            return bert.model.bert.embeddings(**batch)[0]

        return embedded

    def summed(bert: Bert, first: str, second: str, word: int = 1, position: int = 1, segment: int = 1) -> Tensor:
        inputs = bert.tokenizer(first, second, return_tensors="pt").to(bert.model.device)
        layer: Any = bert.model.bert.embeddings
        words = layer.word_embeddings(inputs["input_ids"][0])
        segments = layer.token_type_embeddings(inputs["token_type_ids"][0])
        return word * words + position * layer.position_embeddings.weight[: len(words)] + segment * segments

    def without(**left_out: int) -> Callable[..., Tensor]:
        return lambda bert, *pair: bert.model.bert.embeddings.LayerNorm(summed(bert, *pair, **left_out))

    wrong = {
        "every token has segment 0: the second sentence and its [SEP] have segment 1.": arranged(
            lambda ids, segments, start: (ids, [0] * len(ids))
        ),
        "the first [SEP] belongs to the first sentence, so its segment is 0.": arranged(
            lambda ids, segments, start: (ids, [*segments[1:], 1])
        ),
        "[CLS] stands only once, at the very beginning; [SEP] alone divides the sentences.": arranged(
            lambda ids, segments, start: ([*ids[:start], ids[0], *ids[start:]], [*segments, 1])
        ),
        "the last [SEP] is missing: each sentence ends in one.": arranged(
            lambda ids, segments, start: (ids[:-1], segments[:-1])
        ),
        "the [SEP] between the sentences is missing.": arranged(
            lambda ids, segments, start: ([*ids[: start - 1], *ids[start:]], segments[1:])
        ),
        "[CLS] is missing at the beginning.": arranged(lambda ids, segments, start: (ids[1:], segments[1:])),
        "positions run on through the pair: they do not start again at 0.": arranged(
            lambda ids, segments, start: (ids, segments, [*range(start), *range(len(ids) - start)])
        ),
        "this is the sum of the three rows; LayerNorm comes after it.": summed,
        "the word rows are missing in the sum.": without(word=0),
        "the position rows are missing in the sum.": without(position=0),
        "the segment rows are missing in the sum.": without(segment=0),
    }
    shortcuts = {
        "bertlab reads the pair for you. Put it together yourself: its ids, its segments, its positions.": (
            lambda words: bool(words & {"read", "read_all"})
        )
    }
    long, short = sentences(2)
    cases = [(bert, long, short), (other_bert(bert), short, long)]
    truth = arranged(lambda ids, segments, start: (ids, segments))
    praise = "your pair equals the model's own embedding layer, for two pairs and two models."
    return judge(answer, cases, truth, wrong, praise, shortcuts=shortcuts)


def neighbour_similarity(bert: Bert, twin: Bert, answer: Callable) -> Outcome:
    """Check exercise 1.3, how alike neighbouring positions are, against scikit-learn's cosines."""

    def rows(of: Bert, table: str = "position") -> Tensor:
        return getattr(of.model.bert.embeddings, f"{table}_embeddings").weight.detach().cpu()

    def cosines(of: Bert) -> Tensor:
        return torch.from_numpy(cosine_similarity(rows(of).numpy()))

    def neighbours(of: Bert) -> Tensor:
        return cosines(of).diagonal(offset=1)

    def truth(of: Bert) -> Tensor:
        return neighbours(of).mean()

    wrong = {
        "each row is compared with itself, whose cosine is always 1: compare rows[:-1] with rows[1:].": (
            lambda of: cosines(of).diagonal().mean()
        ),
        "this is the mean dot product: divide by both lengths to get the cosine.": (
            lambda of: (rows(of)[:-1] * rows(of)[1:]).sum(dim=-1).mean()
        ),
        "all pairs of positions are averaged in: take only each position and the next one.": (
            lambda of: cosines(of).mean()
        ),
        "the last position is compared with the first (torch.roll goes round): there is no next one for it.": (
            lambda of: torch.cosine_similarity(rows(of), rows(of).roll(1, dims=0)).mean()
        ),
        "you divide by the number of positions: n positions have n - 1 pairs of neighbours.": (
            lambda of: neighbours(of).sum() / len(rows(of))
        ),
        "the cosines are right, and now take their mean: one number is asked for.": neighbours,
        "these are rows of the word table: positions have a table of their own, position_embeddings.": (
            lambda of: torch.cosine_similarity(rows(of, "word")[:-1], rows(of, "word")[1:]).mean()
        ),
    }
    trained, untrained = (round(float(truth(of)), 2) + 0.0 for of in (bert, twin))  # + 0.0: never "-0.00"
    praise = f"{trained:.2f} for {bert.name}, {untrained:.2f} for its untrained twin."
    cases = [(bert,), (twin,), (other_bert(bert),)]
    return judge(answer, cases, truth, wrong, praise, atol=1e-6)  # a mean of cosines that nearly cancel
