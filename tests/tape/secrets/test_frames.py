"""Putting together what a stream says piece by piece."""

from __future__ import annotations

import json

import pytest

from tapegate.tape.secrets.frames import joined

PIECES = ["The key", " is sk", "-", "abc", "."]


@pytest.mark.parametrize(
    "frame",
    [
        lambda text: f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n",
        lambda text: f"data:{json.dumps({'type': 'text-delta', 'id': '1', 'delta': text})}\r\n\r\n",
        lambda text: f"event: x\ndata: {json.dumps({'delta': {'type': 'text_delta', 'text': text}})}\n\n",
        lambda text: f"0:{json.dumps(text)}\n",
        lambda text: f"{json.dumps({'message': {'content': text}})}\n",
    ],
    ids=["openai", "ai sdk ui", "anthropic", "ai sdk data", "ndjson"],
)
def test_deltas_are_joined(frame: object) -> None:
    """The deltas of every dialect come out as one text."""
    body = "".join(map(frame, PIECES)).encode()  # type: ignore[call-overload]
    assert b"The key is sk-abc." in list(joined(body))


def test_parallel_calls_are_kept_apart() -> None:
    """Arguments of two tool calls that stream by turns do not mix."""
    turns = [(0, '{"a":'), (1, '{"b":'), (0, "1}"), (1, "2}")]
    body = b"".join(
        b"data: " + json.dumps({"tool_calls": [{"index": index, "arguments": text}]}).encode() + b"\n\n"
        for index, text in turns
    )
    assert {b'{"a":1}', b'{"b":2}'} <= set(joined(body))


def test_parts_of_one_frame_keep_their_order() -> None:
    """Where a frame brings several parts, they are joined as they stand."""
    body = b"".join(
        b"data: " + json.dumps({"parts": [{"text": one}, {"text": two}]}).encode() + b"\n\n"
        for one, two in [("The key", " is sk"), ("-", "abc.")]
    )
    assert b"The key is sk-abc." in list(joined(body))


@pytest.mark.parametrize(
    "body", [b"", b'{"a":"b"}', b"plain\ntext\n", b"data: [DONE]\n\n", b"data: {\n\n0:x\n", b"\xff\n\xfe"]
)
def test_what_is_no_stream_joins_to_nothing(body: bytes) -> None:
    """A single document, plain text, broken frames and any bytes are no error."""
    assert list(joined(body)) == []
