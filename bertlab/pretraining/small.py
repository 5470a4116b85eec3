"""A BERT for the small language of lesson 7: its tokenizer, and a model with random numbers."""

import torch
from torch import Tensor
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bertlab.arguments import Count, Seed, Some, guarded
from bertlab.pretraining.language import Sentence


@guarded
def word_tokenizer(words: Some[str]) -> BertTokenizer:
    """Return a BERT tokenizer that knows the special tokens and some words, and nothing else.

    Parameters
    ----------
    words : list of str
        They get their ids in this order, after the special tokens; [PAD] is 0.

    Returns
    -------
    BertTokenizer
        As transformers has it.

    Examples
    --------
    >>> word_tokenizer(["cats", "purr"]).tokenize("Cats purr")
    ['cats', 'purr']
    """
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    return BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True)


@guarded
def encode(tokenizer: BertTokenizer, sentences: Some[Sentence]) -> Tensor:
    """Return the ids of sentences, with [CLS], [SEP] and padding.

    Parameters
    ----------
    tokenizer, sentences : BertTokenizer, list
        As `word_tokenizer` returns it; and sentences, each a sequence of words.

    Returns
    -------
    Tensor
        The ids, (sentences, tokens).

    Examples
    --------
    >>> encode(word_tokenizer(["cats", "purr"]), [("cats", "purr")]).tolist()
    [[2, 5, 6, 3]]
    """
    joined = [" ".join(sentence) for sentence in sentences]
    return tokenizer(joined, padding=True, return_tensors="pt")["input_ids"]


@guarded
def new_model(vocabulary: Count, seed: Seed = 0, layers: Count = 2, hidden: Count = 64) -> BertForMaskedLM:
    """Return a small untrained BERT with four heads a layer.

    Parameters
    ----------
    vocabulary, seed, layers, hidden : int
        The number of pieces; what fixes the random numbers; how many layers, and how many numbers for each token.

    Returns
    -------
    BertForMaskedLM
        For at most 16 tokens.

    Examples
    --------
    >>> new_model(7).num_parameters()
    105991
    """
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
