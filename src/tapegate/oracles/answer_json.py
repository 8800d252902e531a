"""The slots `json` and `json_schema`: an answer that is JSON, whole or in one fenced block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from tapegate.errors import LoadError
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.expectation import ABSENT, Mismatch, dotted, mismatch, shown
from tapegate.oracles.expectation_flaws import flaws as expectation_flaws
from tapegate.oracles.slot import Flaw, SlotKind, bad
from tapegate.stream.frame import BadFrame, read_json
from tapegate.tape.jsonpath import parse_path, render_path

_FENCE = re.compile(r"^[ \t]*```(?:json|JSON)?[ \t]*\n(.*?)\n[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)


class NoJson(Exception):
    """An answer that is no JSON; says why."""


@lru_cache(maxsize=8)
def parsed(answer: str, *, fenced: bool = False) -> Json:
    """The value that an answer is. Raises NoJson for prose around it, a second value, a duplicate key, NaN.

    `fenced`: the answer may be prose with exactly one fenced code block, which is the value.
    """
    text = answer.strip()
    if fenced:
        blocks = _FENCE.findall(answer)
        if len(blocks) > 1:
            raise NoJson(f"{len(blocks)} fenced blocks; exactly one holds the value")
        text = blocks[0] if blocks else text
    if not text:
        raise NoJson("an empty answer")
    try:
        return read_json(text)
    except BadFrame as error:
        raise NoJson(error.message) from None


def wrong_at(path: str, expected: Json, value: Json) -> Mismatch | None:
    """What is wrong at a path of a value; where the path leads to several places, at the first that is wrong."""
    places = list(_places(path, value))
    if not places:
        return mismatch(expected, ABSENT)
    for where, found in places:
        wrong = mismatch(expected, found)
        if wrong is not None:
            return Mismatch((*where, *wrong.path), wrong.expected, wrong.got)
    return None


def _places(path: str, value: Json) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    found: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    for step in parse_path(path) if path != "$" else ():
        found = [((*where, key), holder[key]) for where, holder in found for key in step.keys(holder)]
    yield from found


def broken_schema(schema: Mapping[str, Any], value: Json) -> tuple[str, str] | None:
    """What of the schema does not hold and what stands there; None where it holds."""
    from jsonschema.exceptions import best_match

    try:
        error = best_match(_validator()(schema).iter_errors(value))
    except RecursionError:
        return "a value that the schema can be followed for", shown(value)
    if error is None:
        return None
    where = render_path(list(error.absolute_path)) if error.absolute_path else "the answer"
    return f"{error.validator}: {shown(error.validator_value)} at {where}", shown(error.instance)


@cache
def _validator() -> Any:
    """Draft 2020-12 with patterns in RE2. Loaded late: most runs validate nothing."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def pattern(_: Any, wanted: str, instance: Json, __: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str) and patterns.compiled(wanted).find(instance) is None:
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    extend: Any = validators.extend
    return extend(Draft202012Validator, {"pattern": pattern})


def _json_flaws(value: Json) -> Iterator[Flaw]:
    if not isinstance(value, Mapping) or not value:
        yield bad(value, "a mapping from paths to expectations that is not empty")
        return
    for path, expected in value.items():
        if path != "$":
            try:
                parse_path(path)
            except LoadError as error:
                yield Flaw("bad_slot_value", error.problems[0].message, (path,))
        yield from (flaw.below(path) for flaw in expectation_flaws(expected))


def _schema_flaws(value: Json) -> Iterator[Flaw]:
    if not isinstance(value, Mapping) or not value:
        yield bad(value, "a JSON Schema that is not empty")
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        path = tuple(error.absolute_path)
        yield Flaw("bad_slot_value", f"this is no JSON Schema: {error.message[:200]}", path)
        return
    except RecursionError:
        yield Flaw("bad_slot_value", "this JSON Schema has too many levels")
        return
    yield from _inside_flaws(value, (), value)


def _inside_flaws(schema: Json, path: tuple[str | int, ...], root: Json) -> Iterator[Flaw]:
    """References that leave the file, and patterns that RE2 does not know."""
    if isinstance(schema, Mapping):
        for key, below in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(below, str):
                if not _resolves(below, root):
                    message = f"{below!r} leads nowhere in this schema; references lead to '#' or '#/$defs/…'"
                    yield Flaw("bad_slot_value", message, (*path, key))
            elif key == "pattern" and isinstance(below, str):
                yield from (flaw.below(*path, key) for flaw in patterns.flaws(below))
            elif key == "patternProperties" and isinstance(below, Mapping) and below:
                message = "'patternProperties' is not supported; name the properties, or use propertyNames with pattern"
                yield Flaw("bad_slot_value", message, (*path, key))
            elif key not in ("const", "enum", "default", "examples"):
                yield from _inside_flaws(below, (*path, key), root)
    elif isinstance(schema, list | tuple):
        for index, below in enumerate(schema):
            yield from _inside_flaws(below, (*path, index), root)


def _resolves(reference: str, root: Json) -> bool:
    if reference == "#":
        return True
    if not reference.startswith("#/"):
        return False
    place = root
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or key not in place:
            return False
        place = place[key]
    return True


def said(path: str, wrong: Mismatch) -> str:
    """Where in an answer something is wrong."""
    return dotted(wrong.path) or (path if path != "$" else "the answer")


JSON = SlotKind("What the answer holds as JSON: expectations by path, `$` for the whole.", _json_flaws)
JSON_SCHEMA = SlotKind("A JSON Schema (draft 2020-12) that the answer meets as JSON.", _schema_flaws)
