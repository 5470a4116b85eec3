"""Every sentence that the code can say to a reader, in each of its branches, for reading aloud: SENTENCES.md.

A module of this folder has the sentences of a room: `said` returns them, each under the branch that it belongs to.
`python -m sentences`, from tests/, writes the file anew after a sentence was changed.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

FILE = Path(__file__).parent / "SENTENCES.md"


def all_said() -> str:
    """Return the file as the code writes it today."""
    parts = ["# What the lessons can say\n\nWritten by `python -m sentences`; read it aloud.\n"]
    for room in sorted(module.name for module in iter_modules(__path__) if module.name != "__main__"):
        parts.append(f"\n## {room}\n\n")
        for branch, sentence in import_module(f"sentences.{room}").said():
            parts.append(f"- *{branch}*: {' '.join(sentence.split())}\n")
    return "".join(parts)
