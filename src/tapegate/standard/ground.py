"""What the checks look at: a project's evals and recordings, each read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from tapegate.errors import LoadError
from tapegate.load.cases import expanded
from tapegate.load.suite import Survey
from tapegate.model.config import Config
from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.oracles.oracle import Oracle
from tapegate.standard.base import Base
from tapegate.standard.change import Change
from tapegate.standard.files import files_of
from tapegate.standard.recordings import Reader, Recordings


@dataclass(frozen=True)
class Ground:
    """One project."""

    survey: Survey
    reader: Reader
    today: date
    """What dates are held against."""
    base: Base | None = None
    """What the change is held against; None where none was named."""
    described: tuple[str, ...] = ()
    """What the authors of the change say of it beside commit messages."""

    @cached_property
    def change(self) -> Change | None:
        """What differs from the base; None where none was named, or not all input can be read."""
        if self.base is None or self.survey.problems:
            return None
        return Change.of(self.base, self.survey, self.described, self.catalog)

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
    def cases(self) -> tuple[Task, ...]:
        """Every task as the cases that it is judged by."""
        return tuple(case for task in self.survey.tasks for case in expanded(task))

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

    @property
    def catalog(self) -> Sequence[Oracle]:
        """Every metric that a task may declare; the built-in ones where the others cannot be used."""
        return self._metrics[0]

    @property
    def metric_problems(self) -> tuple[Problem, ...]:
        """Why metrics of the project or of installed packages cannot be used."""
        return self._metrics[1]

    @cached_property
    def _metrics(self) -> tuple[Sequence[Oracle], tuple[Problem, ...]]:
        # Late: metrics load the regular-expression engine.
        from tapegate.oracles.catalog import CATALOG
        from tapegate.oracles.plugins import catalog_of

        try:
            return catalog_of(self.survey.project, self.survey.evals), ()
        except LoadError as error:
            # What is wrong with the folder itself, the survey has told already.
            told = set(self.survey.problems)
            return CATALOG, tuple(problem for problem in error.problems if problem not in told)

    @property
    def unlisted(self) -> tuple[Problem, ...]:
        """Why the recordings cannot even be listed."""
        return self.reader.unlisted

    @property
    def recordings(self) -> Mapping[tuple[str, str], Recordings]:
        """By suite and key; none where they cannot be listed."""
        return self.reader.recordings

    def recorded(self, task: Task) -> frozenset[str] | None:
        """The names of the recordings of a task, as its pins list them; None where nobody can say, which other
        findings tell."""
        found = self.recordings.get((task.suite, task.recorded_as))
        if self.unlisted or (found is not None and not found.known):
            return None
        return frozenset(found.pins.cassettes if found is not None and found.pins is not None else ())
