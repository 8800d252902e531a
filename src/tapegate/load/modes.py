"""What a task's mode demands of its other parts, for the loader and for the published schema."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tapegate.load.describe import dotted
from tapegate.load.document import Document, Json
from tapegate.model.problem import Problem
from tapegate.model.source import Path

_LISTS = {"multi_turn": "then", "concurrent": "beside"}
"""Modes that put more than one message, and where the others stand."""
_WHOLE = "whole"
OUTCOMES: tuple[tuple[str, ...], ...] = (("expect", "accepted_outcomes"), ("cases", "*", "expect", "accepted_outcomes"))
"""Where a task file holds accepted outcomes."""
_MOMENTS = {
    ("setup", "clock"): "write 2026-01-31T09:00:00Z",
    ("cases", "*", "setup", "clock"): "write 2026-01-31T09:00:00Z",
    ("quarantine", "until"): "write 2026-01-31",
}
"""Parts whose digits must show a time."""


def mode_problems(document: Document) -> Iterator[Problem]:
    """Messages, streams and cuts that the mode has no use for, or lacks; a clock that shows no time."""
    mode = document.text("mode")
    for name, field in _LISTS.items():
        messages = next((value for _, value in document.each(field) if isinstance(value, list)), [])
        if mode == name and not messages:
            yield document.problem(
                "missing_messages",
                f"mode {name!r} puts several messages, and {field!r} has none",
                document.place(("mode",)),
                f"add {field}: with what the user says beside 'input', or write mode: single_turn",
            )
        if mode != name and messages:
            yield _useless(document, (field,), mode, f"mode {name!r}")
    yield from _stream_problems(document, mode)
    for above in OUTCOMES:
        for path, turns in document.each(*above, "*", "turns"):
            if isinstance(turns, list) and turns:
                yield from _turn_problems(document, path, turns, mode)
    for pattern, fix in _MOMENTS.items():
        for path, moment in document.each(*pattern):
            if isinstance(moment, str) and not _is_time(moment):
                message = f"{dotted(path)} is {moment!r}, which is no moment"
                yield document.problem("bad_value", message, document.place(path), fix)


def _turn_problems(document: Document, path: Path, turns: list[Json], mode: str | None) -> Iterator[Problem]:
    """Conditions on single answers where there is but one, on one that never comes, or twice on the same."""
    field = _LISTS.get(mode or "")
    if field is None:
        yield _useless(document, path, mode, f"mode {' or '.join(map(repr, _LISTS))}")
        return
    messages = 1 + sum(len(value) for _, value in document.each(field) if isinstance(value, list))
    numbers: list[Json] = []
    for place, turn in enumerate(turns):
        number = turn.get("turn") if isinstance(turn, dict) else None
        at = (*path, place, "turn")
        if type(number) is int and number > messages:
            message = f"{dotted(at)} is {number}, and the task puts {messages} messages"
            yield document.problem("unknown_turn", message, document.place(at), f"count from 1: input, then {field}")
        elif type(number) is int and number in numbers:
            message = f"{dotted(at)} is {number}, for which conditions stand above"
            yield document.problem("duplicate_turn", message, document.place(at), "put them together")
        numbers.append(number)


def _stream_problems(document: Document, mode: str | None) -> Iterator[Problem]:
    cases = [path for path, _ in document.each("cases", "*")]
    streams = [path for path, name in document.each("cases", "*", "setup", "stream") if name is not None]
    named = document.text("setup", "stream") is not None or (cases and len(streams) == len(cases))
    if mode == "stream_fixture" and not named:
        yield document.problem(
            "missing_stream",
            "mode 'stream_fixture' needs a stream, and setup names none",
            document.place(("mode",)),
            "add setup: {stream: NAME} with a file of evals/fixtures",
        )
    for above in (("setup",), ("cases", "*", "setup")) if mode != "stream_fixture" else ():
        for field, nothing in (("stream", (None,)), ("chunking", (None, _WHOLE))):
            for path, value in document.each(*above, field):
                if value not in nothing:
                    yield _useless(document, path, mode, "mode 'stream_fixture'")


def _useless(document: Document, path: Path, mode: str | None, wants: str) -> Problem:
    message = f"{dotted(path)} does nothing in mode {mode!r}: it goes with {wants}"
    return document.problem("mode_mismatch", message, document.key_place(path), "remove it, or change the mode")


def _is_time(clock: str) -> bool:
    try:
        datetime.fromisoformat(clock)
    except ValueError:
        return False
    return True


def mode_schema() -> list[dict[str, Any]]:
    """The same as conditions of a JSON Schema, as far as it can say them."""
    rules = []
    for name, field in _LISTS.items():
        rules.append(
            {
                "if": _is(name),
                "then": {"required": [field], "properties": {field: {"minItems": 1}}},
                "else": {"properties": {field: {"maxItems": 0}}},
            }
        )
    streamed = {"required": ["stream"], "properties": {"stream": {"type": "string"}}}
    in_cases = {"minItems": 1, "items": {"required": ["setup"], "properties": {"setup": streamed}}}
    without: dict[str, Any] = {"properties": {"stream": {"type": "null"}, "chunking": {"const": _WHOLE}}}
    unused = {"setup": without, "cases": {"items": {"properties": {"setup": {"anyOf": [{"type": "null"}, without]}}}}}
    rules.append(
        {
            "if": _is("stream_fixture"),
            "then": {
                "anyOf": [
                    {"required": ["setup"], "properties": {"setup": streamed}},
                    {"required": ["cases"], "properties": {"cases": in_cases}},
                ]
            },
            "else": {"properties": unused},
        }
    )
    single = {"properties": {"accepted_outcomes": {"items": {"properties": {"turns": {"maxItems": 0}}}}}}
    whole = {"expect": single, "cases": {"items": {"properties": {"expect": {"anyOf": [{"type": "null"}, single]}}}}}
    rules.append({"if": {"anyOf": [_is(name) for name in _LISTS]}, "else": {"properties": whole}})
    return rules


def _is(mode: str) -> dict[str, Any]:
    return {"properties": {"mode": {"const": mode}}, "required": ["mode"]}
