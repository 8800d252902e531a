"""What a task's mode demands of its other parts, for the loader and for the published schema."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tapegate.load.describe import dotted
from tapegate.load.document import Document
from tapegate.model.problem import Problem

_LISTS = {"multi_turn": "then", "concurrent": "beside"}
"""Modes that put more than one message, and where the others stand."""
_WHOLE = "whole"


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
            yield _useless(document, field, mode, f"mode {name!r}")
    stream, cut = document.text("setup", "stream"), document.text("setup", "chunking")
    if mode == "stream_fixture" and stream is None:
        yield document.problem(
            "missing_stream",
            "mode 'stream_fixture' needs a stream, and setup names none",
            document.place(("mode",)),
            "add setup: {stream: NAME} with a file of evals/fixtures",
        )
    if mode != "stream_fixture" and stream is not None:
        yield _useless(document, "stream", mode, "mode 'stream_fixture'", "setup")
    if mode != "stream_fixture" and cut not in (None, _WHOLE):
        yield _useless(document, "chunking", mode, "mode 'stream_fixture'", "setup")
    for path, fix in (
        (("setup", "clock"), "write 2026-01-31T09:00:00Z"),
        (("quarantine", "until"), "write 2026-01-31"),
    ):
        moment = document.text(*path)
        if moment is not None and not _is_time(moment):
            message = f"{dotted(path)} is {moment!r}, which is no moment"
            yield document.problem("bad_value", message, document.place(path), fix)


def _useless(document: Document, field: str, mode: str | None, wants: str, *above: str) -> Problem:
    path = (*above, field)
    message = f"{'.'.join(path)!r} does nothing in mode {mode!r}: it goes with {wants}"
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
    unused = {"properties": {"stream": {"type": "null"}, "chunking": {"const": _WHOLE}}}
    rules.append(
        {
            "if": _is("stream_fixture"),
            "then": {"required": ["setup"], "properties": {"setup": streamed}},
            "else": {"properties": {"setup": unused}},
        }
    )
    return rules


def _is(mode: str) -> dict[str, Any]:
    return {"properties": {"mode": {"const": mode}}, "required": ["mode"]}
