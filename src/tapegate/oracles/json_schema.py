"""JSON Schemas, draft 2020-12, held against values: patterns in RE2, references within the schema alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tapegate.load.suggest import did_you_mean
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.expectation import shown
from tapegate.oracles.slot import Flaw, bad
from tapegate.tape.jsonpath import render_path

_NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""Keywords with schemas by name."""
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords with a list of schemas."""
_SCHEMAS = frozenset(
    {
        *("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
    }
)
"""Keywords with a schema."""
_KNOWN = frozenset(
    {
        *(_NAMED | _LISTED | _SCHEMAS),
        *("type", "const", "enum", "required", "dependentRequired", "pattern", "format", "uniqueItems", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
        *("minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"),
        *("$ref", "$dynamicRef", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary"),
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("contentEncoding", "contentMediaType", "patternProperties"),
    }
)
"""Every keyword of draft 2020-12, and the older name of `$defs`."""
_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)


class Unusable(Exception):
    """A schema that no value can be held against; says why."""


def broken(schema: Mapping[str, Any], value: Json) -> tuple[str, str] | None:
    """What of the schema does not hold and what stands there; None where it holds.

    Raises Unusable for a schema that is none: an unknown type, a pattern that is none, a reference to nowhere.
    """
    from jsonschema.exceptions import UnknownType, best_match
    from referencing.exceptions import Unresolvable

    try:
        error = best_match(_validator()(schema).iter_errors(value))
    except RecursionError:
        return "a value that the schema can be followed for", shown(value)
    except (UnknownType, Unresolvable, patterns.PatternError, TypeError, AttributeError, ValueError) as problem:
        # A keyword with a value of the wrong type ends in any of these: the schema was not checked beforehand.
        raise Unusable(type(problem).__name__) from problem
    if error is None:
        return None
    where = render_path(list(error.absolute_path)) if error.absolute_path else "the whole value"
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


def flaws(value: Json) -> Iterator[Flaw]:
    """What makes a JSON Schema of a task unusable."""
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
    yield from _keyword_flaws(value, ())


def _keyword_flaws(schema: Json, path: tuple[str | int, ...]) -> Iterator[Flaw]:
    """Keywords that would be passed over without a word, and schemas that nothing meets."""
    if not isinstance(schema, Mapping):
        return
    for key, below in schema.items():
        if key not in _KNOWN and not key.startswith("x-"):
            message = f"JSON Schema has no keyword {key!r}: {did_you_mean(key, sorted(_KNOWN))}"
            yield Flaw("bad_slot_value", message, (*path, key))
        elif key == "not" and below in ({}, True):
            yield Flaw("bad_slot_value", "no value at all meets this schema", (*path, key))
        elif key in _NAMED and isinstance(below, Mapping):
            for name, inner in below.items():
                yield from _keyword_flaws(inner, (*path, key, name))
        elif key in _LISTED and isinstance(below, list | tuple):
            for index, inner in enumerate(below):
                yield from _keyword_flaws(inner, (*path, key, index))
        elif key in _SCHEMAS:
            yield from _keyword_flaws(below, (*path, key))
    for least, most in _BOUNDS:
        low, high = schema.get(least), schema.get(most)
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            message = f"no value at all meets {least} {low} and {most} {high}"
            yield Flaw("bad_slot_value", message, (*path, least))


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
