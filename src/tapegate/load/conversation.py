"""How the config says that later messages are put: what they carry over, and what a stream fixture fills."""

from __future__ import annotations

from tapegate.load import template
from tapegate.load.describe import dotted
from tapegate.load.document import Document, Json
from tapegate.model.problem import Problem
from tapegate.model.source import Path

_AGAIN = ("ask_again", "arguments_again")


def again(kind: str | None) -> tuple[str, ...]:
    """The parts of a subject of this kind that put a later message: a command is started in the same way each time."""
    return ("command", "stdin") if kind == "command" else _AGAIN


def carried(document: Document, subject: str) -> frozenset[str]:
    """The placeholders that a subject's later messages take over from earlier answers."""
    return frozenset(str(path[-1]) for path, _ in document.each("subjects", subject, "carry", "*"))


def conversation_problems(document: Document) -> list[Problem]:
    """Values that nobody fills in or takes over, and lists of pieces within a text."""
    problems = []
    for path, value in document.each("subjects", "*"):
        subject = str(path[-1])
        parts = again(document.text(*map(str, path), "kind"))
        known = template.SERVER | template.PIECES
        for name in sorted(carried(document, subject)):
            place = (*path, "carry", name)
            if name in known:
                message = f"{dotted(place)} has the name of a placeholder that is filled already"
                problems.append(document.problem("ambiguous_placeholder", message, document.key_place(place)))
            elif isinstance(value, dict) and not any(
                name == found for part in parts for _, found in template.placeholders(value.get(part))
            ):
                message = f"{dotted(place)} is taken over into {' or '.join(parts)}, which does not hold {{{name}}}"
                fix = "write it where the later message needs it, or remove it"
                problems.append(document.problem("unused_placeholder", message, document.key_place(place), fix))
    for path, value in document.each("subjects", "*", "arguments"):
        problems += _pieces_in_text(document, path, value)
    return problems


def _pieces_in_text(document: Document, path: Path, value: Json) -> list[Problem]:
    found = [(place, name) for place, name in template.placeholders(value, path) if name in template.PIECES]
    texts = dict(_texts(value, path))
    problems = [
        document.problem(
            "bad_value",
            f"{dotted(place)} holds {{{name}}} within a text, and it stands for a list",
            document.place(place),
            f'write "{{{name}}}" and nothing else',
        )
        for place, name in found
        if texts[place] != f"{{{name}}}"
    ]
    if len(found) > 1:
        message = f"{dotted(path)} takes the pieces of a stream fixture {len(found)} times"
        problems.append(document.problem("bad_value", message, document.place(found[1][0]), "take them once"))
    return problems


def _texts(value: Json, path: Path) -> list[tuple[Path, str]]:
    if isinstance(value, str):
        return [(path, value)]
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in parts for found in _texts(part, (*path, key))]
