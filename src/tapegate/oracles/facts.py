"""The slot `facts`: what an answer must state, each in any of several wordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tapegate.model.source import Path
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.links import shown
from tapegate.oracles.slot import Flaw, SlotKind, bad, kept, listed
from tapegate.oracles.wording import normal, says

_EMPTY_TALK = (
    "I do not know.",
    "Sorry, something went wrong. Please try again later.",
    "This question cannot be answered from what was found.",
    "Das weiß ich leider auch nicht.",
)
"""Answers that state nothing: what each of them states says nothing about an answer."""


def missing(fact: Mapping[str, Json], text: str) -> str:
    """What of a fact the text does not state, in words; empty where it states it."""
    absent = [wording for wording in fact.get("all", ()) if not _states(text, wording)]
    choices = fact.get("any_of", ())
    if choices and not any(_states(text, wording) for wording in choices):
        absent.append(" or ".join(choices))
    return " and ".join(absent)


def _states(text: str, wording: str) -> bool:
    pattern = _pattern(wording)
    return patterns.compiled(pattern).find(shown(text)) is not None if pattern is not None else says(text, wording)


def _pattern(wording: str) -> str | None:
    return wording[1:-1] if len(wording) > 2 and wording[0] == wording[-1] == "/" else None


def _flaws(value: Json) -> Iterator[Flaw]:
    yield from listed(value, "facts: {name, any_of, all}")
    for index, fact in enumerate(value if isinstance(value, list | tuple) else ()):
        if not isinstance(fact, dict):
            yield bad(fact, "a fact: {name, any_of, all}", (index,))
            continue
        for key in fact:
            if key not in ("name", "any_of", "all"):
                yield Flaw("bad_slot_value", f"a fact has no key {key!r} (known: all, any_of, name)", (index, key))
        if not isinstance(fact.get("name"), str) or not fact["name"]:
            yield Flaw("bad_slot_value", "a fact has a name: a text that is not empty", (index,))
        if not {"any_of", "all"} & set(fact):
            yield Flaw("vacuous_slot", "a fact without any_of and all demands nothing", (index,))
        found = [flaw for key in ("any_of", "all") if key in fact for flaw in _wording_flaws(fact[key], (index, key))]
        yield from found
        if not found and {"any_of", "all"} & set(fact) and not any(missing(fact, text) for text in _EMPTY_TALK):
            message = f"an answer that states nothing states this fact, {_EMPTY_TALK[0]!r} too"
            yield Flaw("vacuous_slot", message, (index,))


def _wording_flaws(value: Json, path: Path) -> Iterator[Flaw]:
    yield from (flaw.below(*path) for flaw in listed(value, "wordings"))
    for index, wording in enumerate(value if isinstance(value, list | tuple) else ()):
        if not isinstance(wording, str) or not wording:
            yield bad(wording, "a wording: a text that is not empty (quote a number)", (*path, index))
        elif (pattern := _pattern(wording)) is not None:
            found = [flaw.below(*path, index) for flaw in patterns.flaws(pattern)]
            yield from found
            if not found and all(patterns.compiled(pattern).find(letter) is not None for letter in "aeiou"):
                message = f"the pattern {pattern!r} matches a letter that is in every answer"
                yield Flaw("vacuous_pattern", message, (*path, index))
        elif not any(char.isalnum() for char in normal(wording)):
            yield Flaw("vacuous_slot", f"the wording {wording!r} holds neither letter nor digit", (*path, index))


def names(value: Sequence[Mapping[str, Json]]) -> list[str]:
    """The names of the facts, in order."""
    return [fact["name"] for fact in value]


FACTS = SlotKind("Facts that the answer states: a list of `{name, any_of, all}`.", _flaws, loosens=kept)
