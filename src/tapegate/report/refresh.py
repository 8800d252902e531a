"""The description of the pull request that brings new recordings: which, what they change, and what the audit says.

Nothing here depends on when it was made: the same recordings have the same description.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tapegate.model.diff import Diff
from tapegate.model.run import Run
from tapegate.report import comment
from tapegate.report.inert import inline_code

MOST_BYTES = 60_000
"""GitHub refuses a description over 65,536 characters."""
_MOST_FILES = 60
_FOR_AUDIT = 20_000

WORDS = {"A": "new", "M": "changed", "D": "removed"}


def render(
    files: Sequence[tuple[str, str]], diff: Diff | None, run: Run | None, audit: str, *, most_bytes: int = MOST_BYTES
) -> str:
    """The description. `files` are letters of git's and names; `audit` is `audit.md`, empty where none was made."""
    head = "\n".join(["Recordings made anew. Review what they change before they are merged.", "", *_files(files), ""])
    told = _audit(audit, _FOR_AUDIT)
    room = most_bytes - len(head.encode()) - len(told.encode())
    return f"{head}\n{_behaviour(diff, run, room)}\n{told}"


def _files(files: Sequence[tuple[str, str]]) -> Iterable[str]:
    counts = {letter: sum(one == letter for one, _ in files) for letter in WORDS}
    named = ", ".join(f"{count:,} {WORDS[letter]}" for letter, count in counts.items() if count)
    yield f"<details><summary>{len(files):,} {'file' if len(files) == 1 else 'files'}: {named}</summary>"
    yield ""
    yield from (f"- {WORDS.get(letter, 'changed')} {inline_code(name, 300)}" for letter, name in files[:_MOST_FILES])
    if len(files) > _MOST_FILES:
        yield f"- and {len(files) - _MOST_FILES:,} more"
    yield from ("", "</details>")


def _behaviour(diff: Diff | None, run: Run | None, room: int) -> str:
    if diff is None and run is None:
        return "No run before and after was compared: the gate on this pull request says what changes.\n"
    return comment.render(diff, run, most_bytes=room)


def _audit(text: str, room: int) -> str:
    """The audit's own Markdown, folded, cut between lines: it has no block that a cut would leave open."""
    if not text.strip():
        return ""
    kept: list[str] = []
    left = room - 200
    for line in text.splitlines():
        left -= len(line.encode()) + 1
        if left < 0:
            kept += ["", "The rest stands in `audit.md` of the run's report."]
            break
        kept.append(line)
    return "\n".join(["<details><summary>The weekly audit</summary>", "", *kept, "", "</details>", ""])
