"""Solutions to the exercises of lesson 6, Masking."""

import torch


def masked_word_loss(logits, ids, given, chosen):
    """Return the mean loss of one text, a number."""
    return -logits.log_softmax(dim=-1)[chosen, ids[chosen]].mean()


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


def gain_from_context(bert, text, word):
    """Return how much the other words add to the log-probability of word, a number."""
    reading = bert.read(text)
    place = reading.tokens.index(bert.tokenizer.mask_token)
    bare = reading.ids.clone()
    for i, token in enumerate(reading.tokens[1:-1], start=1):  # [CLS] and [SEP] stay
        if any(letter.isalnum() for letter in token):
            bare[i] = bert.tokenizer.mask_token_id
    with torch.no_grad():
        logits = bert.model(torch.stack([reading.ids, bare])).prediction_logits[:, place]
    both = logits.log_softmax(dim=-1)[:, bert.tokenizer.convert_tokens_to_ids(word)]
    return both[0] - both[1]
