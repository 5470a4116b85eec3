"""The shipped trees are sound Universal Dependencies, files are read or refused by line."""

import re
from collections import Counter

import pytest

from bertlab.attention.trees import SHIPPED, Tree, read_trees

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
    def test_is_read_as_it_stands(self, sentences):
        trees = read_trees()
        assert len(trees) == len(sentences) >= 48
        for tree, (comments, rows) in zip(trees, sentences, strict=True):
            assert tree.text == comments["text"]
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


TWO = """\
# sent_id = a
# text = The cat sleeps.
1	The	the	DET	_	_	2	det	_	_
2	cat	cat	NOUN	_	_	3	nsubj	_	_
3	sleeps	sleep	VERB	_	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	_	_	3	punct	_	_

# text = Go!
1	Go	go	VERB	_	_	0	root	_	SpaceAfter=No
2	!	!	PUNCT	_	_	1	punct	_	_

"""
CAT = Tree(
    "The cat sleeps.",
    ("The", "cat", "sleeps", "."),
    ((0, 3), (4, 7), (8, 14), (14, 15)),
    (1, 2, None, 2),
    ("det", "nsubj", "root", "punct"),
)
GO = Tree("Go!", ("Go", "!"), ((0, 2), (2, 3)), (None, 0), ("root", "punct"))


def saved(tmp_path, content):
    path = tmp_path / "mine.conllu"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    "content",
    [
        TWO,
        TWO.rstrip("\n"),
        "\n\n" + TWO.replace("\n\n", "\n\n\n"),
        TWO.replace("\n", "\r\n"),
        "\ufeff" + TWO,
        TWO.replace("\t_\t_\n", "\t_\tGloss=x\n").replace("SpaceAfter=No", "Gloss=x|SpaceAfter=No"),
    ],
    ids=["plain", "no last line end", "more empty lines", "Windows", "byte order mark", "other MISC"],
)
def test_a_file_is_read(tmp_path, content):
    assert read_trees(saved(tmp_path, content)) == [CAT, GO]
    assert read_trees(str(saved(tmp_path, content))) == [CAT, GO]


REFUSED = {
    "spaces for tabs": ("2\tcat\tcat\tNOUN", "2 cat\tcat\tNOUN", 4, "there are 9 columns, and CoNLL-U has 10.*tab"),
    "a column more": ("det\t_\t_", "det\t_\t_\t_", 3, "there are 11 columns"),
    "a multiword token": ("1\tThe\t", "1-2\tThe\t", 3, "1-2 is a multiword token.*SpaceAfter=No"),
    "an empty node": ("4\t.\t", "3.1\t.\t", 6, "3.1 is .*an empty node.*Remove"),
    "a number left out": ("4\t.\t", "5\t.\t", 6, "number '5' where 4 is due"),
    "a number twice": ("2\tcat\t", "1\tcat\t", 4, "number '1' where 2 is due"),
    "no empty line between": ("\n\n# text = Go!", "\n# text = Go!", 8, "number '1' where 5 is due.*empty line"),
    "a number from 0": ("1\tGo", "0\tGo", 9, "number '0' where 1 is due"),
    "no word": ("\tcat\tcat", "\t\tcat", 4, "the word is ''"),
    "a word with a space": ("\tcat\tcat", "\tcat \tcat", 4, "the word is 'cat '"),
    "a word for a head": ("3\tnsubj", "sleeps\tnsubj", 4, "HEAD is 'sleeps', and not a whole number"),
    "a negative head": ("3\tnsubj", "-1\tnsubj", 4, "HEAD is '-1', and not a whole number"),
    "no head": ("3\tnsubj", "_\tnsubj", 4, "HEAD is '_', and not a whole number"),
    "a head outside": ("3\tnsubj", "5\tnsubj", 4, "HEAD is 5, and the sentence has 4 words"),
    "no relation": ("nsubj", "_", 4, "DEPREL is '_' with HEAD 3"),
    "a root with a governor": ("nsubj", "root", 4, "DEPREL is 'root' with HEAD 3"),
    "a root by another name": ("0\troot\t_\tSpaceAfter=No\n4", "0\tacl\t_\tSpaceAfter=No\n4", 5, "'acl' with HEAD 0"),
    "two roots": ("3\tpunct", "0\troot", 6, "a second root"),
    "no root": ("0\troot\t_\tSpaceAfter=No\n2\t!", "2\tobj\t_\tSpaceAfter=No\n2\t!", 9, "no root.*HEAD 0"),
    "a cycle": ("3\tnsubj", "1\tnsubj", 3, "from 'The' the way .* leads back to it"),
    "a word that governs itself": ("3\tpunct", "4\tpunct", 6, "from '.' the way .* leads back to it"),
    "another word in the text": ("= The cat", "= The dog", 2, "has 'The dog sleeps.', but the words make 'The cat"),
    "a space too many": ("SpaceAfter=No\n4", "_\n4", 2, "but the words make 'The cat sleeps .'.*SpaceAfter=No"),
    "no text": ("# text = Go!\n", "", 8, "no comment '# text = ...'. Add it: '# text = Go!'"),
    "comments without words": ("# text = Go!", "# text = Go!\n\n# text = Go!", 8, "belong to no sentence"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_well_formed_is_refused_with_its_line(tmp_path, old, new, line, message):
    assert TWO.count(old) == 1
    with pytest.raises(ValueError, match=rf"^mine\.conllu, line {line}: .*{message}"):
        read_trees(saved(tmp_path, TWO.replace(old, new)))


def test_a_cycle_is_refused_at_its_first_word_and_not_below_it(tmp_path):
    # The depends on cat, cat on the full stop, the full stop on cat: The stands below the cycle.
    content = TWO.replace("3\tnsubj", "4\tnsubj").replace("3\tpunct", "2\tpunct")
    with pytest.raises(ValueError, match=r"line 4: from 'cat'"):
        read_trees(saved(tmp_path, content))


@pytest.mark.parametrize("content", ["", "\n \n\n"])
def test_an_empty_file_is_refused(tmp_path, content):
    with pytest.raises(ValueError, match=r"mine\.conllu holds no sentence"):
        read_trees(saved(tmp_path, content))


def test_another_encoding_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"mine\.conllu is not UTF-8 at byte 2\."):
        read_trees(saved(tmp_path, "# é".encode("latin-1")))
