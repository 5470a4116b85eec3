"""Files that are written whole or not at all: a full disk or an interrupt leaves what was there before."""

import os
import secrets
import shutil
from pathlib import Path


def write(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all; a text as UTF-8. A link stays a link, permissions stay as they were."""
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
        left = "It is as it was." if path.exists() else "There is no such file."
        raise OSError(f"{str(path)!r} could not be written: {error.strerror}. {left}") from error
    finally:
        beside.unlink(missing_ok=True)
