"""What is swapped in a BERT by hooks on transformers' modules, for the tests of lesson 9's room."""

from contextlib import ExitStack

import torch

from bertlab.circuits.sides import Choice, sides

NUMBERS = (["is", "was"], ["are", "were"])
PAIRS = [
    ("The cat sat on [MASK] mat.", "The dog sat on [MASK] mat."),
    ("A man saw the [MASK] here.", "The men saw a [MASK] here."),
    ("The [MASK] sat on the mat.", "The [MASK] sat near the mat."),
]
WORDS = [["the", "a"], ["cat"]]


def read(bert, pairs=PAIRS, words=WORDS):
    """Return what the functions of the room that return no means are given beside the BERT."""
    return sides(bert, pairs), Choice(bert, words)


def scores(bert, text, swaps=()):
    """Return the logits at [MASK] by transformers' whole forward pass, with hooks on modules."""
    inputs = bert.tokenizer(text, return_tensors="pt")
    with ExitStack() as stack, torch.no_grad():
        for module, kind, hook in swaps:
            register = module.register_forward_hook if kind == "output" else module.register_forward_pre_hook
            stack.callback(register(hook).remove)
        found = bert.model(**inputs).prediction_logits[0]
    return found[inputs["input_ids"][0] == bert.tokenizer.mask_token_id][0]


def logits(bert, text, swaps=()):
    """Return the preference at [MASK] that follows from these logits."""
    found = scores(bert, text, swaps)
    first, second = (found[bert.tokenizer.convert_tokens_to_ids(list(words))].mean() for words in WORDS)
    return (second - first).item()


def module_after(bert, layers):
    return bert.model.bert.encoder.layer[layers - 1] if layers else bert.model.bert.embeddings


def swap_vector(bert, other, layers, token):
    theirs = bert.read(other).hidden[layers, token]

    def hook(_module, _inputs, output):
        hidden = output[0] if isinstance(output, tuple) else output
        hidden[0, token] = theirs
        return output

    return module_after(bert, layers), "output", hook


def swap_head(bert, other, layer, head, token):
    dense = bert.model.bert.encoder.layer[layer].attention.output.dense
    seen = []
    logits(bert, other, [(dense, "input", lambda _module, inputs: seen.append(inputs[0].clone()))])
    size = dense.in_features // bert.model.config.num_attention_heads

    def hook(_module, inputs):
        joined = inputs[0].clone()
        joined[0, token, head * size : (head + 1) * size] = seen[0][0, token, head * size : (head + 1) * size]
        return (joined,)

    return dense, "input", hook
