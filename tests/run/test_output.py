"""Files of a run: old or new, never half."""

from __future__ import annotations

import os
import stat

import pytest

from tapegate.errors import Unavailable
from tapegate.run import output
from tapegate.run.output import write_atomically


@pytest.mark.parametrize("lasting", [True, False])
def test_a_file_is_written_whole_and_can_be_read_by_all(tmp_path, lasting):
    """Folders are made; what stood there is replaced; nothing else is left."""
    path = tmp_path / "out" / "deep" / "results.json"
    for data in (b"one", b"two" * 100_000):
        write_atomically(path, data, lasting=lasting)
        assert path.read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [each.name for each in path.parent.iterdir()] == ["results.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    """A full disk is told as such, with the path; the old file stands, and no draft beside it."""
    path = tmp_path / "results.json"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if step == "fsync" else output.Path, step, fail)
    with pytest.raises(Unavailable, match=r"results.json could not be written: No space left on device") as caught:
        write_atomically(path, b"new")
    assert caught.value.exit_code == 3
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize("place", ["file/results.json", "folder"])
def test_a_place_that_takes_no_file_is_named(tmp_path, place):
    """A file where a folder is needed, or a folder where the file is to stand."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder" / "full").mkdir(parents=True)
    with pytest.raises(Unavailable, match="could not be written"):
        write_atomically(tmp_path / place, b"x")


def test_an_interrupt_leaves_no_draft(tmp_path, monkeypatch):
    """Whatever stops the write."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "results.json", b"x")
    assert list(tmp_path.iterdir()) == []
