"""Compare the versions of the packages that are installed with those that bertlab asks for."""

import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version


def packages(extra: str = "") -> dict[str, tuple[str | None, str]]:
    """Return the version of each package that bertlab needs, None if it is missing, and the range that it is not in."""
    from packaging.requirements import Requirement

    try:
        declared = requires("bertlab") or []
    except PackageNotFoundError:  # imported from a folder that was never installed
        declared = ["bertlab"]
    found: dict[str, tuple[str | None, str]] = {}
    for need in sorted(map(Requirement, declared), key=lambda need: need.name):
        if need.marker is None or need.marker.evaluate({"extra": extra}):
            try:
                installed = version(need.name)
            except PackageNotFoundError:
                installed = None
            fits = installed is None or need.specifier.contains(installed, prereleases=True)
            found[need.name] = installed, "" if fits else ",".join(sorted(map(str, need.specifier), reverse=True))
    return found


@cache
def warn() -> None:
    """Warn at the first load of versions with which a lesson may fail, late and in a library's words."""
    wrong = [f"{name} {installed} (wanted {wanted})" for name, (installed, wanted) in packages().items() if wanted]
    if wrong:
        warnings.warn(
            f"The lessons may fail with versions that are installed here, {', '.join(wrong)}: get the wanted ones with "
            "`pip install bertlab` and start Python again.",
            stacklevel=4,
        )
