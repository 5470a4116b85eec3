"""Write the files of commands whole or not at all, and never over a file of the user's.

A command keeps a list of checksums of what it wrote. A file that is not in the list, or was changed since, is the
user's.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

WRITTEN = ".bertlab-written"
ABOUT = "# SHA-256 of each file that bertlab wrote here. It replaces no other file, and none that was changed since.\n"


def write(path: Path, content: str | bytes, home: Path | None = None) -> None:
    """Write a command's output, but over no file of the user's (`FileExistsError`); `home` has the checksums."""
    encoded = content.encode() if isinstance(content, str) else content
    refuse_foreign(path, encoded, home)
    target = path.resolve()
    if target.is_file() or not target.exists():  # a device replaces nothing
        written, checksum = (home or target.parent) / WRITTEN, _checksum(encoded)
        known = written.read_text("utf-8") if written.is_file() else ""
        if checksum not in known:  # noted first: an interrupt in between leaves a file that is known
            with _explained(path), written.open("a", encoding="utf-8") as file:
                file.write(f"{'' if known else ABOUT}{checksum}\n")
    overwrite(path, encoded)


def refuse_foreign(path: Path, content: bytes = b"", home: Path | None = None) -> None:
    """Raise `FileExistsError` if the path is a file of the user's with other content."""
    target = path.resolve()
    before = target.read_bytes() if target.is_file() else b""
    if before in (b"", content):
        return
    written = (home or target.parent) / WRITTEN
    if not written.is_file() or _checksum(before) not in written.read_text("utf-8"):
        raise FileExistsError(
            f"{str(path)!r} is not from this command, or was changed since, so it was left as it is. Rename it, or "
            "name another place to write to."
        )


def overwrite(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, text as UTF-8, whatever was there; links and permissions stay."""
    encoded = content.encode() if isinstance(content, str) else content
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with _explained(path):
            if target.exists() and not target.is_file():  # a folder, which is refused, or a device, which stays one
                target.write_bytes(encoded)
                return
            with beside.open("xb") as file:
                file.write(encoded)
                file.flush()
                os.fsync(file.fileno())  # some disks say only now that they are full
            if target.exists():
                target.open("r+b").close()  # the folder alone would let a write-protected file be replaced
                shutil.copymode(target, beside)
            beside.replace(target)
    finally:
        with suppress(OSError):  # a disk that cannot be written says so here too
            beside.unlink(missing_ok=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Add the file's name and its present state to the message of an `OSError`."""
    try:
        yield
    except OSError as error:
        state = "It is as it was." if path.exists() else "There is no such file."
        raise OSError(f"{str(path)!r} could not be written: {error.strerror}. {state}") from error


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
