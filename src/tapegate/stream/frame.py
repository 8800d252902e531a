"""One frame of a stream as JSON, read strictly, and its fields.

Strict means: no duplicate keys, no NaN and no infinity, no more than 100 levels, no half of a surrogate pair
in a value. What passes here can be written again as UTF-8 JSON by anyone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import orjson

from tapegate.model.trace import Json

DEPTH_LIMIT = 100
"""Levels of lists and objects in one frame; whoever walks a trace may recurse."""

T = TypeVar("T", str, bool, int, dict[str, Any], list[Any])

_WORDS: Mapping[type, str] = {
    str: "a string",
    bool: "true or false",
    int: "an integer",
    dict: "an object",
    list: "a list",
    float: "a number",
    type(None): "null",
}


class BadFrame(Exception):
    """A frame that its dialect does not allow; the parser turns it into a `Violation`."""

    def __init__(self, message: str, code: str = "malformed_frame") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def read_json(text: str) -> Json:
    """The value of a JSON text. Strings may hold halves of surrogate pairs: see `whole`.

    Raises `BadFrame`.
    """
    try:
        value = _exact(text)
        if value is None:
            value = _decode(text)
    except RecursionError:
        raise BadFrame(f"JSON nested deeper than {DEPTH_LIMIT} levels") from None
    except ValueError as error:
        # The interpreter's own words differ from version to version, and a verdict holds no such thing.
        reason = f" ({error.args[0]})" if isinstance(error, _Refused) else ""
        raise BadFrame(f"not JSON: {_shown(text)}{reason}") from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _depth(value) > DEPTH_LIMIT:
        raise BadFrame(f"JSON nested deeper than {DEPTH_LIMIT} levels")
    return value


def read_object(text: str) -> dict[str, Json]:
    """The value of a JSON text that must be an object. Raises `BadFrame`."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise BadFrame(f"{_shown(text)} is {word(value)}, expected an object")
    return value


def take(frame: Mapping[str, Json], kind: type[T], *names: str) -> T | None:
    """The field under the first of `names` that is there and not null; None where none is.

    Raises `BadFrame` where it is not a `kind`.
    """
    for name in names:
        value = frame.get(name)
        if value is None:
            continue
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise BadFrame(f"field {name!r} is {word(value)}, expected {_WORDS[kind]}")
        return value
    return None


def need(frame: Mapping[str, Json], kind: type[T], *names: str) -> T:
    """Like `take`, but the field must be there. Raises `BadFrame`."""
    value = take(frame, kind, *names)
    if value is None:
        raise BadFrame(f"field {names[0]!r} is missing, expected {_WORDS[kind]}; it has {sorted(frame)!r}"[:300])
    return value


def objects(values: list[Any] | None) -> list[dict[str, Json]]:
    """The items of a list that must all be objects; none where there is no list. Raises `BadFrame`."""
    for value in values or ():
        if not isinstance(value, dict):
            raise BadFrame(f"a list holds {word(value)}, expected objects only")
    return values or []


def whole(value: Json) -> bool:
    """Whether every string in `value` has a UTF-8 form: no half of a surrogate pair stands alone."""
    try:
        orjson.dumps(value)
    except TypeError:  # also for integers that its 64 bits do not hold
        pass
    else:
        return True
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def word(value: Json) -> str:
    """What kind of JSON value this is, in words."""
    return _WORDS.get(type(value), type(value).__name__)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


class _Refused(ValueError):
    pass


def _exact(text: str) -> Json | None:
    """The value where writing it again gives the same text: then no key was doubled and no number changed.

    Most servers write JSON without blanks, and this takes a fifth of the strict reader's time.
    """
    try:
        value = orjson.loads(text)
        return value if orjson.dumps(value).decode() == text else None
    except (ValueError, TypeError):
        return None


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"duplicate key {twice!r}")
    return found


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(f"{text[:30]!r} is no finite number")
    return number


def _constant(text: str) -> float:
    raise _Refused(f"{text!r} is not JSON")


_decode = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant).decode


def _depth(value: Json) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        nested = [item for item in level if isinstance(item, (dict, list))]
        level = [child for item in nested for child in (item.values() if isinstance(item, dict) else item)]
    return depth
