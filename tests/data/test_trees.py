"""The shipped trees are sound Universal Dependencies, and are read as they stand."""

import re
from collections import Counter

import pytest

from bertlab.data.trees import SHIPPED, read_trees

# Universal Dependencies 2: all word classes, all relations; and the subtypes that the datasheet names.
CLASSES = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)
SUBTYPES = {"nsubj:pass", "aux:pass", "nmod:poss", "acl:relcl", "compound:prt"}
CROSSING = {"What was the man with the umbrella looking for?"}


@pytest.fixture(scope="module")
def sentences():
    """Return the shipped sentences, read by plain splitting: comments, and rows of ten columns."""
    blocks = SHIPPED.read_text("utf-8").strip().split("\n\n")
    return [
        (
            dict(line[2:].split(" = ", 1) for line in block.split("\n") if line.startswith("# ")),
            [line.split("\t") for line in block.split("\n") if not line.startswith("#")],
        )
        for block in blocks
    ]


@pytest.fixture(scope="module")
def words(sentences):
    """Return every word as (form, class, relation, its governor's row or None, the rows that depend on it)."""
    found = []
    for _, rows in sentences:
        for row in rows:
            governor = rows[int(row[6]) - 1] if row[6] != "0" else None
            found.append((row[1], row[3], row[7], governor, [other for other in rows if other[6] == row[0]]))
    return found


class TestTheShippedFile:
    def test_every_sentence_is_a_tree_of_ten_columns(self, sentences):
        for comments, rows in sentences:
            assert {len(row) for row in rows} == {10}
            assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
            assert [row[6] for row in rows if row[7] == "root"] == [row[6] for row in rows if row[6] == "0"] == ["0"]
            for row in rows:
                steps = 0
                while row[6] != "0":  # from governor to governor, up to the root
                    row, steps = rows[int(row[6]) - 1], steps + 1
                    assert steps < len(rows), comments["text"]

    def test_is_read_as_it_stands(self, sentences):
        trees = read_trees()
        assert len(trees) == len(sentences) >= 48
        for tree, (comments, rows) in zip(trees, sentences, strict=True):
            joined = "".join(row[1] + " " * ("SpaceAfter=No" not in row[9]) for row in rows)
            assert tree.text == comments["text"] == joined.rstrip()
            assert list(tree.words) == [row[1] for row in rows]
            assert [tree.text[start:end] for start, end in tree.spans] == [row[1] for row in rows]
            assert [0 if governor is None else governor + 1 for governor in tree.governors] == [
                int(row[6]) for row in rows
            ]
            assert list(tree.relations) == [row[7] for row in rows]

    def test_sentences_are_of_5_to_14_words_whole_and_none_stands_twice(self, sentences):
        assert [comments["sent_id"] for comments, _ in sentences] == [
            f"trees-{i + 1:03}" for i in range(len(sentences))
        ]
        texts = [comments["text"] for comments, _ in sentences]
        assert len({text.lower() for text in texts}) == len(texts)
        assert all(re.fullmatch(r"[A-Z][A-Za-z ,]*[.?]", text) for text in texts)
        assert {5, 14} <= {sum(row[3] != "PUNCT" for row in rows) for _, rows in sentences} <= set(range(5, 15))

    def test_word_classes_and_relations_are_those_of_universal_dependencies(self, words):
        assert {word[1] for word in words} <= set(CLASSES.split())
        assert {word[2] for word in words} <= set(RELATIONS.split()) | SUBTYPES
        assert {word[2] for word in words} >= SUBTYPES

    def test_the_datasheet_counts_what_there_is(self, sentences, words):
        sheet = SHIPPED.with_suffix(".md").read_text("utf-8")
        assert f": {len(sentences)} sentences of 5 to 14 words, {len(words):,} words" in sheet
        stated = {relation: int(n) for relation, n in re.findall(r"`([a-z:]+)` (\d+)", sheet)}
        assert stated == Counter(word[2] for word in words)
        frequent = re.search(r"20 instances or more: (.*?)\. Each", sheet, flags=re.DOTALL)[1]
        assert set(re.findall(r"`([a-z:]+)`", frequent)) == {relation for relation, n in stated.items() if n >= 20}

    def test_frequent_relations_are_in_both_halves(self, sentences):
        halves = [Counter(row[7] for _, rows in sentences[start::2] for row in rows) for start in (0, 1)]
        for relation, n in (halves[0] + halves[1]).items():
            if n >= 20:
                assert min(half[relation] for half in halves) >= max(10, 0.4 * n), relation

    def test_function_words_have_their_class_and_govern_nothing(self, words):
        due = {
            "det": {"DET"},
            "case": {"ADP"},
            "aux": {"AUX"},
            "aux:pass": {"AUX"},
            "cop": {"AUX"},
            "cc": {"CCONJ"},
            "mark": {"SCONJ", "PART"},
            "punct": {"PUNCT"},
            "compound:prt": {"ADP"},
            "expl": {"PRON"},
            "nmod:poss": {"PRON"},
        }
        for form, class_, relation, _, dependents in words:
            if relation in due:
                assert class_ in due[relation], form
                assert not dependents, form
            if class_ in ("PUNCT", "ADP", "CCONJ", "SCONJ"):
                assert relation in due, form

    def test_content_relations_have_the_classes_that_they_are_for(self, words):
        nominal, predicate = {"NOUN", "PROPN", "PRON", "NUM"}, {"VERB", "ADJ", "NOUN", "PRON"}
        due = {
            "amod": ({"ADJ"}, {"NOUN"}),
            "nummod": ({"NUM"}, {"NOUN"}),
            "compound": ({"NOUN"}, {"NOUN"}),
            "nmod": (nominal, nominal),
            "nsubj": (nominal, predicate),
            "nsubj:pass": (nominal, {"VERB"}),
            "obj": (nominal, {"VERB"}),
            "iobj": (nominal, {"VERB"}),
            "obl": (nominal, {"VERB", "ADJ"}),
            "advmod": ({"ADV", "PART"}, {"VERB", "ADJ", "ADV", "NOUN"}),
            "aux:pass": ({"AUX"}, {"VERB"}),
            "cop": ({"AUX"}, {"ADJ", "NOUN"}),
            "acl:relcl": ({"VERB", "ADJ", "NOUN"}, {"NOUN"}),
        }
        for form, class_, relation, governor, _ in words:
            if relation in due:
                of, to = due[relation]
                assert class_ in of, (form, relation)
                assert governor[3] in to, (form, relation)

    def test_every_preposition_marks_an_oblique_or_a_noun_modifier_or_a_predicate(self, words):
        for form, _, relation, _, dependents in words:
            marked = any(row[7] == "case" for row in dependents)
            if relation in ("obl", "nmod"):
                assert marked, form
            elif marked:
                assert relation in ("root", "conj"), form  # "at home" as a predicate, "by ten children and ..."

    def test_a_predicate_has_one_subject_and_one_object_at_most(self, words):
        for form, _, _, _, dependents in words:
            relations = Counter(row[7] for row in dependents)
            assert sum(relations[name] for name in ("nsubj", "nsubj:pass", "csubj")) <= 1, form
            assert relations["obj"] <= 1, form
            assert relations["iobj"] <= relations["obj"], form
            assert relations["aux:pass"] == relations["nsubj:pass"], form

    def test_conjuncts_stand_to_the_right_and_share_a_class(self, sentences):
        for comments, rows in sentences:
            for row in rows:
                if row[7] == "conj":
                    first = rows[int(row[6]) - 1]
                    assert int(first[0]) < int(row[0]), comments["text"]
                    assert first[3] == row[3] or {first[3], row[3]} <= {"VERB", "ADJ"}, comments["text"]

    def test_arcs_cross_only_where_the_datasheet_says(self, sentences):
        crossing = set()
        for comments, rows in sentences:
            arcs = [sorted((int(row[0]), int(row[6]))) for row in rows]  # the root's from 0: nothing may cover it
            if any(a < c < b < d for a, b in arcs for c, d in arcs):
                crossing.add(comments["text"])
        assert crossing == CROSSING
        assert all(text in SHIPPED.with_suffix(".md").read_text("utf-8") for text in CROSSING)

    def test_no_offset_is_always_right_but_for_compounds(self, sentences):
        offsets = {}
        for _, rows in sentences:
            for row in rows:
                offsets.setdefault(row[7], Counter())[int(row[6]) - int(row[0])] += 1
        always = {name for name, found in offsets.items() if found.total() >= 20 and len(found) == 1}
        assert always == {"compound"}
        assert offsets["obj"].most_common(1)[0][1] < 0.5 * offsets["obj"].total()


def test_a_file_of_ones_own_is_read_and_words_that_do_not_stand_in_the_text_are_refused(tmp_path):
    row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_"
    file = tmp_path / "mine.conllu"
    file.write_text("# text = Go!\n" + row.format(1, "Go", 0, "root") + "\n" + row.format(2, "!", 1, "punct"), "utf-8")
    (tree,) = read_trees(file)
    assert (tree.words, tree.spans, tree.governors) == (("Go", "!"), ((0, 2), (2, 3)), (None, 0))
    file.write_text("# text = Go!\n" + row.format(1, "Stay", 0, "root"), "utf-8")
    with pytest.raises(ValueError, match="substring not found"):
        read_trees(file)
