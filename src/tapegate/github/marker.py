"""The first line of a comment of ours: which suite it is of, and which run of which commit wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from tapegate.errors import UsageError

_LINE = re.compile(
    r"<!-- tapegate:comment suite=([A-Za-z0-9._~%]{1,2400}) head=([0-9a-f]{40}|[0-9a-f]{64}) "
    r"run=([0-9]{1,18})\.([0-9]{1,9}) -->"
)
SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
LONGEST_SUITE = 100


@dataclass(frozen=True, slots=True)
class Marker:
    """What one run signs its comment with."""

    suite: str
    """Which of a repository's gates it is: each has a comment of its own."""
    head: str
    """The commit that was judged: the pull request's, not the merge with its base."""
    run: int
    """Of the workflow; a later run has a higher number."""
    attempt: int = 1

    def __post_init__(self) -> None:
        if not 0 < len(self.suite) <= LONGEST_SUITE or not SHA.fullmatch(self.head) or self.run < 0 or self.attempt < 1:
            raise UsageError.of(
                "bad_marker",
                f"no comment is signed with suite {self.suite!r:.120}, commit {self.head!r:.80} and run {self.run}",
                fix=f"a suite has 1 to {LONGEST_SUITE} characters, a commit is a full SHA",
            )

    def line(self) -> str:
        """As it stands in a comment. No suite can end it: a hyphen is spelled out too, since two of them would."""
        suite = quote(self.suite, safe="", errors="backslashreplace").replace("-", "%2D")
        return f"<!-- tapegate:comment suite={suite} head={self.head} run={self.run}.{self.attempt} -->"

    @classmethod
    def read(cls, body: str) -> tuple[Marker, str] | None:
        """The marker of a comment and the text below it; None where the first line is none. Text further down that
        looks like a marker is text."""
        first, _, text = body.replace("\r\n", "\n").partition("\n")
        found = _LINE.fullmatch(first)
        if found is None:
            return None
        suite = unquote(found[1], errors="backslashreplace")
        if not 0 < len(suite) <= LONGEST_SUITE or int(found[4]) < 1:
            return None
        return cls(suite, found[2], int(found[3]), int(found[4])), text

    @property
    def turn(self) -> tuple[int, int]:
        """Runs in the order in which they began."""
        return self.run, self.attempt
