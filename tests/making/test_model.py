"""The loss and what is predicted are those of transformers, and a saved model is read by everybody."""

import stat

import numpy as np
import torch
from transformers import AutoTokenizer, BertForPreTraining

from batches import IGNORE, BatchMaker
from model import PretrainingLoss, new_bert, predict, save_model
from prepare import Corpus
from rounding import assert_rounded_equal
from settings import BatchKind


def test_loss_and_predictions_are_those_of_transformers(prepared, tiny):
    maker = BatchMaker(Corpus.load(prepared / "train"), tiny, 200)
    batch, bert = maker.draw(BatchKind(True, 32, 1.0), np.random.default_rng(0), 8), new_bert(tiny, 200)
    places = np.full_like(batch.ids, IGNORE)
    np.put_along_axis(places, batch.positions, batch.labels, axis=1)
    ids, segments, attention, *_, next_labels = batch.tensors()
    answers = {"labels": torch.from_numpy(places), "next_sentence_label": next_labels}
    output = bert(input_ids=ids, token_type_ids=segments, attention_mask=attention, **answers)
    words, pairs = PretrainingLoss(bert)(*batch.tensors())
    masked, paired = batch.asked
    assert (masked, paired) == ((places != IGNORE).sum(), len(batch.ids))
    assert_rounded_equal(words / masked + pairs / paired, output.loss)
    losses, hits, next_hits = predict(bert, batch)
    assert_rounded_equal(np.nanmean(losses), (words / masked).detach())
    assert np.nansum(hits) == (output.prediction_logits.argmax(-1).numpy() == places)[places != IGNORE].sum()
    assert next_hits.tolist() == (output.seq_relationship_logits.argmax(-1).numpy() == batch.next_labels).tolist()


def test_a_saved_model_has_half_precision_and_its_vocabulary_and_may_be_read_by_everybody(prepared, tiny, tmp_path):
    bert, tokenizer = new_bert(tiny, 200), AutoTokenizer.from_pretrained(prepared / "tokenizer")
    save_model(tmp_path / "model", bert, tokenizer)
    assert bert.dtype == torch.float32
    assert BertForPreTraining.from_pretrained(tmp_path / "model", dtype="auto").dtype == torch.float16
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "model").iterdir()} == {0o644}
    listed = (tmp_path / "model" / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    assert [tokenizer.get_vocab()[piece] for piece in listed] == list(range(200))
