"""Every error that Tapegate raises on purpose, each with the exit code it ends a command with.

    TapegateError
    ├── BadInput                2   a file, a cassette or an argument that cannot be used; carries problems
    │   ├── LoadError               a task file, the config or something they name
    │   ├── CassetteError           a cassette or a pins file that cannot be trusted
    │   └── UsageError              the words of a command line
    ├── NotJudged               3   nothing could be judged
    │   ├── Unavailable             the machine lacks what the run needs (a guard, git, a port)
    │   │   └── GitHubError             GitHub refused, or could not be reached
    │   └── SubjectError            the agent could not be started at all
    └── Stale                   4   the recordings do not cover what was asked

An error carries data (`Problem`); its text is rendered from that data, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from tapegate.model.problem import Problem

_LAST_LINES, _LONGEST_LINE = 8, 500


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


class GitHubError(Unavailable):
    """GitHub refused, or could not be reached. A gate never fails for it: it costs what was asked for."""

    status: int | None = None
    """Of the answer; None where there was none."""
    unsure: bool = False
    """Whether GitHub may have done what was asked all the same."""


class SubjectError(NotJudged):
    """The agent could not be started at all. `log` is what it wrote: part of the text, but of no problem, because it
    differs from run to run."""

    log: bytes = b""

    def saying(self, log: bytes) -> Self:
        """This error, with what the agent wrote to standard output and error."""
        self.log = log
        return self

    def __str__(self) -> str:
        return super().__str__() + last_lines(self.log)


class Stale(TapegateError):
    """The recordings do not cover what was asked."""

    exit_code = 4


def last_lines(log: bytes) -> str:
    """The end of what a program wrote, as part of an error's text; empty where it wrote nothing.

    Quoted line by line: what a program writes must be no command to the runner of a workflow.
    """
    lines = log.decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
    said = "".join(f"\n      | {line[-_LONGEST_LINE:]!r}" for line in lines).replace("##[", "#_[")
    return f"\n    its last lines:{said}" if said else ""
