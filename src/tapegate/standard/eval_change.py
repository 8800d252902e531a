"""What a change does to evals: to what each asks for, and to the history that it keeps of that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tapegate.compare.contracts import changes
from tapegate.grade import contract
from tapegate.load.cases import expanded
from tapegate.load.document import Document
from tapegate.load.task import read_task
from tapegate.model.diff import ContractChange
from tapegate.model.task import Migration, Outcome, Task
from tapegate.oracles.outcomes import covers
from tapegate.oracles.tolerances import Kinds
from tapegate.standard.trailers import Trailers

Kind = Literal["added", "removed", "renamed", "contract", "edited", "quarantined"]
"""What became of an eval. `contract`: it asks for something else; `edited`: for the same, by another description, other
quality facts or another judge; `quarantined`: for the same, and its failure is set aside for a while."""


@dataclass(frozen=True, slots=True)
class EvalChange:
    """An eval that is not as it was."""

    key: str
    file: str
    kind: Kind
    changes: tuple[ContractChange, ...] = ()
    """Where the contract differs."""
    dropped: tuple[str, ...] = ()
    """Accepted outcomes that nothing accepts any more, by name; of a removed eval all that it had."""
    notes: tuple[Migration, ...] = ()
    """Migration notes that are new."""
    rewritten: bool = False
    """Whether a note from before is no longer there as it was."""
    unreadable: bool = False
    """Whether what it was cannot be read, so that its contract may have changed."""
    reason: str = ""
    """Why it was removed, as the authors say."""
    quarantined: str = ""
    """Until when it is quarantined and why, where it was not, or otherwise."""
    was: str = ""
    """The key that it had, where it was renamed."""


def eval_changes(
    tasks: Sequence[Task], added: Collection[str], old: Iterable[Document], said: Trailers, kinds: Kinds
) -> Iterator[EvalChange]:
    """What became of each eval. `added` are the task files that were not there, `old` the documents of those that were
    and are not as they were, `kinds` the slots there are. An eval that was moved to another suite keeps its key, and is
    the same one; one that another path has now is gone from its own."""
    before = {key: document for document in old if (key := _key(document)) is not None}
    now, paths = {task.key for task in tasks}, {task.path_id for task in tasks}
    gone = {key: document for key, document in before.items() if key not in now}
    known = {key: task for key, document in gone.items() if (task := read_task(document)[0]) is not None}
    names: dict[tuple[str, str], list[str]] = {}
    for key, task in known.items():
        # A path that still has evals has lost one that is another's now; one without was renamed, it may be.
        names.setdefault((contract.digest(task), task.path_id if task.path_id in paths else ""), []).append(key)
    for task in tasks:
        if task.key in before:
            yield from _compared(task, before[task.key], kinds)
        elif task.source.file in added:
            was = _was(task, names) if names else None
            if was is None:
                yield EvalChange(task.key, task.source.file, "added", quarantined=_quarantined(None, task))
            else:
                aside = _quarantined(known[was], task)
                del gone[was]
                yield EvalChange(task.key, task.source.file, "renamed", was=was, quarantined=aside)
    for key, document in gone.items():
        dropped = tuple(_name(*each) for each in _numbered(known[key])) if key in known else ()
        yield EvalChange(key, document.source.file, "removed", dropped=dropped, reason=said.why_removed(key))


def _was(task: Task, names: Mapping[tuple[str, str], list[str]]) -> str | None:
    """The key that a task had: of one that is gone with the same contract, of its path or of one without evals."""
    digest = contract.digest(task)
    gone = names.get((digest, task.path_id)) or names.get((digest, ""))
    return gone.pop(0) if gone else None


def _compared(task: Task, document: Document, kinds: Kinds) -> Iterator[EvalChange]:
    old = read_task(document)[0]
    kept = _history(old, document)
    noted = [note.model_dump(mode="json") for note in task.migrations]
    rewritten = noted[: len(kept)] != kept
    notes = task.migrations[len(kept) :]
    file = task.source.file
    if old is None:
        aside = _quarantined(None, task)
        yield EvalChange(
            task.key, file, "contract", notes=notes, rewritten=rewritten, unreadable=True, quarantined=aside
        )
        return
    differs, aside = changes(old, task), _quarantined(old, task)
    if differs:
        lost = tuple(dropped(old, task, kinds))
        yield EvalChange(task.key, file, "contract", differs, lost, notes, rewritten, quarantined=aside)
    elif rewritten or _substance(old) != _substance(task):
        yield EvalChange(task.key, file, "edited", notes=notes, rewritten=rewritten, quarantined=aside)
    elif aside:
        yield EvalChange(task.key, file, "quarantined", notes=notes, quarantined=aside)


def _quarantined(old: Task | None, new: Task) -> str:
    held = new.quarantine
    if held is None or (old is not None and old.quarantine == held):
        return ""
    return f"until {held.until} ({held.owner}): {held.reason}"


def dropped(old: Task, new: Task, kinds: Kinds) -> Iterator[str]:
    """The accepted outcomes of `old` that no outcome of `new` is sure to accept, by name; those of a case behind the
    name of the case, and a case that is gone by its name alone."""
    yield from _dropped(old, new, kinds)
    now = {case.name: one for case, one in zip(new.cases, expanded(new), strict=False)}
    for case, one in zip(old.cases, expanded(old), strict=False):
        if case.name not in now:
            yield case.name
        elif case.expect is not None and case.expect.accepted_outcomes is not None:
            yield from (f"{case.name}: {name}" for name in _dropped(one, now[case.name], kinds))


def _dropped(old: Task, new: Task, kinds: Kinds) -> Iterator[str]:
    kept = [outcome.model_dump(exclude={"name"}) for outcome in new.expect.accepted_outcomes]
    for number, outcome in _numbered(old):
        same = outcome.model_dump(exclude={"name"}) in kept
        if not same and not any(covers(other, outcome, kinds) for other in new.expect.accepted_outcomes):
            yield _name(number, outcome)


def _numbered(task: Task) -> Iterator[tuple[int, Outcome]]:
    return iter(enumerate(task.expect.accepted_outcomes, 1))


def _name(number: int, outcome: Outcome) -> str:
    return outcome.name or f"outcome {number}"


def _history(old: Task | None, document: Document) -> list[Any]:
    """The migration notes that a task had, as plain JSON; of one that cannot be read, as far as its file shows them."""
    if old is not None:
        return [note.model_dump(mode="json") for note in old.migrations]
    value = document.value.get("migrations") if isinstance(document.value, dict) else None
    return [{"deprecates": [], **note} for note in value if isinstance(note, dict)] if isinstance(value, list) else []


def _substance(task: Task) -> Mapping[str, Any]:
    """What an edit changes: not that a failure was set aside or accepted."""
    return task.model_dump(mode="json", exclude={"migrations", "quarantine", "reviews"})


def _key(document: Document) -> str | None:
    eval_id, path_id = document.text("id"), document.text("path_id")
    return None if eval_id is None or path_id is None else f"{eval_id}@{path_id}"
