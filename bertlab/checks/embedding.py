"""The checks of lesson 1, Embedding layer."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import reads


def rms_norm(answer: Callable) -> Outcome:
    """Check exercise 1.1, RMSNorm by hand, against torch's own."""
    chance = generator()

    def case(tokens: int, hidden: int, eps: float) -> tuple:
        x = 3 * torch.randn(tokens, hidden, generator=chance) + 1
        return x, torch.randn(hidden, generator=chance), eps

    def truth(x: Tensor, weight: Tensor, eps: float) -> Tensor:
        return F.rms_norm(x, x.shape[-1:], weight, eps)

    def asks_torch(words: set[str]) -> bool:
        norms = {word for word in words if word.isidentifier() and word.lower().endswith("norm")} - {"norm"}
        # The exercise's own function has the name rms_norm too.
        return bool(norms - {"rms_norm"}) or ("rms_norm" in norms and bool(words & {"functional", "F", "torch"}))

    shortcuts = {"torch normalises for you. Write it out, from the squares to the weight.": asks_torch}
    # BERT's epsilon is so small that its place in the formula would not show; in two cases it is large.
    cases = [case(4, 6, 0.5), case(1, 5, 0.1), case(9, 7, 1e-12)]
    praise = "your RMSNorm equals torch's on three inputs, one of them with an epsilon as small as BERT's."
    return judge(known("1.1"), answer, cases, truth, praise, shortcuts=shortcuts)


def embed_pair(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 1.2, the embedding of a pair of sentences, against the model's own layer."""

    def truth(bert: Bert, first: str, second: str) -> Tensor:
        inputs = bert.tokenizer(first, second, return_tensors="pt").to(bert.model.device)
        return bert.model.bert.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]

    shortcuts = {"bertlab reads the pair for you. Put ids, segments and positions together yourself.": reads}
    long, short = sentences(2)
    cases = [(bert, long, short), (other_bert(bert), short, long)]
    praise = "your pair equals the model's own embedding layer, for two pairs and two models."
    outcome = judge(known("1.2"), answer, cases, truth, praise, shortcuts=shortcuts)
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

    def truth(bert: Bert) -> Tensor:
        rows = bert.model.bert.embeddings.position_embeddings.weight.detach().cpu()
        return torch.from_numpy(cosine_similarity(rows.numpy())).diagonal(offset=1).mean()

    trained, untrained = (round(float(truth(model)), 2) + 0.0 for model in (bert, twin))  # + 0.0: never "-0.00"
    praise = f"{trained:.2f} for {bert.name}, {untrained:.2f} for its untrained twin."
    drawn = deepcopy(other_bert(bert))
    rows = drawn.model.bert.embeddings.position_embeddings.weight.data
    new = torch.randn(rows.shape, generator=generator())
    rows.copy_(4 * new + new.roll(1, dims=0))  # most neighbours are a little similar, and some are not
    cases = [(bert,), (twin,), (drawn,)]
    # A mean of cosines that nearly cancel needs the tolerance.
    return judge(known("1.3"), answer, cases, truth, praise, atol=1e-06)
