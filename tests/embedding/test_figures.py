"""The figure of lesson 1 draws the numbers it is given, and says about them what is so."""

from bertlab.embedding import figures


def test_each_kind_has_a_bar_of_the_model_and_one_of_the_rule_best_known_first():
    right = {"BERT": [False, True, True, True, False], "spelling": [True, False, False, False, False]}
    figure = figures.kinds(right, ["job", "job", "day", "day", "food"], of_twins=[1, 0, 2])
    bars = [[bar.get_width() for bar in ax.patches] for ax in figure.axes.figure.axes]
    assert bars == [[1, 0.5, 0, 0.5], [0, 0]], "of days and jobs, then of food: the model's, then the rule's"
    assert [text.get_text() for text in figure.axes.texts] == ["2 of 2", "1 of 2"]
    assert [label.get_text() for label in figure.axes.get_yticklabels()] == ["day", "job"]
    assert "BERT (blue; 3 of 5 in all), spelling (orange; 1). Untrained twins reach 0 to 2." in figure.caption
