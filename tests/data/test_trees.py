"""The shipped trees are sound Universal Dependencies, and are read as they stand."""

from bertlab.data.trees import OUR_TREES, read_trees


def test_the_shipped_sentences_are_trees_of_ten_columns_and_are_read_as_they_stand():
    trees, blocks = read_trees(), OUR_TREES.read_text("utf-8").strip().split("\n\n")
    assert len({tree.text for tree in trees}) == len(blocks) >= 48
    for tree, block in zip(trees, blocks, strict=True):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        assert {len(row) for row in rows} == {10}
        assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
        assert [row[6] for row in rows if row[7] == "root"] == [row[6] for row in rows if row[6] == "0"] == ["0"]
        for row in rows:
            steps = 0
            while row[6] != "0":  # from governor to governor, up to the root
                row, steps = rows[int(row[6]) - 1], steps + 1
                assert steps < len(rows), tree.text
        joined = "".join(row[1] + " " * ("SpaceAfter=No" not in row[9]) for row in rows)
        assert f"# text = {tree.text}" in block.split("\n")
        assert tree.text == joined.rstrip()
        assert list(tree.words) == [row[1] for row in rows]
        assert list(tree.spans) == sorted(set(tree.spans)), "each further on, also where a word stands twice"
        assert [tree.text[start:end] for start, end in tree.spans] == [row[1] for row in rows]
        assert [0 if governor is None else governor + 1 for governor in tree.governors] == [int(row[6]) for row in rows]
        assert [*zip(tree.classes, tree.relations, strict=True)] == [(row[3], row[7]) for row in rows]
