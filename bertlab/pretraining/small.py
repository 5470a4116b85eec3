"""A small BERT, trained on the small language in half a minute, and watched while it learns (lesson 7).

Nothing here but the loop is special: draw, corrupt, forward, loss, backward, step. The model is transformers'
`BertForMaskedLM`, the tokenizer is BERT's own with the words of the language as its only pieces.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bertlab.pretraining.language import Sentence

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
STEPS, BATCH, RATE, STEP_SIZE = 700, 64, 0.3, 3e-3
EVERY = 25
"""Steps between two copies of the model."""


def word_tokenizer(words: Iterable[str]) -> BertTokenizer:
    """Return BERT's tokenizer with words as its only pieces; their ids are their places after the special tokens."""
    return BertTokenizer(vocab={piece: i for i, piece in enumerate([*SPECIAL, *words])}, do_lower_case=True)


def pieces(tokenizer: BertTokenizer) -> list[str]:
    """Return all pieces of a tokenizer, in the order of their ids."""
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=lambda piece: vocabulary[piece])


def encode(tokenizer: BertTokenizer, sentences: Iterable[Sentence]) -> Tensor:
    """Return the ids of sentences, (sentences, tokens), with [CLS], [SEP] and filling."""
    return tokenizer([" ".join(sentence) for sentence in sentences], padding=True, return_tensors="pt")["input_ids"]


def new_model(
    vocabulary: int, seed: int = 0, layers: int = 2, hidden: int = 64, heads: int = 4, tokens: int = 16
) -> BertForMaskedLM:
    """Return a small BERT of random numbers, fixed by a seed.

    There is no dropout, as its few weights cannot learn much by heart; and the random numbers are larger than those of
    BERT-base (0.05 in place of 0.02), as for bertlab-mini, so that heads form sooner.
    """
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=vocabulary,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        max_position_embeddings=tokens,
        initializer_range=0.05,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM._from_config(config, attn_implementation="eager")


def corrupt(ids: Tensor, rate: float, tokenizer: BertTokenizer) -> tuple[Tensor, Tensor]:
    """Return what goes in, and which positions were chosen, after Devlin et al. 2019 (lesson 6, step 4).

    Parameters
    ----------
    ids : (texts, tokens)
    rate
        The share of pieces that is chosen; of these 80 % become [MASK], 10 % a random piece, and 10 % stay.
    tokenizer

    Returns
    -------
    given : (texts, tokens)
    chosen : (texts, tokens), bool
    """
    special = torch.tensor(tokenizer.all_special_ids)
    chosen = (torch.rand(ids.shape) < rate) & ~torch.isin(ids, special)
    lot = torch.rand(ids.shape)
    given = ids.clone()
    given[chosen & (lot < 0.8)] = tokenizer.mask_token_id
    other = chosen & (lot >= 0.8) & (lot < 0.9)
    given[other] = torch.randint(len(tokenizer), (int(other.sum()),))
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
    progress: Callable[[range], Iterable[int]] = iter,
) -> dict[int, BertForMaskedLM]:
    """Train a model, as the loop of lesson 7 does, and return what it was every 25 steps.

    Parameters
    ----------
    model
        It is changed.
    tokenizer
    text : (sentences, tokens)
        The ids of what it learns from.
    steps
        Batches of 64 sentences.
    rate
        The share of the words that is asked for.
    seed
        Of what is drawn.
    schedule
        Takes the number of the step, from 0, and returns by what the step size of 3e-3 is multiplied.
    progress
        Takes the range of the steps and gives them one by one, as ``iter`` does; tqdm shows a bar meanwhile.

    Returns
    -------
    dict of int to BertForMaskedLM
        Copies of the model, by the number of steps taken before; the last is the trained one.
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
