"""The frames of a body that came piece by piece, as JSON or text, whatever they are cut by.

More lenient than the parsers of answers: what no client would read as a frame may still hold a key.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import orjson

_FIELD = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:(data)|[0-9a-z]{1,2}): ?|\A(?=[{\[])")
"""The start of a frame's JSON: an SSE `data:` line, an AI SDK `0:` line, a line of NDJSON."""
_OF_NO_FIELD = b' \t"}],:'
"""What most lines of a JSON document begin with, and no frame does."""
_BETWEEN = re.compile(r"[\s,]*")
_PRELUDE = struct.Struct(">III")
_AROUND = 16
"""Bytes of an AWS message that are neither headers nor payload."""


def frames_of(text: bytes) -> Iterator[Any]:
    """What each frame of `text` says: its JSON, or the text of one that holds none; nothing where it has no frames.

    Frames are the events of SSE, lines, the messages of an AWS event stream, and the items of a JSON list.
    """
    if is_binary(text):
        yield from filter(None, map(_json, _messages(text)))
        return
    if text[:64].lstrip()[:1] == b"[":
        yield from _items(text)
    if b"\n" in text or b"\r" in text:
        yield from _of_lines(text)


def is_binary(text: bytes) -> bool:
    """Whether `text` is an AWS event stream: frames carry length and checksum, and nothing in them can be replaced."""
    if len(text) < _AROUND:
        return False
    _, _, check = _PRELUDE.unpack_from(text)
    return bool(zlib.crc32(text[:8]) == check)


def _messages(text: bytes) -> Iterator[bytes]:
    start = 0
    while len(text) - start >= _AROUND:
        total, headers, _ = _PRELUDE.unpack_from(text, start)
        if total < headers + _AROUND:
            return
        yield text[start + _PRELUDE.size + headers : start + total - 4]
        start += total


def _items(text: bytes) -> Iterator[dict[str, Any]]:
    """The objects that a JSON list begins with, up to the break where it broke off."""
    try:
        items = orjson.loads(text)
    except orjson.JSONDecodeError:
        items = _before_the_break(text.decode("utf-8", "replace"))
    yield from takewhile(lambda item: isinstance(item, dict), items)


def _before_the_break(text: str) -> Iterator[Any]:
    at, decoder = text.index("[") + 1, json.JSONDecoder()
    while True:
        try:
            item, at = decoder.raw_decode(text, _BETWEEN.match(text, at).end())  # type: ignore[union-attr]
        except (ValueError, RecursionError):
            return
        yield item


def _of_lines(text: bytes) -> Iterator[Any]:
    held: list[bytes] = []
    """The lines of an event that are no JSON each by itself."""
    for line in text.splitlines():
        if not line:
            yield from _event(held)
            held.clear()
            continue
        found = _FIELD.match(line) if line[0] not in _OF_NO_FIELD else None
        if found is None:
            continue
        content = line[found.end() :]
        frame = _json(content)
        if frame is not None:
            yield frame
        elif found[1] is not None and content != b"[DONE]":
            held.append(content)
    yield from _event(held)


def _event(lines: list[bytes]) -> Iterator[Any]:
    if lines:
        text = b"\n".join(lines)
        yield _json(text) or text.decode("utf-8", "replace")


def _json(text: bytes) -> Any:
    """The JSON of a frame that can hold text; None for anything else, a number that is a token of text among it."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict | list | str) else None
