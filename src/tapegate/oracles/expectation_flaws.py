"""What makes an expectation of `expectation` unusable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tapegate.load.suggest import did_you_mean
from tapegate.model.source import Path
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.expectation import DEEPEST, TYPES, is_rule
from tapegate.oracles.number import number, plain
from tapegate.oracles.slot import Flaw, bad
from tapegate.oracles.wording import normal


def flaws(expected: Json, path: Path = ()) -> Iterator[Flaw]:
    """Everything that makes an expectation unusable."""
    if len(path) > DEEPEST:
        yield Flaw("bad_slot_value", f"an expectation of more than {DEEPEST} levels", path)
    elif is_rule(expected):
        yield from _rule_flaws(expected, path)
    elif isinstance(expected, Mapping):
        for key, below in expected.items():
            yield from flaws(below, (*path, key))
    elif isinstance(expected, list | tuple):
        for index, below in enumerate(expected):
            yield from flaws(below, (*path, index))


def _rule_flaws(rule: Mapping[str, Json], path: Path) -> Iterator[Flaw]:
    for name, value in rule.items():
        if name not in RULES:
            yield Flaw("bad_slot_value", f"{name!r} is no rule ({did_you_mean(name, RULES)})", (*path, name))
        else:
            yield from (flaw.below(*path, name) for flaw in RULES[name](value))
    if "$near" not in rule and {"$abs", "$rel"} & set(rule):
        yield Flaw("bad_slot_value", "'$abs' and '$rel' go with '$near'", path)
    if "$absent" in rule and len(rule) > 1:
        yield Flaw("unreachable_outcome", "what is absent meets no other rule", path)
    low, high = number(rule.get("$min")), number(rule.get("$max"))
    if low is not None and high is not None and low > high:
        yield Flaw("unreachable_outcome", f"no number is at least {plain(low)} and at most {plain(high)}", path)


def _list_flaws(value: Json) -> Iterator[Flaw]:
    if isinstance(value, list | tuple) and value:
        yield from flaws(value)
    else:
        yield bad(value, "a list of expectations that is not empty")


def _true_flaws(value: Json) -> Iterator[Flaw]:
    if value is not True:
        yield bad(value, "true")


def _type_flaws(value: Json) -> Iterator[Flaw]:
    if value not in tuple(TYPES):
        yield bad(value, f"one of {', '.join(TYPES)}")


def _pattern_flaws(value: Json) -> Iterator[Flaw]:
    if isinstance(value, str):
        yield from patterns.flaws(value)
    else:
        yield bad(value, "an RE2 pattern")


def _says_flaws(value: Json) -> Iterator[Flaw]:
    wordings = [value] if isinstance(value, str) else value
    if not isinstance(wordings, list | tuple) or not wordings or not all(map(_is_wording, wordings)):
        yield bad(value, "a wording with a letter or a digit, or a list of such")


def _is_wording(value: Json) -> bool:
    return isinstance(value, str) and any(char.isalnum() for char in normal(value))


def _number_flaws(value: Json) -> Iterator[Flaw]:
    if number(value) is None:
        yield bad(value, "a number")


def _amount_flaws(value: Json) -> Iterator[Flaw]:
    if (found := number(value)) is None or found < 0:
        yield bad(value, "a number from 0 up")


def _length_flaws(value: Json) -> Iterator[Flaw]:
    counts = value.values() if isinstance(value, Mapping) else ()
    if not counts or set(value) - {"min", "max"} or any(type(count) is not int or count < 0 for count in counts):
        yield bad(value, "{min, max}, whole numbers from 0 up")
    elif value.get("min", 0) > value.get("max", value.get("min", 0)):
        yield Flaw("unreachable_outcome", f"no length is at least {value['min']} and at most {value['max']}")


RULES: Mapping[str, Callable[[Json], Iterable[Flaw]]] = {
    "$equals": lambda _: (),
    "$any_of": _list_flaws,
    "$includes": _list_flaws,
    "$unordered": _list_flaws,
    "$not": flaws,
    "$each": flaws,
    "$absent": _true_flaws,
    "$not_empty": _true_flaws,
    "$type": _type_flaws,
    "$regex": _pattern_flaws,
    "$says": _says_flaws,
    "$min": _number_flaws,
    "$max": _number_flaws,
    "$near": _number_flaws,
    "$abs": _amount_flaws,
    "$rel": _amount_flaws,
    "$length": _length_flaws,
}
"""What is wrong with the value of a rule, by rule."""
