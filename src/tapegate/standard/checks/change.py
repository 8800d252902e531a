"""Change control: what a change touches, its evals and their history show."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.standard.check import Check
from tapegate.standard.eval_change import EvalChange
from tapegate.standard.ground import Ground
from tapegate.standard.trailers import REMOVED, UNCHANGED


def _covered(ground: Ground) -> Iterator[Problem]:
    """Where a file of a path (its prompt, its tools, its retrieval: all that the scope table lists) is not as in the
    base, an eval of that path is new, asks for something else or starts from other files, or a recording of one is
    new. Else the change says why, in a line `Tapegate-Eval-Unchanged: reason` of a commit message or of the pull
    request's description; `A1: reason` is for that path alone, and a reason has two words or more. Comments,
    migration notes, quality facts and more trials at night are no change of an eval, and an eval that is gone is none
    either."""
    change = ground.change
    for path in change.paths if change is not None else ():
        if not (path.evals or path.recordings or path.reason):
            there = [name for name in path.files if change is not None and change.files[name] != "removed"]
            more = f" and {len(path.files) - 1} more" if len(path.files) > 1 else ""
            yield Problem(
                "eval_unchanged",
                f"{(there or path.files)[0]!r}{more} of path {path.path_id!r} changed, and none of its evals and"
                " recordings did",
                there[0] if there else ground.survey.source.file,
                None if there else ground.survey.source.line("paths", path.path_id),
                fix=f"change or record the evals that it concerns, or say why none is concerned: `{UNCHANGED}:"
                f" {path.path_id}: reason` as a line of the commit message or of the pull request's description",
            )


def _noted(ground: Ground) -> Iterator[Problem]:
    """A contract is all of a task that a verdict depends on; formatting, comments, notes, quality facts and judges are
    no part of it. Where it is another one than in the base, `migrations` in the task file has one note more, and the
    notes that were there still are. A new task and one that was only renamed need none. A task that could not be read
    in the base may have had any contract, and needs one."""
    for each, task in _changed(ground):
        if each.rewritten:
            yield _at(
                task,
                "history_rewritten",
                f"a migration note of {each.key} from before is no longer there as it was",
                "migrations",
                fix="restore it: notes are added at the end, and none is changed or removed",
            )
        elif each.kind == "contract" and not each.notes:
            places = ", ".join(dict.fromkeys(one.place for one in each.changes)) or "what it was cannot be read"
            yield _at(
                task,
                "contract_unnoted",
                f"{each.key} asks for something else than before ({places}), and no migration note says why",
                "expect",
                fix="add to the task: `migrations: [{note: what changed, why, what it means for older results}]`",
            )


def _kept(ground: Ground) -> Iterator[Problem]:
    """An accepted outcome of the base is still accepted where an outcome of the task accepts all that it accepted. One
    that is not is named under `deprecates` of a new migration note: by its name, or `outcome 2` where it has none."""
    for each, task in _changed(ground):
        given_up = {name for note in each.notes for name in note.deprecates}
        for name in each.dropped:
            if name not in given_up:
                yield _at(
                    task,
                    "outcome_dropped",
                    f"{each.key} accepted {name!r} before, and no outcome of it accepts that any more",
                    *("expect", "accepted_outcomes"),
                    fix=f"accept it again, or give it up in a migration note: `deprecates: [{name}]`",
                )


def _removed(ground: Ground) -> Iterator[Problem]:
    """An eval that is gone leaves no file for a note, so that the change says why: `Tapegate-Eval-Removed: KEY reason`,
    as a line of a commit message or of the pull request's description. A path that is gone from the scope table, or has
    fewer files there, leaves no file behind that belongs to no path; one that was held to a row of the inventory still
    is, or the change says of its path why not: `Tapegate-Eval-Removed: A1 reason`."""
    change = ground.change
    for each in change.evals if change is not None else ():
        if each.kind == "removed" and not each.reason:
            accepted = f", with what it accepted ({', '.join(each.dropped)})" if each.dropped else ""
            yield Problem(
                "eval_removed",
                f"{each.key} is gone{accepted}, and nobody says why",
                each.file,
                fix=f"restore it, or say why: `{REMOVED}: {each.key} reason` as a line of the commit message or of the"
                " pull request's description",
            )
    for path in change.dropped_paths if change is not None else ():
        if path.left:
            yield ground.at(
                "path_removed",
                f"path {path.path_id!r} {'is' if path.gone else 'has files that are'} gone from the scope table, and no"
                f" path has {', '.join(path.left)} now",
                *(("paths",) if path.gone else ("paths", path.path_id, "files")),
                fix="restore the path, remove the files, or list them under `unscoped` with the reason",
            )
    for path_id, row in change.dropped_rows.items() if change is not None else ():
        if not (change is not None and change.reasons.get(path_id)):
            yield ground.at(
                "inventory_dropped",
                f"path {path_id!r} was held to the mandatory evals of row {row} and is no more, and nobody says why",
                *("paths", path_id),
                fix=f"restore `inventory: {row}`, or say why: `{REMOVED}: {path_id} reason` as a line of the commit"
                " message or of the pull request's description",
            )


def _changed(ground: Ground) -> Iterator[tuple[EvalChange, Task]]:
    """Each eval that is there and was, with its task."""
    tasks = {task.key: task for task in ground.survey.tasks}
    for each in ground.change.evals if ground.change is not None else ():
        if each.kind in ("contract", "edited"):
            yield each, tasks[each.key]


def _at(task: Task, code: str, message: str, *path: str, fix: str) -> Problem:
    return Problem(code, message, task.source.file, task.source.line(*path), fix=fix)


CHECKS = (
    Check(
        "change_covered",
        "A change of a path's files changes its evals or recordings, or says why not.",
        "finding",
        _covered,
        {"eval_unchanged": "A path changed, and none of its evals and recordings did."},
        against=True,
    ),
    Check(
        "change_noted",
        "A change of what an eval asks for has a migration note.",
        "finding",
        _noted,
        {
            "contract_unnoted": "An eval asks for something else, and no note says why.",
            "history_rewritten": "A migration note from before was changed or removed.",
        },
        against=True,
    ),
    Check(
        "change_compatible",
        "What was accepted still is, or is given up by name.",
        "finding",
        _kept,
        {"outcome_dropped": "An accepted outcome is gone, and no note gives it up."},
        against=True,
    ),
    Check(
        "change_removed",
        "Evals, paths and rows of the inventory go only with a reason.",
        "finding",
        _removed,
        {
            "eval_removed": "An eval is gone, and nobody says why.",
            "path_removed": "A path or a file is gone from the scope table, and the file is still there.",
            "inventory_dropped": "A path is no longer held to its row of the mandatory evals, and nobody says why.",
        },
        against=True,
    ),
)
