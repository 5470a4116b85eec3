"""A BERT on which a mix-up of heads, a forgotten bias or another activation shows."""

import pytest
import torch
from transformers import BertConfig, BertForPreTraining

from bertlab.bert.loading import Bert


@pytest.fixture(scope="session")
def odd(tiny):
    """A small BERT with heads that look at few tokens, another activation and a large epsilon."""
    config = BertConfig(
        vocab_size=len(tiny.tokenizer),
        num_hidden_layers=2,
        num_attention_heads=3,
        hidden_size=30,
        intermediate_size=50,
        max_position_embeddings=64,
        hidden_act="relu",
        layer_norm_eps=0.1,
        initializer_range=0.6,
    )
    with torch.random.fork_rng():
        torch.manual_seed(3)
        odd = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
        for name, values in odd.named_parameters():
            if name.endswith("bias"):  # biases start at zero, and a forgotten one would go unseen
                torch.nn.init.normal_(values, std=0.5)
    return Bert(odd, tiny.tokenizer, "odd")
