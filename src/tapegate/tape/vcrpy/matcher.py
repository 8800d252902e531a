"""When two requests of vcrpy are the same to us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegate.model.normaliser import Normaliser
from tapegate.tape.canonical import canonical, rules_of
from tapegate.tape.redact import Redactor
from tapegate.tape.wire import Asked

Key = tuple[str, str, bytes]
"""Method, address and body."""


class Matcher:
    """Method, address and body: the same bytes, or JSON that means the same but for what is declared volatile.

    A live request is redacted first, as the recorded one was.
    """

    __name__ = "tapegate"
    """By which vcrpy reports it."""

    def __init__(self, redactor: Redactor, normalisers: Sequence[Normaliser]) -> None:
        self._redactor = redactor
        self._rules = rules_of(normalisers, self.__name__)

    def __call__(self, one: Any, other: Any) -> bool:
        """Whether `one` and `other`, two of vcrpy's requests, are the same."""
        mine, theirs = self.key(one), self.key(other)
        return mine == theirs or self.meaning(mine) == self.meaning(theirs)

    def key(self, request: Any) -> Key:
        """What it is by its bytes, redacted."""
        headers = tuple((name, str(value)) for name, value in request.headers.items())
        asked = self._redactor.redact_asked(Asked("", request.method, request.uri, headers, body_of(request)))
        return asked.method, asked.path, asked.body

    def meaning(self, key: Key) -> Key:
        """The same with its body in canonical form."""
        return key[0], key[1], canonical(key[2], self._rules)


def body_of(request: Any) -> bytes:
    """The bytes of one of vcrpy's requests, which may hold a file, an iterator or nothing."""
    body = request.body
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, bytes | bytearray):
        return bytes(body)
    return bytes(body.read()) if hasattr(body, "read") else b"".join(body)
