"""All recordings of a project, listed and held against their pins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.folder import Folder
from tapegate.tape.place import Place
from tapegate.tape.store import write
from tapegate.tape.verify import entries, inspect, verify

FOLDER = "cassettes/chat/RET-01@A1"


@pytest.fixture
def recorded(project: Path, example: Cassette) -> Path:
    """Three recordings of two tasks in two suites."""
    write(project, "chat", [example, replace(example, trial=2)])
    write(project, "agent", [replace(example, key="AGT-08@A1", trial=10)])
    return project


def edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Changes a file behind Tapegate's back."""
    path.write_bytes(change(path.read_bytes()))


def codes(project: Path) -> list[str]:
    """What is wrong, as file and code."""
    return [f"{problem.file}: {problem.code}" for problem in verify(project)]


def test_recordings_are_listed_in_order(recorded: Path) -> None:
    """By suite, key and number of the trial, each with its pin."""
    found = entries(recorded)
    assert [(one.suite, one.key, one.trial, one.present) for one in found] == [
        ("agent", "AGT-08@A1", 10, True),
        ("chat", "RET-01@A1", 1, True),
        ("chat", "RET-01@A1", 2, True),
    ]
    assert found[1].file == f"{FOLDER}/trial-1.yaml"
    assert found[1].pin is not None
    assert found[1].pin.interactions == 2


def test_what_is_missing_or_not_pinned_is_listed_too(recorded: Path, example: Cassette) -> None:
    """A list that hides what is wrong would be worth little."""
    (recorded / FOLDER / "trial-1.yaml").unlink()
    (recorded / FOLDER / "trial-3.yaml").write_bytes(emit(replace(example, trial=3)))
    assert [(one.trial, one.present, one.pin is not None) for one in entries(recorded)[1:]] == [
        (1, False, True),
        (2, True, True),
        (3, True, False),
    ]


def test_a_project_without_recordings_has_none(project: Path) -> None:
    """No folder, no entry, no problem."""
    assert entries(project) == []
    assert verify(project) == []


def test_good_recordings_have_no_problem(recorded: Path) -> None:
    """Nothing to say."""
    assert verify(recorded) == []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda folder: (folder / "trial-1.yaml").unlink(), ["trial-1.yaml: missing"]),
        (lambda folder: (folder / "pins.json").unlink(), ["trial-1.yaml: unpinned", "trial-2.yaml: unpinned"]),
        (lambda folder: edit(folder / "pins.json", lambda raw: b"{"), ["pins.json: pins_corrupt"]),
        (lambda folder: edit(folder / "pins.json", lambda raw: raw + b"\n"), ["pins.json: pins_disagree"]),
        (
            lambda folder: edit(folder / "pins.json", lambda raw: raw.replace(b"scripted-1-2026", b"gpt-9", 1)),
            ["pins.json: pins_disagree"],
        ),
        (
            lambda folder: edit(folder / "trial-1.yaml", lambda raw: raw[:-5]),
            ["trial-1.yaml: hash_mismatch", "trial-1.yaml: cassette_corrupt"],
        ),
        (lambda folder: (folder / "notes.txt").write_text("x"), ["notes.txt: stray_file"]),
        (lambda folder: (folder / "trial-01.yaml").write_text("x"), ["trial-01.yaml: stray_file"]),
        (lambda folder: (folder / ".trial-1.yaml-0123456789abcdef").write_text("x"), [": unfinished_write"]),
    ],
)
def test_each_kind_of_damage_is_found(damage: Callable[[Path], None], expected: list[str], recorded: Path) -> None:
    """And nothing else is said."""
    damage(recorded / FOLDER)
    assert codes(recorded) == [f"{FOLDER}/{name}".replace("/:", ":") for name in expected]


def test_a_pin_that_does_not_follow_names_its_fields(recorded: Path) -> None:
    """A forged model or commit in the pins is found although the hash is right."""
    edit(recorded / FOLDER / "pins.json", lambda raw: raw.replace(b"scripted-1-2026", b"gpt-9", 1))
    (problem,) = verify(recorded)
    assert problem.message == "models of trial-1.yaml do not follow from the cassette"
    assert problem.fix == "derive them again: `tapegate cassette pin RET-01@A1`"


def test_a_folder_that_is_no_key_is_refused(recorded: Path) -> None:
    """A name that no task can have is an error, not skipped."""
    (recorded / "cassettes" / "chat" / "notes").mkdir()
    for check in (entries, verify):
        with pytest.raises(CassetteError, match="path_escape: the key 'notes' cannot name a folder"):
            check(recorded)


def test_each_recording_is_read_once(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of recordings are verified and searched in one pass: their bytes come off the disk a single time."""
    asked: list[str] = []
    plain = Folder.read

    def counted(folder: Folder, name: str, limit: int) -> bytes | None:
        asked.append(f"{folder.place.key}/{name}")
        return plain(folder, name, limit)

    monkeypatch.setattr(Folder, "read", counted)
    found = inspect(Place(recorded, "chat", "RET-01@A1"))
    assert [each.cassette.trial for each in found.loaded] == [1, 2]
    assert (found.problems, found.untrusted) == ((), ())
    assert [asked.count(f"RET-01@A1/trial-{trial}.yaml") for trial in (1, 2)] == [1, 1]


def test_what_cannot_be_trusted_is_named(recorded: Path) -> None:
    """A file that its pin does not vouch for is told apart from those beside it, so that it is searched as bytes."""
    edit(recorded / FOLDER / "trial-2.yaml", lambda raw: raw + b"\n")
    found = inspect(Place(recorded, "chat", "RET-01@A1"))
    assert [each.cassette.trial for each in found.loaded] == [1]
    assert found.untrusted == ("trial-2.yaml",)
    assert [problem.code for problem in found.problems] == ["hash_mismatch"]
