"""What a request asks of a model's sampling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tapegate.stream.generation import generation

CHAT = {"model": "m", "messages": []}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({**CHAT, "temperature": 0, "top_p": 1, "max_tokens": 9, "seed": 42, "stop": "x"},
         {"temperature": 0, "top_p": 1, "max_tokens": 9, "seed": 42}),
        ({**CHAT, "max_completion_tokens": 9, "random_seed": 1}, {"max_tokens": 9, "seed": 1}),
        ({"model": "m", "input": "x", "max_output_tokens": 9}, {"max_tokens": 9}),
        ({"contents": [], "generationConfig": {"temperature": 0.5, "topP": 1, "maxOutputTokens": 9, "topK": 3}},
         {"temperature": 0.5, "top_p": 1, "max_tokens": 9}),
        ({"messages": [], "inferenceConfig": {"maxTokens": 9}}, {"max_tokens": 9}),
        (CHAT, {}),
        ({"model": "m", "input": ["x"]}, None),
        ({"query": "x", "temperature": 3}, None),
        ([], None),
    ],
)  # fmt: skip
def test_every_provider_s_words_are_the_rubrics(body: Any, expected: dict[str, Any] | None) -> None:
    """The same four parameters, wherever they stand and whatever they are called; an embedding samples nothing."""
    assert generation({}, json.dumps(body).encode()) == expected


def test_what_is_no_json_is_no_request() -> None:
    """A body that cannot be read asks for nothing."""
    assert generation({}, b"\xff") is None
    assert generation({"content-encoding": ["br"]}, b"{}") is None
