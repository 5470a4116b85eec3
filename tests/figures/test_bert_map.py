"""The map of BERT shows the shapes of the model at hand."""

import pytest

import bertlab
from bertlab.figures import bert_map


def written(ax):
    return [text.get_text().replace("\n", " ") for text in ax.texts if text.get_text()]


def test_the_shapes_are_those_that_leave_the_parts(bert):
    reading = bert.read("The cat sat.", pair="It slept.")
    inputs = bert.tokenizer("The cat sat.", "It slept.", return_tensors="pt")
    output = bert.model(**inputs)
    tokens = len(reading.tokens)
    true = {
        "tokenizer": inputs["input_ids"][0].shape,
        "embedding layer": reading.hidden[0].shape,
        "encoder": reading.hidden[-1].shape,
        "pooler": reading.pooled.shape,
        "masked-word head": output.prediction_logits[0].shape,
        "next-sentence head": output.seq_relationship_logits[0].shape,
    }
    for part, shape in true.items():
        shown = ", ".join("tokens" if axis == tokens else f"{axis:,}" for axis in shape)
        assert bert_map.shapes(bert)[part].endswith(f"({shown})"), part


@pytest.mark.parametrize("here", bert_map.STATIONS)
def test_every_part_is_drawn_and_one_is_marked(bert, here):
    texts = written(bert_map.draw_map(bert, here))
    for part in bert_map.STATIONS:
        assert any(text.startswith(part) for text in texts)
    assert texts.count("you are here") == 1
    # The marker is written right after the box that it belongs to.
    assert texts[texts.index("you are here") - 2].startswith(here)


def test_the_number_of_layers_is_the_models(tiny_folder):
    assert "encoder 2 layers" in written(bert_map.draw_map(bertlab.load(tiny_folder), "encoder"))


def test_a_missing_part_is_named(bert):
    without = bertlab.bert.Bert(bert.model, bert.tokenizer, "half", missing_parts=("pooler",))
    assert "pooler (not saved)" in written(bert_map.draw_map(without, "encoder"))
    assert "saved without its pooler" in bert_map.map_of_bert(without, "encoder").caption


def test_the_caption_holds_the_models_numbers(tiny_folder):
    tiny = bertlab.load(tiny_folder)
    caption = bert_map.map_of_bert(tiny, "encoder").caption
    assert "a vector of 48 numbers" in caption
    assert f"all {tiny.model.config.vocab_size:,} pieces" in caption


def test_the_map_is_flat_and_nothing_on_it_touches_another_thing(bert):
    import numpy as np

    full = bertlab.bert.Bert(bert.model, bert.tokenizer, "half", missing_parts=("masked-word head", "pooler"))
    for here in bert_map.STATIONS:
        ax = bert_map.draw_map(full, here)
        figure = ax.figure
        assert figure.get_figheight() <= 3.2, "with its caption it fits a screen of 720 pixels"
        figure.draw_without_rendering()
        texts = [text.get_window_extent() for text in ax.texts if text.get_text()]
        boxes = [box.get_window_extent() for box in ax.patches]
        for i, one in enumerate(texts):
            assert not [other for other in texts[i + 1 :] if one.overlaps(other)], (here, i)
            inside = [box for box in boxes if one.overlaps(box)]
            assert all(box.fully_containsx(one.x0) and box.fully_containsx(one.x1) for box in inside), (here, i)
            assert all(box.fully_containsy(one.y0) and box.fully_containsy(one.y1) for box in inside), (here, i)
            assert np.all(np.array([one.x0, one.y0]) >= 0)
            assert one.y1 <= figure.bbox.y1


def test_an_unknown_place_is_refused(bert):
    with pytest.raises(ValueError, match=r"no part 'kitchen'.*embedding layer"):
        bert_map.draw_map(bert, "kitchen")
