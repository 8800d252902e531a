"""What a door answers when it cannot carry a request to the tape."""

from __future__ import annotations

import json

from tapegate.doors.current import Heard
from tapegate.tape.recorder import Recorder
from tapegate.tape.wire import Answer, Asked

REASONS = {
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
}


def refusal(status: int, code: str, message: str) -> Answer:
    """An error in the shape that provider SDKs show to their user, and that they do not retry."""
    body = json.dumps({"error": {"type": code, "code": code, "message": message}}).encode()
    return Answer(
        status=status,
        reason=REASONS[status],
        headers=(("content-type", "application/json"), ("x-should-retry", "false")),
        chunks=(body,),
        at_us=(0,),
    )


def websocket(heard: Heard, asked: Asked) -> Answer:
    """Refuse a websocket, on the account."""
    decline(heard, asked, "a websocket")
    return refusal(
        501,
        "tapegate_websocket",
        f"tapegate carries HTTP requests, not websockets: {asked.path!r} of service {asked.service!r} cannot be "
        "recorded or replayed; let the agent use the provider's HTTP API",
    )


def decline(heard: Heard, asked: Asked, what: str) -> None:
    """Account a request that no cassette can hold: a replay is not clean with it, a recording is not written."""
    if isinstance(heard.tape, Recorder):
        heard.tape.begin(asked).abandon(f"{what} cannot be recorded")
    else:
        heard.tape.attempted(f"{asked.service}{asked.path.partition('?')[0]} ({what})")
