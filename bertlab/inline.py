"""A view of the live page in a cell's output: the sentence, to be changed, and what BERT makes of it.

The output is a frame with the file live.html beside the notebook. It looks for no file, so it is the same everywhere:
where no frame runs (VS Code, GitHub, paper), the link below it is there.
"""

import html
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from bertlab.arguments import guarded

# What may stand in the address of each view beside its sentence, and how high it is: pixels, in a cell 800 wide.
VIEWS: dict[str, tuple[set[str], int]] = {
    "hide": ({"hide"}, 530),
    "pieces": (set(), 300),
    "heads": ({"layer", "head", "token"}, 620),
    "head": ({"layer", "head", "token", "at", "step"}, 830),
    "vectors": (set(), 560),
    "second": ({"other"}, 540),
    "proofread": (set(), 460),
    "learning": ({"steps"}, 720),
    "swap": ({"other", "words"}, 1000),
    "knobs": ({"knobs"}, 740),
}
EVERYWHERE = {"text", "seed"}


@dataclass(frozen=True)
class Live:
    """A view of the live page. A notebook shows it if it is the last line of a cell."""

    view: str
    what: dict[str, str | int]  # what else stands in the address, by name

    @property
    def address(self) -> str:
        """Where the whole page shows the same."""
        return "live.html#" + urlencode({"view": self.view} | self.what, quote_via=quote)

    def __repr__(self) -> str:
        """Return what stands where no HTML is shown."""
        return f"A view of the live page: {self.address}"

    def _repr_html_(self) -> str:
        address = html.escape(self.address)
        title = html.escape(f"The live page, {self.view}: {self.what.get('text', '')}")
        return (
            f'<div><iframe class="live" src="{address}&amp;inline" title="{title}" '
            f'style="width:100%;max-width:920px;height:{VIEWS[self.view][1]}px;border:0"></iframe>\n'
            f'<p><a href="{address}" target="_blank">Open the whole page</a></p></div>'
        )


@guarded
def live(view: str, **what: str | int) -> Live:
    """Show one view of the live page: bertlab-mini in the browser, on a sentence that you can change.

    The page is the file ``live.html`` beside the notebook, which ``python -m bertlab copy`` writes.

    Parameters
    ----------
    view : {"hide", "pieces", "heads", "head", "vectors", "second", "proofread", "learning", "swap", "knobs"}
        The view, by its name in the page's address.
    **what : str or int
        What else stands there: the sentence (`text`), a `seed` for an untrained twin, and for some views more, such as
        `layer`, `head` and `token` for "heads".

    Returns
    -------
    Live
        A notebook shows it as the last line of a cell.

    Examples
    --------
    >>> live("heads", text="The cat sat on the mat.", layer=1, head=3)
    A view of the live page: live.html#view=heads&text=The%20cat%20sat%20on%20the%20mat.&layer=1&head=3
    """
    if view not in VIEWS:
        raise ValueError(f"There is no view {view!r}; the views are {', '.join(VIEWS)}.")
    names = EVERYWHERE | VIEWS[view][0]
    for name in what:
        if name not in names:
            raise ValueError(f"The view {view!r} has no {name!r}; it has {', '.join(sorted(names))}.")
    return Live(view, what)
