"""A label for every word: first pieces, scores, and the loss of a batch."""

import pytest
import torch
from transformers import BertForTokenClassification

from bertlab.finetuning import WordClassifier, first_pieces, predict, spaced, train
from rounding import assert_rounded_equal

SENTENCES = ["Zoologists do n't photograph flamingos .", "Why ?", "It 's 7:30 in Xyzzyville !"]


def test_first_pieces_are_those_at_which_the_tokenizer_says_that_a_word_begins(model):
    for sentence in SENTENCES:
        encoded = model.tokenizer([sentence.split()], is_split_into_words=True)
        numbers = encoded.word_ids(0)
        begun = [i for i, number in enumerate(numbers) if number is not None and number != numbers[i - 1]]
        reading = model.read(sentence)
        assert encoded["input_ids"][0] == reading.ids.tolist()
        assert first_pieces(reading.offsets) == begun


@pytest.mark.parametrize(
    ("sentence", "seen"), [("The \u200b cat", 2), ("The \u0301 cat", 2), ("The x\u0302yz", 3)], ids=ascii
)
def test_a_word_of_which_bert_sees_nothing_would_move_all_others_and_is_refused(bert, sentence, seen):
    with pytest.raises(ValueError, match=rf" has \d words, and BERT sees {seen}\. .*NFC"):
        WordClassifier(bert)(["A dog", sentence])


def test_a_sentence_has_as_many_labels_as_words(tiny):
    for labels in ([[0, 1], [0, 1, 1]], [0, 1]):  # five in all, as there are words
        with pytest.raises(ValueError, match=r"^Text 0 of 2 has [12] labels, and 3 are due: 'The cat sat'"):
            train(WordClassifier(tiny), ["The cat sat", "It rained"], labels, epochs=1)


def test_scores_of_words_equal_transformers_own_at_first_pieces(tiny):
    ours = WordClassifier(tiny, labels=5, seed=2)
    config = tiny.model.config.__class__(**{**tiny.model.config.to_dict(), "num_labels": 5})
    theirs = BertForTokenClassification._from_config(config, attn_implementation="eager").eval()
    theirs.bert.load_state_dict(tiny.model.bert.state_dict(), strict=False)
    theirs.classifier.load_state_dict(ours.head.state_dict())
    expected = []
    with torch.no_grad():
        for sentence in SENTENCES:
            logits = theirs(**tiny.tokenizer(sentence, return_tensors="pt")).logits[0]
            expected.append(logits[first_pieces(tiny.read(sentence).offsets)])
        scores = ours(SENTENCES)
    assert_rounded_equal(scores, torch.cat(expected), scale=scores)
    assert predict(ours, SENTENCES, batch_size=1).tolist() == scores.argmax(dim=-1).tolist()


def test_a_loss_of_words_is_that_of_all_words_of_the_batch(tiny):
    labels = [[i % 3 for i in range(len(sentence.split()))] for sentence in SENTENCES]
    classifier = WordClassifier(tiny, labels=3)
    with torch.no_grad():
        expected = torch.nn.functional.cross_entropy(
            classifier(SENTENCES), torch.tensor([label for each in labels for label in each])
        )
    losses = train(classifier, SENTENCES, labels, epochs=30, rate=3e-3)
    assert_rounded_equal(losses[0], expected)
    assert losses[-1] < losses[0] / 5
    with pytest.raises(ValueError, match="labels 0 to 2, and 3 is none of them"):
        train(classifier, SENTENCES, [*labels[:2], [3] * 6])


def test_words_are_parted_as_treebanks_have_them():
    assert spaced("I don't know Anna's dog, it’s big.") == "I do n't know Anna 's dog , it ’s big ."
    assert spaced("Why?") == "Why ?"
