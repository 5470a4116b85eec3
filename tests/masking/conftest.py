"""A BERT for the proof-reader that expects what a test says."""

import pytest
import torch


@pytest.fixture
def expecting(monkeypatch):
    """A BERT that expects words with certain probabilities in certain gaps, or anywhere; returned is what is asked."""

    def make(bert, gaps=None, **anywhere):
        asked = []

        def probabilities(_bert, texts):
            asked.extend(texts)
            rows = torch.zeros(len(texts), 1, len(bert.tokenizer))
            for row, text in zip(rows, texts, strict=True):
                for word, share in (gaps or {}).get(text, anywhere).items():
                    row[0, bert.tokenizer.convert_tokens_to_ids(word)] = share
            return list(rows)

        monkeypatch.setattr("bertlab.masking.proofreading.probabilities", probabilities)
        return asked

    return make
