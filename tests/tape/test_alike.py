"""`match: conversation`: recorded answers under another prompt, to test the plumbing and nothing else."""

from __future__ import annotations

import json

import pytest

from tapegate.model.normaliser import Normaliser
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.routes import Route, Routes
from tapegate.tape.wire import Asked

ROUTES = Routes({"model": Route("model", "https://m.example", "https://m.example")})
MADE = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "live", "live", "the provider")
HELLO = {"role": "user", "content": "Hello"}
TALK = {
    "model": "m",
    "n": 1.0,
    "messages": [{"role": "system", "content": "Be brief."}, HELLO],
    "tools": [{"name": "a"}],
}


def asked(document, path="/chat", session=None):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Asked("model", "POST", path, (("session", session),) if session else (), body)


class Tape:
    """A tape of requests, each answered by its place."""

    def __init__(self, *documents, **more):
        self.interactions = tuple(
            Interaction(
                "model",
                Request("POST", "https://m.example/chat", {}, asked(document).body),
                Response(200, "OK", {}, b"%d" % place),
                Chunks(0, (1,), (1,), 1),
            )
            for place, document in enumerate(documents)
        )
        stream = AgentStream("text", b"", Chunks(0, (), (), 0))
        self.cassette = Cassette("A@B", 1, MADE, stream, self.interactions)
        self.ledger = Ledger()
        self.player = Player(self.cassette, ROUTES, self.ledger, **{"match": "conversation", **more})

    def play(self, document, **more):
        answer = self.player.play(asked(document, **more))
        return None if answer.missed else b"".join(answer.chunks)

    @property
    def account(self):
        return self.ledger.account(self.interactions, recorded_paths(self.cassette, ROUTES))


@pytest.mark.parametrize(
    "change",
    [
        {"messages": [{"role": "system", "content": "Be long."}, HELLO]},
        {"messages": [HELLO]},
        {"tools": []},
        {"model": "other", "temperature": 1},
    ],
)
def test_the_same_conversation_is_answered_whatever_else_changed(change):
    """Prompt, tools and parameters; and the account says which answers were given so."""
    tape = Tape(TALK)
    assert tape.play({**TALK, **change}) == b"0"
    assert (tape.account.played, tape.account.alike, tape.account.misses) == (1, (0,), ())


@pytest.mark.parametrize(
    "request_",
    [
        {**TALK, "messages": [{"role": "user", "content": "Bye"}]},
        {**TALK, "messages": [HELLO, HELLO]},
        {"query": "no conversation"},
        b"no JSON",
        b'{"messages": [], "messages": []}',
    ],
)
def test_another_conversation_is_a_miss(request_):
    """And so is what is no conversation at all."""
    tape = Tape(TALK, {"query": "another"}, b"bytes")
    assert tape.play(request_) is None
    assert (tape.account.alike, len(tape.account.misses)) == ((), 1)


def test_exact_requests_come_first_and_are_not_alike():
    """What was recorded is what is played, as ever."""
    tape = Tape({**TALK, "n": 2}, TALK)
    assert tape.play(TALK) == b"1"
    assert tape.play({**TALK, "n": 3}) == b"0"
    assert tape.account.alike == (0,)


def test_each_answer_is_given_once_in_recorded_order():
    """The third of two is a miss."""
    tape = Tape(TALK, TALK)
    assert [tape.play({**TALK, "n": number}) for number in range(3)] == [b"0", b"1", None]


def test_volatile_fields_are_volatile_here_too():
    """A tool call's id may differ."""

    def called(number):
        return {**TALK, "messages": [HELLO, {"role": "tool", "tool_call_id": number, "content": "x"}]}

    rules = [Normaliser(service="model", path="messages[*].tool_call_id", reason="random")]
    assert Tape(called("1")).play({**called("2"), "n": 2}) is None
    assert Tape(called("1"), normalisers=rules).play({**called("2"), "n": 2}) == b"0"


def test_sessions_stay_apart():
    """A conversation of another session is not this one's."""
    tape = Tape(TALK, lanes=Lanes({"model": "session"}))
    assert tape.play({**TALK, "n": 2}, session="one") is None


def test_without_it_another_prompt_is_a_miss():
    """The usual way."""
    assert Tape(TALK, match="exact").play({**TALK, "n": 2}) is None
