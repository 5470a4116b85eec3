"""Files that are written whole or not at all: a full disk or an interrupt leaves what was there before."""

import os
import secrets
import shutil
import tempfile
from pathlib import Path


def check(path: Path) -> None:
    """Refuse a file that could not be written, before anything slow is done for it.

    Parameters
    ----------
    path
        A new file, or one to replace.

    Raises
    ------
    OSError
        If its folder is missing or cannot be written, if it is a folder or write-protected, or a link to nothing.

    Examples
    --------
    >>> check(Path("no such folder") / "table.csv")
    Traceback (most recent call last):
    ...
    FileNotFoundError: There is no folder 'no such folder' to write table.csv into. Make it first, or name another.
    """
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(
            f"{str(path)!r} is a link to {str(path.readlink())!r}, which does not exist. Delete the link, or bring "
            "back what it points to."
        )
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder. Name a file.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(path.parent)!r} to write {path.name} into. Make it first, or name another."
        )
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{str(path)!r} is write-protected. Allow it to be written, or name another file.")
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Refuse a folder that no file can be written into.

    Parameters
    ----------
    folder
        One that exists.

    Raises
    ------
    OSError
        With the system's reason.
    """
    try:
        tempfile.TemporaryFile(dir=folder).close()  # permission bits do not tell of a read-only disk, nor bind root
    except OSError as error:
        raise OSError(
            f"Nothing can be written into the folder {str(folder)!r}: {error.strerror}. Name a folder of your own."
        ) from error


def write(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all.

    The content is written beside the file, under a name that begins with a dot, and takes its place when it is
    complete. A link stays a link; permissions stay as they were.

    Parameters
    ----------
    path
        A new file, or one to replace.
    content
        A text is encoded as UTF-8, its line ends left as they are.

    Raises
    ------
    OSError
        As `check`, and if the content cannot be written (the disk is full, say). What was there before is left as it
        was.
    """
    check(path)
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # some disks say only now that they are full
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError as error:
        was = "It is as it was" if path.exists() else "There is no such file"
        raise OSError(
            f"{str(path)!r} could not be written: {error.strerror}. {was}; see to that and try again."
        ) from error
    finally:
        beside.unlink(missing_ok=True)
