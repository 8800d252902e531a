"""What tools told a model."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tapegate.stream.given import given


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": "A"}]}, ["A"]),
        ({"messages": [{"role": "tool", "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}]},
         ["A\nB"]),
        ({"messages": [{"role": "function", "name": "f", "content": '{"a": 1}'}]}, ['{"a": 1}']),
        ({"input": [{"type": "function_call_output", "call_id": "1", "output": "A"}]}, ["A"]),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "A"},
                                                    {"type": "tool_result", "content": [{"type": "text", "text": "B"}]},
                                                    {"type": "text", "text": "no result"}]}]}, ["A", "B"]),
        ({"contents": [{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"a": 1}}}]}]},
         ['{"a": 1}']),
        ({"messages": [{"role": "user", "content": [{"toolResult": {"content": [{"json": {"a": 1}}]}}]}]},
         ['{"a": 1}']),
        ({"messages": [{"role": "tool"}, "x", {"role": "tool", "content": None}]}, ["", ""]),
        ({"messages": "tool_result"}, []),
        (["tool_result"], []),
    ],
)  # fmt: skip
def test_every_provider_s_tool_results_are_read(body: Any, expected: list[str]) -> None:
    """OpenAI's three shapes, Anthropic's, Gemini's and Bedrock's; what the model or the user says is none."""
    raw = json.dumps(body).encode()
    assert list(given({}, raw)) == expected
    assert list(given({"content-encoding": ["gzip"]}, gzip.compress(raw))) == []  # its marks are compressed too


@pytest.mark.parametrize("body", [b"", b"tool_result", b'{"messages": "tool_result', b"[" * 5000 + b"tool_result"])
def test_a_body_that_is_none_holds_none(body: bytes) -> None:
    """A request that cannot be read is no request to a model."""
    assert list(given({}, body)) == []


def test_half_of_a_surrogate_pair_is_left_out() -> None:
    """A result that a client cut inside an emoji is text that can be written; a whole emoji stays."""
    body = b'{"messages": [{"role": "tool", "content": "Moss \\ud83c\\udf3f \\ud83d"}]}'
    assert list(given({}, body)) == ["Moss \U0001f33f "]
