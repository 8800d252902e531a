"""Answers of models in place of the recorded ones, put into a recording before it is replayed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tapegate.errors import LoadError
from tapegate.model.config import Config
from tapegate.model.setup import Reply
from tapegate.model.task import Task
from tapegate.stream.content import decode_body, header
from tapegate.tape.cassette import Cassette, Interaction

_FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def with_replies(cassette: Cassette, task: Task, config: Config, calls: Sequence[int]) -> Cassette:
    """The recording with the task's replies in it; `calls` are the places of its calls of models.

    Raises LoadError for a call that the recording does not hold, and for a text that its protocol cannot be given.
    """
    interactions = list(cassette.interactions)
    for number, reply in enumerate(task.setup.replies):
        if reply.call > len(calls):
            held = f"{len(calls)} call{'' if len(calls) == 1 else 's'} of models"
            raise _refused(task, number, f"it replies to call {reply.call}, and the recording holds {held}")
        place = calls[reply.call - 1]
        service = config.services.get(interactions[place].service)
        protocol = service.protocol if service is not None else "http"
        try:
            body = _body(interactions[place], reply, protocol)
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            why = f"the recorded response of call {reply.call} ({protocol}) takes no other text"
            raise _refused(task, number, f"{why}; give its 'body'") from None
        interactions[place] = _answered(interactions[place], body)
    return replace(cassette, interactions=tuple(interactions))


def _answered(interaction: Interaction, body: bytes) -> Interaction:
    """The interaction with this body, in one chunk."""
    response, chunks = interaction.response, interaction.chunks
    headers = {name: values for name, values in response.headers.items() if name.lower() not in _FRAMING}
    headers["content-length"] = (str(len(body)),)
    at = chunks.at_us[-1] if chunks.at_us else chunks.ended_us
    return replace(
        interaction,
        response=replace(response, headers=headers, body=body),
        chunks=replace(chunks, sizes=(len(body),) if body else (), at_us=(at,) if body else ()),
    )


def _body(interaction: Interaction, reply: Reply, protocol: str) -> bytes:
    if reply.body is not None:
        return reply.body.encode("utf-8")
    assert reply.content is not None
    response = interaction.response
    recorded = decode_body(response.headers, response.body)
    if "event-stream" in header(response.headers, "content-type"):
        return _streamed(recorded, reply.content, protocol)
    document = json.loads(recorded)
    _WHOLE[protocol](document, reply.content)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _openai(document: Any, content: str) -> None:
    if "output" in document:  # Responses
        message = next(item for item in document["output"] if item.get("type") == "message")
        document["output"] = [{**message, "content": [{"type": "output_text", "text": content, "annotations": []}]}]
        return
    choice = document["choices"][0]
    message = {name: value for name, value in choice["message"].items() if name != "tool_calls"}
    document["choices"] = [{**choice, "message": {**message, "content": content}, "finish_reason": "stop"}]


def _anthropic(document: Any, content: str) -> None:
    document |= {"content": [{"type": "text", "text": content}], "stop_reason": "end_turn"}


def _gemini(document: Any, content: str) -> None:
    candidate = document["candidates"][0]
    said = {**candidate["content"], "parts": [{"text": content}]}
    document["candidates"] = [{**candidate, "content": said, "finishReason": "STOP"}]


def _bedrock(document: Any, content: str) -> None:
    document["output"]["message"]["content"] = [{"text": content}]
    document["stopReason"] = "end_turn"


_WHOLE: Mapping[str, Callable[[Any, str], None]] = {
    "openai": _openai,
    "mistral": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
}
"""By protocol, how a text is put into a response in one piece."""


def _streamed(recorded: bytes, content: str, protocol: str) -> bytes:
    """A stream of Chat Completions with this text: in the first frame that holds any, and then the recorded end."""
    if protocol not in ("openai", "mistral"):
        raise LookupError(protocol)
    lines = recorded.decode().split("\n")
    frames = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    read = [json.loads(frame) for frame in frames if frame and frame != "[DONE]"]
    first = next(frame for frame in read if frame["choices"])
    choice = first["choices"][0]
    said = {**first, "choices": [{**choice, "delta": {"role": "assistant", "content": content}, "finish_reason": None}]}
    ended = {**first, "choices": [{**choice, "delta": {}, "finish_reason": "stop"}]}
    usage = [frame for frame in read if not frame["choices"]]
    return _frames([said, ended, *usage])


def _frames(frames: Iterable[Any]) -> bytes:
    lines = [json.dumps(frame, ensure_ascii=False, separators=(",", ":")) for frame in frames]
    return "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")).encode()


def _refused(task: Task, number: int, why: str) -> LoadError:
    return LoadError.of(
        "bad_reply",
        f"{task.key} cannot be given its reply: {why}",
        file=task.source.file,
        line=task.source.line("setup", "replies", number),
        fix="record the task again, or correct its replies",
    )
