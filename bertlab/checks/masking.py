"""The checks of lesson 6, Masking."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import NOUNS, generator, other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import notebooks_bert, reads, without_padding

MASK = 4  # the id of [MASK] in the made-up batches of 6.1, where the notebook has no BERT that says another
# Texts of 6.3: the word's letters are inside another word before it; no order of the words is alphabetical.
# After one word comes a full stop, which a search for the word between spaces misses. {} is drawn.
CONFUSED = (
    ("Strengthening the {} is harder then selling it, he said.", "then", ["then", "than"]),
    ("Nowhere did he know, in the old {}, where the bank was.", "where", ["where", "were"]),
    ("The {} will rest today and tomorrow, I think, and on Monday to.", "to", ["two", "too", "to"]),
)


def perplexities(answer: Callable) -> Outcome:
    """Check exercise 6.1, the perplexity of each text at the chosen positions, against torch's own cross-entropy."""
    bert = notebooks_bert(answer)
    mask = MASK if bert is None else int(bert.tokenizer.mask_token_id)

    def truth(logits: Tensor, ids: Tensor, given: Tensor, chosen: Tensor) -> Tensor:
        labels = ids.masked_fill(~chosen, -100)
        return torch.stack([cross_entropy(*text) for text in zip(logits, labels, strict=True)]).exp()

    praise = "your perplexities equal those of torch's cross-entropy, text by text."
    return judge(known("6.1"), answer, [_made_up_batch(mask), _made_up_batch(mask)], truth, praise)


def _made_up_batch(mask: int = MASK, tokens: int = 40, pieces: int = 26) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return new random logits, ids, corrupted ids, and chosen positions of all three kinds, for three texts."""
    chance, first = generator(), mask + 1
    logits = 2 * torch.randn(3, tokens, first + pieces, generator=chance)
    ids = torch.randint(first, first + pieces, (3, tokens), generator=chance)
    chosen, given = torch.zeros_like(ids, dtype=torch.bool), ids.clone()
    for text, count in enumerate((12, 15, 19)):  # how many are chosen
        places = torch.randperm(tokens, generator=chance)[:count]
        chosen[text, places] = True
        logits[text, places[5:8], ids[text, places[5:8]]] += 9  # some of the answers are right
        given[text, places[:7]] = mask
        given[text, places[7:9]] = first + (ids[text, places[7:9]] - first + 1) % pieces  # always another piece
    return logits, ids, given, chosen


def fill_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 6.2, the masked-word head on a batch of texts, against transformers' own output."""
    bert.require("masked-word head")

    def truth(bert: Bert, texts: list[str]) -> Tensor:
        inputs: Any = bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device)
        logits = bert.model(**inputs).prediction_logits
        return logits[inputs["input_ids"] == bert.tokenizer.mask_token_id].softmax(dim=-1)

    shortcuts = {
        "the model's own head gives the answer. Go through its parts, from matrix to softmax.": _asks_the_head,
        "bertlab reads the texts for you. Give them to bert.tokenizer and bert.model.bert, in one call.": reads,
        "the model is called text by text. Give it the whole batch, with padding.": without_padding,
    }
    praise = "your probabilities equal the model's own, for two batches with padding and two models."
    texts = gaps()
    cases = [(bert, texts[1:]), (other_bert(bert), texts)]
    return judge(known("6.2"), answer, cases, truth, praise, shortcuts=shortcuts)


def gaps() -> list[str]:
    """Return texts of different lengths with one [MASK] each, at different positions."""
    long, short, middle = sentences(3)
    # A comma and a word of many pieces before the gap, a gap in the beginning, a gap at the very end.
    return [
        f"Of course, uncharacteristically, the [MASK] is old, and {long.lower()}",
        f"[MASK] saw {short.lower()}",
        f"{middle} It is, he said, a [MASK]",
    ]


def _asks_the_head(words: set[str]) -> bool:
    """Return whether the head's output is taken and not computed, which needs its transform."""
    ready = {"prediction_logits", "fill_mask", "word_probabilities", "pipeline"}
    return bool(words & ready) or {"bertlab", "probabilities"} <= words or "transform" not in words


def weigh(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 6.3, which of some words belongs at [MASK], against transformers' own output."""
    bert.require("masked-word head")

    def truth(bert: Bert, text: str, word: str, words: list[str]) -> Tensor:
        inputs: Any = bert.tokenizer(re.sub(rf"\b{word}\b", "[MASK]", text), return_tensors="pt").to(bert.model.device)
        logits = bert.model(**inputs).prediction_logits[inputs["input_ids"] == bert.tokenizer.mask_token_id]
        return logits[0, bert.tokenizer.convert_tokens_to_ids(words)].softmax(dim=-1)

    praise = "your probabilities equal the model's own, in three texts, for two models."
    nouns = [NOUNS[place] for place in torch.randperm(len(NOUNS), generator=generator())[: len(CONFUSED)]]
    texts = [(text.format(noun), *asked) for noun, (text, *asked) in zip(nouns, CONFUSED, strict=True)]
    cases = [(model, *text) for model in (bert, other_bert(bert)) for text in texts]
    return judge(known("6.3"), answer, cases, truth, praise)
