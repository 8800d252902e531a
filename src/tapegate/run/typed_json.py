"""Frozen dataclasses as plain JSON and back, by their type hints. Nothing is converted: `true` is no integer."""

from __future__ import annotations

import base64
import collections.abc
import re
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

TAG = "event"
"""Where a value may be one of several classes, the key under which JSON names the class."""
_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")
BYTES = "base64"
"""The only key of an object that stands for bytes."""


class Unfit(ValueError):
    """JSON that is not of the type wanted; says where."""


@cache
def snake(name: str) -> str:
    """A class's name as JSON calls it: `ToolCall` is `tool_call`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def encode(value: Any, hint: Any) -> Any:
    """A value of the type `hint` as JSON."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        named = {TAG: snake(type(value).__name__)} if len(_classes(hint)) > 1 else {}
        for name, part in _parts(type(value)).items():
            named[name] = encode(getattr(value, name), part)
        return named
    if isinstance(value, bytes):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, tuple):
        return [encode(one, part) for one, part in zip(value, _items(hint, len(value)), strict=True)]
    if isinstance(value, Mapping):
        key_hint, part = _mapped(hint)
        if key_hint in (str, Any):
            return {key: encode(one, part) for key, one in value.items()}
        return [[encode(key, key_hint), encode(one, part)] for key, one in value.items()]
    return value


def decode(json: Any, hint: Any, place: str = "") -> Any:
    """The value of the type `hint` that JSON stands for. Raises `Unfit`."""
    if hint is Any:
        return json
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _one_of(json, hint, place)
    if origin is Literal:
        if json not in get_args(hint):
            raise Unfit(f"{place}: {json!r:.80} is none of {', '.join(map(repr, get_args(hint)))}")
        return json
    if is_dataclass(hint):
        return _object(json, hint, place)  # type: ignore[arg-type]  # is_dataclass admits instances
    if hint is bytes:
        return _bytes(json, place)
    if origin is tuple:
        if not isinstance(json, list):
            raise Unfit(f"{place}: {json!r:.80} is no list")
        parts = _items(hint, len(json))
        if len(parts) != len(json):
            raise Unfit(f"{place}: a list of {len(parts)} has {len(json)}")
        return tuple(
            decode(one, part, f"{place}[{index}]") for index, (one, part) in enumerate(zip(json, parts, strict=True))
        )
    if origin in (dict, collections.abc.Mapping):
        return _mapping(json, hint, place)
    if hint is Fraction or _is_enum(hint):
        return _named(json, hint, place)
    if type(json) is not hint:
        raise Unfit(f"{place}: {json!r:.80} is no {getattr(hint, '__name__', hint)}")
    return json


def _one_of(json: Any, hint: Any, place: str) -> Any:
    if type(json) in _plain(hint):
        return json
    classes = {snake(kind.__name__): kind for kind in _classes(hint)}
    if isinstance(json, dict) and len(classes) > 1:
        kind = classes.get(str(json.get(TAG)))
        if kind is None:
            raise Unfit(f"{place}: {json.get(TAG)!r:.80} is none of {', '.join(classes)}")
        return _object({name: value for name, value in json.items() if name != TAG}, kind, place)
    refused = None
    for one in get_args(hint):
        try:
            return decode(json, one, place)
        except Unfit as error:
            refused = refused if one is NoneType and refused else error
    raise refused or Unfit(place)


def _object(json: Any, kind: type[Any], place: str) -> Any:
    if not isinstance(json, dict):
        raise Unfit(f"{place}: {json!r:.80} is no object")
    parts = _parts(kind)
    unknown = json.keys() - parts.keys()
    if unknown:
        raise Unfit(f"{place}: {kind.__name__} has no {', '.join(sorted(map(repr, unknown)))}")
    for part in fields(kind):
        if part.name not in json and part.default is MISSING and part.default_factory is MISSING:
            raise Unfit(f"{place}: {kind.__name__} needs {part.name!r}")
    return kind(**{name: decode(value, parts[name], f"{place}.{name}") for name, value in json.items()})


def _mapping(json: Any, hint: Any, place: str) -> dict[Any, Any]:
    key_hint, part = _mapped(hint)
    if key_hint is str:
        if not isinstance(json, dict):
            raise Unfit(f"{place}: {json!r:.80} is no object")
        return {key: decode(one, part, f"{place}.{key}") for key, one in json.items()}
    pairs = decode(json, tuple[tuple[Any, Any], ...], place)
    return {decode(key, key_hint, place): decode(one, part, place) for key, one in pairs}


def _named(json: Any, kind: Any, place: str) -> Any:
    """A value that JSON holds as text: a member of an enumeration, or an exact fraction, `39/50`."""
    if not isinstance(json, str) or (kind is Fraction and not _FRACTION.fullmatch(json)):
        raise Unfit(f"{place}: {json!r:.80} is no {kind.__name__}")
    try:
        return kind(json)
    except (ValueError, ZeroDivisionError) as error:
        raise Unfit(f"{place}: {json!r:.80} is no {kind.__name__}") from error


def _bytes(json: Any, place: str) -> bytes:
    try:
        return base64.b64decode(json[BYTES], validate=True)
    except (TypeError, KeyError, ValueError) as error:
        raise Unfit(f"{place}: {json!r:.80} is no {BYTES}") from error


@cache
def _plain(hint: Any) -> frozenset[type[Any]]:
    """The parts of a union whose values stand for themselves, where none of them could be another part's."""
    parts = get_args(hint)
    if any(part is Fraction or get_origin(part) is Literal or _is_enum(part) for part in parts):
        return frozenset()
    return frozenset(part for part in parts if part in (str, int, float, bool, NoneType))


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


@cache
def _classes(hint: Any) -> tuple[type[Any], ...]:
    """The dataclasses that a union has."""
    if get_origin(hint) not in (Union, UnionType):
        return ()
    return tuple(one for one in get_args(hint) if is_dataclass(one) and isinstance(one, type))


def _items(hint: Any, count: int) -> tuple[Any, ...]:
    """The type of each of `count` items of a tuple."""
    for one in (hint, *get_args(hint)):
        if get_origin(one) is tuple:
            parts = get_args(one)
            return (parts[0],) * count if len(parts) == 2 and parts[1] is Ellipsis else parts
    return (Any,) * count


def _mapped(hint: Any) -> tuple[Any, Any]:
    """The types of a mapping's keys and values."""
    for one in (hint, *get_args(hint)):
        if get_origin(one) in (dict, collections.abc.Mapping):
            key, value = get_args(one)
            return key, value
    return Any, Any


def _parts(kind: Any) -> Mapping[str, Any]:
    """The type of each field of a dataclass."""
    if kind not in _PARTS:
        hints = get_type_hints(kind, vars(sys.modules[kind.__module__]))
        _PARTS[kind] = {part.name: hints[part.name] for part in fields(kind)}
    return _PARTS[kind]


_PARTS: dict[Any, Mapping[str, Any]] = {}
