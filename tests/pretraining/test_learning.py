import pandas as pd
import pytest
from matplotlib import pyplot as plt

from bertlab.pretraining.learning import NAMES, beginning, plot_learning, with_earlier

HEADER = "step,millions_of_pieces,held_out_loss,the_mat"
LEARNT = pd.DataFrame(
    {"step": [0, 5], "millions_of_pieces": [0.0, 0.5], "held_out_loss": [5.0, 4.0], "the_mat": ["null cat", "dog"]}
)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "earlier-watch-it-learn.csv").write_text(f"{HEADER}\n0,0.0,9.9,a\n7,1.25,5.0,null cat\n")
    return tmp_path


def test_steps_and_pieces_are_added_up_and_the_seam_stands_once(run):
    both = with_earlier(run, LEARNT)
    assert both.to_dict("list") == {
        "step": [0, 7, 12],
        "millions_of_pieces": [0.0, 1.25, 1.75],
        "held_out_loss": [9.9, 5.0, 4.0],
        "the_mat": ["a", "null cat", "dog"],
    }
    begun = beginning(run, LEARNT)
    assert (begun.steps, begun.pieces, begun.known, begun.moved) == (7, 1.25e6, True, False)


def test_other_texts_show_as_another_loss_of_the_same_weights(run):
    begun = beginning(run, LEARNT.assign(held_out_loss=[5.2, 4.0]))
    assert (begun.loss_then, begun.loss_now, begun.moved) == (5.0, 5.2, True)
    assert with_earlier(run, LEARNT.assign(held_out_loss=[5.2, 4.0]))["held_out_loss"].tolist() == [9.9, 5.2, 4.0]


def test_a_run_that_began_with_random_weights_stands_alone(tmp_path):
    assert beginning(tmp_path, LEARNT) is None
    assert with_earlier(tmp_path, LEARNT).equals(LEARNT)


def test_of_a_model_without_a_table_nothing_is_made_up(tmp_path):
    (tmp_path / "earlier-watch-it-learn.csv").write_text("step,millions_of_pieces\n")
    assert not beginning(tmp_path, LEARNT).known
    assert with_earlier(tmp_path, LEARNT).equals(LEARNT)


def test_the_figure_marks_where_the_run_was_begun_again(run):
    heads = dict.fromkeys((name for name in NAMES.values() if name.endswith("_head")), 0.5)
    begun, both = beginning(run, LEARNT), with_earlier(run, LEARNT).assign(**heads)
    figure = plot_learning(both, begun)
    for ax in figure.axes:
        assert [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == ":"][-1] == 1.25
    assert [text.get_text() for text in figure.axes[0].texts] == ["begun again"]
    assert figure.axes[0].lines[0].get_xdata().tolist() == [0.0, 1.25, 1.75]
    assert not plot_learning(both).axes[0].texts
    plt.close("all")
