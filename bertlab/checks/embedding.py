"""The checks of lesson 1, Embedding layer."""

from collections.abc import Callable

import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks.outcome import Outcome, Slip, judge
from bertlab.model import Bert


def layer_norm(answer: Callable[[Tensor, Tensor, Tensor, float], Tensor | None]) -> Outcome:
    """Check exercise 1.1, LayerNorm by hand, against torch's own.

    Parameters
    ----------
    answer : callable
        Takes x (tokens, hidden), weight (hidden,), bias (hidden,) and epsilon; returns (tokens, hidden).

    Returns
    -------
    Outcome
    """
    generator = torch.Generator().manual_seed(1)
    # BERT's epsilon is so small that its place in the formula would not show; here it is large.
    cases = [
        (
            3 * torch.randn(tokens, 6, generator=generator) + 1,
            torch.randn(6, generator=generator),
            torch.randn(6, generator=generator),
            epsilon,
        )
        for tokens, epsilon in ((4, 0.5), (1, 0.1), (9, 1e-12))
    ]

    def by_hand(x: Tensor, axis: int = -1, correction: int = 0) -> tuple[Tensor, Tensor]:
        return x - x.mean(axis, keepdim=True), x.var(axis, keepdim=True, correction=correction)

    def no_scale(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], eps=eps)

    def wrong_axis(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        centred, variance = by_hand(x, axis=0)
        return centred / (variance + eps).sqrt() * weight + bias

    def outside_root(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        centred, variance = by_hand(x)
        return centred / (variance.sqrt() + eps) * weight + bias

    def sample_variance(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        centred, variance = by_hand(x, correction=1)
        return centred / (variance + eps).sqrt() * weight + bias

    def no_root(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        centred, variance = by_hand(x)
        return centred / (variance + eps) * weight + bias

    return judge(
        answer,
        cases,
        lambda x, weight, bias, eps: F.layer_norm(x, x.shape[-1:], weight, bias, eps),
        [
            Slip(
                "the learned weight and bias are missing: multiply by one and add the other at the end.",
                no_scale,
            ),
            Slip(
                "wrong axis: each token is normalised over its own features, dim=-1, not over the tokens.",
                wrong_axis,
            ),
            Slip(
                "epsilon stands outside the root: it is added to the variance, before the square root.",
                outside_root,
            ),
            Slip(
                "you divide by (hidden - 1), torch's default: LayerNorm divides by hidden, correction=0.",
                sample_variance,
            ),
            Slip("the square root is missing: divide by the standard deviation, not by the variance.", no_root),
        ],
        "your LayerNorm equals torch's on three batches, one with the epsilon that BERT uses.",
    )


def embed_pair(bert: Bert, answer: Callable[[Bert, str, str], Tensor | None]) -> Outcome:
    """Check exercise 1.2, the embedding of a pair of sentences, against the model's own layer.

    Parameters
    ----------
    bert : bertlab.model.Bert
    answer : callable
        Takes bert and two sentences; returns (tokens, hidden).

    Returns
    -------
    Outcome
    """
    layer = bert.model.bert.embeddings
    cases = [
        (bert, "Who sat on the mat?", "The cat did."),
        (bert, "It rained.", "We stayed at home and read all day."),
    ]

    def encode(first: str, second: str) -> tuple[Tensor, Tensor]:
        inputs = bert.tokenizer(first, second, return_tensors="pt").to(bert.model.device)
        return inputs["input_ids"], inputs["token_type_ids"]

    def truth(_: Bert, first: str, second: str) -> Tensor:
        ids, segments = encode(first, second)
        return layer(input_ids=ids, token_type_ids=segments)[0].cpu()

    def one_segment(_: Bert, first: str, second: str) -> Tensor:
        return layer(input_ids=encode(first, second)[0])[0].cpu()

    def early_switch(_: Bert, first: str, second: str) -> Tensor:
        ids, segments = encode(first, second)
        segments = segments.clone()
        segments[0, int(segments[0].argmax()) - 1] = 1
        return layer(input_ids=ids, token_type_ids=segments)[0].cpu()

    def second_cls(_: Bert, first: str, second: str) -> Tensor:
        ids, segments = encode(first, second)
        start = int(segments[0].argmax())
        cls = torch.full((1, 1), bert.tokenizer.cls_token_id, device=ids.device)
        ids = torch.cat([ids[:, :start], cls, ids[:, start:]], dim=1)
        segments = torch.cat([segments[:, :start], torch.ones_like(cls), segments[:, start:]], dim=1)
        return layer(input_ids=ids, token_type_ids=segments)[0].cpu()

    def restarted(_: Bert, first: str, second: str) -> Tensor:
        ids, segments = encode(first, second)
        start = int(segments[0].argmax())
        places = torch.cat([torch.arange(start), torch.arange(ids.shape[1] - start)]).to(ids.device)
        return layer(input_ids=ids, token_type_ids=segments, position_ids=places[None])[0].cpu()

    def not_normed(_: Bert, first: str, second: str) -> Tensor:
        ids, segments = encode(first, second)
        places = torch.arange(ids.shape[1], device=ids.device)
        tables = (
            layer.word_embeddings(ids),
            layer.position_embeddings(places),
            layer.token_type_embeddings(segments),
        )
        return sum(tables[1:], tables[0])[0].cpu()

    with torch.no_grad():
        return judge(
            answer,
            cases,
            truth,
            [
                Slip(
                    "every token has segment 0: the second sentence and its [SEP] have segment 1.",
                    one_segment,
                ),
                Slip("the first [SEP] belongs to the first sentence, so its segment is 0.", early_switch),
                Slip(
                    "[CLS] stands only once, at the very beginning; [SEP] alone divides the sentences.",
                    second_cls,
                ),
                Slip("positions run on through the pair: they do not start again at 0.", restarted),
                Slip("this is the sum of the three rows; LayerNorm comes after it.", not_normed),
            ],
            "your pair equals the model's own embedding layer, for two pairs of different lengths.",
        )


def neighbour_similarity(bert: Bert, twin: Bert, answer: Callable[[Bert], Tensor | float | None]) -> Outcome:
    """Check exercise 1.3, how alike neighbouring positions are, against scikit-learn's cosines.

    Parameters
    ----------
    bert, twin : bertlab.model.Bert
        The trained model and its untrained twin; the answer is tried on both.
    answer : callable
        Takes a BERT and returns one number: the mean cosine of each position's row and the next position's.

    Returns
    -------
    Outcome
    """

    def rows(of: Bert) -> Tensor:
        return of.model.bert.embeddings.position_embeddings.weight.detach().cpu()

    def cosines(of: Bert) -> Tensor:
        return torch.from_numpy(cosine_similarity(rows(of).numpy()))

    def truth(of: Bert) -> Tensor:
        return cosines(of).diagonal(offset=1).mean()

    trained, untrained = float(truth(bert)), float(truth(twin))
    return judge(
        answer,
        [(bert,), (twin,)],
        truth,
        [
            Slip(
                "each row is compared with itself, whose cosine is always 1: compare rows[:-1] with rows[1:].",
                lambda of: cosines(of).diagonal().mean(),
            ),
            Slip(
                "this is the mean dot product: divide by both lengths to get the cosine.",
                lambda of: (rows(of)[:-1] * rows(of)[1:]).sum(dim=-1).mean(),
            ),
            Slip(
                "all pairs of positions are averaged in: take only each position and the next one.",
                lambda of: cosines(of).mean(),
            ),
            Slip(
                "the last position is compared with the first (torch.roll goes round): there is no next one for it.",
                lambda of: torch.cosine_similarity(rows(of), rows(of).roll(1, dims=0)).mean(),
            ),
            Slip(
                "these are rows of the word table: positions have a table of their own, position_embeddings.",
                lambda of: torch.cosine_similarity(
                    *_neighbours(of.model.bert.embeddings.word_embeddings.weight)
                ).mean(),
            ),
        ],
        f"{trained:.2f} for {bert.name}, {untrained:.2f} for its untrained twin.",
    )


def _neighbours(table: Tensor) -> tuple[Tensor, Tensor]:
    """Return a table's rows without the last, and without the first."""
    return table[:-1], table[1:]
