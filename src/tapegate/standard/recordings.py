"""The recordings of a project, each read, verified and searched once; those of many tasks side by side."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any

from tapegate.errors import TapegateError
from tapegate.model.normaliser import Normaliser
from tapegate.model.problem import Problem
from tapegate.run.cores import cores
from tapegate.stream.generation import generation
from tapegate.tape.folder import Folder
from tapegate.tape.hiding import hiding
from tapegate.tape.lanes import ambiguous
from tapegate.tape.limits import DEFAULT
from tapegate.tape.pins import Pins
from tapegate.tape.place import Place
from tapegate.tape.scan import scan, scan_bytes
from tapegate.tape.verify import Inspected, inspect, places

MANY = 500
"""Tasks from which on processes of their own read: starting one costs what reading a hundred does."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What the requests of one recording ask of models' sampling."""

    file: str
    trial: int
    values: tuple[tuple[str, Any], ...]
    """Each parameter with each value that it has, once."""
    temperate: bool
    """Whether every request sets a temperature."""


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
    ambiguous: tuple[Problem, ...]
    """Equal requests with different answers."""
    hiding: frozenset[int] = frozenset()
    """Which of the project's normalisers take out of its requests what a model is told."""
    sampling: tuple[Sampling, ...] = ()
    """Of each recording in which a model is asked to generate."""

    @classmethod
    def of(cls, place: Place, normalisers: Sequence[Normaliser] = ()) -> Recordings:
        """Read, verify and search. The cassettes are dropped at once: those of a large project do not fit into memory
        together."""
        found = inspect(place)
        secrets, equal = tuple(_secrets(found)), tuple(_ambiguous(found, normalisers))
        hides = frozenset(each for loaded in found.loaded for each in hiding(loaded.cassette, normalisers))
        return cls(place, found.pins, found.known, found.problems, secrets, equal, hides, tuple(_sampling(found)))


class Reader:
    """Reads the recordings of a project; of a large one it begins at once, beside whatever is done meanwhile."""

    def __init__(self, project: Path, normalisers: Sequence[Normaliser] = ()) -> None:
        self.unlisted: tuple[Problem, ...] = ()
        """Why the recordings cannot even be listed."""
        self._of = partial(Recordings.of, normalisers=normalisers)
        self._places: Sequence[Place] = ()
        self._pool: ProcessPoolExecutor | None = None
        self._begun: Iterator[Recordings] | None = None
        try:
            self._places = places(project)
        except TapegateError as error:
            self.unlisted = error.problems
        workers = cores()
        # Elsewhere a process is not forked but started anew, and imports all of this again.
        if len(self._places) >= MANY and workers > 1 and sys.platform == "linux":
            self._pool = ProcessPoolExecutor(min(workers, 8), multiprocessing.get_context("fork"))
            self._begun = self._pool.map(self._of, self._places, chunksize=50)

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    @cached_property
    def recordings(self) -> Mapping[tuple[str, str], Recordings]:
        """By suite and key; none where they cannot be listed."""
        found: list[Recordings] = []
        # A worker that the system killed took its share with it: the rest is read here.
        with suppress(BrokenProcessPool):
            found += self._begun or ()
        found += map(self._of, self._places[len(found) :])
        return {(each.place.suite, each.place.key): each for each in found}


def _ambiguous(found: Inspected, normalisers: Sequence[Normaliser]) -> Iterator[Problem]:
    for loaded in found.loaded:
        interactions = loaded.cassette.interactions
        for equal in ambiguous(loaded.cassette, normalisers) if len(interactions) > 1 else ():
            yield Problem(
                "ambiguous_requests",
                f"requests {', '.join(map(str, equal))} are equal and answered differently: of concurrent sessions one"
                " may hear the other's",
                loaded.file,
                fix="where sessions are concurrent, name the header that tells them apart: session_header under"
                f" services.{interactions[equal[0]].service}",
            )


def _sampling(found: Inspected) -> Iterator[Sampling]:
    for loaded in found.loaded:
        requests = (interaction.request for interaction in loaded.cassette.interactions)
        asked = [set_ for request in requests if (set_ := generation(request.headers, request.body)) is not None]
        if asked:
            # A value may be no number at all, and so not fit for a set.
            values = {(name, repr(value)): (name, value) for set_ in asked for name, value in set_.items()}
            yield Sampling(
                loaded.file,
                loaded.cassette.trial,
                tuple(values.values()),
                all("temperature" in set_ for set_ in asked),
            )


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
