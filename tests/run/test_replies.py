"""Replies of models that a task puts in place of the recorded ones, and cases that are judged over them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.model.config import Config
from tapegate.model.finding import Verdict
from tapegate.model.task import Task
from tapegate.run.replies import with_replies
from tapegate.stream.provider import ProviderCall, read_call
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response

TOOL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
CHAT = {
    "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [TOOL]}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}
RESPONSES = {
    "model": "m-1",
    "object": "response",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "recorded"}]},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
}
MESSAGES = {
    "type": "message",
    "role": "assistant",
    "model": "m-1",
    "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": {}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
GENERATED = {
    "modelVersion": "m-1",
    "candidates": [{"content": {"role": "model", "parts": [{"text": "recorded"}]}, "finishReason": "MAX_TOKENS"}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
}
CONVERSED = {
    "output": {
        "message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "s", "input": {}}}]}
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
}
STREAM = b"".join(
    b"data: " + (frame if isinstance(frame, bytes) else json.dumps(frame, ensure_ascii=False).encode()) + b"\n\n"
    for frame in (
        {"model": "m-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "rec"}}]},
        {"model": "m-1", "choices": [{"index": 0, "delta": {"content": "or\u2028ded"}}]},
        {"model": "m-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
        {"model": "m-1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}},
        b"[DONE]",
    )
)
PATHS = {
    "openai": "/v1/chat/completions",
    "mistral": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m-1:generateContent",
    "bedrock": "/model/m-1/converse",
}


def _recorded(body: bytes, *, protocol: str = "openai", **headers: str) -> tuple[Cassette, Config]:
    """A recording of two calls, and the config of its service."""
    times = Chunks(0, (4, len(body) - 4), (2000, 3000), 4000)
    response = Response(200, "OK", {name.replace("_", "-"): (value,) for name, value in headers.items()}, body)
    call = Interaction("model", Request("POST", "https://m.test/v1/x", {}, b"{}"), response, times)
    cassette = Cassette(
        "T-1@A1",
        1,
        Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "live", "live", "the provider"),
        AgentStream("text", b"ok", times),
        (call, call),
    )
    service = {"address": "https://m.test/v1", "protocol": protocol, "base_url_env": ("URL",), "key_env": "K"}
    config = Config.model_validate(
        {
            "version": 1,
            "paths": {"A1": {"title": "Agent", "status": "active", "files": ("a.py",), "subject": "agent"}},
            "subjects": {"agent": {"kind": "python", "entry": "a:ask", "stream": "text"}},
            "services": {"model": service},
        }
    )
    return cassette, config


def _task(*replies: dict[str, Any]) -> Task:
    return Task.model_validate_json(
        json.dumps(
            {
                "id": "T-1",
                "suite": "s",
                "path_id": "A1",
                "mode": "single_turn",
                "input": "x",
                "setup": {"replies": list(replies)},
                "expect": {"accepted_outcomes": [{"tool_path_policy": "no_tools"}]},
                "grading": {"deterministic_metrics": ["tool_trace"]},
            }
        )
    )


def _read(interaction: Interaction, protocol: str, path: str | None = None) -> ProviderCall:
    call = read_call(
        protocol,
        "POST",
        path or PATHS[protocol],
        200,
        request_headers={},
        request_body=b"{}",
        response_headers=interaction.response.headers,
        response_body=interaction.response.body,
    )
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("protocol", "document", "ended", "path"),
    [
        ("openai", CHAT, "stop", None),
        ("mistral", CHAT, "stop", None),
        ("openai", RESPONSES, "completed", "/v1/responses"),
        ("anthropic", MESSAGES, "end_turn", None),
        ("gemini", GENERATED, "STOP", None),
        ("bedrock", CONVERSED, "end_turn", None),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_model_answers_another_text(protocol, document, ended, path, packed):
    """Instead of its text and its calls of tools; which model it was, and what it used, stays as recorded."""
    body = json.dumps(document).encode()
    headers = {"content_type": "application/json", "content_length": str(len(body))}
    if packed:
        body = gzip.compress(body)
        headers["content_encoding"] = "gzip"
    cassette, config = _recorded(body, protocol=protocol, **headers)
    before = _read(cassette.interactions[0], protocol, path)
    made = with_replies(cassette, _task({"call": 2, "content": 'never "JSON" ☂'}), config, [0, 1])
    assert made.interactions[0] == cassette.interactions[0]
    after = _read(made.interactions[1], protocol, path)
    assert (after.text, after.tool_calls, after.finish_reason) == ('never "JSON" ☂', (), ended)
    assert (after.model, after.usage) == (before.model, before.usage)
    _whole(made.interactions[1])


def _whole(interaction: Interaction) -> None:
    """The body arrives in one piece, and its headers say how long it is."""
    headers, body = interaction.response.headers, interaction.response.body
    assert headers["content-length"] == (str(len(body)),)
    assert "content-encoding" not in headers
    assert interaction.chunks.sizes == (len(body),)
    assert interaction.chunks.at_us == (3000,)


def test_a_stream_of_chat_completions_says_another_text():
    """In one frame, then the end, and the usage that was recorded."""
    cassette, config = _recorded(STREAM, content_type="text/event-stream; charset=utf-8")
    made = with_replies(cassette, _task({"content": "other"}), config, [0, 1])
    call = _read(made.interactions[0], "openai")
    assert (call.text, call.finish_reason, call.model, call.streamed) == ("other", "stop", "m-1", True)
    assert call.usage == _read(cassette.interactions[0], "openai").usage is not None
    _whole(made.interactions[0])


def test_a_body_is_taken_as_it_is():
    """JSON that breaks off, or nothing at all: what no model would say."""
    cassette, config = _recorded(json.dumps(CHAT).encode())
    made = with_replies(cassette, _task({"body": '{"choices": [{"mes'}, {"call": 2, "body": ""}), config, [0, 1])
    assert [one.response.body for one in made.interactions] == [b'{"choices": [{"mes', b""]
    assert made.interactions[1].chunks.sizes == made.interactions[1].chunks.at_us == ()


@pytest.mark.parametrize(
    ("body", "kind", "reply", "said"),
    [
        (
            json.dumps(CHAT).encode(),
            "json",
            {"call": 3, "content": "x"},
            "replies to call 3, and the recording holds 2",
        ),
        (b"not JSON", "json", {"content": "x"}, "takes no other text"),
        (b"\xff{}\xff", "json", {"content": "x"}, "takes no other text"),
        (b'{"error": {"message": "overloaded"}}', "json", {"content": "x"}, "takes no other text"),
        (b'{"choices": []}', "json", {"content": "x"}, "takes no other text"),
        (b"data: [DONE]\n\n", "event-stream", {"content": "x"}, "takes no other text"),
        (b"data: 3\n\n", "event-stream", {"content": "x"}, "takes no other text"),
    ],
)
def test_a_reply_that_has_no_place_is_told(body, kind, reply, said):
    """At its line of the task, with what to write instead."""
    cassette, config = _recorded(body, content_type=f"x/{kind}")
    with pytest.raises(LoadError, match=said) as told:
        with_replies(cassette, _task(reply), config, [0, 1])
    assert [one.code for one in told.value.problems] == ["bad_reply"]


def test_other_protocols_stream_no_other_text():
    """Their frames are a body's to write."""
    cassette, config = _recorded(STREAM, protocol="anthropic", content_type="text/event-stream")
    with pytest.raises(LoadError, match="give its 'body'"):
        with_replies(cassette, _task({"content": "x"}), config, [0])
    cassette, config = _recorded(json.dumps({**RESPONSES, "output": []}).encode())
    with pytest.raises(LoadError, match="give its 'body'"):
        with_replies(cassette, _task({"content": "x"}), config, [0])


CRITIC = """
import json, os, urllib.request

def ask(input):
    body = json.dumps({"model": "m-1", "messages": [{"role": "user", "content": input}], "q": input}).encode()
    url = os.environ["MODEL_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        text = json.loads(urllib.request.urlopen(request).read())["choices"][0]["message"]["content"]
        yield "kept" if json.loads(text)["keep"] else "dropped"
    except (ValueError, KeyError):
        yield "no decision: kept by default"
"""
"""A critic that decides by what a model answers, and keeps where the answer cannot be read."""


@pytest.fixture
def critic(kit, provider):
    """It is asked once while recording; what the model answered then."""
    kit.agent(CRITIC)
    kit.config["services"]["model"]["protocol"] = "openai"
    message = {"role": "assistant", "content": '{"keep": true}'}
    answer = {"model": "m-1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    provider.answer = lambda *_: json.dumps(answer).encode()
    return kit


def test_each_case_is_judged_by_its_name_over_one_recording(critic, provider):
    """The critic's own cases: as recorded, another decision, text around it, broken JSON; and one that must fail."""
    cases: list[dict[str, Any]] = [
        {"name": "as recorded"},
        {
            "name": "another decision",
            "setup": {"replies": [{"content": '{"keep": false}'}]},
            "expect": {
                "accepted_outcomes": [{"required_slots": {"facts": [{"name": "decision", "any_of": ["dropped"]}]}}]
            },
        },
        {
            "name": "no JSON",
            "setup": {"replies": [{"content": "I would keep it."}]},
            "expect": {
                "accepted_outcomes": [{"required_slots": {"facts": [{"name": "decision", "any_of": ["by default"]}]}}]
            },
        },
        {"name": "half a body", "setup": {"replies": [{"body": '{"choices": [{"mes'}]}},
    ]
    critic.task(
        "T-1",
        cases=cases,
        expect={"accepted_outcomes": [{"required_slots": {"prefix": "kept"}}]},
        grading={"deterministic_metrics": ["schema_contract"]},
    )
    critic.record(task="T-1@A1[1]")
    assert len(provider.asked) == 1
    assert {name.split("/")[1] for name in critic.recordings() if "/" in name} == {"T-1@A1"}
    run = critic.judge()
    assert [task.key for task in run.tasks] == [f"T-1@A1[{number}]" for number in (1, 2, 3, 4)]
    assert [task.verdict for task in run.tasks] == [Verdict.PASS, Verdict.PASS, Verdict.PASS, Verdict.FAIL]
    assert len(provider.asked) == 1


def test_a_case_with_another_input_has_a_recording_of_its_own(critic, provider):
    """Below its own name, and replayed from there."""
    cases = [{"name": "one"}, {"name": "other", "input": "What else?"}]
    critic.task("T-1", cases=cases)
    critic.record(task="T-1@A1[1]")
    critic.record(task="T-1@A1[2]")
    assert {name.split("/")[1] for name in critic.recordings() if "/" in name} == {"T-1@A1", "T-1@A1[2]"}
    assert [task.verdict for task in critic.judge().tasks] == [Verdict.PASS, Verdict.PASS]


def test_a_reply_to_a_call_that_nobody_made_is_no_pass(critic):
    """The trial says so; nothing is judged."""
    critic.task("T-1", setup={"replies": [{"call": 2, "content": "x"}]})
    critic.record()
    (task,) = critic.judge().tasks
    assert task.verdict is Verdict.ERROR
    assert "the recording holds 1 call of models" in task.findings[0].message
