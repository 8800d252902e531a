"""Exact strings stand only where a letter makes a difference: in ids, URLs and keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tapegate.model.outcome import Shape
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

PROSE = 4
"""Words from which a text is prose: it can be said otherwise, and so is no identifier."""

_WORD = re.compile(r"\b\w+\b")
_IDENTIFIER = re.compile(r"\S+|[\w.-]+://\S*.*|/.*/", re.DOTALL)
_RULES_OF_TEXT = frozenset({"$regex", "$says", "$any_of", "$not", "$type"})


def _exact(ground: Ground) -> Iterable[Problem]:
    """A text of four words and more can be said otherwise. As the only wording of a fact, an item of a list, an
    argument of a tool, a value in a JSON answer or its schema, or a cell of a row it refuses every valid answer but
    one. Accepted are a second wording, a pattern (`/…/`, `$regex`), `$says`, and what is no prose: ids, URLs, keys,
    numbers with units. `prefix` and `visible_text` are contracts to the letter, and are left alone."""
    return dict.fromkeys(_found(ground))  # the cases of a task share what they do not change


def _found(ground: Ground) -> Iterator[Problem]:
    for task in ground.cases:
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            path: Path = ("expect", "accepted_outcomes", index)
            found = [*_of_shape(outcome, path)]
            for place, turn in enumerate(outcome.turns):
                found += _of_shape(turn, (*path, "turns", place))
            for table, state in outcome.state.items():
                for place, rows in enumerate(state.rows):
                    below = (*path, "state", table, "rows", place)
                    found += [*_values(rows.where, (*below, "where")), *_values(rows.columns, (*below, "columns"))]
            yield from (_problem(task, text, place) for text, place in found)


def _of_shape(shape: Shape, path: Path) -> Iterator[tuple[str, Path]]:
    slots = shape.required_slots
    yield from _facts(slots.get("facts", ()), (*path, "required_slots", "facts"))
    yield from _items(slots.get("lists", ()), (*path, "required_slots", "lists"))
    yield from _values(slots.get("json", {}), (*path, "required_slots", "json"))
    yield from _schema(slots.get("json_schema", {}), (*path, "required_slots", "json_schema"))
    for tool, rules in shape.tool_arguments.items():
        for place, rule in enumerate(rules):
            yield from _values(rule.arguments, (*path, "tool_arguments", tool, place, "arguments"))


def _problem(task: Task, text: str, path: Path) -> Problem:
    return Problem(
        "exact_string",
        f"{text!r} is accepted word for word only, at {'.'.join(map(str, path))}",
        task.source.file,
        task.source.line(*path),
        fix="give a second wording (any_of, $says: [..]), a pattern, or the slots that matter: numbers, dates, facts",
    )


def prose(text: Any) -> bool:
    """Whether a text could be said otherwise."""
    return isinstance(text, str) and _IDENTIFIER.fullmatch(text) is None and len(_WORD.findall(text)) >= PROSE


def _facts(value: Any, path: Path) -> Iterator[tuple[str, Path]]:
    for index, fact in enumerate(value if isinstance(value, list | tuple) else ()):
        if isinstance(fact, Mapping):
            choices = fact.get("any_of", ())
            if len(choices) == 1 and prose(choices[0]):
                yield choices[0], (*path, index, "any_of", 0)
            for place, text in enumerate(fact.get("all", ())):
                if prose(text):
                    yield text, (*path, index, "all", place)


def _items(value: Any, path: Path) -> Iterator[tuple[str, Path]]:
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        for place, item in enumerate(entry.get("items", ()) if isinstance(entry, Mapping) else ()):
            choices = item.get("any_of", ()) if isinstance(item, Mapping) else [item]
            if len(choices) == 1 and prose(choices[0]):
                yield choices[0], (*path, index, "items", place)


def _values(value: Any, path: Path) -> Iterator[tuple[str, Path]]:
    """Texts in an expectation that are compared character by character."""
    if prose(value):
        yield value, path
    elif isinstance(value, Mapping):
        for key, below in value.items():
            if key == "$any_of" and isinstance(below, list | tuple) and len(below) == 1:
                yield from _values(below[0], (*path, key, 0))
            elif key not in _RULES_OF_TEXT:
                yield from _values(below, (*path, key))
    elif isinstance(value, list | tuple):
        for index, below in enumerate(value):
            yield from _values(below, (*path, index))


def _schema(value: Any, path: Path) -> Iterator[tuple[str, Path]]:
    """Texts that a JSON Schema compares character by character; names of properties are none of them."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            if key == "const":
                yield from _values(below, (*path, key))
            elif key == "enum" and isinstance(below, list | tuple):
                if len(below) == 1:
                    yield from _values(below[0], (*path, key, 0))
            elif key in ("properties", "$defs", "definitions", "dependentSchemas") and isinstance(below, Mapping):
                for name, inner in below.items():
                    yield from _schema(inner, (*path, key, name))
            elif key not in ("default", "examples"):
                yield from _schema(below, (*path, key))
    elif isinstance(value, list | tuple):
        for index, below in enumerate(value):
            yield from _schema(below, (*path, index))


CHECKS = (
    Check(
        "exact_strings",
        "No answer is held to one wording where several say the same.",
        "finding",
        _exact,
        {"exact_string": "A text that could be said otherwise is accepted word for word only."},
    ),
)
