"""Requests of HTTP/1 (RFC 9112), read as their bytes arrive: what every door does that speaks on a connection."""

from __future__ import annotations

import httptools

from tapegate.doors.switchboard import Received

BODY_LIMIT = 64 * 1024 * 1024
"""Bytes of a request's body."""


class RequestReader:
    """The parser's calls. A subclass says what becomes of each request."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self.on_message_begin()

    def _welcome(self) -> None:
        """A request's head is complete; a client may hold its body back until it is asked for it."""
        raise NotImplementedError

    def _take(self, received: Received) -> None:
        """A request is complete."""
        raise NotImplementedError

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._body_size = 0
        self._head_size = 0
        self._head_done = False
        self._expects = False

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head_done:
            return  # a trailer
        self._headers.append((name, value))
        if len(name) == 6 and name.lower() == b"expect":
            self._expects = value.lower() == b"100-continue"

    def on_headers_complete(self) -> None:
        self._head_done = True
        self._welcome()

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        if self._body_size <= BODY_LIMIT:
            self._body.append(body)

    def on_message_complete(self) -> None:
        if self._parser.should_upgrade():
            return  # the parser raises next, and says where the rest begins
        self._take(self._received())

    def _received(self) -> Received:
        too_large = self._body_size > BODY_LIMIT
        old = self._parser.get_http_version() == "1.0"
        return Received(
            method=self._parser.get_method().decode("latin-1"),
            target=self._url.decode("latin-1"),
            raw=tuple(self._headers),
            body=b"" if too_large else b"".join(self._body),
            keep_alive=self._parser.should_keep_alive() and not old,
            old=old,
            too_large=too_large,
        )
