"""What the checks look at: a project's evals and recordings, each read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tapegate.errors import TapegateError
from tapegate.load.suite import Survey
from tapegate.model.config import Config
from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.standard.change import Change
from tapegate.standard.files import files_of
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT
from tapegate.tape.pins import Pins
from tapegate.tape.place import Place
from tapegate.tape.scan import scan, scan_bytes
from tapegate.tape.verify import Inspected, inspect, places


@dataclass(frozen=True, slots=True)
class Recordings:
    """The recordings of one task."""

    place: Place
    pins: Pins | None
    """None where there are none."""
    known: bool
    """Whether the pins could be read, or are not there."""
    problems: tuple[Problem, ...]
    """All that is wrong with the files and their pins."""
    secrets: tuple[Problem, ...]
    """Credentials that they hold."""


@dataclass(frozen=True)
class Ground:
    """One project."""

    survey: Survey
    change: Change | None = None
    """What differs from a base; None where none was named."""

    @property
    def config(self) -> Config:
        """The config, for checks that are made of sound input only."""
        assert self.survey.config is not None
        return self.survey.config

    def at(self, code: str, message: str, *path: str | int, fix: str) -> Problem:
        """A problem at a path of the config."""
        source = self.survey.source
        return Problem(code, message, source.file, source.line(*path), fix=fix)

    @cached_property
    def tasks_of(self) -> Mapping[str, Sequence[Task]]:
        """The tasks of each path of the scope table that has any, by path id."""
        found: dict[str, list[Task]] = defaultdict(list)
        for task in self.survey.tasks:
            found[task.path_id].append(task)
        return found

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file of the project, by its path from the root."""
        return files_of(self.survey.project)

    @cached_property
    def recordings(self) -> Mapping[tuple[str, str], Recordings]:
        """By suite and key; none where the names of their folders cannot be trusted, which `unlisted` tells."""
        found = (_read(inspect(place)) for place in self._places)
        return {(each.place.suite, each.place.key): each for each in found}

    def recorded(self, task: Task) -> frozenset[str] | None:
        """The names of the recordings of a task, as its pins list them; None where nobody can say, which other
        findings tell."""
        found = self.recordings.get((task.suite, task.key))
        if self.unlisted or (found is not None and not found.known):
            return None
        return frozenset(found.pins.cassettes if found is not None and found.pins is not None else ())

    @cached_property
    def unlisted(self) -> tuple[Problem, ...]:
        """Why the recordings cannot even be listed."""
        try:
            places(self.survey.project)
        except TapegateError as error:
            return error.problems
        return ()

    @cached_property
    def _places(self) -> tuple[Place, ...]:
        return () if self.unlisted else tuple(places(self.survey.project))


def _read(found: Inspected) -> Recordings:
    # The cassettes are dropped at once: those of a large project do not fit into memory together.
    return Recordings(found.place, found.pins, found.known, found.problems, tuple(_secrets(found)))


def _secrets(found: Inspected) -> Iterator[Problem]:
    for loaded in found.loaded:
        yield from (replace(problem, file=loaded.file) for problem in scan(loaded.cassette))
    # Told as untrusted or loose; their bytes may hold a secret all the same.
    for name in found.untrusted:
        try:
            with Folder(found.place) as folder:
                raw = folder.read(name, DEFAULT.file_bytes)
        except TapegateError:
            continue
        yield from (replace(problem, file=found.place.shown(name)) for problem in scan_bytes(raw or b""))
