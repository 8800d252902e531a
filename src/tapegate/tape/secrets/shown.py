"""A request as messages may show it: reports are read by more people than the agent that made it."""

from __future__ import annotations

from dataclasses import replace

from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.headers import credential_parameters
from tapegate.tape.secrets.rule import fingerprint
from tapegate.tape.secrets.views import TooLarge
from tapegate.tape.wire import Asked


def shown(asked: Asked) -> Asked:
    """`asked` with a rule and a fingerprint in the place of each key.

    A body in which keys stand encoded is shown as these alone.
    """
    return replace(asked, path=shown_path(asked.path), body=_body(asked.body))


def shown_path(path: str) -> str:
    """A path with its query, without the credentials in it."""
    path = KNOWN.hide(path.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    start, question, query = path.partition("?")
    return start + question + "&".join(map(_parameter, query.split("&")))


def _parameter(pair: str) -> str:
    for name, value in credential_parameters(f"?{pair}"):
        return f"{name}=<credential_parameter {fingerprint(value.encode('utf-8', 'surrogateescape'))}>"
    return pair


def _body(body: bytes) -> bytes:
    body = KNOWN.hide(body)
    try:
        left = KNOWN.find(body)
    except TooLarge:
        return b"<more than can be searched for keys>"
    return b" ".join(f"<{seen.rule} {seen.digest}>".encode() for seen in left) or body
