"""Solutions to the exercises of lesson 3, Contextual vectors, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "3a": "vector = hidden[-1, pieces].mean(dim=0)  # (hidden,)",
    "3b": "return (random_cosines < value).sum()",
    "3c": "return (point - centroids).norm(dim=-1).argmin()",
    "3d": "return points[[j for j in of_sense if j != i]].mean(dim=0)",
}


def second_layer(bert, sentence):
    """Return the output of the second encoder layer, (tokens, hidden)."""
    inputs = bert.tokenizer(sentence, return_tensors="pt")
    with torch.no_grad():
        output = bert.model.bert(**inputs, output_hidden_states=True)
    return output.hidden_states[2][0]


def vector_at(bert, sentence, word, start):
    """Return the last layer's vector of the word that begins at character start, (hidden,)."""
    reading = bert.read(sentence)
    end = start + len(word)
    places = [i for i, (a, b) in enumerate(reading.offsets) if a < end and b > start]
    return reading.hidden[-1, places].mean(dim=0)


def share_at_chosen_layer(practice, test):
    """Return the leave-one-out share on test, at the layer that is best on practice."""

    def share(given, layer):
        at_all, labels = given
        return bertlab.vectors.leave_one_out(at_all[:, layer], labels).float().mean()

    shares = torch.stack([share(practice, layer) for layer in range(practice[0].shape[1])])
    return share(test, int(shares.argmax()))
