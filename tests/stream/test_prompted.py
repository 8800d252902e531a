"""What a model was told as a user does."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tapegate.stream.prompted import prompted

TURNS = [
    {"role": "system", "content": "Rules"},
    {"role": "user", "content": "A"},
    {"role": "assistant", "content": "Said"},
    {"role": "tool", "content": "Result"},
    {"role": "user", "content": [{"type": "text", "text": "B"}, {"type": "image"}, {"toolResult": {"content": "x"}}]},
]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"messages": TURNS}, ["A", "B"]),
        ({"input": "A"}, ["A"]),
        ({"input": ["A", "B"]}, ["A", "B"]),
        ({"instructions": "Rules", "input": [{"role": "user", "content": [{"type": "input_text", "text": "A"}]}]},
         ["A"]),
        ({"system": "Rules", "contents": [{"parts": [{"text": "A"}]}, {"role": "model", "parts": [{"text": "x"}]}]},
         ["A"]),
        ({"content": {"parts": [{"text": "A"}]}}, ["A"]),
        ({"requests": [{"content": {"parts": [{"text": "A"}]}}, {"content": {"parts": [{"text": "B"}]}}]}, ["A", "B"]),
        ({"messages": {"role": "user"}}, []),
        ({"messages": None, "content": 3}, []),
        (["A"], []),
    ],
)  # fmt: skip
def test_what_users_say_is_read_in_every_provider_s_words(body: Any, expected: list[str]) -> None:
    """OpenAI's, Anthropic's, Gemini's and Bedrock's turns, and texts to embed; instructions and answers are none."""
    raw = json.dumps(body).encode()
    assert list(prompted({}, raw)) == expected
    assert list(prompted({"content-encoding": ["gzip"]}, gzip.compress(raw))) == expected


@pytest.mark.parametrize("body", [b"", b"A", b'{"messages": "', b"[" * 5000, b"\xff"])
def test_a_body_that_is_none_holds_none(body: bytes) -> None:
    """A request that cannot be read is no request to a model."""
    assert list(prompted({}, body)) == []


def test_half_of_a_surrogate_pair_is_left_out() -> None:
    """A document that was cut inside an emoji was told all the same."""
    assert list(prompted({}, b'{"input": "Moss \\ud83c\\udf3f \\ud83d"}')) == ["Moss \U0001f33f "]
