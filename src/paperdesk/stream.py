"""The wire dialect `mixed`: what a client of Paperdesk reads, line by line.

    data:{"type":"session","session_id":"s1"}                               first
    0:"a piece of the answer"                                               any number
    d:{"type":"tool_call","id":"call_1","name":"search_local","args":{}}    before the tool runs
    d:{"type":"tool_result","id":"call_1","name":"search_local","ok":true,"content":{}}
    data:{"type":"summary","status":"stored"}                               what an agent has done, by a type of its own
    data:{"type":"error","message":"One sentence for the user."}            only on failure
    data:{"type":"finish","reason":"stop","message_id":2}                   last; reason `error` on failure

A line ends with one newline and is UTF-8; JSON escapes any newline inside it.
"""

from __future__ import annotations

import json
from typing import Any

MEDIA_TYPE = "text/plain; charset=utf-8"


def text(delta: str) -> str:
    """A piece of the answer."""
    return f"0:{_json(delta)}\n"


def tool_call(call_id: str, name: str, args: dict[str, Any]) -> str:
    """A tool is about to run."""
    return f"d:{_json({'type': 'tool_call', 'id': call_id, 'name': name, 'args': args})}\n"


def tool_result(call_id: str, name: str, *, ok: bool, content: Any) -> str:
    """A tool has answered; `content` is what the user may see of it."""
    return f"d:{_json({'type': 'tool_result', 'id': call_id, 'name': name, 'ok': ok, 'content': content})}\n"


def session(session_id: str) -> str:
    """The conversation that this answer belongs to."""
    return data("session", session_id=session_id)


def data(kind: str, **payload: Any) -> str:
    """What an agent has done."""
    return f"data:{_json({'type': kind, **payload})}\n"


def error(message: str) -> str:
    """The answer cannot be completed."""
    return data("error", message=message)


def finish(reason: str, message_id: int | None = None) -> str:
    """Nothing follows."""
    if message_id is None:
        return data("finish", reason=reason)
    return data("finish", reason=reason, message_id=message_id)


def parse(line: str) -> tuple[str, Any]:
    """The kind (`0`, `d`, `data`) and the value of one line."""
    kind, _, value = line.partition(":")
    if kind not in ("0", "d", "data"):
        raise ValueError(f"a line of kind {kind!r}: expected 0, d or data")
    return kind, json.loads(value)


def _json(value: Any) -> str:
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return line.encode("utf-8", "replace").decode("utf-8")  # a model may call a tool with a lone surrogate
