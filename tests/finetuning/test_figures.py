"""What lesson 8 draws: pairs on cards, and a sentence in coloured words."""

from bertlab.finetuning import ColouredWords, figures


def test_each_pair_is_on_a_card_with_its_answer():
    shown = figures.to_judge("A.", {"B.": "the same", "C.": "?"})
    assert [text.get_text() for text in shown.axes.texts] == ["A.", "B.", "the same", "A.", "C.", "?"]
    assert shown.caption == "Does “A.” say the same as these? “B.” (the same), “C.” (?)."


def test_a_students_words_are_never_markup_and_each_class_stands_in_letters():
    shown = ColouredWords(["<b>", "runs"], ["NOUN", "my&own"])
    assert "<b>" not in shown._repr_html_()
    assert "&lt;b&gt;<br><small>NOUN</small>" in shown._repr_html_()
    assert "my&amp;own" in shown._repr_html_()
    assert repr(shown) == "<b>/NOUN runs/my&own"
