"""Outputs that differ a little between machines, compared within a range: the one rule for cells that train a model.

A cell's tag `within-0.03` says how far its numbers may lie from the stored ones: 0.03, and of numbers above one 3 %.
The range is at least what the recorded seeds of that figure differ by. Words have to be equal, and of seconds and
minutes only that they are numbers. As a plugin of pytest (`-p ranges`) this is what nbval compares by, too, of each
cell what is stored of it: nothing of a progress bar.
"""

import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
TIME = re.compile(r" ?(s|seconds?|min|minutes?)\b")


def range_of(cell):
    """Return how far a cell's numbers may lie from the stored ones; None if not at all."""
    tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith("within-")]
    return float(tags[0].removeprefix("within-")) if tags else None


def settled(text, stored, within):
    """Return the stored text if a text is as good as equal to it, and else the text as it is."""
    if words(text) != words(stored):
        return text
    for mine, theirs in zip(NUMBER.finditer(text), NUMBER.finditer(stored), strict=True):
        number, expected = (float(match[0].replace(",", "")) for match in (mine, theirs))
        if not TIME.match(stored[theirs.end() :]) and abs(number - expected) > within * max(1, abs(expected)):
            return text
    return stored


def words(text):
    """Return a text without its numbers, and without the spaces and lines that align them in a table."""
    return re.sub(r"[\s-]+", " ", NUMBER.sub("#", text))


def settle(outputs, stored, within):
    """Put into a cell's outputs the stored texts that theirs are as good as equal to."""
    for mine, theirs in zip(outputs, stored, strict=False):
        if "text" in mine and "text" in theirs:
            mine["text"] = settled(mine["text"], theirs["text"], within)
        for kind in ("text/plain", "text/html"):
            if kind in mine.get("data", {}) and kind in theirs.get("data", {}):
                mine["data"][kind] = settled(mine["data"][kind], theirs["data"][kind], within)


def pytest_configure(config):
    """Let nbval compare a tagged cell's outputs within its range."""
    from nbval.plugin import IPyNbCell

    from bertlab_teaching import running

    compare = IPyNbCell.compare_outputs

    def compare_outputs(self, test, ref, skip_compare=None):
        test = running.settled(test)
        within = range_of(self.cell)
        if within is not None:
            settle(test, ref, within)
        return compare(self, test, ref, skip_compare)

    IPyNbCell.compare_outputs = compare_outputs
