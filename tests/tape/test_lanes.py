"""Equal requests of concurrent sessions, kept apart by the header in which an agent names its session."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tapegate.model.normaliser import Normaliser
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.emit import emit
from tapegate.tape.lanes import HEADER, Lanes, ambiguous, lane_of
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.read import read
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Route, Routes
from tapegate.tape.scan import scan
from tapegate.tape.wire import Asked

ROUTES = Routes({"model": Route("model", "https://m.example", "https://m.example")})
LANES = Lanes({"model": "X-Session-Id"})
MADE = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "live", "live", "the provider")


def asked(session=None, body=b'{"q": 1}', service="model"):
    headers = (("x-session-id", session),) if session is not None else ()
    return Asked(service, "POST", "/chat", headers, body)


def recorded(*requests, lanes=LANES):
    """A cassette of requests, each with its answer, as it comes back from disk."""
    recorder = Recorder(ROUTES, Redactor({}), Ledger(), lanes=lanes)
    for request, answer in requests:
        take = recorder.begin(request)
        take.head(200, "OK", ())
        take.chunk(answer)
        take.end()
    stream = AgentStream("text", b"", Chunks(0, (), (), 0))
    return read(emit(Cassette("A@B", 1, MADE, stream, recorder.interactions())), "x")


def player(cassette, lanes=LANES):
    return Player(cassette, ROUTES, Ledger(), lanes=lanes)


def body(answer):
    return b"".join(answer.chunks)


def test_each_session_hears_its_own_answers_in_any_order():
    """Eight sessions ask the same three things at the same time; each gets what it got when it was recorded."""
    sessions = [f"session-{number}" for number in range(8)]
    takes = [(asked(name), b"%d of %b" % (turn, name.encode())) for turn in range(3) for name in sessions]
    cassette = recorded(*takes)
    for _ in range(5):
        playing, together = player(cassette), Barrier(8)

        def session(name, playing=playing, together=together):
            together.wait()
            return [body(playing.play(asked(name))) for _ in range(3)]

        with ThreadPoolExecutor(8) as pool:
            heard = list(pool.map(session, reversed(sessions)))
        assert heard == [[b"%d of %b" % (turn, name.encode()) for turn in range(3)] for name in reversed(sessions)]


def test_a_recording_holds_a_digest_and_not_the_sessions_name():
    """The name may be a secret; its header is dropped like any other, and a scan finds nothing."""
    cassette = recorded((asked("my-session-0123456789abcdef"), b"x"))
    (interaction,) = cassette.interactions
    assert set(interaction.request.headers) == {HEADER}
    assert len(lane_of(interaction)) == 12
    assert b"my-session" not in emit(cassette)
    assert scan(cassette) == []


@pytest.mark.parametrize("session", ["other", None])
def test_another_session_has_no_recording(session):
    """The explanation says so, rather than that it asks too much."""
    playing = player(recorded((asked("one"), b"x")))
    answer = playing.play(asked(session))
    assert answer.missed is True
    assert body(playing.play(asked("one"))) == b"x"


def test_a_request_of_another_session_is_explained_as_that():
    """With the recorded request that is the same."""
    cassette = recorded((asked("one"), b"x"))
    ledger = Ledger()
    Player(cassette, ROUTES, ledger, lanes=LANES).play(asked("two"))
    (miss,) = ledger.account(cassette.interactions, recorded_paths(cassette, ROUTES)).misses
    assert (miss.kind, miss.nearest) == ("not_recorded", 0)
    assert "was recorded in another session only: recorded request 1 has the same request" in miss.explanation


def test_the_facts_of_a_miss_cross_to_another_process_with_their_lane():
    """Two sessions that miss the same have missed twice."""
    told = []
    playing = Player(recorded(), ROUTES, Ledger(told.append), lanes=LANES)
    for name in ("one", "two", "one"):
        playing.play(asked(name))
    there = Ledger()
    for fact in told:
        there.enter(fact)
    assert len(told) == 2
    assert there.has_missed


def test_a_service_without_the_header_has_no_lanes():
    """Recordings with lanes play on when nobody declares the header any more, in recorded order."""
    cassette = recorded((asked("one"), b"1"), (asked("two"), b"2"))
    playing = player(cassette, Lanes({}))
    assert [body(playing.play(asked(name))) for name in ("two", "one")] == [b"1", b"2"]
    (interaction,) = recorded((asked("one"), b"x"), lanes=Lanes({"other": "X-Session-Id"})).interactions
    assert lane_of(interaction) == ""


def interaction(answer, question=b"{}", *, lane="", status=200):
    headers = {HEADER: (lane,)} if lane else {}
    return Interaction(
        "model",
        Request("POST", "https://m.example/chat", headers, question),
        Response(status, "", {}, answer),
        Chunks(0, (len(answer),), (0,), 0),
    )


@pytest.mark.parametrize(
    ("interactions", "found"),
    [
        ([interaction(b"a"), interaction(b"a")], []),
        ([interaction(b"a"), interaction(b"b")], [(0, 1)]),
        ([interaction(b"a"), interaction(b"a", status=500)], [(0, 1)]),
        ([interaction(b"a", lane="1"), interaction(b"b", lane="2")], []),
        ([interaction(b"a", lane="1"), interaction(b"b", lane="1")], [(0, 1)]),
        ([interaction(b"a", b'{"x":1,"y":2}'), interaction(b"x"), interaction(b"b", b'{"y": 2, "x": 1}')], [(0, 2)]),
        ([interaction(b"a", b'{"id":"1"}'), interaction(b"b", b'{"id":"2"}')], [(0, 1)]),
    ],
)
def test_equal_requests_with_different_answers_are_found(interactions, found):
    """As matching sees them: white space, the order of keys and volatile fields aside; lanes keep them apart."""
    volatile = [Normaliser(service="model", path="id", reason="random")]
    cassette = Cassette("A@B", 1, MADE, AgentStream("text", b"", Chunks(0, (), (), 0)), tuple(interactions))
    assert ambiguous(cassette, volatile) == found
