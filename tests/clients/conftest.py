"""A provider on loopback whose answers follow the published schemas, and the environments of real clients."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

WORDS = ("It ", "is ", "7 degrees ", "in Øslo. ", "❄")
TEXT = "".join(WORDS)
ARGUMENTS = '{"city":"Oslo"}'
Events = list[tuple[str | None, Any]]
"""Name and data of each event of a stream."""


def openai_chat(asked: dict[str, Any], path: str) -> dict[str, Any] | Events:
    """Chat Completions (platform.openai.com/docs/api-reference/chat)."""
    head = {"id": "chatcmpl-1", "created": 1, "model": "m-1-2026-01-01", "system_fingerprint": "fp_1"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    calls = wants_tool(asked, any(message.get("role") == "tool" for message in asked["messages"]))
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}
    reason = "tool_calls" if calls else "stop"
    if not asked.get("stream"):
        message = {"role": "assistant", "content": None if calls else TEXT, "refusal": None}
        message |= {"tool_calls": [call]} if calls else {}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> tuple[None, dict[str, Any]]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return None, {**head, "object": "chat.completion.chunk", "choices": [choice]}

    halves = [{"index": 0, **call, "function": {"name": "weather", "arguments": ""}}]
    halves += [{"index": 0, "function": {"arguments": half}} for half in (ARGUMENTS[:5], ARGUMENTS[5:])]
    deltas = [{"tool_calls": [half]} for half in halves] if calls else [{"content": word} for word in WORDS]
    events: Events = [chunk({"role": "assistant"}), *map(chunk, deltas), chunk({}, reason)]
    if (asked.get("stream_options") or {}).get("include_usage"):
        events.append((None, {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
    return [*events, (None, "[DONE]")]


def openai_responses(asked: dict[str, Any], path: str) -> dict[str, Any] | Events:
    """Responses (platform.openai.com/docs/api-reference/responses)."""
    turns = asked["input"] if isinstance(asked["input"], list) else []
    calls = wants_tool(asked, any(turn.get("type") == "function_call_output" for turn in turns))
    call = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "weather", "status": "completed"}
    part = {"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    item = {**call, "arguments": ARGUMENTS} if calls else message
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m-1-2026-01-01",
        "output": [item],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "top_p": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18, **details},
    }
    if not asked.get("stream"):
        return whole
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    where = {"item_id": item["id"], "output_index": 0}
    empty = {**item, "status": "in_progress", **({"arguments": ""} if calls else {"content": []})}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": empty}),
    ]
    if calls:
        deltas = [
            ("response.function_call_arguments.delta", {**where, "delta": half}) for half in ('{"city":', '"Oslo"}')
        ]
        steps += [
            *deltas,
            ("response.function_call_arguments.done", {**where, "name": "weather", "arguments": ARGUMENTS}),
        ]
    else:
        inside = {**where, "content_index": 0}
        steps.append(("response.content_part.added", {**inside, "part": {**part, "text": ""}}))
        steps += [("response.output_text.delta", {**inside, "delta": word, "logprobs": []}) for word in WORDS]
        steps.append(("response.output_text.done", {**inside, "text": TEXT, "logprobs": []}))
        steps.append(("response.content_part.done", {**inside, "part": part}))
    steps += [
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return [(name, {"type": name, "sequence_number": n, **data}) for n, (name, data) in enumerate(steps)]


def openai_embeddings(asked: dict[str, Any], path: str) -> dict[str, Any] | Events:
    """Embeddings (platform.openai.com/docs/api-reference/embeddings)."""
    vector = {"object": "embedding", "index": 0, "embedding": [0.5, -0.25, 1e-05]}
    return {"object": "list", "data": [vector], "model": "e-1", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def anthropic_messages(asked: dict[str, Any], path: str) -> dict[str, Any] | Events:
    """Messages (docs.anthropic.com/en/api/messages, /messages-streaming)."""
    blocks = [block for turn in asked["messages"] if isinstance(turn["content"], list) for block in turn["content"]]
    calls = wants_tool(asked, any(block.get("type") == "tool_result" for block in blocks))
    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": json.loads(ARGUMENTS)}
    whole = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1-20260101",
        "content": [call if calls else {"type": "text", "text": TEXT}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }
    if not asked.get("stream"):
        return whole
    begun = {**whole, "content": [], "stop_reason": None}
    first = {**call, "input": {}} if calls else {"type": "text", "text": ""}
    pieces = [{"type": "input_json_delta", "partial_json": half} for half in ('{"city":', '"Oslo"}')]
    deltas = pieces if calls else [{"type": "text_delta", "text": word} for word in WORDS]
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": begun}),
        ("content_block_start", {"index": 0, "content_block": first}),
        ("ping", {}),
        *(("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": ending, "usage": {"output_tokens": 7}}),
        ("message_stop", {}),
    ]
    return [(name, {"type": name, **data}) for name, data in steps]


def gemini_content(asked: dict[str, Any], path: str) -> dict[str, Any] | Events:
    """generateContent and streamGenerateContent (ai.google.dev/api/generate-content)."""
    parts = [part for turn in asked["contents"] for part in turn["parts"]]
    calls = wants_tool(asked, any("functionResponse" in part for part in parts))

    def reply(part: dict[str, Any], reason: str | None = "STOP") -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
        candidate |= {"finishReason": reason} if reason else {}
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1-001", "responseId": "r1"}

    if "streamGenerateContent" not in path:
        return reply({"functionCall": {"name": "weather", "args": {"city": "Oslo"}}} if calls else {"text": TEXT})
    return [(None, reply({"text": word}, "STOP" if word is WORDS[-1] else None)) for word in WORDS]


def wants_tool(asked: dict[str, Any], told: bool) -> bool:
    """Whether the model calls its tool: it has one, and has not heard from it."""
    return bool(asked.get("tools")) and not told


ANSWERS: dict[str, Callable[[dict[str, Any], str], dict[str, Any] | Events]] = {
    "/chat/completions": openai_chat,
    "/responses": openai_responses,
    "/embeddings": openai_embeddings,
    "/v1/messages": anthropic_messages,
    "generateContent": gemini_content,
    "streamGenerateContent": gemini_content,
}
"""By the end of a path."""


@dataclass
class Provider:
    """Every provider at once, on loopback."""

    url: str = ""
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and headers, by lower-case name, of each request."""


class Handler(BaseHTTPRequestHandler):
    """Answers as the API does that the path belongs to: whole, or event by event."""

    protocol_version = "HTTP/1.1"
    provider: Provider

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.provider.calls.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        path = self.path.partition("?")[0].replace(":", "/")
        answer = next(make for ending, make in ANSWERS.items() if path.endswith(ending))(asked, self.path)
        self.send_response(200)
        if isinstance(answer, dict):
            body = json.dumps(answer, ensure_ascii=False).encode()
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in answer:
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            event = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
            raw = event.encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(raw), raw))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    """A running one."""
    made = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"provider": made}))
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()
