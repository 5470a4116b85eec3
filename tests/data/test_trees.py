"""The shipped trees are sound Universal Dependencies, and are read as they stand."""

import pytest

from bertlab.data.trees import OUR_TREES, read_trees


@pytest.fixture(scope="module")
def sentences():
    """Return the shipped sentences, read by plain splitting: comments, and rows of ten columns."""
    blocks = OUR_TREES.read_text("utf-8").strip().split("\n\n")
    return [
        (
            dict(line[2:].split(" = ", 1) for line in block.split("\n") if line.startswith("# ")),
            [line.split("\t") for line in block.split("\n") if not line.startswith("#")],
        )
        for block in blocks
    ]


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
        assert len({tree.text for tree in trees}) == len(sentences) >= 48
        for tree, (comments, rows) in zip(trees, sentences, strict=True):
            joined = "".join(row[1] + " " * ("SpaceAfter=No" not in row[9]) for row in rows)
            assert tree.text == comments["text"] == joined.rstrip()
            assert list(tree.words) == [row[1] for row in rows]
            assert list(tree.spans) == sorted(set(tree.spans)), "each further on, also where a word stands twice"
            assert [tree.text[start:end] for start, end in tree.spans] == [row[1] for row in rows]
            assert [0 if governor is None else governor + 1 for governor in tree.governors] == [
                int(row[6]) for row in rows
            ]
            assert [*zip(tree.classes, tree.relations, strict=True)] == [(row[3], row[7]) for row in rows]
