"""The slots `json` and `json_schema`: an answer that is JSON, whole or in one fenced block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tapegate.errors import LoadError
from tapegate.model.trace import Json
from tapegate.oracles import json_schema
from tapegate.oracles.expectation import ABSENT, Mismatch, dotted, mismatch
from tapegate.oracles.expectation_flaws import flaws as expectation_flaws
from tapegate.oracles.slot import Flaw, SlotKind, bad
from tapegate.stream.frame import BadFrame, read_json
from tapegate.tape.jsonpath import parse_path

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


def said(path: str, wrong: Mismatch) -> str:
    """Where in an answer something is wrong."""
    return dotted(wrong.path) or (path if path != "$" else "the answer")


JSON = SlotKind("What the answer holds as JSON: expectations by path, `$` for the whole.", _json_flaws)
JSON_SCHEMA = SlotKind("A JSON Schema (draft 2020-12) that the answer meets as JSON.", json_schema.flaws)
