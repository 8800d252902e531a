"""Replies as a provider sends them."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from paperdesk.scripted_model.reply import Call, Reply
from paperdesk.scripted_model.wire import FINGERPRINT, MODEL, Completion

REQUEST: dict[str, Any] = {"messages": [{"role": "user", "content": "x"}], "stream_options": {"include_usage": True}}
CALLS = (Call("read_paper", "paper_id", "p-é-1"), Call("read_paper", "paper_id", "p-2"))


def joined(chunks: list[dict[str, Any]]) -> tuple[str, list[dict[str, str]]]:
    content, calls = "", list[dict[str, str]]()
    for choice in (choice for chunk in chunks for choice in chunk["choices"]):
        content += choice["delta"].get("content") or ""
        for part in choice["delta"].get("tool_calls", ()):
            if "id" in part:
                calls.append({"id": part["id"], "name": part["function"]["name"], "arguments": ""})
            calls[part["index"]]["arguments"] += part["function"]["arguments"]
    return content, calls


def test_stream_and_whole_agree() -> None:
    """What a stream adds up to is what the whole answer says: text, calls, reason, usage."""
    completion = Completion(REQUEST, Reply("Some text, a little longer.", CALLS, "hm"))
    chunks, whole = list(completion.chunks()), completion.whole()
    content, calls = joined(chunks)
    message = whole["choices"][0]["message"]
    assert content == message["content"] == "<thinking>hm</thinking>\n\nSome text, a little longer."
    assert calls == [{"id": call["id"], **call["function"]} for call in message["tool_calls"]]
    assert json.loads(calls[0]["arguments"]) == {"paper_id": "p-é-1"}
    assert chunks[-2]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[-1]["usage"] == whole["usage"]
    assert {chunk["id"] for chunk in chunks} == {whole["id"]}


def test_says_what_it_is() -> None:
    """Model and fingerprint name the rules, with a date."""
    whole = Completion(REQUEST, Reply("x")).whole()
    assert (whole["model"], whole["system_fingerprint"]) == (MODEL, FINGERPRINT)
    assert MODEL == "scripted-librarian-2026-11-01"


def test_small_pieces_and_pauses() -> None:
    """A stream comes in pieces of 3 to 14 characters, 5 to 15 ms apart."""
    completion = Completion(REQUEST, Reply("word " * 40))
    pieces = [chunk["choices"][0]["delta"].get("content") for chunk in list(completion.chunks())[1:-2]]
    assert all(piece and 3 <= len(piece) <= 14 for piece in pieces[:-1])
    assert all(5 <= pause <= 15 for pause in islice(completion.pauses_ms(), 100))


def test_deterministic() -> None:
    """The same request gives the same bytes; another request other ids."""
    first, again = (list(Completion(REQUEST, Reply("x", CALLS)).chunks()) for _ in range(2))
    other = list(Completion({**REQUEST, "seed": 1}, Reply("x", CALLS)).chunks())
    assert first == again
    assert first[0]["id"] != other[0]["id"]
    ids = {call["id"] for call in joined(first)[1]} | {call["id"] for call in joined(other)[1]}
    assert len(ids) == 4


def test_usage_rule() -> None:
    """Usage counts a token for every four bytes begun, prompt and answer apart, and adds up."""
    usage = Completion({"messages": [], "tools": None}, Reply("abcde")).whole()["usage"]
    assert usage == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}])
def test_usage_only_when_asked_for(options: Any) -> None:
    """A stream ends with usage only when the request asks for it."""
    chunks = list(Completion({"messages": [], "stream_options": options}, Reply("x")).chunks())
    assert "usage" not in chunks[-1]


def test_max_tokens() -> None:
    """An answer beyond the limit is cut, says so, and calls nothing."""
    whole = Completion({"messages": [], "max_tokens": 5}, Reply("x" * 100, CALLS)).whole()
    assert whole["choices"][0]["message"] == {"role": "assistant", "content": "x" * 20}
    assert whole["choices"][0]["finish_reason"] == "length"
