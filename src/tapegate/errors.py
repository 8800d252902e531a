"""Every error that Tapegate raises on purpose, each with the exit code it ends a command with.

    TapegateError
    ├── BadInput                2   a file, a cassette or an argument that cannot be used; carries problems
    │   ├── LoadError               a task file, the config or something they name
    │   ├── CassetteError           a cassette or a pins file that cannot be trusted
    │   └── UsageError              the words of a command line
    ├── NotJudged               3   nothing could be judged
    │   ├── Unavailable             the machine lacks what the run needs (a guard, git, a port)
    │   └── SubjectError            the agent could not be started at all
    └── Stale                   4   the recordings do not cover what was asked

An error carries data (`Problem`); its text is rendered from that data, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from tapegate.model.problem import Problem


class TapegateError(Exception):
    """The root: `exit_code` is what a command that meets this error exits with (DESIGN §2)."""

    exit_code = 3

    def __init__(self, *problems: Problem) -> None:
        self.problems: tuple[Problem, ...] = problems
        super().__init__("\n".join(str(problem) for problem in problems))

    @classmethod
    def of(cls, code: str, message: str, **where: object) -> Self:
        """An error of one problem; `where` takes `file`, `line`, `column` and `fix`."""
        return cls(Problem(code, message, **where))  # type: ignore[arg-type]

    @classmethod
    def all(cls, problems: Iterable[Problem]) -> Self:
        """An error of every problem found, in the order of their places."""
        return cls(*sorted(problems, key=Problem.place))


class BadInput(TapegateError):
    """A file, a cassette or an argument that cannot be used."""

    exit_code = 2


class LoadError(BadInput):
    """A task file, the config, or something they name."""


class CassetteError(BadInput):
    """A cassette or a pins file that cannot be trusted."""


class UsageError(BadInput):
    """The words of a command line."""


class NotJudged(TapegateError):
    """Nothing could be judged."""

    exit_code = 3


class Unavailable(NotJudged):
    """The machine lacks what the run needs."""


class SubjectError(NotJudged):
    """The agent could not be started at all."""


class Stale(TapegateError):
    """The recordings do not cover what was asked."""

    exit_code = 4
