"""The provider's side of a recording."""

from __future__ import annotations

import httpx


def test_only_a_recording_pays_for_it_and_pays_before_the_first_request(gateway, tapes, dial, provide, monkeypatch):
    """What sending needs is loaded when a recording lane is opened: once, and not by a replay."""
    made: list[httpx.AsyncHTTPTransport] = []

    class Counted(httpx.AsyncHTTPTransport):
        def __init__(self, **options: object) -> None:
            super().__init__(**options)
            made.append(self)

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    monkeypatch.setattr(httpx, "AsyncHTTPTransport", Counted)
    gateway.open(tapes.player(), tapes.routes)
    assert made == []
    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    assert len(made) == 1
    gateway.open(*tapes.recorder("http://127.0.0.1:9"))
    assert dial(gateway).ask(lane, "/openai/chat").response()[2] == b"ok"
    assert len(made) == 1


def test_a_gateway_that_was_stopped_records_again(tapes, gateway, dial, provide):
    """Connections to providers belong to one run of the gateway."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    provider = provide(script)
    again = type(gateway)()
    for _ in range(2):
        with again:
            recorder, routes = tapes.recorder(provider.url)
            assert dial(again).ask(again.open(recorder, routes), "/openai/chat").response()[2] == b"ok"
