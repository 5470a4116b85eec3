"""The small BERT of lesson 7's recorded runs, and its loop, by transformers' own model."""

from collections.abc import Callable, Iterable
from copy import deepcopy

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bertlab.figures.progress_bar import progress
from bertlab.pretraining.language import Sentence

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
STEPS, BATCH, RATE, STEP_SIZE = 700, 64, 0.3, 3e-3
EVERY = 25  # steps between two snapshots of the model


def word_tokenizer(words: Iterable[str]) -> BertTokenizer:
    """Return a BERT tokenizer whose only pieces are the special tokens and these words, in this order."""
    return BertTokenizer(vocab={piece: i for i, piece in enumerate([*SPECIAL, *words])}, do_lower_case=True)


def encode(tokenizer: BertTokenizer, sentences: Iterable[Sentence]) -> Tensor:
    """Return the ids of sentences, (sentences, tokens), with [CLS], [SEP] and padding."""
    return tokenizer([" ".join(sentence) for sentence in sentences], padding=True, return_tensors="pt")["input_ids"]


def new_model(
    vocabulary: int, seed: int = 0, layers: int = 2, hidden: int = 64, heads: int = 4, tokens: int = 16
) -> BertForMaskedLM:
    """Return a small untrained BERT; the seed fixes its random numbers."""
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=vocabulary,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        max_position_embeddings=tokens,
        initializer_range=0.05,  # as for bertlab-mini, so that heads form sooner; in BERT-base it is 0.02
        hidden_dropout_prob=0.0,  # so few weights cannot learn much by heart
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM._from_config(config, attn_implementation="eager")


def corrupt(ids: Tensor, rate: float, tokenizer: BertTokenizer) -> tuple[Tensor, Tensor]:
    """Return corrupted ids and which positions were chosen, (texts, tokens) both, as in Devlin et al. (2019)."""
    special = torch.tensor(tokenizer.all_special_ids)
    chosen = (torch.rand(ids.shape) < rate) & ~torch.isin(ids, special)
    draw = torch.rand(ids.shape)
    given = ids.clone()
    given[chosen & (draw < 0.8)] = tokenizer.mask_token_id
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    given[replaced] = torch.randint(len(tokenizer), (int(replaced.sum()),))
    return given, chosen


def train(
    model: BertForMaskedLM,
    tokenizer: BertTokenizer,
    text: Tensor,
    *,
    steps: int = STEPS,
    rate: float = RATE,
    seed: int = 0,
    schedule: Callable[[int], float] | None = None,
) -> dict[int, BertForMaskedLM]:
    """Train a model in place, by batches of 64 sentences; return copies of it by step, every 25 steps and at the end.

    A schedule returns the factor on the learning rate for each step, counted from 0.
    """
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=STEP_SIZE, fused=True)
    snapshots = {}
    for step in progress(range(steps)):
        if step % EVERY == 0:
            snapshots[step] = deepcopy(model)
        if schedule:
            optimizer.param_groups[0]["lr"] = STEP_SIZE * schedule(step)
        batch = text[torch.randint(len(text), (BATCH,))]
        given, chosen = corrupt(batch, rate, tokenizer)
        logits = model(given, attention_mask=batch != tokenizer.pad_token_id).logits
        loss = cross_entropy(logits[chosen], batch[chosen])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return snapshots | {steps: model}
