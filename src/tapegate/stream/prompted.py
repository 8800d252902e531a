"""What a model was told beside tool results: the messages of users that a request to it holds, and texts to embed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import orjson

from tapegate.model.trace import Json
from tapegate.stream.content import Headers, decode_body
from tapegate.stream.order import joined_surrogates

_TURNS = ("messages", "input", "contents", "requests")
_USERS = ("user", None)
"""Gemini's turns, embedded texts and items of a list may name no role."""


def prompted(headers: Headers, body: bytes) -> Iterator[str]:
    """Each text of a user in a request body, in its order; none where it is no request to a model.

    Instructions (the system prompt) are left out: they say how to answer, and prove nothing. Never raises.
    """
    try:
        request = _parsed(decode_body(headers, body))
    except (ValueError, RecursionError):
        return
    if not isinstance(request, dict):
        return
    for key in _TURNS:
        turns = request.get(key)
        for turn in turns if isinstance(turns, list) else [turns]:
            yield from _told(turn)
    yield from _told(request.get("content"))  # what Gemini embeds


def _parsed(body: bytes) -> Json:
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)  # which takes half of a surrogate pair, as providers do


def _told(turn: Json) -> Iterator[str]:
    return (joined_surrogates(text)[0] for text in _texts(turn))


def _texts(turn: Json) -> Iterator[str]:
    if isinstance(turn, str):
        yield turn
    elif isinstance(turn, dict) and turn.get("role") in _USERS:
        if isinstance(turn.get("text"), str):
            yield turn["text"]
        for key in ("content", "parts"):
            inner = turn.get(key)
            for part in inner if isinstance(inner, list) else [inner]:
                yield from _texts(part)
