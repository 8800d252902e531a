"""What a value of JSON must be: arguments of a tool, a place in a JSON answer, a column of a row.

Anything is its own expectation: `3`, `"open"`, `[1, 2]`. Of an object the keys that are named are looked at, and others
may stand beside them, unless the match is exact. A mapping whose keys begin with `$` is a rule, whose parts hold
together:

    $equals: value        exactly this value, also one that looks like a rule
    $any_of: [..]         one of these expectations
    $not: expectation     anything but this
    $absent: true         there is no such key
    $type: name           string, number, integer, boolean, null, array or object
    $regex: pattern       a text in which the RE2 pattern matches
    $says: wording        a text that says it, in any spelling (a text, or a list of which one is said)
    $not_empty: true      neither null, nor blank text, nor an empty array or object
    $min: n, $max: n      a number within, both included
    $near: n              a number beside this one: $abs and $rel say how far, ends included
    $length: {min, max}   how many characters, items or keys
    $each: expectation    an array, not empty, each item of which is so
    $includes: [..]       an array that holds an item for each of these, others beside them
    $unordered: [..]      an array of exactly these, in any order
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tapegate.model.part import Band
from tapegate.model.source import Path
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.excerpt import visible
from tapegate.oracles.invisible import ANY
from tapegate.oracles.number import near, number, plain, with_band
from tapegate.oracles.pairing import unpaired
from tapegate.oracles.wording import says

DEEPEST = 32
"""Levels of an expectation or a value that are compared; what lies deeper is a mismatch."""

ABSENT: Any = object()
"""What stands where a value has no such key."""

TYPES: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: number(value) is not None,
    "integer": lambda value: (found := number(value)) is not None and found.denominator == 1,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}
"""What `$type` takes."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where a value is not what was expected."""

    path: Path
    """From the value downwards; `()` is the value itself."""
    expected: str
    got: str


def mismatch(expected: Json, got: Json, *, exact: bool = False) -> Mismatch | None:
    """The first place where `got` is not what is expected, or None. `exact`: objects hold no other keys."""
    return next(_mismatches(expected, got, exact, ()), None)


def shown(value: Json) -> str:
    """A value for a message, on one line and cut where it is long."""
    if value is ABSENT:
        return "nothing"
    try:
        text = visible(repr(value))
    except RecursionError:
        return "a value of very many levels"
    return text if len(text) <= 120 else f"{text[:119]}…"


def dotted(path: Path) -> str:
    """`items[2].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def is_rule(expected: Json) -> bool:
    """Whether an expectation is a rule rather than a value."""
    return isinstance(expected, Mapping) and any(isinstance(key, str) and key.startswith("$") for key in expected)


def _mismatches(expected: Json, got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    if len(path) > DEEPEST:
        yield Mismatch(path, f"at most {DEEPEST} levels", "more")
    elif is_rule(expected):
        yield from _rule(expected, got, exact, path)
    elif isinstance(expected, Mapping):
        yield from _object(expected, got, exact, path)
    elif isinstance(expected, list | tuple):
        if not isinstance(got, list | tuple) or len(got) != len(expected):
            yield Mismatch(path, f"an array of {len(expected)}", shown(got))
            return
        for index, (want, have) in enumerate(zip(expected, got, strict=True)):
            yield from _mismatches(want, have, exact, (*path, index))
    elif not same(expected, got):
        yield Mismatch(path, shown(expected), shown(got))


def same(one: Json, other: Json) -> bool:
    """Whether two values of JSON are equal: 1 and 1.0 are, 1 and true are not."""
    first, second = number(one), number(other)
    if first is not None or second is not None:
        return first == second
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return bool(type(one) is type(other) and one == other)


def _object(expected: Mapping[str, Json], got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    if not isinstance(got, Mapping):
        yield Mismatch(path, "an object", shown(got))
        return
    for key, want in expected.items():
        yield from _mismatches(want, got.get(key, ABSENT), exact, (*path, key))
    if exact:
        for key in got:
            if key not in expected:
                yield Mismatch((*path, str(key)), "nothing", shown(got[key]))


def _rule(rule: Mapping[str, Json], got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    if rule.get("$absent") is True:
        if got is not ABSENT:
            yield Mismatch(path, "nothing", shown(got))
        return
    if got is ABSENT:
        yield Mismatch(path, " and ".join(map(_said, rule.items())), "nothing")
        return
    band = Band(abs=float(rule.get("$abs", 0)), rel=float(rule.get("$rel", 0)))
    for name, want in rule.items():
        if name in _INSIDE:
            yield from _INSIDE[name](want, got, exact, path)
        elif name == "$near":
            value, middle = number(got), number(want)
            if value is None or middle is None or not near(middle, value, band):
                yield Mismatch(path, with_band(plain(middle or 0), band), shown(got))  # type: ignore[arg-type]
        elif name in _HOLDS and not _HOLDS[name](want, got, exact):
            yield Mismatch(path, _said((name, want)), shown(got))


def _said(part: tuple[str, Json]) -> str:
    return f"{part[0].removeprefix('$').replace('_', ' ')} {shown(part[1])}"


def _each(want: Json, got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    if not isinstance(got, list | tuple) or not got:
        yield Mismatch(path, "an array that is not empty", shown(got))
        return
    for index, item in enumerate(got):
        yield from _mismatches(want, item, exact, (*path, index))


def _includes(want: Sequence[Json], got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    if not isinstance(got, list | tuple):
        yield Mismatch(path, "an array", shown(got))
        return
    for index in unpaired(len(want), len(got), lambda one, other: mismatch(want[one], got[other], exact=exact) is None):
        yield Mismatch(path, f"an item that is {shown(want[index])}", shown(got))


def _unordered(want: Sequence[Json], got: Json, exact: bool, path: Path) -> Iterator[Mismatch]:
    yield from _includes(want, got, exact, path)
    if isinstance(got, list | tuple) and len(got) != len(want):
        yield Mismatch(path, f"an array of {len(want)}", shown(got))


def _matches(pattern: str, got: Json, _: bool) -> bool:
    return isinstance(got, str) and patterns.compiled(pattern).find(got) is not None


def _says(want: Json, got: Json, _: bool) -> bool:
    wordings = [want] if isinstance(want, str) else want
    return isinstance(got, str) and any(says(got, wording) for wording in wordings)


def is_blank(text: str | bytes) -> bool:
    """Whether nothing of a text shows: white space and invisible characters are nothing."""
    return not (ANY.sub("", text).strip() if isinstance(text, str) else text.strip())


def _not_empty(_: Json, got: Json, __: bool) -> bool:
    return not is_blank(got) if isinstance(got, str) else got is not None and got not in ([], (), {}, b"")


def _least(want: Json, got: Json, _: bool) -> bool:
    value, limit = number(got), number(want)
    return value is not None and limit is not None and value >= limit


def _most(want: Json, got: Json, _: bool) -> bool:
    value, limit = number(got), number(want)
    return value is not None and limit is not None and value <= limit


def _long(want: Mapping[str, int], got: Json, _: bool) -> bool:
    if not isinstance(got, str | bytes | list | tuple | Mapping):
        return False
    return want.get("min", 0) <= len(got) and len(got) <= want.get("max", len(got))


_INSIDE: Mapping[str, Callable[[Any, Json, bool, Path], Iterator[Mismatch]]] = {
    "$each": _each,
    "$includes": _includes,
    "$unordered": _unordered,
}
"""Rules that look inside a value, and so say where in it."""

_HOLDS: Mapping[str, Callable[[Any, Json, bool], bool]] = {
    "$equals": lambda want, got, _: same(want, got),
    "$any_of": lambda want, got, exact: any(mismatch(one, got, exact=exact) is None for one in want),
    "$not": lambda want, got, exact: mismatch(want, got, exact=exact) is not None,
    "$type": lambda want, got, _: TYPES[want](got),
    "$regex": _matches,
    "$says": _says,
    "$not_empty": _not_empty,
    "$min": _least,
    "$max": _most,
    "$length": _long,
}
"""Rules that a value meets or not."""
