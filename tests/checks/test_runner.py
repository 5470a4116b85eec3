"""What all checks share: copies for the student's function, and no work done twice."""

import pytest
import torch

from bertlab.checks.runner import Slip, judge, once


def check(answer, *cases, slips=()):
    """Judge a function that has to double its first argument."""
    return judge(answer, [*cases] or [(torch.ones(2),)], lambda x, *_: 2 * x, slips, "well done.")


class TestCopies:
    def test_what_a_student_changes_in_the_tokenizer_does_not_stay(self, bert):
        before = len(bert.tokenizer), bert.tokenizer.padding_side, bert.tokenizer.tokenize("unquestionableness")
        changed = []

        def spoil(x, given):
            given.tokenizer.add_tokens(["unquestionableness"])
            given.tokenizer.padding_side = "left"
            changed.append((len(given.tokenizer), given.tokenizer.padding_side))
            return 2 * x

        assert check(spoil, (torch.ones(2), bert)).status == "right"
        assert changed == [(before[0] + 1, "left")]
        assert before == (
            len(bert.tokenizer),
            bert.tokenizer.padding_side,
            bert.tokenizer.tokenize("unquestionableness"),
        )

    def test_a_copied_bert_reads_as_the_original(self, bert):
        seen = []

        def read(x, given):
            seen.append(given.read("The cat sat.", "It rained.").hidden)
            return 2 * x

        check(read, (torch.ones(2), bert))
        assert torch.equal(seen[0], bert.read("The cat sat.", "It rained.").hidden)


def test_the_truth_and_a_memoised_part_are_computed_once_a_case():
    asked = []

    @once
    def slow(x, times=2):
        asked.append(times)
        return times * x

    cases = [(torch.ones(2),), (torch.arange(3.0),)]
    slips = [Slip(f"{n}", lambda x: slow(x, 3) + 1) for n in range(5)]
    assert judge(lambda x: 7 * x, cases, slow, slips, "").status == "not quite"
    assert sorted(asked) == [2, 2, 3], "a slip that misses the first case need not be tried on the second"


def test_what_is_kept_belongs_to_the_object_and_not_to_its_address():
    doubled = once(lambda x: 2 * x)
    for number in range(200):
        assert doubled(torch.full((1,), float(number))).item() == 2 * number


def test_praise_that_takes_a_while_is_computed_for_right_answers_only():
    asked = []

    def praise():
        asked.append(1)
        return "well done."

    def judged(answer):
        return judge(answer, [(torch.ones(2),)], lambda x: 2 * x, [], praise)

    assert judged(lambda x: None).status == "not yet"
    assert judged(lambda x: x).status == "not quite"
    assert not asked
    assert judged(lambda x: 2 * x).message == "well done."


class TestAMistakeAmongMany:
    """Of thousands of yes and no, one or two hang on the last digit of a line that two libraries compute."""

    slips = (Slip("more than three.", lambda x: x > 3),)

    def judged(self, count, *turned):
        def answer(x):
            found = x > 3
            found[list(turned)] ^= True
            return found

        return judge(answer, [(torch.linspace(0, 10, count),)], lambda x: x > 5, self.slips, "well done.").message

    @pytest.mark.parametrize(("count", "turned"), [(5000, ()), (5000, (1500,)), (5000, (1498, 1499, 1500)), (60, ())])
    def test_is_named_though_a_few_differ(self, count, turned):
        assert self.judged(count, *turned) == "more than three."

    @pytest.mark.parametrize(("count", "turned"), [(5000, range(1490, 1500)), (60, (18,))])
    def test_is_not_named_where_more_differ(self, count, turned):
        assert "answers are not" in self.judged(count, *turned)

    def test_what_is_right_must_be_right_throughout(self):
        def answer(x):
            found = x > 5
            found[2500] ^= True
            return found

        said = judge(answer, [(torch.linspace(0, 10, 5000),)], lambda x: x > 5, [], "well done.")
        assert said.status == "not quite"
        assert "1 of 5000 answers are not" in said.message
