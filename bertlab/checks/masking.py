"""The checks of lesson 6, Masking."""

import re
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once
from bertlab.checks.student import notebooks_bert, reads

MASK = 4  # the id of [MASK] in the made-up batches of 6.1, where the notebook has no BERT that says another
# Texts of 6.3: each has a word that hardly any vocabulary has in one piece, a sign at the end, and one inside; one has
# a number.
GAPS = (
    ("The unquestionableness of it, he said, was [MASK].", "quiet"),
    ("In 1995, the [MASK] saw an uncharacteristically old bank.", "cat"),
)


def masked_word_loss(answer: Callable) -> Outcome:
    """Check exercise 6.1, the loss on the chosen positions, against torch's own cross-entropy."""
    bert = notebooks_bert(answer)
    mask = MASK if bert is None else int(bert.tokenizer.mask_token_id)

    def truth(logits: Tensor, ids: Tensor, given: Tensor, chosen: Tensor) -> Tensor:
        return cross_entropy(logits, ids.masked_fill(~chosen, -100))

    def wrong(logits: Tensor, ids: Tensor, given: Tensor, chosen: Tensor) -> dict[str, Tensor]:
        right = truth(logits, ids, given, chosen)
        masked, exchanged = (truth(logits, ids, given, places) for places in (given == mask, given != ids))
        found = (logits.argmax(dim=-1) == ids)[chosen].float().mean()
        return {
            "these are the losses of the chosen positions, one by one: take their mean.": cross_entropy(
                logits[chosen], ids[chosen], reduction="none"
            ),
            "the loss is taken at all positions: only the chosen ones carry loss.": cross_entropy(logits, ids),
            "the loss is taken only where [MASK] stands: other pieces were chosen, too, exchanged or left.": masked,
            "the loss is taken only where a piece was exchanged: some were chosen and left, too.": exchanged,
            "BERT is asked for what went in: the answers are the text's ids.": truth(logits, given, given, chosen),
            "the losses are added up: the mean divides by how many positions were chosen.": right * chosen.sum(),
            "the sum is divided by all tokens: divide by how many were chosen.": right * chosen.float().mean(),
            "the sign is wrong: the loss is minus the logarithm of the probability.": -right,
            "logits are no logarithms of probabilities: take log_softmax.": -logits[chosen, ids[chosen]].mean(),
            "this is the share of right answers: the loss asks how probable the right piece was.": found,
        }

    praise = "your loss equals torch's cross-entropy, which leaves out the positions that were not chosen."
    return judge(answer, [_made_up_batch(mask), _made_up_batch(mask)], truth, wrong, praise)


def _made_up_batch(mask: int = MASK, tokens: int = 40, pieces: int = 26) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return logits, ids, the ids that went in, and the chosen positions, of all three kinds; made anew each time."""
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
            "the bias is missing: each piece has a number that is added to its score.": by(
                "matrix", "GELU", "LayerNorm", "table"
            ),
            "LayerNorm and the bias are missing.": by("matrix", "GELU", "table"),
            "GELU is missing, the bend between matrix and LayerNorm.": by("matrix", "LayerNorm", "table", "bias"),
            "GELU comes before LayerNorm, right after the matrix.": by("matrix", "LayerNorm", "GELU", "table", "bias"),
            "the transform is missing: matrix, GELU and LayerNorm.": by("table", "bias"),
            "these are logits: softmax makes probabilities of them.": right,
            "these are logarithms of probabilities.": right.log_softmax(dim=-1),
            "softmax goes over the texts: a text's probabilities add up to one, dim=-1.": right.softmax(dim=0),
            "wrong position: this is what is said at [CLS].": at(0 * columns),
            "wrong position: one too early. [CLS] stands at place 0.": at(columns - 1),
            "wrong position: one too late.": at(columns + 1),
            "wrong position: the place in the first text was taken for all.": at(columns[:1].expand(len(columns))),
            "wrong position: words were counted, and BERT reads pieces: look for the id of [MASK].": at(by_words),
            "the attention mask is missing: the real tokens look at the padding.": at(columns, unmasked),
        }

    shortcuts = {
        "the model's own head gives the answer. Go through its parts, from matrix to softmax.": _asks_the_head,
        "bertlab reads the texts for you. Give them to bert.tokenizer and bert.model.bert, in one call.": reads,
        "the model is called text by text. Give it the whole batch, with padding.": (
            lambda words: not any("pad" in word for word in words if " " not in word)
        ),
    }
    praise = "your probabilities equal the model's own, for two batches with padding and two models."
    texts = gaps()
    cases = [(bert, texts), (other_bert(bert), texts[1:])]
    return judge(answer, cases, lambda *case: logits(*case).softmax(dim=-1), wrong, praise, shortcuts=shortcuts)


def _is_mask(batch: Batch) -> Tensor:
    """Return where [MASK] stands, (texts, tokens)."""
    return batch.inputs["input_ids"] == batch.bert.tokenizer.mask_token_id


def gaps() -> list[str]:
    """Return texts with one [MASK] each, of different lengths, at different places and not at those of words."""
    long, short, middle = sentences(3)
    # A comma and a word of many pieces before the gap, a gap in the beginning, a gap at the very end.
    return [
        f"Of course, uncharacteristically, the [MASK] is old, and {long.lower()}",
        f"[MASK] saw {short.lower()}",
        f"{middle} It is, he said, a [MASK]",
    ]


def _asks_the_head(words: set[str]) -> bool:
    """Return whether the head's output is taken instead of computed: no answer by hand goes without its transform."""
    ready = {"prediction_logits", "fill_mask", "word_probabilities", "pipeline"}
    by_hand = any("transform" in word for word in words)
    return bool(words & ready) or {"bertlab", "probabilities"} <= words or ("model" in words and not by_hand)


def gain_from_context(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 6.3, what the other words tell about a hidden one, against transformers' own output."""
    bert.require("masked-word head")

    def truth(bert: Bert, text: str, word: str) -> Tensor:
        gap = Gap(bert, text, word)
        return gap.informed - gap.hiding(_is_word)

    def wrong(bert: Bert, text: str, word: str) -> dict[str, Tensor]:
        gap = Gap(bert, text, word)
        informed, uninformed = gap.informed, gap.hiding(_is_word)
        alone, with_stop = (Gap(bert, bare, word).informed for bare in ("[MASK]", "[MASK]."))
        bare = gap.bare(_is_word)
        first = bare.index(gap.mask)
        return {
            "both texts are the same: change a clone() of the ids, or you change the ids themselves.": 0 * informed,
            "the signs are hidden as well: full stop and comma have to stay.": informed - gap.hiding(lambda _: True),
            "only the sign at the end is left: the comma is no word, either.": informed
            - gap.hiding(lambda piece: piece != "."),
            "numbers are left: a piece with a digit is hidden as well.": informed
            - gap.hiding(lambda piece: any(letter.isalpha() for letter in piece)),
            "the later pieces of split words are left: ##ness, too, holds letters.": informed - gap.hiding(str.isalnum),
            "numbers and the later pieces of split words are left: ##ness, too, holds letters.": informed
            - gap.hiding(str.isalpha),
            "[CLS] and [SEP] are hidden as well: they hold letters, but they are no words.": informed
            - gap.at(gap.bare(_is_word, stay=()), place=gap.place),
            "the pieces are not matched, one [MASK] for each word: hide each piece.": informed
            - _with_one_mask_a_word(bert, text, word),
            "the words are deleted, so the text gets shorter: put [MASK] in their places.": informed
            - gap.at([id_ for i, id_ in enumerate(gap.ids) if i == gap.place or bare[i] != gap.mask]),
            "the first [MASK] of the bare text is not the gap: take its place from the text.": informed
            - gap.at(bare, place=first),
            "the place is the first [MASK] of the bare text, and not the gap: take it from the text.": gap.at(
                gap.ids, place=first
            )
            - gap.at(bare, place=first),
            "the text is cut down to [MASK]: its length and its full stop are lost, too.": informed - alone,
            "the text is cut down to [MASK] and its full stop: its length is lost, too.": informed - with_stop,
            "it is the other way round: the logarithm in the whole text comes first.": uninformed - informed,
            "these are logits: take log_softmax, then the difference.": gap.at(gap.ids, logits=True)
            - gap.at(bare, gap.place, logits=True),
            "these are probabilities: take logarithms, then the difference.": informed.exp() - uninformed.exp(),
            "this is the ratio of the probabilities: take its logarithm.": (informed - uninformed).exp(),
            "nothing is taken away: this is the logarithm in the whole text.": informed,
            "this is the logarithm without the context alone.": uninformed,
        }

    praise = "your numbers equal those of the model's own output, in two texts with signs, for two models."
    cases = [(model, text, word) for model in (bert, other_bert(bert)) for text, word in GAPS]
    return judge(answer, cases, truth, wrong, praise, atol=2e-4)  # differences of logarithms near ten


def _is_word(piece: str) -> bool:
    return any(letter.isalnum() for letter in piece)


class Gap:
    """A text with its [MASK], and how probable a word is there, in the text or where other pieces are hidden too."""

    def __init__(self, bert: Bert, text: str, word: str) -> None:
        self.bert, self.word = bert, word
        self.ids: list[int] = bert.tokenizer(text)["input_ids"]
        self.mask = bert.tokenizer.mask_token_id
        self.place = self.ids.index(self.mask)

    @property
    def informed(self) -> Tensor:
        """The word's log-probability in the text."""
        return self.at(self.ids)

    def bare(self, is_hidden: Callable[[str], bool], stay: tuple[str, ...] | None = None) -> list[int]:
        """Return the ids with the pieces hidden that are words; [CLS] and [SEP] stay."""
        tokenizer = self.bert.tokenizer
        stay = (tokenizer.cls_token, tokenizer.sep_token) if stay is None else stay
        pieces = tokenizer.convert_ids_to_tokens(self.ids)
        return [
            self.mask if is_hidden(piece) and piece not in stay else id_
            for piece, id_ in zip(pieces, self.ids, strict=True)
        ]

    def hiding(self, is_hidden: Callable[[str], bool]) -> Tensor:
        """Return the word's log-probability at the gap, where other pieces are hidden too."""
        return self.at(self.bare(is_hidden), place=self.place)

    def at(self, ids: list[int], place: int | None = None, logits: bool = False) -> Tensor:
        """Return the word's log-probability at a place, else at the first [MASK]; or its logit."""
        model, device = self.bert.model, self.bert.model.device
        place = ids.index(self.mask) if place is None else place
        hidden = model.bert(torch.tensor([ids], device=device)).last_hidden_state[0, place]
        scores = model.cls.predictions(hidden)  # there alone: at every place it takes most of the time
        scores = scores if logits else scores.log_softmax(dim=-1)
        return scores[self.bert.tokenizer.convert_tokens_to_ids(self.word)].cpu()


def _with_one_mask_a_word(bert: Bert, text: str, word: str) -> Tensor:
    """Return the log-probability in a text of which words are hidden instead of pieces, so that it is shorter."""
    parts = re.findall(r"\[MASK\]|\w+|[^\w\s]", text)
    masked = " ".join("[MASK]" if _is_word(part) else part for part in parts)
    gap = Gap(bert, masked, word)
    return gap.at(gap.ids, place=parts.index("[MASK]") + 1)  # each part is one piece now, after [CLS]
