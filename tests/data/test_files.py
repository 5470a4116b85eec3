"""A file is written whole or not at all, and what could not be written is said before the work for it."""

import os

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
    files.write(path, content)
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert only(tmp_path) == [path.name]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, full_disk):
    path = tmp_path / "old.txt"
    path.write_text("old", encoding="utf-8")
    with full_disk(), pytest.raises(OSError, match=r"old.txt' could not be written: .+\. It is as it was; see to that"):
        files.write(path, LONG)
    assert path.read_text(encoding="utf-8") == "old"
    assert only(tmp_path) == ["old.txt"]


def test_a_full_disk_leaves_no_half_of_a_new_file(tmp_path, full_disk):
    with full_disk(), pytest.raises(OSError, match=r"new.txt' could not be written: .+\. There is no such file; see"):
        files.write(tmp_path / "new.txt", LONG)
    assert only(tmp_path) == []


def test_what_the_disk_says_at_last_counts_too(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        files.write(tmp_path / "old.txt", "new")
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(files.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write(tmp_path / "old.txt", "new")
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"
    assert only(tmp_path) == ["old.txt"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_permissions_stay(tmp_path, mode):
    path = tmp_path / "old.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(mode)
    files.write(path, "new")
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "any.txt").touch()
    files.write(tmp_path / "new.txt", "new")
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "any.txt").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "real.txt")
    files.write(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "real.txt").read_text(encoding="utf-8") == "new"


class TestCheck:
    def test_what_can_be_written_is_left_alone(self, tmp_path):
        (tmp_path / "old.txt").write_text("old", encoding="utf-8")
        files.check(tmp_path / "old.txt")
        files.check(tmp_path / "new.txt")
        assert only(tmp_path) == ["old.txt"]

    def test_a_missing_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"no folder '.+none' to write a.csv into\. Make it first"):
            files.check(tmp_path / "none" / "a.csv")

    def test_a_folder(self, tmp_path):
        with pytest.raises(IsADirectoryError, match=r"is a folder\. Name a file"):
            files.check(tmp_path)

    def test_a_link_to_nothing(self, tmp_path):
        (tmp_path / "a.csv").symlink_to(tmp_path / "gone.csv")
        for refuse in (files.check, lambda path: files.write(path, "new")):
            with pytest.raises(
                FileNotFoundError, match=r"a.csv' is a link to '.+gone.csv', which does not exist\. Del"
            ):
                refuse(tmp_path / "a.csv")
        assert not (tmp_path / "gone.csv").exists()

    def test_a_folder_that_cannot_be_written(self, unwritable):
        with pytest.raises(
            OSError, match=rf"Nothing can be written into the folder '{unwritable}': .+\. Name a folder"
        ):
            files.check(unwritable / "a.csv")

    def test_a_write_protected_file(self, tmp_path, monkeypatch):
        (tmp_path / "a.csv").write_text("old", encoding="utf-8")
        monkeypatch.setattr(files.os, "access", lambda path, mode: mode != os.W_OK)  # root may write them all
        with pytest.raises(PermissionError, match=r"a.csv' is write-protected\. Allow"):
            files.check(tmp_path / "a.csv")
