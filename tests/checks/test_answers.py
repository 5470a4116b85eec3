"""Answers as students write them: what fits one model, one input or the notebook's names only is not right."""

import pytest

from cells import written
from exercises import CHECKS, SENTENCES, solutions

POOL = """
def pool_batch(b, texts):
    inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        first = b.model.bert(**inputs).last_hidden_state[:, 0]
        return torch.tanh(b.model.bert.pooler.dense(first))
"""
AT = """
def vector_at(b, sentence, word, start):
    reading, end = b.read(sentence), start + len(word)
    places = [i for i, (first, last) in enumerate(reading.offsets) if {overlap}]
    return reading.hidden[{layer}, places].mean(dim=0)
"""
OVERLAP = "first < end and last > start"
HEAD = """
def head_of_batch(b, texts, layer, head):
    inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
    attention, size = b.model.bert.encoder.layer[layer].attention.self, {size}
    with torch.no_grad():
        hidden = b.model.bert(**inputs, output_hidden_states=True).hidden_states[layer]
        query, key = (part(hidden)[..., head * size : head * size + size] for part in (attention.query, attention.key))
    scores = query @ key.transpose(1, 2) / size**0.5
    return scores.masked_fill(inputs["attention_mask"][:, None] == 0, float("-inf")).softmax(dim=-1)
"""
FILL = """
def fill_batch(b, texts):
    inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
    places = {places}
    with torch.no_grad():
        x = b.model.bert(**inputs).last_hidden_state[range(len(texts)), places]
        transform = b.model.cls.predictions.transform
        x = transform.LayerNorm(torch.nn.functional.gelu(transform.dense(x)))
        return (x @ b.model.bert.embeddings.word_embeddings.weight.T + b.model.cls.predictions.bias).softmax(dim=-1)
"""
ELSEWHERE = "right for some inputs and not for others"

WRONG = {
    "2.1, rounded": (
        "2.1",
        "def f(h, i): return float(f'{4 * h * h + 2 * h * i + 9 * h + i:.3g}')",
        ", given h = ",
    ),
    "2.2, reading.pooled": (
        "2.2",
        "def f(b, texts): return [b.read(text).pooled for text in texts]",
        "by a shortcut: a pooler that is there already",
    ),
    "3.1, third from the end": ("3.1", "def f(b, sentence): return b.read(sentence).hidden[-3]", ELSEWHERE),
    "3.1, half": ("3.1", "def f(b, sentence): return b.read(sentence).hidden[len(b.read('a').hidden) // 2]", ELSEWHERE),
    "3.2, touching at the end": (
        "3.2",
        AT.format(overlap="first <= end and last > start", layer=-1),
        "only touches the word",
    ),
    "3.2, touching before": (
        "3.2",
        AT.format(overlap="first < end and last >= start and last", layer=-1),
        "a value is off by",
    ),
    "3.2, layer 4": ("3.2", AT.format(overlap=OVERLAP, layer=4), ELSEWHERE),
    "4.2, a size typed in": ("4.2", HEAD.format(size=32), ELSEWHERE),
    "4.2, output_attentions": (
        "4.2",
        """
        def head_of_batch(b, texts, layer, head):
            inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
            return b.model.bert(**inputs, output_attentions=True).attentions[layer][:, head]
        """,
        "the values are right, but by a shortcut: the model hands over its own weights",
    ),
    "4.2, reading.attention": (
        "4.2",
        "def f(b, texts, layer, head): return [b.read(text).attention[layer, head] for text in texts]",
        "by a shortcut",
    ),
    "4.2, text by text with head_weights": (
        "4.2",
        """
        def f(b, texts, layer, head):
            read = [b.read(text).hidden[layer] for text in texts]
            return [bertlab.attention.head_weights(b, hidden, layer, head) for hidden in read]
        """,
        "by a shortcut: head_weights computes them text by text",
    ),
    "4.3, the notebook's sentences": (
        "4.3",
        """
        def more_than_others(b, texts, head, others):
            own = bertlab.attention.change_of_loss(b, sentences, [head])["change"]
            theirs = bertlab.attention.change_of_loss(b, sentences, others)["change"]
            return own.iloc[0] - theirs.mean()
        """,
        "your function uses `sentences` from the notebook",
    ),
    "4.3, all of the others at once": (
        "4.3",
        """
        def loss(b, texts, heads):
            with bertlab.attention.without_heads(b, heads):
                return bertlab.masking.masked_loss(b, texts)["loss"].mean()

        def more_than_others(b, texts, head, others):
            return loss(b, texts, [head]) - loss(b, texts, others)
        """,
        "all at once",
    ),
    "5.2, text by text": (
        "5.2",
        "def f(b, texts): return torch.stack([b.read(text).hidden[-1].mean(dim=0) for text in texts])",
        "by a shortcut: bertlab reads the texts for you",
    ),
    "5.2, a loop": (
        "5.2",
        """
        def f(b, texts):
            ids = [b.tokenizer(text, return_tensors="pt") for text in texts]
            return [b.model.bert(**one).last_hidden_state[0].mean(dim=0) for one in ids]
        """,
        "by a shortcut: the model is called text by text",
    ),
    "6.1, [MASK] alone": (
        "6.1",
        """
        def masked_word_loss(logits, ids, given, chosen):
            places = given == bert.tokenizer.mask_token_id
            return torch.nn.functional.cross_entropy(logits[places], ids[places])
        """,
        "the loss is taken only where [MASK] stands",
    ),
    "6.1, logarithm of logits": (
        "6.1",
        "def f(logits, ids, given, chosen): return -logits[chosen].log().mean()",
        "the logarithm of a negative number, as logits often are",
    ),
    "6.2, by words": (
        "6.2",
        FILL.format(places='[[i for i, w in enumerate(t.split()) if "[MASK]" in w][0] + 1 for t in texts]'),
        "words were counted",
    ),
    "6.2, prediction_logits": (
        "6.2",
        """
        def fill_batch(b, texts):
            inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
            logits = b.model(**inputs).prediction_logits
            return logits[inputs["input_ids"] == b.tokenizer.mask_token_id].softmax(dim=-1)
        """,
        "by a shortcut: the model's own head gives the answer",
    ),
    "6.2, the head in one call": (
        "6.2",
        """
        def fill_batch(b, texts):
            inputs = b.tokenizer(texts, padding=True, return_tensors="pt")
            hidden = b.model.bert(**inputs).last_hidden_state[inputs["input_ids"] == b.tokenizer.mask_token_id]
            return b.model.cls.predictions(hidden).softmax(dim=-1)
        """,
        "by a shortcut: the model's own head gives the answer",
    ),
    "5.3, numbers": (
        "5.3",
        "def f(practice, grades, test): return test - torch.quantile(practice[grades == 0], 0.95)",
        "your result holds numbers such as ",
    ),
}


@pytest.mark.parametrize(("number", "source", "said"), WRONG.values(), ids=WRONG)
def test_wrong(bert, number, source, said):
    answer = written(source, bert=bert, layer=bert.model.bert.embeddings, sentences=SENTENCES)
    outcome = CHECKS[number](bert, answer)
    assert outcome.status == "not quite"
    assert said in outcome.message


@pytest.mark.parametrize("number", ["1.2", "2.2", "2.3", "3.1", "3.2", "4.1", "4.2", "4.3", "5.2", "6.2", "6.3"])
def test_what_reads_the_notebooks_bert_is_not_right(bert, number):
    answer = written("def f(b, *others): return solution(bert, *others)", bert=bert, solution=solutions()[number])
    assert "your function uses `bert` from the notebook" in CHECKS[number](bert, answer).message


ALONE = """
def head_of_batch(b, texts, layer, head):
    attention = b.model.bert.encoder.layer[layer].attention.self
    own = slice(head * attention.attention_head_size, (head + 1) * attention.attention_head_size)
    weights = []
    for text in texts:
        hidden = b.read(text).hidden[layer]
        scores = attention.query(hidden)[:, own] @ attention.key(hidden)[:, own].T
        weights.append(torch.softmax(scores / attention.attention_head_size**0.5, dim=-1))
    return weights
"""


@pytest.mark.parametrize(
    ("number", "source"),
    [
        ("4.2", HEAD.format(size="b.model.config.hidden_size // b.model.config.num_attention_heads")),
        ("4.2", ALONE),
        ("2.2", POOL),
        ("3.2", AT.format(overlap=OVERLAP, layer=-1)),
        ("6.2", FILL.format(places='(inputs["input_ids"] == b.tokenizer.mask_token_id).int().argmax(dim=1)')),
    ],
)
def test_right(bert, number, source):
    assert CHECKS[number](bert, written(source, bert=bert)).status == "right"
