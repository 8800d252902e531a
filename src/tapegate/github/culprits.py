"""The changed lines that made recordings stale: where a reviewer looks, in the diff of the pull request.

A miss tells which text of a prompt or a tool is new; the change since the base tells which lines are. A line is named
only where it holds that text.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tapegate.model.run import Run

CODES = frozenset({"prompt_changed", "tools_changed", "parameters_changed", "diverged"})
MOST = 5
"""Lines that are named: a step shows ten annotations, and tasks have theirs too."""
SHORTEST = 8
"""Characters of a text that is looked for: a shorter one stands anywhere."""
_LIMIT_S = 60
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Culprit:
    """A changed line, and the tasks whose recordings it left behind."""

    file: str
    """From the project's root."""
    line: int
    code: str
    keys: tuple[str, ...]
    blocking: bool


@dataclass(frozen=True, slots=True)
class Added:
    """A line that a change brought."""

    file: str
    line: int
    text: str


def culprits(run: Run, added: Iterable[Added]) -> tuple[Culprit, ...]:
    """The lines among `added` that hold what the stale tasks of `run` newly ask, the first of them."""
    lines = [one for one in added if len(one.text.strip()) >= SHORTEST]
    found: dict[tuple[str, int], tuple[str, list[str], bool]] = {}
    for task in run.tasks:
        for finding in task.findings:
            if finding.severity != "stale" or finding.code not in CODES:
                continue
            texts = list(_new(finding.message))
            for one in lines:
                if any(_holds(one.text, text) for text in texts):
                    code, keys, blocking = found.get((one.file, one.line), (finding.code, [], False))
                    keys += [task.key] if task.key not in keys else []
                    found[one.file, one.line] = (code, keys, blocking or task.blocking)
    ordered = sorted(found.items())[:MOST]
    return tuple(Culprit(*place, code, tuple(keys), blocking) for place, (code, keys, blocking) in ordered)


def added_since(project: Path, base: str, aside: Iterable[str]) -> tuple[Added, ...]:
    """The lines that the work tree has and the commit `base` has not; files below a folder of `aside` are left out.
    Empty where git cannot tell."""
    words = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative"]
    line = ["git", "-c", "core.quotePath=false", "-C", str(project), *words, base, "--", "."]
    line += [f":(exclude,literal){folder}" for folder in aside]
    try:
        done = subprocess.run(line, capture_output=True, timeout=_LIMIT_S, check=False)  # noqa: S603 - a SHA and folders
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(_read(done.stdout.decode("utf-8", "replace"))) if done.returncode == 0 else ()


def _read(diff: str) -> Iterator[Added]:
    file, number, left = "", 0, 0
    for line in diff.split("\n"):
        # Within a hunk a line is content, whatever it looks like.
        if left and line.startswith("+"):
            yield Added(file, number, line[1:])
            number, left = number + 1, left - 1
        elif not left and line.startswith("+++ b/"):
            file = line[6:].rstrip("\t")
        elif not left and (hunk := _HUNK.match(line)):
            number, left = int(hunk[1]), int(hunk[2] or 1)


def _new(message: str) -> Iterator[str]:
    """The lines of an explanation that are new, as it marks them."""
    for line in message.split("\n"):
        text = line.strip()
        if text.startswith("+") and len(text) > SHORTEST:
            yield text[1:].strip()


def _holds(line: str, text: str) -> bool:
    """Whether a line of source holds a text, or the text all of the line but what quotes it."""
    plain = line.strip().strip("\"'`,;()[]{} \\")
    return text in line or (len(plain) >= SHORTEST and plain in text)
