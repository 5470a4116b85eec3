"""Solutions to the exercises of lesson 6, Masking, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "6a": """\
x = layer_norm(gelu(linear(hidden, w["transform"])), w["norm"])
return x @ w["word"].T + w["bias"]""",
    "6b": """\
hidden = encoder(embed(ids, segments, w["embedding"]), mask, w["layers"], heads)
return word_logits(hidden[-1], w["words"])""",
    "6c": "return -logits.log_softmax(dim=-1)[chosen, ids[chosen]].mean()",
    "6d": "total = [scores.sum().item() for scores in each]",
    "6e": "of_confused = of_two / of_two.sum()  # (2,)",
}


def perplexities(logits, ids, given, chosen):
    """Return the perplexity of each text, (texts,)."""
    losses = -logits.log_softmax(dim=-1).gather(-1, ids[..., None])[..., 0]  # (texts, tokens)
    mean_loss = (losses * chosen).sum(dim=-1) / chosen.sum(dim=-1)  # (texts,)
    return mean_loss.exp()


def fill_batch(bert, texts):
    """Return the probabilities at the [MASK] of each text, (texts, vocabulary)."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    at_mask = inputs["input_ids"] == bert.tokenizer.mask_token_id  # (texts, tokens)
    head = bert.model.cls.predictions
    with torch.no_grad():
        hidden = bert.model.bert(**inputs).last_hidden_state[at_mask]  # (texts, hidden)
        bent = head.transform.transform_act_fn(head.transform.dense(hidden))
        transformed = head.transform.LayerNorm(bent)
        table = bert.model.bert.embeddings.word_embeddings.weight
        return torch.softmax(transformed @ table.T + head.bias, dim=-1)


def weigh(bert, text, word, words):
    """Return how probable each of the words is where word stands, (words,)."""
    import re

    gap = re.sub(rf"\b{word}\b", "[MASK]", text)
    (at_gap,) = bertlab.masking.probabilities(bert, [gap])  # (1, vocabulary)
    among = at_gap[0, bert.tokenizer.convert_tokens_to_ids(words)]
    return among / among.sum()
