"""A file is written whole or not at all."""

from pathlib import Path

import pytest

from bertlab.data import files

LONG = "é" * 4000


def only(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("content", [LONG, LONG.encode(), "", "a\r\nb\n"])
@pytest.mark.parametrize("before", [None, b"old"])
def test_the_content_is_written_as_it_is(tmp_path, content, before):
    path = tmp_path / "a file.txt"
    if before:
        path.write_bytes(before)
    files.check(path)
    assert path.exists() is bool(before)
    files.write(path, content)
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert only(tmp_path) == [path.name]


@pytest.mark.parametrize(("before", "left"), [("old", "It is as it was"), (None, "There is no such file")])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, full_disk, before, left):
    path = tmp_path / "a.txt"
    if before:
        path.write_text(before, encoding="utf-8")
    with full_disk(), pytest.raises(OSError, match=rf"a.txt' could not be written: .+\. {left}\."):
        files.write(path, LONG)
    assert [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", [(files.os, "fsync"), (files.Path, "replace")])
def test_what_the_disk_says_at_last_and_an_interrupt_leave_the_old_file(tmp_path, monkeypatch, error, step):
    def stop(*_):
        raise error

    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(*step, stop)
    with pytest.raises(type(error)):
        files.write(tmp_path / "old.txt", "new")
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"
    assert only(tmp_path) == ["old.txt"]


def test_permissions_stay_and_those_of_a_new_file_are_the_usual_ones(tmp_path):
    old, usual = tmp_path / "old.txt", tmp_path / "usual.txt"
    old.touch(mode=0o640)
    usual.touch()
    for path in (old, tmp_path / "new.txt"):
        files.write(path, "new")
    assert old.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "new.txt").stat().st_mode == usual.stat().st_mode


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "real.txt")
    files.write(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "real.txt").read_text(encoding="utf-8") == "new"
    files.write(Path("/dev/null"), "new")
    assert Path("/dev/null").is_char_device()


def test_what_cannot_be_written_is_said_by_the_system_before_the_work_and_after_it(tmp_path, unwritable, monkeypatch):
    for path in (tmp_path, tmp_path / "none" / "a.csv", unwritable / "a.csv"):
        for refuse in (files.check, lambda path: files.write(path, "new")):
            with pytest.raises(OSError, match=str(path.parent)):
                refuse(path)
    opened = Path.open
    (tmp_path / "a.csv").write_text("old", encoding="utf-8")

    def protected(path, mode="r", **options):  # root may write them all
        if path == tmp_path / "a.csv":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, mode, **options)

    monkeypatch.setattr(Path, "open", protected)
    for refuse in (files.check, lambda path: files.write(path, "new")):
        with pytest.raises(OSError, match="Permission denied"):
            refuse(tmp_path / "a.csv")
    monkeypatch.undo()
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "old"
    assert only(tmp_path) == ["a.csv"]
