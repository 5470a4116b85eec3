"""Answers as students write them: what fits one model, one input or the notebook's names only is not right."""

import pytest

from cells import written
from exercises import CHECKS, solutions

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
WRONG = {
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
    outcome = CHECKS[number](bert, written(source, bert=bert))
    assert outcome.status == "not quite"
    assert said in outcome.message


@pytest.mark.parametrize("number", ["1.2", "2.2", "2.3", "3.1", "3.2", "4.1", "4.2", "4.3", "5.2", "6.2", "6.3"])
def test_what_reads_the_notebooks_bert_is_not_right(bert, number):
    answer = written("def f(b, *others): return solution(bert, *others)", bert=bert, solution=solutions()[number])
    assert "your function uses `bert` from the notebook" in CHECKS[number](bert, answer).message


def test_right(bert):
    places = '(inputs["input_ids"] == b.tokenizer.mask_token_id).int().argmax(dim=1)'
    assert CHECKS["6.2"](bert, written(FILL.format(places=places), bert=bert)).status == "right"
