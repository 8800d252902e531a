"""The standard's "required deterministic methods", each with how a task is seen to use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tapegate.model.config import Config
from tapegate.model.task import Task

TOOLLESS = frozenset({"text"})
"""Dialects of agent streams that tell of no tool."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A task, and how the answer of the subject that it asks is read."""

    task: Task
    stream: str
    """Dialect."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method that the evals of a path must use."""

    name: str
    metric: str | None
    """The metric that carries it out; None where a task's setup does."""
    number: int
    """Of the item under "Required deterministic methods" that it belongs to; an item may name several."""
    uses: Callable[[Asked], bool]
    """Whether a task has a condition of its kind."""
    fix: str
    """What to add to a task that shall use it."""

    def used(self, task: Task, config: Config) -> bool:
        """Whether a task uses it, under the metric that carries it out."""
        declared = self.metric is None or self.metric in task.grading.deterministic_metrics
        return declared and self.uses(Asked(task, config.subject_of(task).stream))


def _slot(*names: str) -> Callable[[Asked], bool]:
    """Whether an outcome has one of these slots; a name that ends with `_` is the beginning of some."""

    def uses(asked: Asked) -> bool:
        return any(
            slot in names or any(name.endswith("_") and slot.startswith(name) for name in names)
            for outcome in asked.task.expect.accepted_outcomes
            for shape in outcome.shapes
            for slot in shape.required_slots
        )

    return uses


def _tool_stream(asked: Asked) -> bool:
    return asked.stream not in TOOLLESS


def _patterns(*invariants: str) -> Callable[[Asked], bool]:
    def uses(asked: Asked) -> bool:
        return bool(
            asked.task.expect.forbidden_patterns or set(invariants) & set(asked.task.expect.required_invariants)
        )

    return uses


def _dedup(asked: Asked) -> bool:
    tables = [table for outcome in asked.task.expect.accepted_outcomes for table in outcome.state.values()]
    return any(
        (table.added is not None and table.added.max is not None)
        or any(rows.unique or rows.count.max is not None for rows in table.rows)
        for table in tables
    )


def _presence(asked: Asked) -> bool:
    tables = [table for outcome in asked.task.expect.accepted_outcomes for table in outcome.state.values()]
    return any(rows.non_empty or _holds(rows.columns, {"$not_empty"}) for table in tables for rows in table.rows)


def _synonyms(asked: Asked) -> bool:
    shapes = [
        outcome.model_dump(include={"required_slots", "state", "turns"})
        for outcome in asked.task.expect.accepted_outcomes
    ]
    return any(
        isinstance(value, list | tuple) and len(value) > 1
        for shape in shapes
        for key, value in _pairs(shape)
        if key in ("any_of", "$any_of", "$says")
    )


def _holds(value: Any, keys: set[str]) -> bool:
    return any(key in keys for key, _ in _pairs(value))


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key of every mapping inside a value, with what stands under it."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key, below
            yield from _pairs(below)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from _pairs(below)


def _faulty(asked: Asked) -> bool:
    return bool(asked.task.setup.faults)


def _faulty_answer(asked: Asked) -> bool:
    return _faulty(asked) and _slot("facts", "prefix", "json", "json_schema")(asked)


def _concurrent_state(asked: Asked) -> bool:
    kept = any(
        outcome.state or "persisted_in" in outcome.required_slots for outcome in asked.task.expect.accepted_outcomes
    )
    return asked.task.mode == "concurrent" and kept


def _filter_fixture(asked: Asked) -> bool:
    cut = asked.task.mode == "stream_fixture" and asked.task.setup.chunking == "all_splits"
    return cut and _slot("hidden_by_tags", "split_invariant")(asked)


TOOL_STREAM = Method(
    "tool-trace parsing of the agent's stream (`d:` frames)",
    "tool_trace",
    1,
    _tool_stream,
    "a condition on tools, asked of a subject whose stream tells of its tools (any dialect but `text`)",
)
CITATION_URLS = Method(
    "citation URL validation", "citation_contract", 2, _slot("citations_"), "a slot like `citations_local_min: 1`"
)
HYGIENE = Method(
    "output hygiene regex checks",
    "output_hygiene",
    3,
    _patterns("no_hidden_tag_leak", "no_private_path_leak"),
    "`forbidden_patterns`, or the invariant `no_hidden_tag_leak` or `no_private_path_leak`",
)
SENTENCES = Method(
    "sentence-count contract",
    "schema_contract",
    1,
    _slot("sentences_min", "sentences_max"),
    "the slot `sentences_min` or `sentences_max`",
)
PREFIX = Method("prefix contract", "schema_contract", 1, _slot("prefix"), "the slot `prefix`")
DENYLIST = Method(
    "denylist of secrets, paths and tokens",
    "output_hygiene",
    2,
    _patterns("no_secret_echo"),
    "`forbidden_patterns`, or the invariant `no_secret_echo`",
)
DEDUP = Method(
    "history dedup assertions",
    "db_state",
    3,
    _dedup,
    "under `state` a table with `added: {max: …}`, or rows with `unique` or `count: {max: …}`",
)
JSON_SCHEMA = Method("JSON schema validation", "schema_contract", 1, _slot("json_schema"), "the slot `json_schema`")
FACT_SLOTS = Method(
    "slot extraction with synonym lists",
    "schema_contract",
    2,
    _synonyms,
    "the slot `facts` with two wordings or more under `any_of`, or `$says` with a list",
)
DB_FIELDS = Method(
    "DB field presence and non-empty checks",
    "db_state",
    3,
    _presence,
    "under `state` a table with rows and `non_empty`",
)
EXCEPTIONS = Method("controlled exception injection", None, 1, _faulty, "`setup.faults`")
RETURN_TYPES = Method(
    "return-type contract",
    "schema_contract",
    2,
    _slot("json", "json_schema", "lists"),
    "the slot `json` or `json_schema`",
)
ERROR_MESSAGES = Method(
    "error-message contract",
    "schema_contract",
    2,
    _faulty_answer,
    "`setup.faults` and a slot on what the answer says (`facts`, `prefix`, `json`)",
)
FILTER_FIXTURES = Method(
    "stream-fixture replay with pass/fail invariants",
    "content_filter_contract",
    1,
    _filter_fixture,
    "`mode: stream_fixture` with `chunking: all_splits`, and the slot `hidden_by_tags` or `split_invariant`",
)
STREAM_PARTS = Method(
    "stream-fixture replay with pass/fail invariants",
    "orchestration_contract",
    1,
    lambda asked: asked.task.mode == "stream_fixture" or _slot("stream_parts", "answers_complete")(asked),
    "`mode: stream_fixture`, or the slot `answers_complete` or `stream_parts`",
)
CONCURRENT_STATE = Method(
    "DB-state assertions under concurrent requests",
    None,
    2,
    _concurrent_state,
    "`mode: concurrent`, with `state` or the slot `persisted_in`",
)
