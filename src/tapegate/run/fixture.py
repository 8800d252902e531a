"""A stream fixture: a file of the project, put to a function or read as what the agent answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tapegate.errors import LoadError
from tapegate.load.folder import Folder
from tapegate.load.shelf import Shelf
from tapegate.model.task import Task
from tapegate.model.trace import Ending, Event, Turn, Violation
from tapegate.run.question import Hearing
from tapegate.run.splits import Cuts, cuts, pieces
from tapegate.subject.heard import Heard
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance

SIZE = 10_000_000
"""Bytes that a stream fixture may have."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """The stream of one task."""

    file: str
    """From the project's root."""
    data: bytes = field(repr=False)

    @property
    def sha256(self) -> str:
        """Of its bytes."""
        return sha256(self.data).hexdigest()


def fixture_of(project: Path, task: Task) -> Fixture:
    """The stream that a task names. Raises LoadError where there is none that can be used."""
    name = task.setup.stream
    assert name is not None  # load/modes sees to it
    folder = Folder.of(project, (project / task.source.file).parents[1])
    try:
        path = Shelf.fixtures(folder).file(name)
        with path.open("rb") as handle:
            data = handle.read(SIZE + 1)
    except (KeyError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no file"
        raise _refused(task, f"{name!r} cannot be read: {said}") from None
    if len(data) > SIZE:
        raise _refused(task, f"{path.name!r} has more than {SIZE:,} bytes")
    return Fixture(folder.named(path), data)


def as_answered(stream: bytes, task: Task) -> Hearing:
    """The stream as what a subject answered, whole and then once for each cut."""
    planned: list[Cuts] = [()]
    if task.setup.chunking == "all_splits":
        planned += cuts(stream).tried
    how = Ending("completed") if stream else Ending("empty_output", "the stream is empty")
    return Hearing(tuple(_heard(pieces(stream, cut), how) for cut in planned), tuple(planned))


def nothing_recorded(key: str, trial: int, dialect: str) -> Cassette:
    """The recording of a trial that needs none: a function that calls a service after all misses."""
    nobody = Provenance("none", "1970-01-01T00:00:00Z", "none", "none", "none", "scripted", "nothing is recorded")
    return Cassette(key, trial, nobody, AgentStream(dialect, b"", Chunks(0, (), (), 0)), ())


def refuse_unreadable(task: Task, fixture: Fixture, found: Iterable[Event | Turn]) -> None:
    """Raises LoadError where the fixture holds a line that no reader takes."""
    for event in found:
        if isinstance(event, Violation) and event.code == "line_limit":
            raise LoadError.of(
                event.code,
                f"the stream fixture cannot be read: {event.message}",
                file=fixture.file,
                fix=f"break the line where the dialect allows it; {task.key} cannot be judged by it",
            )


def _heard(parts: Sequence[bytes], how: Ending) -> Heard:
    parts = [part for part in parts if part]
    return Heard(tuple(parts), (0,) * len(parts), 0, 0, how)


def _refused(task: Task, why: str) -> LoadError:
    return LoadError.of(
        "bad_fixture",
        f"the stream fixture {why}",
        file=task.source.file,
        line=task.source.line("setup", "stream"),
        fix="name a file of evals/fixtures",
    )
