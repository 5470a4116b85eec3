"""The map of BERT shows the shapes of the model at hand, and each part on its own."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bertlab.figures import bert_map


def written(figure):
    return [text.get_text().replace("\n", " ") for text in figure.axes.texts if text.get_text()]


def test_the_shapes_are_those_that_leave_the_parts(bert):
    reading = bert.read("The cat sat.", pair="It slept.")
    output = bert.model(**bert.tokenizer("The cat sat.", "It slept.", return_tensors="pt"))
    true = {
        "tokenizer": reading.ids.shape,
        "embedding layer": reading.hidden[0].shape,
        "encoder 4 layers": reading.hidden[-1].shape,
        "pooler": reading.pooled.shape,
        "masked-word head": output.prediction_logits[0].shape,
        "next-sentence head": output.seq_relationship_logits[0].shape,
    }
    texts = written(bert_map.map_of_bert(bert, "encoder"))
    for part, shape in true.items():
        shown = ", ".join("tokens" if axis == len(reading.tokens) else f"{axis:,}" for axis in shape)
        assert texts[texts.index(part) + 1].endswith(f"({shown})"), part


@pytest.mark.parametrize("here", bert_map.STATIONS)
def test_the_part_is_marked_and_no_text_touches_another_or_leaves_its_box(bert, here):
    figure = bert_map.map_of_bert(replace(bert, missing_parts=("masked-word head", "pooler")), here)
    # The marker is written right after the box that it belongs to.
    assert written(figure)[written(figure).index("you are here") - 2].startswith(here)
    figure.axes.figure.draw_without_rendering()
    texts = [text.get_window_extent() for text in figure.axes.texts if text.get_text()]
    boxes = [box.get_window_extent() for box in figure.axes.patches]
    for i, text in enumerate(texts):
        assert not any(text.overlaps(other) for other in texts[i + 1 :]), i
        around = [box for box in boxes if text.overlaps(box)]
        assert all(box.contains(*text.min) and box.contains(*text.max) for box in around), i


def test_the_map_and_its_caption_hold_the_models_numbers_and_what_is_missing_or_ones_own(tiny, monkeypatch):
    monkeypatch.setattr(bert_map.mine, "parts", lambda: SimpleNamespace(own=["embed", "linear", "pool"]))
    tiny = replace(tiny, missing_parts=("pooler",))
    shown = bert_map.map_of_bert(tiny, "encoder")
    assert {"encoder 2 layers", "pooler (not saved)"} < set(written(shown))
    assert "a vector of 48 numbers" in shown.caption
    assert "Green is yours: 1 of 4 boxes. This checkpoint was saved without its pooler." in shown.caption
    with pytest.raises(ValueError, match=r"no part 'kitchen'.*embedding layer"):
        bert_map.map_of_bert(tiny, "kitchen")
