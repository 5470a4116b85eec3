"""A prediction that nobody made is asked again."""

from bertlab.checks import reveal


def test_without_a_guess_the_question_comes_again_and_the_answer_stays_folded():
    asked = reveal(None, "<b>", "x & y.", question="Which tag is bold?")
    assert asked.status == "not yet"
    assert repr(asked) == ("not yet: Which tag is bold? Write your guess in its cell above, run that, then this one.")
    assert "<details><summary>The answer</summary>The answer is &lt;b&gt;: x &amp; y.</details>" in asked._repr_html_()
    assert reveal("<b>", "<b>", "x.", question="Which tag is bold?")._repr_html_() is None
