"""Recordings are written all or none: whatever fails, and wherever the process dies."""

from __future__ import annotations

import errno
import os
import random
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import CassetteError, Stale, Unavailable
from tapegate.tape.cassette import Cassette
from tapegate.tape.store import load, repin, write
from tapegate.tape.verify import verify

KEY = "RET-01@A1"
CALLS = ("open", "write", "fsync", "replace", "unlink", "mkdir")


class Died(BaseException):
    """The process is gone."""


def generation(example: Cassette, name: str, trials: int) -> list[Cassette]:
    """A recording of several trials that carries its name."""
    return [
        replace(example, trial=n, provenance=replace(example.provenance, machine=name)) for n in range(1, trials + 1)
    ]


def found(project: Path) -> list[str]:
    """The generation that each trial replays, `-` for none. Raises where a cassette and its pin disagree."""
    names = []
    for trial in (1, 2, 3):
        try:
            names.append(load(project, "chat", KEY, trial).cassette.provenance.machine)
        except Stale:
            names.append("-")
        except CassetteError as error:
            # A trial that the new recording no longer has, not removed yet.
            if error.problems[0].code != "unpinned":
                raise
            names.append("-")
    return names


@contextmanager
def failing(at: int, action: Callable[[Callable[..., Any], Any], Any]) -> Iterator[list[str]]:
    """The `at`-th call that changes or syncs the disk goes to `action` instead; says which calls were made."""
    made: list[str] = []
    real = {name: getattr(os, name) for name in CALLS}

    def wrap(name: str) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            made.append(name)
            if len(made) - 1 == at:
                return action(lambda: real[name](*args, **more), name)
            if len(made) - 1 > at and action is die:
                raise Died  # nothing happens after death
            return real[name](*args, **more)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, wrap(name))
        yield made


def fail(call: Callable[[], Any], name: str) -> Any:
    """The disk is broken."""
    raise OSError(errno.EIO, "Input/output error")


def fail_after(call: Callable[[], Any], name: str) -> Any:
    """The disk did it, and says that it did not."""
    with suppress(OSError):
        call()
    raise OSError(errno.EIO, "Input/output error")


def die(call: Callable[[], Any], name: str) -> Any:
    """The process dies before the call."""
    raise Died


def steps(project: Path, recording: list[Cassette]) -> int:
    """How many calls a write makes that can fail."""
    with failing(-1, fail) as made:
        write(project, "chat", recording, replace=True)
    return len(made)


OLD, NEW = ["old", "old", "old"], ["new", "new", "-"]


@pytest.mark.parametrize("action", [fail, fail_after, die])
def test_a_write_that_stops_anywhere_leaves_the_old_or_the_new(
    action: Callable[..., Any], tmp_path: Path, example: Cassette
) -> None:
    """Fail each call in turn: afterwards all trials are of one recording, pins agree, and the next writer tidies up."""
    old, new = generation(example, "old", 3), generation(example, "new", 2)
    counting = tmp_path / "counting"
    counting.mkdir()
    write(counting, "chat", old)
    total = steps(counting, new)
    assert total > 20
    seen = set()
    for at in range(total):
        project = tmp_path / f"{action.__name__}-{at}"
        project.mkdir()
        write(project, "chat", old)
        with failing(at, action), pytest.raises((Unavailable, CassetteError, Died)) as caught:
            write(project, "chat", new, replace=True)
        state = found(project)
        assert state in (OLD, NEW), f"call {at}"
        if isinstance(caught.value, Unavailable):
            says_new = "the new recordings hold" in str(caught.value)
            assert says_new == (state == NEW), f"call {at}"
        assert {problem.code for problem in verify(project)} <= {"unfinished_write", "unpinned"}
        repin(project, "chat", KEY)
        assert found(project) == state
        assert verify(project) == []
        seen.add(tuple(state))
    assert seen == {tuple(OLD), tuple(NEW)}


def test_a_first_recording_that_stops_anywhere_leaves_all_or_nothing(tmp_path: Path, example: Cassette) -> None:
    """Where nothing was, a death leaves nothing that counts, or everything."""
    new = generation(example, "new", 2)
    counting = tmp_path / "counting"
    counting.mkdir()
    for at in range(steps(counting, new)):
        project = tmp_path / f"first-{at}"
        project.mkdir()
        with failing(at, die), pytest.raises(Died):
            write(project, "chat", new)
        assert found(project) in (["-", "-", "-"], NEW)
        write(project, "chat", new)
        assert found(project) == NEW
        assert verify(project) == []


def test_a_repair_that_stops_anywhere_can_be_repeated(tmp_path: Path, example: Cassette) -> None:
    """Death during the completion of a write that counts: the state stays, and the next repair ends it."""
    old, new = generation(example, "old", 3), generation(example, "new", 2)

    def broken(name: str, at: int) -> Path:
        project = tmp_path / name
        project.mkdir()
        write(project, "chat", old)
        with failing(at, die), pytest.raises(Died):
            write(project, "chat", new, replace=True)
        return project

    point = next(at for at in range(1000) if found(broken(f"point-{at}", at)) == NEW)
    counting = broken("counting", point)
    with failing(-1, fail) as made:
        repin(counting, "chat", KEY)
    for at in range(len(made)):
        project = broken(f"repair-{at}", point)
        with failing(at, die), pytest.raises(Died):
            repin(project, "chat", KEY)
        assert found(project) == NEW
        repin(project, "chat", KEY)
        assert found(project) == NEW
        assert verify(project) == []


def test_a_journal_counts_only_after_the_pins_it_follows(project: Path, example: Cassette) -> None:
    """A checkout of other pins after a crash: the unfinished write is not theirs, and nobody reads it."""
    write(project, "chat", generation(example, "old", 1))
    folder = project / "cassettes" / "chat" / KEY
    committed = {path: path.read_bytes() for path in folder.iterdir()}
    at = 0
    while found(project) != ["new", "-", "-"]:
        with failing(at, die), pytest.raises(Died):
            write(project, "chat", generation(example, "new", 1))
        at += 1
    assert any(path.name.startswith(".pins-after-") for path in folder.iterdir())
    other = generation(example, "other", 1)
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere, "chat", other)
    for path in committed:
        path.write_bytes((elsewhere / path.relative_to(project)).read_bytes())
    assert found(project) == ["other", "-", "-"]
    repin(project, "chat", KEY)
    assert found(project) == ["other", "-", "-"]


def test_a_kill_at_any_moment_leaves_the_old_or_the_new(project: Path, example: Cassette) -> None:
    """PRO-01: SIGKILL while two recordings are written in turn, twenty times at random moments."""
    chance = random.Random(7)
    recordings = [generation(example, "old", 3), generation(example, "new", 2)]
    write(project, "chat", recordings[0])
    for _ in range(20):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(reading)
                while True:
                    for recording in reversed(recordings):
                        write(project, "chat", recording, replace=True)
                        os.write(writing, b".")
            finally:
                os._exit(1)
        os.close(writing)
        assert os.read(reading, 1) == b"."
        select.select([], [], [], chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        os.close(reading)
        assert found(project) in (OLD, NEW)
        assert {problem.code for problem in verify(project)} <= {"unfinished_write", "unpinned"}
    repin(project, "chat", KEY)
    assert verify(project) == []


def test_writing_in_place_would_be_found(project: Path, example: Cassette, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check turns red for a writer that overwrites its files, as most do."""

    def in_place(folder: Any, cassettes: Any, pins: Any) -> None:
        from tapegate.tape.pins import to_bytes

        for name, raw in {**cassettes, "pins.json": to_bytes(pins)}.items():
            descriptor = os.open(folder.place.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.write(descriptor, raw)
            os.close(descriptor)

    monkeypatch.setattr("tapegate.tape.store.commit", in_place)
    old, new = generation(example, "old", 3), generation(example, "new", 2)
    write(project, "chat", old)
    torn = 0
    for at in range(steps(project, new)):
        write(project, "chat", old)
        with failing(at, die), pytest.raises(Died):
            write(project, "chat", new)
        try:
            torn += found(project) not in (OLD, NEW)
        except (CassetteError, AssertionError):
            torn += 1
    assert torn
