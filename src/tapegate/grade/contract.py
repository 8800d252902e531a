"""A task's contract: all of the task that a verdict depends on, and how it travels beside the results it led to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import Field, ValidationError

from tapegate.errors import BadInput
from tapegate.model.config import Profile
from tapegate.model.source import Path, Source
from tapegate.model.task import Part, Task

SCHEMA_ID = "tapegate.contracts/1"

NAMES = frozenset({"id", "suite", "path_id"})
"""What a task is called: a task of another name may have the same contract, and then it was renamed."""
FREE = frozenset({"flaky_prone", "migrations", "quarantine", "reviews"})
"""What changes no verdict."""


class _Row(Part):
    file: str
    lines: tuple[tuple[tuple[str | int, ...], int], ...]
    case: int | None = None
    task: dict[str, Any]


class _File(Part):
    schema_id: Literal["tapegate.contracts/1"] = Field(alias="schema")
    profile_name: str
    profile: Profile
    contracts: dict[str, _Row]


@dataclass(frozen=True, slots=True)
class Contracts:
    """By what a run was judged."""

    profile_name: str
    profile: Profile
    tasks: Mapping[str, Task]
    """By key."""


def contract(task: Task) -> dict[str, Any]:
    """The contract as plain JSON. What a task leaves to its default is left out, so that a field which a later version
    adds changes no contract."""
    document = task.model_dump(mode="json", exclude_defaults=True)
    kept = {name: value for name, value in document.items() if name not in NAMES | FREE}
    # Of the grading, only the metrics decide: judges and quality scores never do.
    kept["grading"] = {"deterministic_metrics": list(task.grading.deterministic_metrics)}
    return kept


def digest(task: Task) -> str:
    """sha256 of the contract's canonical JSON: formatting, comments and the order of keys do not change it."""
    canonical = json.dumps(contract(task), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def to_bytes(tasks: Iterable[Task], profile_name: str, profile: Profile) -> bytes:
    """`contracts.json`: by what a run was judged, so that its traces can be graded again without its repository."""
    document = {
        "schema": SCHEMA_ID,
        "profile_name": profile_name,
        "profile": profile.model_dump(mode="json", exclude_defaults=True),
        "contracts": {
            task.key: {
                "file": task.source.file,
                "lines": [[list(path), line] for path, line in task.source.lines.items()],
                "case": task.case,
                "task": task.model_dump(mode="json", exclude_defaults=True),
            }
            for task in tasks
        },
    }
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def parse(raw: bytes, file: str) -> Contracts:
    """Read `contracts.json` back. Raises BadInput `bad_contracts` for anything else."""
    try:
        read = _File.model_validate_json(raw)
        tasks = {key: _task(row) for key, row in read.contracts.items()}
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise _refused(file, f"{place}: {first['msg']}") from error
    for key, task in tasks.items():
        if key != task.key:
            raise _refused(file, f"the task under {key!r} is {task.key!r}")
    return Contracts(read.profile_name, read.profile, tasks)


def _task(row: _Row) -> Task:
    lines: dict[Path, int] = dict(row.lines)
    task = Task.model_validate_json(orjson.dumps(row.task)).as_case(row.case)
    return task.at(Source(row.file, lines))


def _refused(file: str, why: str) -> BadInput:
    return BadInput.of(
        "bad_contracts", f"this is no {SCHEMA_ID} file: {why}", file=file, fix="run the gate again; it writes this file"
    )
