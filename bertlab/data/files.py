"""Write files whole or not at all, and a command's output over no file that is there."""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path


def write(path: Path, content: str | bytes) -> None:
    """Write a command's output, but over no file with other content (`FileExistsError`), which may be the user's."""
    encoded = content.encode() if isinstance(content, str) else content
    refuse_other(path, encoded)
    overwrite(path, encoded)


def refuse_other(path: Path, content: bytes = b"") -> None:
    """Raise `FileExistsError` if the path is a file with other content, and not an empty one."""
    if path.is_file() and path.read_bytes() not in (b"", content):
        raise FileExistsError(
            f"{str(path)!r} is there already, and was left as it is. Rename or remove it, or name another place to "
            "write to."
        )


def overwrite(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, text as UTF-8, whatever was there; links and permissions stay."""
    encoded = content.encode() if isinstance(content, str) else content
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
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
    except OSError as error:
        state = "It is as it was." if path.exists() else "There is no such file."
        raise OSError(f"{str(path)!r} could not be written: {error.strerror}. {state}") from error
    finally:
        with suppress(OSError):  # a disk that cannot be written says so here too
            beside.unlink(missing_ok=True)
