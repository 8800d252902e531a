"""Asking an agent behind an HTTP server: started for the trial, awaited, asked once, stopped."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError
from tapegate.model.config import HttpAsk, HttpSubject
from tapegate.model.trace import Ending
from tapegate.subject.fill import fill, fill_json
from tapegate.subject.heard import Clock, Heard, Then
from tapegate.subject.interpreter import interpreter
from tapegate.subject.process import Process
from tapegate.subject.server import Server, connect

_ENDS_S = 1.0
"""A process whose connection broke is given so long to show that it was its end that broke it."""

_AT_ONCE = 1 << 16
_IN_URLS = "%/:?#[]@!$&'()*+,;="


@dataclass(frozen=True, slots=True)
class HttpRunner:
    """Asks one HTTP subject. Keeps nothing between trials."""

    subject: HttpSubject
    python: str = field(default_factory=interpreter)
    """What `{python}` is."""
    grace_s: float = 2.0
    """How long the server has to end by itself once it is told to."""

    def ask(
        self, enclosure: Enclosure, values: Mapping[str, str], environment: Mapping[str, str], cwd: Path, clock: Clock
    ) -> Heard:
        """A trial of one message. As `converse`."""
        return self.converse(enclosure, [values], environment, cwd, clock=clock)[0]

    def converse(
        self,
        enclosure: Enclosure,
        messages: Sequence[Mapping[str, Any]],
        environment: Mapping[str, str],
        cwd: Path,
        *,
        clock: Clock,
        then: Then | None = None,
    ) -> tuple[Heard, ...]:
        """Start the server in `enclosure`, put `messages` to it at once, hear its answers, end it with all it started.

        Each message is the values that templates are filled with; `{port}` and `{python}` are added here. When all are
        answered, what `then` gives is put, and so on. Raises SubjectError when the server cannot be started or never
        answers at its health path. Whatever comes after that is a fact in what is returned.
        """

        def command(port: int) -> tuple[list[str], dict[str, str]]:
            filled = self._filled(messages[0], port)
            env = {**environment, **{name: fill(text, filled) for name, text in self.subject.env.items()}}
            return [fill(word, filled) for word in self.subject.command], env

        server = Server("the subject", command, self.subject.health, self.subject.start_timeout_s)
        answers: list[Heard] = []
        following: Sequence[Mapping[str, Any]] | None = messages
        with server.running(enclosure, cwd) as (process, port):
            while following:
                ask = self.subject.ask_again if answers and self.subject.ask_again is not None else self.subject.ask
                requests = [_request(ask, self._filled(values, port)) for values in following]
                put = self._put(enclosure, port, requests, clock)
                heard = _at_once([partial(self._hear, process, exchange, clock) for exchange in put])
                answers += heard
                following = then(heard) if then is not None else None
            process.stop(self.grace_s)
        return tuple(replace(heard, log=process.log()) for heard in answers)

    def _filled(self, values: Mapping[str, Any], port: int) -> dict[str, Any]:
        return {**values, "python": self.python, "port": str(port)}

    def _put(self, enclosure: Enclosure, port: int, requests: Sequence[_Request], clock: Clock) -> Sequence[_Exchange]:
        """Connect for every request, then send them one right after the other.

        They come at once and yet in their order, so that a server which numbers what comes does so alike in every run.
        """
        exchanges = [_Exchange(request, clock()) for request in requests]
        for step in (partial(self._connect, enclosure, port), _send):
            for exchange in exchanges:
                if exchange.error is None:
                    try:
                        step(exchange)
                    except (OSError, http.client.HTTPException) as error:
                        exchange.error = error
        return exchanges

    def _connect(self, enclosure: Enclosure, port: int, exchange: _Exchange) -> None:
        exchange.connection = connect(enclosure, port, monotonic() + self.subject.timeout_s)

    def _hear(self, process: Process, exchange: _Exchange, clock: Clock) -> Heard:
        started, connection = exchange.started, exchange.connection
        chunks: list[bytes] = []
        at: list[int] = []
        try:
            if exchange.error is not None:
                raise exchange.error
            assert connection is not None
            response = connection.getresponse()
            for chunk in _body(response):
                at.append(clock())
                chunks.append(chunk)
            ending = _completed(response, process, empty=not chunks)
        except TimeoutError:
            ending = Ending("timed_out", f"no complete answer within {self.subject.timeout_s} s")
        except (OSError, http.client.HTTPException) as error:
            ending = process.ended(_ENDS_S) or Ending("http_error", _broken(error))
        finally:
            ended = clock()
            if connection is not None:
                connection.close()
        return Heard(tuple(chunks), tuple(at), started, ended, ending)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(slots=True)
class _Exchange:
    """A request that is put, and what became of that."""

    request: _Request
    started: int
    """When, by the trial's clock."""
    connection: http.client.HTTPConnection | None = None
    error: OSError | http.client.HTTPException | None = None


def _send(exchange: _Exchange) -> None:
    request, connection = exchange.request, exchange.connection
    assert connection is not None
    connection.request(request.method, request.path, request.body, request.headers)


def _at_once(calls: Sequence[Callable[[], Heard]]) -> list[Heard]:
    """What each call returns; several run at the same time."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(len(calls), thread_name_prefix="tapegate-ask") as pool:
        return [each.result() for each in [pool.submit(call) for call in calls]]


def _request(ask: HttpAsk, values: Mapping[str, Any]) -> _Request:
    """The request that puts one message."""
    path = quote(fill(ask.path, values, lambda value: quote(value, safe="")), safe=_IN_URLS)
    headers = {name: fill(text, values) for name, text in ask.headers.items()}
    for name, text in headers.items():
        if re.search(r"[\r\n\0]", text):
            raise SubjectError.of(
                "bad_header",
                f"the header {name!r} of the subject's `ask` would hold a line break: {text!r}",
                fix="put text that may hold line breaks into `json`",
            )
    body = None
    if ask.json_body is not None:
        body = json.dumps(fill_json(ask.json_body, values), ensure_ascii=False, separators=(",", ":")).encode()
        if "content-type" not in map(str.lower, headers):
            headers["Content-Type"] = "application/json"
    return _Request(ask.method, path, headers, body)


def _body(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The pieces of a body as they arrive. Raises IncompleteRead where it is cut short."""
    left = response.length
    while chunk := response.read1(_AT_ONCE if left is None else min(left, _AT_ONCE)):
        yield chunk
        if left is not None:
            left -= len(chunk)
    if left:
        raise http.client.IncompleteRead(b"", left)


def _completed(response: http.client.HTTPResponse, process: Process, *, empty: bool) -> Ending:
    """How an answer ended that broke no rule of its framing."""
    if response.length is None and not response.chunked:
        # Only the connection's end says that such a body is whole, and a crash ends it too.
        ended = process.ended(_ENDS_S / 5)
        if ended is not None and ended.kind == "crashed":
            return ended
    if not 200 <= response.status < 300:
        return Ending("http_error", f"status {response.status}")
    return Ending("empty_output", "the answer has no body") if empty else Ending("completed")


def _broken(error: OSError | http.client.HTTPException) -> str:
    if isinstance(error, OSError | http.client.IncompleteRead):
        return "the connection was closed before the answer was complete"
    return f"the answer is not HTTP ({type(error).__name__})"
