"""Values and places of a file, in the words of an error message."""

from __future__ import annotations

import re

from tapegate.load.document import Json
from tapegate.model.source import Path

_BOOLEANS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_BOOLEANS |= {"true": "true", "false": "false"}


def dotted(path: Path) -> str:
    """A path as a person writes it: `'expect.accepted_outcomes[0].name'`."""
    if not path:
        return "the document"
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return repr(text.removeprefix("."))


def shown(value: Json) -> str:
    """A value, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"


def kind_of(value: Json) -> str:
    """What a value is."""
    match value:
        case None:
            return "empty (null)"
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value!r}"
        case str():
            return f"the text {shown(value)}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "a mapping"


def cure(wanted: str, value: Json) -> str:
    """How a value of the wrong type becomes one of the type wanted."""
    match wanted, value:
        case "a whole number", str() if re.fullmatch(r"-?[0-9]{1,18}", value):
            return f"write {int(value)} without quotes"
        case "a whole number", float() if value.is_integer():
            return f"write {int(value)}"
        case "true or false", str() if value.casefold() in _BOOLEANS:
            return f"write {_BOOLEANS[value.casefold()]} without quotes: YAML 1.2 knows only true and false"
        case "text", bool() | int() | float():
            return "put it in quotes"
        case "a list", str() | bool() | int() | float():
            return "write a list: [first, second]"
        case _, None:
            return "write a value, or remove the key"
        case _:
            return f"write {wanted}"
