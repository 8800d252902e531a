"""Putting together what a stream says piece by piece."""

from __future__ import annotations

import json
from collections.abc import Callable

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
        lambda text: f"data: {json.dumps({'delta': text})}\r\r",
        lambda text: f'data: {{"delta":\ndata: {json.dumps(text)}}}\n\n',
        lambda text: f"data: {text}\n\n",
        lambda text: f"0:{json.dumps(text)}\rdata: {json.dumps({'type': 'ping'})}\r",
    ],
    ids=["openai", "ai sdk ui", "anthropic", "ai sdk data", "ndjson", "cr", "many lines", "bare text", "mixed"],
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


@pytest.mark.parametrize("name", ["output_index", "contentBlockIndex", "toolCallId"])
def test_parts_that_stream_by_turns_are_kept_apart(name: str) -> None:
    """Whatever a provider calls the number of a part, what another part says does not come between."""
    frames = [{name: part, "delta": text} for text in PIECES for part in (0, 1)]
    body = b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames)
    assert b"The key is sk-abc." in list(joined(body))


def test_the_two_frames_of_a_mixed_stream_are_one_text() -> None:
    """`0:` and an envelope of type `text` continue each other."""
    body = "".join(
        f"0:{json.dumps(text)}\n" if place % 2 else f"data: {json.dumps({'type': 'text', 'text': text})}\n\n"
        for place, text in enumerate(PIECES)
    )
    assert b"The key is sk-abc." in list(joined(body.encode()))


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("cut", [0, 9])
def test_the_items_of_a_list_are_frames(indent: int | None, cut: int) -> None:
    """Gemini streams a list where it is not asked for events; also one that broke off."""
    items = [{"candidates": [{"content": {"parts": [{"text": text}]}}]} for text in [*PIECES, "rest"]]
    body = json.dumps(items, indent=indent)
    assert any(text.startswith(b"The key is sk-abc.") for text in joined(body[: len(body) - cut].encode()))


def test_the_messages_of_an_aws_event_stream_are_frames(aws_stream: Callable[[list[object]], bytes]) -> None:
    """Bedrock's frames are binary: no line ends there. A last one that broke off counts as far as it came."""
    body = aws_stream([{"contentBlockIndex": 0, "delta": {"text": text}} for text in PIECES])
    assert b"The key is sk-abc." in list(joined(body))
    assert b"The key is sk-abc" in list(joined(body[:-40]))
    assert list(joined(body[:12] + b"\0\0\0")) == []


def test_no_frames_take_long() -> None:
    """What never becomes JSON is read once, not once for each line."""
    assert len(list(joined(b"data: [\n" * 200_000))) == 0
    assert len(list(joined(b"[{}" + b",[1]" * 200_000))) == 0


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
