"""Filling the placeholders of a template. Which ones exist, and that no others stand there, `load` has seen to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapegate.load.template import PLACEHOLDER


def fill(template: str, values: Mapping[str, str], quote: Callable[[str], str] = str) -> str:
    """`template` with its placeholders replaced in one pass: what a value holds is never filled again.

    `quote` makes a value fit where it lands: percent-encoding in a URL. Raises KeyError for a placeholder without a
    value.
    """
    return PLACEHOLDER.sub(lambda found: quote(values[found[1]]), template)


def fill_json(value: Any, values: Mapping[str, Any]) -> Any:
    """A JSON value with all texts in it filled; keys stay as they are.

    A text that is nothing but a placeholder becomes its value, also where that is no text.
    """
    match value:
        case str():
            whole = PLACEHOLDER.fullmatch(value)
            return values[whole[1]] if whole is not None else fill(value, values)
        case dict():
            return {key: fill_json(part, values) for key, part in value.items()}
        case list() | tuple():
            return [fill_json(part, values) for part in value]
        case _:
            return value
