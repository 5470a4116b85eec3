"""Inputs for the checks that no notebook contains: another BERT, made in memory, and random sentences."""

import secrets
import string
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch

from bertlab.bert.loading import Bert

ADJECTIVES = ("old", "small", "quiet", "catlike", "red", "cold")
NOUNS = ("cat", "dog", "river", "bank", "house", "teacher", "riverbank", "child", "friend", "garden")
VERBS = ("saw", "found", "left", "painted", "forgot", "crossed")
OTHERS = ("the", "a", "and", "of", "is", "it", "in", "on", "night", "at")
CONFUSED = ("then", "than", "where", "were", "to", "too", "two")  # exercise 6.3 asks for these
SPLIT = ("catlike", "riverbank")  # words that the other BERT has in two pieces only
LENGTHS = (3, 1, 2, 4)  # clauses in each sentence: neither ascending nor descending, so that an order by length shows


def new_seed() -> int:
    """Return the seed of what a check draws: another one each time."""
    return secrets.randbits(63)


def pick(options: Sequence[Any], count: int = 1) -> list[Any]:
    """Draw some of the options."""
    return [options[i] for i in torch.randperm(len(options))[:count].tolist()]


def sentences(count: int) -> list[str]:
    """Draw up to four sentences; the first is the longest of three, the second the shortest."""
    return [_sentence(clauses) for clauses in LENGTHS[:count]]


def _sentence(clauses: int) -> str:
    """Return a sentence like "The old cat saw a river, and the ..."."""
    words = [[pick(kind)[0] for kind in (ADJECTIVES, NOUNS, VERBS, NOUNS)] for _ in range(clauses)]
    parts = [f"the {adjective} {noun} {verb} a {other}" for adjective, noun, verb, other in words]
    return f"{', and '.join(parts).capitalize()}."


def other_bert(bert: Bert) -> Bert:
    """Return a small BERT whose shape and weights differ from any lesson's, on the device of `bert`."""
    return _other_bert(str(bert.model.device))


@cache
def _other_bert(device: str) -> Bert:
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

    halves = [half for word in SPLIT for half in (word.removesuffix("like").removesuffix("bank"), f"##{word[-4:]}")]
    letters = [*string.ascii_lowercase, *string.digits]
    # [PAD] alone stands where every BERT has it; the other special tokens stand at the end.
    pieces = ["[PAD]", *string.punctuation, *letters, *(f"##{letter}" for letter in letters)]
    pieces += [word for word in (*ADJECTIVES, *NOUNS, *VERBS, *OTHERS, *CONFUSED, *halves) if word not in SPLIT]
    pieces = [*dict.fromkeys(pieces), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    config = BertConfig(
        vocab_size=len(pieces),
        num_hidden_layers=6,
        num_attention_heads=3,
        hidden_size=36,
        intermediate_size=60,
        max_position_embeddings=96,
    )
    # Random and large weights, so that every part matters; in an untrained twin biases and LayerNorms do nothing.
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model: Any = BertForPreTraining._from_config(config, attn_implementation="eager")
        with torch.no_grad():
            for name, values in model.named_parameters():
                # Words above all, so that vectors differ from token to token; the rest as strong as it may be.
                spread = 1.0 if "word_embeddings" in name else 0.1 if "output.dense" in name else 0.25
                values.normal_(mean=float("LayerNorm.weight" in name), std=spread)
    tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True)
    layers = f"{config.num_hidden_layers} layers, {config.num_attention_heads} heads, {config.hidden_size} hidden"
    return Bert(model.to(device).eval(), tokenizer, f"another BERT ({layers})")
