"""What stands on the slides: for each lesson a file ``NN_name.toml`` in this folder, named like its notebook.

A file holds a ``[[sitting]]`` for each deck, with its ``name`` (as in INSTRUCTORS.md) and, if the opening slide shall
not ask the lesson's own question, a ``title``; and in each sitting a ``[[sitting.slide]]`` for each slide:

title
    What the slide claims or asks.
part
    Where a part of the lesson begins, the beginning of its heading (``"Step 2"``). It holds for what follows.
short
    ``false`` leaves the slide out of the short path.
figure
    The cell whose stored output is shown, large: a picture, an interactive view, a table, or what was printed;
    ``{cell = "...", rows = "1-6, 9", columns = ["layer", "weight"]}`` takes some of a table, or, by ``rows``, of the
    printed lines; ``labels = false`` leaves out labels of rows that have no name.
predict
    A cell ``guess = None  # ...``: the slide shows its options. The next slide has the answer.
says
    A cell whose sentence is shown as the model's own: the answer to a prediction, a caption, or a printed line;
    ``{cell = "...", sentences = "2"}`` takes some of its sentences or lines.
points
    A few short sentences.
code
    ``{cell = "...", lines = ["scores =", "alpha ="], highlight = ["alpha ="]}``: the lines to show, by their
    beginnings, and those of them that matter. Without ``lines``, the whole cell; ``comments = false`` leaves out what
    stands behind the code.
caption
    A short one; the whole caption is always in the speaker's notes, and the picture's alternative text.

Notes
-----
    Speaker's notes: the ids of their cells, or a text.

Points, code and what the model says stand on the slide in the order in which they are named, below a figure or beside
it. Typed text may hold `code` and *emphasis*. Nothing in it may go stale: what this model does is taken from a stored
output, by ``figure`` or ``says``.
"""
