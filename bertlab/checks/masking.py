"""The checks of lesson 6, Masking."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks import losses
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once
from bertlab.checks.student import notebooks_bert, reads, without_padding

MASK = 4  # the id of [MASK] in the made-up batches of 6.1, where the notebook has no BERT that says another
MASK_TOKEN = "[MASK]"
# Texts of 6.3: the word's letters are inside another word before it; no order of the words is alphabetical.
# After one word comes a full stop, which a search for the word between spaces misses.
CONFUSED = (
    ("Strengthening the bank is harder then selling it, he said.", "then", ["then", "than"]),
    ("Nowhere did he know, in the old town, where the bank was.", "where", ["where", "were"]),
    ("It will rain today and tomorrow, I think, and on Monday to.", "to", ["two", "too", "to"]),
)


def masked_word_loss(answer: Callable) -> Outcome:
    """Check exercise 6.1, the loss on the chosen positions, against torch's own cross-entropy."""
    bert = notebooks_bert(answer)
    mask = MASK if bert is None else int(bert.tokenizer.mask_token_id)

    def truth(logits: Tensor, ids: Tensor, given: Tensor, chosen: Tensor) -> Tensor:
        return cross_entropy(logits, ids.masked_fill(~chosen, -100))

    def wrong(logits: Tensor, ids: Tensor, given: Tensor, chosen: Tensor) -> dict[str, Any]:
        right = truth(logits, ids, given, chosen)
        places = given == mask, given != ids, ~chosen
        masked, exchanged, others = (truth(logits, ids, given, places) for places in places)
        found = (logits.argmax(dim=-1) == ids)[chosen].float().mean()
        answers, copied = ids[chosen], truth(logits, given, given, chosen)
        raw, twice = logits[chosen, answers].mean(), cross_entropy(logits[chosen].softmax(dim=-1), answers)
        probable, over_tokens = (logits.softmax(dim=axis)[chosen, answers] for axis in (-1, 0))
        over_chosen = logits[chosen].softmax(dim=0)[range(len(answers)), answers]
        return {
            "these are the losses of the chosen positions, one by one: take their mean.": -probable.log(),
            "you take the loss at all positions: only the chosen ones carry loss.": cross_entropy(logits, ids),
            "you take the loss where nothing was chosen: use `chosen`, not `~chosen`.": others,
            "you take the loss only where [MASK] is: other pieces were chosen, too, swapped or kept.": masked,
            "you take the loss only where a piece was swapped: some were chosen and kept, too.": exchanged,
            "you score the ids that went in: the right answers are the text's ids.": copied,
            "you divide the sum by all tokens: divide by how many were chosen.": right * chosen.float().mean(),
            "softmax goes over the tokens: a token's probabilities add up to one, dim=-1.": (
                -over_tokens.log().mean(),
                -over_chosen.log().mean(),
            ),
            "you take softmax twice: cross_entropy takes it itself, so give it the logits.": twice,
            "logits are not logarithms of probabilities: take log_softmax.": (-raw, raw),
            **losses.wrong(probable),
            "this is the share of right answers: the loss asks how probable the right piece was.": found,
        }

    praise = "your loss equals torch's cross-entropy, which leaves out the positions that were not chosen."
    return judge(answer, [_made_up_batch(mask), _made_up_batch(mask)], truth, wrong, praise)


def _made_up_batch(mask: int = MASK, tokens: int = 40, pieces: int = 26) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return new random logits, ids, corrupted ids, and chosen positions of all three kinds."""
    chance, first = generator(), mask + 1
    logits = 2 * torch.randn(tokens, first + pieces, generator=chance)
    ids = torch.randint(first, first + pieces, (tokens,), generator=chance)
    chosen, given = torch.zeros(tokens, dtype=torch.bool), ids.clone()
    places = torch.randperm(tokens, generator=chance)[:12]
    chosen[places] = True
    logits[places[5:8], ids[places[5:8]]] += 9  # some of the answers are right
    given[places[:7]] = mask
    given[places[7:9]] = first + (ids[places[7:9]] - first + 1) % pieces  # always another piece
    return logits, ids, given, chosen


def fill_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 6.2, the masked-word head on a batch of texts, against transformers' own output."""
    bert.require("masked-word head")
    batch_of = once(Batch)

    def logits(bert: Bert, texts: list[str]) -> Tensor:
        batch = batch_of(bert, texts)
        return bert.model(**batch.inputs).prediction_logits[_is_mask(batch)]

    def wrong(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        batch, right = batch_of(bert, texts), logits(bert, texts)
        rows, columns = _is_mask(batch).nonzero(as_tuple=True)
        unmasked = batch.without_mask.last_hidden_state
        by_words = columns.new_tensor([text.split("[MASK]")[0].count(" ") + 1 for text in texts])

        def at(columns: Tensor, vectors: Tensor = batch.last) -> Tensor:
            return bert.model.cls.predictions(vectors[rows, columns]).softmax(dim=-1)

        def by(*parts: str) -> Tensor:
            head, vectors = bert.model.cls.predictions, batch.last[rows, columns]
            dense, gelu, layer_norm = head.transform.dense, head.transform.transform_act_fn, head.transform.LayerNorm
            table = bert.model.bert.embeddings.word_embeddings.weight
            steps = {"matrix": dense, "GELU": gelu, "LayerNorm": layer_norm, "table": lambda rows: rows @ table.T}
            for part in parts:
                vectors = vectors + head.bias if part == "bias" else steps[part](vectors)
            return vectors.softmax(dim=-1)

        return {
            "LayerNorm is missing, after GELU.": by("matrix", "GELU", "table", "bias"),
            "the bias is missing: add each piece's number to its score.": by("matrix", "GELU", "LayerNorm", "table"),
            "LayerNorm and the bias are missing.": by("matrix", "GELU", "table"),
            "GELU is missing, the bend between matrix and LayerNorm.": by("matrix", "LayerNorm", "table", "bias"),
            "LayerNorm comes before GELU: apply GELU right after the matrix.": by(
                "matrix", "LayerNorm", "GELU", "table", "bias"
            ),
            "the transform is missing: matrix, GELU and LayerNorm.": by("table", "bias"),
            "these are logits: softmax turns them into probabilities.": right,
            "these are logarithms of probabilities.": right.log_softmax(dim=-1),
            "softmax goes over the texts: a text's probabilities add up to one, dim=-1.": right.softmax(dim=0),
            "wrong position: this is the answer at [CLS].": at(0 * columns),
            "wrong position: one too early, because [CLS] is at position 0.": at(columns - 1),
            "wrong position: one too late.": at(columns + 1),
            "wrong position: you use the first text's position for all.": at(columns[:1].expand(len(columns))),
            "wrong position: you count words, but BERT reads pieces: look for the id of [MASK].": at(by_words),
            "the attention mask is missing: the real tokens look at the padding.": at(columns, unmasked),
        }

    shortcuts = {
        "the model's own head gives the answer. Go through its parts, from matrix to softmax.": _asks_the_head,
        "bertlab reads the texts for you. Give them to bert.tokenizer and bert.model.bert, in one call.": reads,
        "the model is called text by text. Give it the whole batch, with padding.": without_padding,
    }
    praise = "your probabilities equal the model's own, for two batches with padding and two models."
    texts = gaps()
    cases = [(bert, texts), (other_bert(bert), texts[1:])]
    return judge(answer, cases, lambda *case: logits(*case).softmax(dim=-1), wrong, praise, shortcuts=shortcuts)


def _is_mask(batch: Batch) -> Tensor:
    """Return the positions of [MASK], (texts, tokens)."""
    return batch.inputs["input_ids"] == batch.bert.tokenizer.mask_token_id


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
    by_hand = any("transform" in word for word in words)
    return bool(words & ready) or {"bertlab", "probabilities"} <= words or ("model" in words and not by_hand)


def weigh(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 6.3, which of some words belongs at [MASK], against transformers' own output."""
    bert.require("masked-word head")

    def truth(bert: Bert, text: str, word: str, words: list[str]) -> Tensor:
        return _at(bert, _hidden(text, word), words).softmax(dim=-1)

    def wrong(bert: Bert, text: str, word: str, words: list[str]) -> dict[str, Any]:
        gap = _hidden(text, word)
        before, after = gap.split(MASK_TOKEN)
        right, of_all = truth(bert, text, word, words), _at(bert, gap, words, of_all=True)
        inside = text.replace(word, MASK_TOKEN, 1)

        def chosen(gap: str, words: list[str] = words) -> Tensor:
            return _at(bert, gap, words).softmax(dim=-1)

        typed, seen = chosen(gap, ["then", "than"]), _at(bert, gap, words, seen=word).softmax(dim=-1)
        inside_too = _at(bert, text.replace(word, MASK_TOKEN), words, last=True).softmax(dim=-1)
        alphabetical, rising = [words.index(word) for word in sorted(words)], right.sort().values
        return {
            "these are probabilities among all pieces: divide by the sum of those of `words`.": (of_all.exp(), of_all),
            "you take softmax of probabilities: divide them by their sum.": of_all.exp().softmax(dim=-1),
            "these are logits: softmax over the words of the set turns them into probabilities.": _at(bert, gap, words),
            "the words are typed into your function: use those that it is given, `words`.": (typed, typed.flip(0)),
            "these are logarithms of probabilities.": right.log(),
            "you hide the letters inside another word: hide the word that stands by itself.": chosen(inside),
            "you hide the letters inside other words, too: hide only the word that stands by itself.": inside_too,
            "nothing is hidden: BERT sees the word that it is asked about.": seen,
            "the shares are in another order: keep the order of `words`.": (
                right[alphabetical],
                rising,
                rising.flip(0),
            ),
            "BERT reads only what comes before the word: give it what follows, too.": chosen(f"{before}{MASK_TOKEN}"),
            "BERT reads only what follows the word: give it what comes before, too.": chosen(f"{MASK_TOKEN}{after}"),
        }

    praise = "your probabilities equal the model's own, in three texts, for two models."
    cases = [(model, *case) for model in (bert, other_bert(bert)) for case in CONFUSED]
    meanings = {
        "list indices": "bertlab.masking.probabilities returns a list: [0] takes its only table.",
        "is not in list": "text.split() leaves a comma or a full stop on its word.",
        "holds no [MASK]": "the word was not found; a comma or a full stop may come right after it.",
    }
    return judge(answer, cases, truth, wrong, praise, meanings=meanings)


def _hidden(text: str, word: str) -> str:
    """Return a text with [MASK] in the place of one of its words."""
    return re.sub(rf"\b{word}\b", MASK_TOKEN, text)


def _at(
    bert: Bert, gap: str, words: list[str], *, of_all: bool = False, last: bool = False, seen: str | None = None
) -> Tensor:
    """Return the logits of words, or log-probabilities `of_all`, at [MASK] or at the word `seen` instead of it."""
    ids = bert.tokenizer(gap, return_tensors="pt")["input_ids"].to(bert.model.device)
    place = (ids[0] == bert.tokenizer.mask_token_id).nonzero().flatten()[-1 if last else 0]
    if seen is not None:
        ids[0, place] = bert.tokenizer.convert_tokens_to_ids(seen)
    scores = bert.model.cls.predictions(bert.model.bert(ids).last_hidden_state[0, place])
    scores = scores.log_softmax(dim=-1) if of_all else scores
    return scores[bert.tokenizer.convert_tokens_to_ids(words)].cpu()
