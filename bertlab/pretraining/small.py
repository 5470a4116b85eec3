"""A BERT for the small language of lesson 7: its tokenizer, and a model with random numbers."""

from collections.abc import Iterable

import torch
from torch import Tensor
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bertlab.bert.arguments import require_count, require_list
from bertlab.pretraining.language import Sentence

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def word_tokenizer(words: Iterable[str]) -> BertTokenizer:
    """Return a BERT tokenizer whose only pieces are the special tokens and these words, in this order."""
    pieces = [*SPECIAL, *require_list(words=words)]
    return BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True)


def encode(tokenizer: BertTokenizer, sentences: Iterable[Sentence]) -> Tensor:
    """Return the ids of sentences, (sentences, tokens), with [CLS], [SEP] and padding."""
    joined = [" ".join(sentence) for sentence in require_list(sentences=sentences)]
    return tokenizer(joined, padding=True, return_tensors="pt")["input_ids"]


def new_model(vocabulary: int, seed: int = 0, layers: int = 2, hidden: int = 64) -> BertForMaskedLM:
    """Return a small untrained BERT with four heads a layer; the seed fixes its random numbers."""
    require_count(layers=layers, hidden=hidden)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=vocabulary,
        num_hidden_layers=layers,
        num_attention_heads=4,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        max_position_embeddings=16,
        initializer_range=0.05,  # as for bertlab-mini, so that heads form sooner; in BERT-base it is 0.02
        hidden_dropout_prob=0.0,  # so few weights cannot learn much by heart
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM._from_config(config, attn_implementation="eager")
