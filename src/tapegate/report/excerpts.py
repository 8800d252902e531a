"""What of a change is shown: the trials that changed most, the findings that tell most, texts as lines of a diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.model.diff import Edit, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict

AROUND = 40
"""Characters of an answer that are shown before and after what changed."""
LONGEST = 240
"""Characters of a changed piece that are shown."""
MOST = 6
"""Changes of an answer that are shown; and calls that did not change, at either end of a path."""


def most_changed(task: TaskDiff) -> list[TrialDiff]:
    """The trials that differ, those whose verdict turned first."""
    changed = [trial for trial in task.trials if trial.differs or trial.limits]
    return sorted(changed, key=lambda trial: (trial.base_verdict == trial.head_verdict, trial.trial))


def unrun(trial: TrialDiff) -> bool:
    """Whether a side never ran, as where a file of it cannot be used: that it called and said nothing is no change."""
    sides = ((trial.base_verdict, "removed"), (trial.head_verdict, "added"))
    edits = [*trial.tool_path, *(trial.answer or ())]
    return any(verdict is Verdict.ERROR and not any(edit.op in (op, "same") for edit in edits) for verdict, op in sides)


def nearest(findings: Sequence[Finding]) -> list[Finding]:
    """Without the conditions of accepted outcomes that were further from being met than the nearest one."""
    unmet: dict[int, int] = {}
    for finding in findings:
        if finding.outcome is not None:
            unmet[finding.outcome] = unmet.get(finding.outcome, 0) + 1
    best = min(unmet, key=lambda outcome: (unmet[outcome], outcome), default=None)
    return [finding for finding in findings if finding.outcome is None or finding.outcome == best]


def path_lines(edits: Sequence[Edit]) -> list[str]:
    """The calls of both sides, one a line: `- ` only in base, `+ ` only in head. A long stretch without a change is
    told by its length."""
    marks = {"same": "  ", "removed": "- ", "added": "+ "}
    lines: list[str] = []
    same: list[str] = []
    for edit in edits:
        if edit.op == "same":
            same.append(edit.text)
            continue
        lines += _stretch(same, open_start=not lines, open_end=False)
        same = []
        lines.append(marks[edit.op] + edit.text)
    return [*lines, *_stretch(same, open_start=False, open_end=True)]


def _stretch(same: Sequence[str], *, open_start: bool, open_end: bool) -> list[str]:
    if len(same) <= 2 * MOST:
        return [f"  {call}" for call in same]
    before = [] if open_start else same[:MOST]
    after = [] if open_end else same[-MOST:]
    left = len(same) - len(before) - len(after)
    return [*(f"  {call}" for call in before), f"  … {left} calls …", *(f"  {call}" for call in after)]


def answer_lines(edits: Sequence[Edit]) -> list[str]:
    """Every change of an answer as `- ` before and `+ ` after, each with a few words around it, on one line."""
    changes = list(_changes(edits))
    lines: list[str] = []
    for before, removed, added, after in changes[:MOST]:
        for mark, text in (("-", removed), ("+", added)):
            if text:
                lines.append(f"{mark} {before}{_one_line(text)}{after}".rstrip())
    if len(changes) > MOST:
        lines.append(f"  … {len(changes) - MOST} more changes")
    return lines


def _changes(edits: Sequence[Edit]) -> Iterator[tuple[str, str, str, str]]:
    """What stands before a change, what was removed, what was added, what stands after."""
    place = 0
    while place < len(edits):
        if edits[place].op == "same":
            place += 1
            continue
        end = place
        while end < len(edits) and edits[end].op != "same":
            end += 1
        removed = "".join(edit.text for edit in edits[place:end] if edit.op == "removed")
        added = "".join(edit.text for edit in edits[place:end] if edit.op == "added")
        before = edits[place - 1].text if place else ""
        after = edits[end].text if end < len(edits) else ""
        yield _tail(before), removed, added, _head(after)
        place = end


def _tail(text: str) -> str:
    text = _spaced(text)
    return text if len(text) <= AROUND else f"…{text[-AROUND:]}"


def _head(text: str) -> str:
    text = _spaced(text)
    return text if len(text) <= AROUND else f"{text[:AROUND]}…"


def _one_line(text: str) -> str:
    shown = _spaced(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… ({len(shown) - LONGEST:,} more characters)"


def _spaced(text: str) -> str:
    return text.replace("\n", " ⏎ ")
