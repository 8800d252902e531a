"""A worker of a Python subject that has imported the agent and waits for its next trial."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, best
from tapegate.doors.guard.spawned import Launch, spawn
from tapegate.model.config import PythonSubject
from tapegate.run.workspace import Workspace, scratch
from tapegate.subject.python import PythonWorker

Environment = Callable[[Workspace, Level], Mapping[str, str]]
"""What the agent is imported under, where it has this home and this guard."""


@dataclass(frozen=True, slots=True)
class Warm:
    """A warm worker, where it runs, and what is closed with it."""

    worker: PythonWorker
    enclosure: Enclosure
    _home: Path
    _found: frozenset[tuple[str, int, int]]
    _stack: ExitStack

    @classmethod
    def start(
        cls,
        subject: PythonSubject,
        project: Path,
        environment: Environment,
        beside: Sequence[str] = (),
        launch: Launch = spawn,
    ) -> Warm | None:
        """Import the agent, and the entries of others `beside` it; None where that leaves something that trials would
        share, so that each must do it for itself (see `worker`)."""
        with ExitStack() as stack:
            enclosure = stack.enter_context(Enclosure.open(best("python"), launch=launch))
            home = stack.enter_context(scratch())
            env = environment(home, enclosure.level)
            made = PythonWorker(subject, project, enclosure, env, home.folder, warm=True, beside=beside)
            worker = stack.enter_context(made)
            if not worker.fit or enclosure.attempts():
                return None
            return cls(worker, enclosure, home.folder, _files(home.folder), stack.pop_all())

    def touched(self) -> bool:
        """Whether a trial changed the folder that the agent was imported in: the next one would see it."""
        return _files(self._home) != self._found

    def close(self) -> None:
        """End it and all it started."""
        self._stack.close()


def _files(folder: Path) -> frozenset[tuple[str, int, int]]:
    """Every file below a folder, with its size and the time of its last change."""
    found = set()
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root, name)
            try:
                state = path.lstat()
            except OSError:
                continue  # gone since
            found.add((str(path), state.st_size, state.st_mtime_ns))
    return frozenset(found)
