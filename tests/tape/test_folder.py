"""Files are read from the project's own folders only, and only as much of them as is wanted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette
from tapegate.tape.folder import Folder
from tapegate.tape.place import Place
from tapegate.tape.store import load, write

KEY = "RET-01@A1"
FOLDER = f"cassettes/chat/{KEY}"
FILE = f"{FOLDER}/trial-1.yaml"


def refused(project: Path) -> str:
    """The text of an error that exits with 2."""
    with pytest.raises(CassetteError) as caught:
        load(project, "chat", KEY, 1)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize("linked", ["cassettes", "cassettes/chat", FOLDER, FILE, f"{FOLDER}/pins.json"])
def test_a_link_out_of_the_project_is_not_followed(linked: str, recorded: Path, tmp_path: Path) -> None:
    """CAS-23: wherever on the way the symbolic link stands, and though what it leads to is a good recording."""
    outside = tmp_path / "outside"
    (recorded / linked).rename(outside)
    (recorded / linked).symlink_to(outside)
    message = refused(recorded)
    assert "path_escape: " in message
    assert f"is a symbolic link to {str(outside)!r}" in message


def test_a_recording_is_not_written_through_a_link(project: Path, tmp_path: Path, example: Cassette) -> None:
    """A folder that leads out of the project receives nothing."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "cassettes").symlink_to(outside)
    with pytest.raises(CassetteError, match="path_escape"):
        write(project, "chat", [example])
    assert list(outside.rglob("*.yaml")) == []


def test_what_is_no_file_is_not_read(recorded: Path) -> None:
    """A pipe would wait for ever, a folder has no bytes."""
    (recorded / FILE).unlink()
    os.mkfifo(recorded / FILE)
    assert "not_a_file: " in refused(recorded)
    (recorded / FILE).unlink()
    (recorded / FILE).mkdir()
    assert "not_a_file: " in refused(recorded)


def test_a_huge_file_is_refused_before_it_is_read(recorded: Path) -> None:
    """CAS-19: its size alone refuses it; a sparse gigabyte costs nothing."""
    os.truncate(recorded / FILE, 1_000_000_000)
    assert f"{FILE}: size_limit: 1,000,000,000 bytes; at most 10,000,000 are read" in refused(recorded)


def test_a_read_only_folder_replays(recorded: Path, example: Cassette) -> None:
    """PRO-04: reading never writes, not even a lock."""
    before = {path: path.stat().st_mtime_ns for path in (recorded, *recorded.rglob("*"))}
    for path in before:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert load(recorded, "chat", KEY, 1).cassette == example
    finally:
        for path in before:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert {path: path.stat().st_mtime_ns for path in (recorded, *recorded.rglob("*"))} == before


def test_what_cannot_be_opened_is_said(recorded: Path) -> None:
    """A project that is not there, and a file where a folder belongs."""
    with pytest.raises(CassetteError, match=r"unreadable: '.*gone' cannot be read: No such file"):
        load(recorded / "gone", "chat", KEY, 1)
    (recorded / "cassettes").rename(recorded / "old")
    (recorded / "cassettes").write_text("a file")
    assert "not_a_folder: 'cassettes' is a file; expected a folder" in refused(recorded)


def test_a_file_that_grows_while_it_is_read_meets_the_limit(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size is checked again on what was read, whatever the file said of itself."""
    os.truncate(recorded / FILE, 0)
    real, grown = os.read, []

    def growing(descriptor: int, most: int) -> bytes:
        if not grown:
            grown.append(1)
            (recorded / FILE).write_bytes(b"x" * 200)
        return real(descriptor, most)

    monkeypatch.setattr(os, "read", growing)
    with Folder(Place(recorded, "chat", KEY)) as folder, pytest.raises(CassetteError, match="size_limit: 101 bytes"):
        folder.read("trial-1.yaml", 100)
