"""What BERT would say after each layer, if it stopped there (lesson 9)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import cross_entropy

from bertlab.bert.arguments import require_count, require_list
from bertlab.bert.loading import Bert
from bertlab.bert.masked_texts import masked_copies
from bertlab.bert.texts import Text, in_batches


def logit_lens(bert: Bert, texts: Sequence[Text]) -> pd.DataFrame:
    """Return how well the masked-word head finds hidden pieces from the output of each layer (nostalgebraist 2020).

    Each piece of each text is masked once. The head was trained on the last layer's output only.

    Parameters
    ----------
    bert : Bert
        The model that reads the texts.
    texts : list of str or of (str, str)
        Sentences, or pairs of sentences.

    Returns
    -------
    pandas.DataFrame
        One row for the embedding layer's output, 0, and one for each layer's: the mean ``loss`` in nats, and
        ``first``, the share of pieces that are the most probable.

    Examples
    --------
    >>> logit_lens(bertlab.load("bertlab-mini"), ["The cat sat on the mat.", "It rained all day."]).shape
    (5, 2)
    """
    bert.require("masked-word head")
    head: Any = bert.model.cls.predictions
    require_count(texts=len(texts := require_list(texts=texts)))
    copies = masked_copies(bert, texts)
    encoded = [copy.encoded for copy in copies]
    places, answers = (np.array([getattr(copy, name) for copy in copies]) for name in ("place", "answer"))
    layers = bert.model.config.num_hidden_layers + 1
    loss, right = np.empty((layers, len(copies))), np.empty((layers, len(copies)), dtype=bool)
    for batch, output, _ in in_batches(bert.model, bert.tokenizer, encoded, 64, output_hidden_states=True):
        ids = torch.as_tensor(answers[batch], device=bert.model.device)
        for layer, hidden in enumerate(output.hidden_states):
            with torch.no_grad():
                scores = head(hidden[range(len(batch)), places[batch]])  # (copies, vocabulary)
            loss[layer, batch] = cross_entropy(scores, ids, reduction="none").cpu().numpy()
            right[layer, batch] = (scores.argmax(dim=-1) == ids).cpu().numpy()
    return pd.DataFrame({"loss": loss.mean(axis=1), "first": right.mean(axis=1)}).rename_axis("layers")
