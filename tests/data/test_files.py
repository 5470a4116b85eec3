"""A file is written whole or not at all, and in place of none that somebody else wrote."""

from pathlib import Path

import pytest

from bertlab.data import files

LONG = "é" * 4000


@pytest.mark.parametrize("content", [LONG.encode(), "", "é\r\nb\n"])
def test_the_content_is_written_as_it_is_with_the_permissions_that_were_there_or_are_usual(tmp_path, content):
    old, usual, new = tmp_path / "old.txt", tmp_path / "usual.txt", tmp_path / "new.txt"
    old.touch(mode=0o640)
    usual.touch()
    for path in (old, new):
        files.overwrite(path, content)
        assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode == usual.stat().st_mode
    assert set(tmp_path.iterdir()) == {old, usual, new}


@pytest.mark.parametrize(("before", "left"), [("old", "It is as it was"), (None, "There is no such file")])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, full_disk, before, left):
    if before:
        (tmp_path / "a.txt").write_text(before)
    with full_disk(), pytest.raises(OSError, match=rf"a.txt' could not be written: .+\. {left}\."):
        files.overwrite(tmp_path / "a.txt", LONG)
    assert [file.read_text() for file in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_the_disk_says_at_last_and_an_interrupt_leave_the_old_file(tmp_path, monkeypatch, error):
    def stop(*_):
        raise error

    (tmp_path / "old.txt").write_text("old")
    monkeypatch.setattr(files.os, "fsync", stop)
    with pytest.raises(type(error)):
        files.overwrite(tmp_path / "old.txt", "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    link, real = tmp_path / "link.txt", tmp_path / "real.txt"
    real.write_text("old")
    link.symlink_to(real)
    files.overwrite(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    files.overwrite(Path("/dev/null"), "new")
    assert Path("/dev/null").is_char_device()


class TestOutput:
    def test_only_what_is_as_it_was_written_is_replaced(self, tmp_path):
        page, copy = tmp_path / "page.html", tmp_path / "another" / "page.html"
        for text in ("first", "second", "first", "third"):
            files.write(page, text)
            assert page.read_text() == text
        page.write_text("third, and my notes")
        copy.parent.mkdir()
        copy.write_text("third")  # nobody wrote one in this folder
        for mine in (page, copy):
            before = mine.read_text()
            with pytest.raises(FileExistsError, match=r"page.html' is not from this command.*name another place"):
                files.write(mine, "fourth")
            assert mine.read_text() == before

    def test_nothing_is_lost_in_an_empty_file_or_one_of_the_same_content(self, tmp_path):
        (tmp_path / "empty").touch()
        files.write(tmp_path / "empty", "new")
        (tmp_path / "same").write_text("same")
        for text in ("same", "new"):
            files.write(tmp_path / "same", text)
            assert (tmp_path / "same").read_text() == text

    def test_a_file_behind_a_link_is_known_where_it_lies(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real" / "page.html")
        for text in ("first", "second"):
            files.write(tmp_path / "link", text)
        (tmp_path / "real" / "page.html").write_text("mine")
        with pytest.raises(FileExistsError, match="link"):
            files.write(tmp_path / "link", "third")

    def test_after_an_interrupt_the_next_one_goes_on(self, tmp_path, monkeypatch):
        def interrupted(path, content):
            if done:
                real(path, content)
            raise KeyboardInterrupt

        real = files.overwrite
        for done in (False, True):
            with monkeypatch.context() as patched:
                patched.setattr(files, "overwrite", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    files.write(tmp_path / "page.html", f"interrupted, {done}")
            files.write(tmp_path / "page.html", "third")
        assert (tmp_path / "page.html").read_text() == "third"

    def test_a_disk_that_cannot_be_written_is_said_to_be_so(self, tmp_path, monkeypatch):
        def refused(*_, **__):
            raise OSError(30, "Read-only file system", "somewhere")

        for name in ("open", "unlink"):
            monkeypatch.setattr(Path, name, refused)
        for write in (files.write, files.overwrite):
            with pytest.raises(
                OSError, match=r"page.html' could not be written: Read-only file system. There is no such"
            ):
                write(tmp_path / "page.html", "text")
