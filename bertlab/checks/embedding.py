"""The checks of lesson 1, Embedding layer."""

from collections.abc import Callable
from functools import partial

import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Shortcut, Slip, judge


def layer_norm(answer: Callable[[Tensor, Tensor, Tensor, float], Tensor | None]) -> Outcome:
    """Check exercise 1.1, LayerNorm by hand, against torch's own.

    Parameters
    ----------
    answer
        Takes x (tokens, hidden), weight (hidden,), bias (hidden,) and epsilon; returns (tokens, hidden).

    Returns
    -------
    Outcome
    """
    chance = generator()
    # BERT's epsilon is so small that its place in the formula would not show; here it is large.
    cases = [
        (
            3 * torch.randn(tokens, hidden, generator=chance) + 1,
            torch.randn(hidden, generator=chance),
            torch.randn(hidden, generator=chance),
            epsilon,
        )
        for tokens, hidden, epsilon in ((4, 6, 0.5), (1, 5, 0.1), (9, 7, 1e-12))
    ]

    def written(
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        eps: float,
        *,
        axis: int = -1,
        correction: int = 0,
        divisor: Callable[[Tensor, float], Tensor] = lambda variance, eps: (variance + eps).sqrt(),
        scaled: bool = True,
        shifted: bool = True,
    ) -> Tensor:
        """Write LayerNorm out with one decision made differently."""
        variance = x.var(axis, correction=correction, keepdim=True)
        y = (x - x.mean(axis, keepdim=True)) / divisor(variance, eps)
        return y * (weight if scaled else 1) + (bias if shifted else 0)

    def outside(variance: Tensor, eps: float) -> Tensor:
        return variance.sqrt() + eps

    return judge(
        answer,
        cases,
        lambda x, weight, bias, eps: F.layer_norm(x, x.shape[-1:], weight, bias, eps),
        [
            Slip(
                "two things: epsilon is added to the variance, inside the root; and LayerNorm divides by hidden, not "
                "by hidden - 1, which takes correction=0.",
                partial(written, correction=1, divisor=outside),
            ),
            Slip(
                "you divide by (hidden - 1), torch's default: LayerNorm divides by hidden, correction=0.",
                partial(written, correction=1),
            ),
            Slip(
                "epsilon stands outside the root: it is added to the variance, before the square root.",
                partial(written, divisor=outside),
            ),
            Slip(
                "epsilon is missing: it is added to the variance, before the square root.",
                partial(written, divisor=lambda variance, eps: variance.sqrt()),
            ),
            Slip(
                "the square root is missing: divide by the standard deviation, not by the variance.",
                partial(written, divisor=lambda variance, eps: variance + eps),
            ),
            Slip(
                "wrong axis: each token is normalised over its own features, dim=-1, not over the tokens.",
                partial(written, axis=0),
            ),
            Slip(
                "the learned weight and bias are missing: multiply by one and add the other at the end.",
                partial(written, scaled=False, shifted=False),
            ),
            Slip("the bias is missing: it is added at the end.", partial(written, shifted=False)),
            Slip("the weight is missing: multiply by it before the bias is added.", partial(written, scaled=False)),
            Slip("this is x, as it was given: subtract its mean first.", lambda x, *_: x),
        ],
        "your LayerNorm equals torch's on three inputs, one of them with an epsilon as small as BERT's.",
        shortcuts=[
            Shortcut(
                "torch's own LayerNorm gives the answer. Write it out: mean, variance, epsilon, root, weight, bias.",
                # The exercise's own function has the name layer_norm too.
                lambda words: "LayerNorm" in words or ("layer_norm" in words and bool(words & {"functional", "F"})),
            )
        ],
    )


Edit = Callable[[list[int], list[int], int], object]
"""Changes a pair's ids and segments in place; the third argument is where the second sentence begins."""


def embed_pair(bert: Bert, answer: Callable[[Bert, str, str], Tensor | None]) -> Outcome:
    """Check exercise 1.2, the embedding of a pair of sentences, against the model's own layer.

    Parameters
    ----------
    bert
    answer
        Takes bert and two sentences; returns (tokens, hidden).

    Returns
    -------
    Outcome
    """
    long, short = sentences(2)
    cases = [(bert, long, short), (other_bert(bert), short, long)]

    def embedded(
        bert: Bert, first: str, second: str, *, edit: Edit = lambda ids, segments, start: None, restart: bool = False
    ) -> Tensor:
        """Embed a pair with the model's own layer, its inputs changed where a student may go wrong."""
        inputs = bert.tokenizer(first, second)
        ids, segments = list(inputs["input_ids"]), list(inputs["token_type_ids"])
        start = segments.index(1)  # of the second sentence
        edit(ids, segments, start)
        places = [*range(start), *range(len(ids) - start)] if restart else list(range(len(ids)))
        ids_, segments_, places_ = (torch.tensor([row], device=bert.model.device) for row in (ids, segments, places))
        return bert.model.bert.embeddings(input_ids=ids_, token_type_ids=segments_, position_ids=places_)[0]

    def one_segment(ids: list[int], segments: list[int], start: int) -> None:
        segments[:] = [0] * len(segments)

    def early_switch(ids: list[int], segments: list[int], start: int) -> None:
        segments[start - 1] = 1

    def second_cls(ids: list[int], segments: list[int], start: int) -> None:
        ids.insert(start, ids[0])
        segments.insert(start, 1)

    def without(place: Callable[[int], int]) -> Edit:
        def edit(ids: list[int], segments: list[int], start: int) -> None:
            del ids[place(start)], segments[place(start)]

        return edit

    def summed(bert: Bert, first: str, second: str, *, leave_out: str = "", norm: bool = False) -> Tensor:
        layer = bert.model.bert.embeddings
        inputs = bert.tokenizer(first, second, return_tensors="pt").to(bert.model.device)
        places = torch.arange(inputs["input_ids"].shape[1], device=bert.model.device)
        rows = {
            "word": layer.word_embeddings(inputs["input_ids"][0]),
            "position": layer.position_embeddings(places),
            "segment": layer.token_type_embeddings(inputs["token_type_ids"][0]),
        }
        total = torch.stack([row for name, row in rows.items() if name != leave_out]).sum(dim=0)
        return layer.LayerNorm(total) if norm else total

    return judge(
        answer,
        cases,
        embedded,
        [
            Slip(
                "every token has segment 0: the second sentence and its [SEP] have segment 1.",
                partial(embedded, edit=one_segment),
            ),
            Slip(
                "the first [SEP] belongs to the first sentence, so its segment is 0.",
                partial(embedded, edit=early_switch),
            ),
            Slip(
                "[CLS] stands only once, at the very beginning; [SEP] alone divides the sentences.",
                partial(embedded, edit=second_cls),
            ),
            Slip(
                "the last [SEP] is missing: each sentence ends in one.", partial(embedded, edit=without(lambda _: -1))
            ),
            Slip(
                "the [SEP] between the sentences is missing.",
                partial(embedded, edit=without(lambda start: start - 1)),
            ),
            Slip("[CLS] is missing at the beginning.", partial(embedded, edit=without(lambda _: 0))),
            Slip(
                "positions run on through the pair: they do not start again at 0.",
                partial(embedded, restart=True),
            ),
            Slip("this is the sum of the three rows; LayerNorm comes after it.", summed),
            *(
                Slip(f"the {table} rows are missing in the sum.", partial(summed, leave_out=table, norm=True))
                for table in ("word", "position", "segment")
            ),
        ],
        "your pair equals the model's own embedding layer, for two pairs and two models.",
        shortcuts=[
            Shortcut(
                "bertlab reads the pair for you. Put it together yourself: its ids, its segments, its positions.",
                lambda words: bool(words & {"read", "read_all"}),
            )
        ],
    )


def neighbour_similarity(bert: Bert, twin: Bert, answer: Callable[[Bert], Tensor | float | None]) -> Outcome:
    """Check exercise 1.3, how alike neighbouring positions are, against scikit-learn's cosines.

    Parameters
    ----------
    bert, twin
        The trained model and its untrained twin; the answer is tried on both.
    answer
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

    def word_rows(of: Bert) -> Tensor:
        table = of.model.bert.embeddings.word_embeddings.weight.detach().cpu()
        return torch.cosine_similarity(table[:-1], table[1:]).mean()

    trained, untrained = (round(float(truth(of)), 2) + 0.0 for of in (bert, twin))  # + 0.0: never "-0.00"
    return judge(
        answer,
        [(bert,), (twin,), (other_bert(bert),)],
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
                "you divide by the number of positions: n positions have n - 1 pairs of neighbours.",
                lambda of: cosines(of).diagonal(offset=1).sum() / len(rows(of)),
            ),
            Slip(
                "the cosines are right, and now take their mean: one number is asked for.",
                lambda of: cosines(of).diagonal(offset=1),
            ),
            Slip(
                "all numbers come from the trained model: use the function's own argument, not the notebook's names.",
                lambda of: truth(bert),
            ),
            Slip(
                "these are rows of the word table: positions have a table of their own, position_embeddings.",
                word_rows,
            ),
        ],
        f"{trained:.2f} for {bert.name}, {untrained:.2f} for its untrained twin.",
        atol=1e-6,  # a mean of cosines that nearly cancel
    )
