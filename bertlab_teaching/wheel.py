"""What hatchling adds to the wheel: the lessons' slides, quiz and solutions, and a picture."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A notebook's name has one dot; the names of its slides, quiz and solutions have two.
BESIDE = ("live/learning", "notebooks/*.*.*", "pictures/page-light.png")


class Hook(BuildHookInterface):
    """Put them into the package, under the paths that they have in the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each file or folder."""
        if version == "editable":  # a clone that is installed as it is needs no copies
            return
        root = Path(self.root).parent
        for path in (path for pattern in BESIDE for path in root.glob(pattern)):
            build_data["force_include"][str(path)] = path.relative_to(root).as_posix()
