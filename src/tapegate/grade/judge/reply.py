"""A judge's reply, read strictly (rubric §2.2): exactly one JSON object of exactly three keys, or a parse error."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

Fault = Literal[
    "refusal", "empty", "too_long", "fenced", "prose", "not_json", "duplicate_key", "keys", "score", "rationale"
]
"""Why a reply is a parse error."""

KEYS = frozenset({"accuracy_score", "faithfulness_score", "rationale"})
MOST_CHARACTERS = 20_000
MOST_WORDS = 80

_REFUSAL = re.compile(
    r"(?i)\b(?:i(?:['’]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['’])?t|cannot|won['’]t|must decline|refuse)"
    r"|as an ai\b|(?:unable|not able|decline) to (?:assist|comply|help|score|evaluate))"
)
_SEPARATOR = re.compile("[\\s\u00ad\u200b\u2060\ufeff]+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Mn", "Me", "Zl", "Zp", "Zs"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What the judge said, to the letter of the schema."""

    accuracy_score: int
    faithfulness_score: int
    rationale: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A parse error. It is no score of 0: nothing is known."""

    fault: Fault
    detail: str


class _Duplicate(ValueError):
    """A key that stands twice in one object."""


class _BadNumber(ValueError):
    """A number that is no integer of at most a few digits."""


def read_reply(text: str) -> Reply | Unreadable:
    """The scores in a reply. Never raises; nothing is coerced, repaired or looked for inside other text."""
    if not text.strip():
        return Unreadable("empty", "the reply is empty")
    if len(text) > MOST_CHARACTERS:
        return Unreadable("too_long", f"the reply has {len(text):,} characters")
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
        )
    except _Duplicate as error:
        return Unreadable("duplicate_key", f"the key {error.args[0]!r} stands twice")
    except _BadNumber as error:
        return Unreadable("score", f"{error.args[0]} is no integer from 0 to 2")
    except (ValueError, RecursionError):
        return _no_object(text)
    if not isinstance(value, dict):
        return Unreadable("not_json", f"the reply is a JSON {type(value).__name__}, not an object")
    if set(value) != KEYS:
        return Unreadable("keys", f"the keys are {', '.join(map(repr, sorted(value)))}"[:300])
    for name in ("accuracy_score", "faithfulness_score"):
        if type(value[name]) is not int or value[name] not in (0, 1, 2):
            return Unreadable("score", f"{name} is {value[name]!r:.40}, not one of the integers 0, 1 and 2")
    fault = _rationale_fault(value["rationale"])
    return Unreadable("rationale", fault) if fault else Reply(**value)


def _no_object(text: str) -> Unreadable:
    """What a reply that is not JSON is, as far as its beginning shows."""
    if _REFUSAL.search(text):
        return Unreadable("refusal", "the judge refused")
    start = text.lstrip()
    if start.startswith(("```", "~~~")):
        return Unreadable("fenced", "the reply is fenced")
    if "{" in text and "}" in text and not (start.startswith("{") and text.rstrip().endswith("}")):
        return Unreadable("prose", "there is text beside the object")
    return Unreadable("not_json", "the reply is not JSON")


def _rationale_fault(value: Any) -> str:
    if not isinstance(value, str):
        return f"the rationale is a JSON {type(value).__name__}, not text"
    if any("\ud800" <= char <= "\udfff" for char in value):
        return "the rationale holds half of a surrogate pair"
    words = [word for word in _SEPARATOR.split(value) if word]
    if not any(unicodedata.category(char) not in _INVISIBLE for word in words for char in word):
        return "the rationale says nothing"
    return f"the rationale has {len(words)} words" if len(words) > MOST_WORDS else ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Duplicate(key)
        found[key] = value
    return found


def _integer(digits: str) -> int:
    # int() itself refuses more than 4,300 digits with a plain ValueError.
    if len(digits) > 3 or digits.startswith("-0"):
        raise _BadNumber(f"{digits[:20]!r}")
    return int(digits)


def _no_number(digits: str) -> float:
    raise _BadNumber(f"{digits[:20]!r}")
