"""Replay: what is answered, what is refused, and that the ledger has all of it."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.fault import ResetFault
from tapegate.model.trace import NetworkAttempt
from tapegate.tape.cassette import Cassette, Chunks
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.redact import Redactor
from tapegate.tape.wire import Asked


def asked(body: bytes, path: str = "/chat", headers: tuple[tuple[str, str], ...] = (), **more: str) -> Asked:
    """A request to the service `openai`."""
    return Asked(more.get("service", "openai"), more.get("method", "POST"), path, headers, body)


@pytest.fixture
def player(routes):
    """A player of a cassette, and its account."""

    def build(cassette: Cassette, **more):
        made = Player(cassette, routes, Ledger(), **more)
        paths = recorded_paths(cassette, routes)
        return made, lambda: made.ledger.account(cassette.interactions, paths)

    return build


def test_what_was_recorded_is_answered_as_it_was(player, recording):
    """Status, reason, headers with all their values, chunks, and their times from the request on."""
    cassette = recording(b"{}")
    (first,) = cassette.interactions
    response = replace(
        first.response, status=503, reason="Busy", headers={"set-cookie": ("a=1", "b=2")}, body=b"abcdef"
    )
    chunks = Chunks(2000, (2, 4), (2500, 9000), 9500, "error")
    made, account = player(replace(cassette, interactions=(replace(first, response=response, chunks=chunks),)))
    answer = made.play(asked(b"{}"))
    assert (answer.status, answer.reason, answer.ended, answer.missed) == (503, "Busy", "error", False)
    assert answer.headers == (("set-cookie", "a=1"), ("set-cookie", "b=2"))
    assert (answer.chunks, answer.at_us) == ((b"ab", b"cdef"), (500, 7000))
    assert account().complete


def test_a_duplicate_is_served_once_and_the_next_is_a_miss(player, recording):
    """CAS-13: two recordings answer two requests, in order; the third is refused and is an extra call."""
    made, account = player(recording(b"{}", b"{}"))
    assert [made.play(asked(b"{}")).chunks[0] for _ in range(2)] == [b"1", b"2"]
    refused = made.play(asked(b"{}"))
    assert (refused.status, refused.missed) == (424, True)
    assert [miss.kind for miss in account().misses] == ["extra_call"]
    assert account().unplayed == ()


def test_what_was_not_asked_for_is_unplayed(player, recording):
    """CAS-14: each recorded interaction that no request played, with its place."""
    made, account = player(recording(b'{"n":1}', b'{"n":2}', b'{"n":3}'))
    made.play(asked(b'{"n":2}'))
    assert [(one.index, one.service, one.method, one.path) for one in account().unplayed] == [
        (0, "openai", "POST", "/chat"),
        (2, "openai", "POST", "/chat"),
    ]
    assert (account().played, account().complete) == (1, False)


def test_a_miss_is_an_error_that_no_sdk_retries(player, recording):
    """424, told not to retry, in the shape of a provider's error, with what differs."""
    made, _ = player(recording(b'{"model":"a"}'))
    answer = made.play(asked(b'{"model":"b"}'))
    assert (answer.status, dict(answer.headers)["x-should-retry"]) == (424, "false")
    error = json.loads(b"".join(answer.chunks))["error"]
    assert error["code"] == "tapegate_miss"
    assert 'recorded "a", now "b"' in error["message"]


def test_a_client_that_retries_misses_once(player, recording):
    """The same request again, whatever its headers, is one miss; another request is another."""
    made, account = player(recording(b'{"n":1}'))
    first = made.play(asked(b'{"n":2}'))
    for retry in range(5):
        assert made.play(asked(b'{"n":2}', headers=(("x-stainless-retry-count", str(retry)),))) == first
    assert len(account().misses) == 1
    made.play(asked(b'{"n":3}'))
    made.play(asked(b'{"n":2}', path="/embeddings"))
    assert len(account().misses) == 3


def test_a_miss_means_the_same_whichever_call_came_first(player, recording):
    """Calls made side by side arrive in any order: neither the account nor what the agent reads depends on it."""
    requests = [b'{"q":"tide"}', b'{"q":"moon"}', b'{"q":"snow"}']
    seen = []
    for order in (requests, requests[::-1], [requests[1], requests[2], requests[0]]):
        made, account = player(recording(b'{"q":"tide"}', b'{"q":"sun"}'))
        answers = {body: made.play(asked(body)).chunks for body in order}
        seen.append((answers, account()))
    assert seen[0] == seen[1] == seen[2]


def test_a_recording_made_under_another_address_answers_nothing(player, recording):
    """Its uri belongs to no declared service: what was recorded there is not passed off as the service's."""
    cassette = recording(b"{}")
    (first,) = cassette.interactions
    moved = replace(first, request=replace(first.request, uri="https://elsewhere.example/v1/chat"))
    made, account = player(replace(cassette, interactions=(moved,)))
    assert made.play(asked(b"{}")).missed
    assert account().unplayed[0].path == "https://elsewhere.example/v1/chat"


def test_a_request_is_matched_as_it_would_have_been_recorded(player, recording):
    """What redaction made of a key in the recording, it makes of the mark that the agent holds in replay."""
    value, cassette = "sk-live-0123456789abcdef", recording(b"")
    (first,) = cassette.interactions
    body = b'{"auth":"%s"}'
    key = first.request.uri + "?key="
    sent = replace(first, request=replace(first.request, body=body % value.encode(), uri=key + value))
    recorded = Redactor({"KEY": value}).redact(sent)
    assert value.encode() not in recorded.request.body
    cassette = replace(cassette, interactions=(recorded,))
    for redactor in (Redactor({"KEY": ""}), None):
        made, _ = player(cassette, redactor=redactor)
        assert not made.play(asked(body % b"REDACTED_KEY", path="/chat?key=REDACTED_KEY")).missed
    made, account = player(cassette, redactor=Redactor({"KEY": ""}))
    assert made.play(asked(body % b"another", path="/chat?key=REDACTED_KEY")).missed
    assert value not in repr(account())


def test_a_mark_in_another_encoding_is_found_by_redaction_alone(player, recording):
    """An agent that sends its key in base64 is matched by the mark in base64, however either is padded."""
    import base64

    value, cassette = "sk-live-0123456789abcdef", recording(b"")
    (first,) = cassette.interactions
    body = b'{"auth":"%s"}'
    sent = replace(first, request=replace(first.request, body=body % base64.b64encode(value.encode())))
    recorded = Redactor({"KEYS": value}).redact(sent)
    assert value.encode() not in base64.b64decode(recorded.request.body[9:-2] + b"==")
    cassette = replace(cassette, interactions=(recorded,))
    now = asked(body % base64.b64encode(b"REDACTED_KEYS"))
    made, _ = player(cassette, redactor=Redactor({"KEYS": ""}))
    assert not made.play(now).missed
    made, _ = player(cassette)
    assert made.play(now).missed


def test_threads_share_no_interaction(player, recording):
    """Eight threads asking the same hundred requests get each answer once, and no thread one too many."""
    made, account = player(recording(*[b'{"n":%d}' % (number % 10) for number in range(100)]))
    served: list[bytes] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        for number in range(100):
            answer = made.play(asked(b'{"n": %d}' % (number % 10)))
            if not answer.missed:
                served.append(answer.chunks[0])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, served)) == list(range(1, 101))
    assert (account().played, len(account().misses)) == (100, 10)


def test_what_is_tried_elsewhere_is_accounted(player, recording):
    """An address that is no tape is in the account, each once and sorted."""
    made, account = player(recording())
    for address in ("b.example:443", "a.example:443", "b.example:443"):
        made.attempted(address)
    assert account().network == (NetworkAttempt("a.example:443"), NetworkAttempt("b.example:443"))


@pytest.mark.parametrize("body", [b"[" * 900 + b"]" * 900, b'{"a":' * 700 + b"1" + b"}" * 700, b"[" * 200_000])
def test_a_body_nested_as_deep_as_python_can_go_is_answered(player, recording, body):
    """Deep JSON is a miss or a hit like any other body, never a crash of the player."""
    made, account = player(recording(b"{}", body))
    assert made.play(asked(body + b" ")).status in (200, 424)
    assert not made.play(asked(body)).missed or account().played == 2


@pytest.mark.parametrize(
    "body", [b'{"q":"\\ud800"}', b'{"\\ud800":1}', b'{"q":"x\\ud800\\ny"}', b'{"messages":[{"role":"\\udfff"}]}']
)
def test_half_a_character_is_explained_in_whole_ones(player, recording, body):
    """A request may escape half of a surrogate pair; what is said of it can be written to any report."""
    made, account = player(recording(b'{"q":"x\\ny"}'))
    assert made.play(asked(body)).missed
    account().misses[0].explanation.encode()


@given(st.lists(st.tuples(st.binary(max_size=30), st.text(max_size=8)), max_size=4))
def test_any_request_gets_an_answer(recording, routes, requests):
    """Whatever an agent sends, it gets a recorded answer or a refusal, and the ledger knows which."""
    cassette = recording(b"{}", b"\xff")
    ledger = Ledger()
    made = Player(cassette, routes, ledger, redactor=Redactor({"KEY": ""}))
    answers = [made.play(asked(body, path="/" + path)) for body, path in requests]
    account = ledger.account(cassette.interactions, recorded_paths(cassette, routes))
    assert account.played == sum(not answer.missed for answer in answers)
    assert bool(account.misses) == any(answer.missed for answer in answers)


def test_only_what_needs_no_more_is_at_hand(recording, routes):
    """Bytes that were recorded are found as they are, each once; a fault or a session takes the long way."""

    def fresh(**rest):
        return Player(recording(b"a"), routes, Ledger(), **rest)

    plain = fresh()
    found = plain.at_hand("openai", "POST", "/chat", b"a")
    assert found is not None
    assert found.chunks == fresh().play(Asked("openai", "POST", "/chat", (), b"a")).chunks
    assert plain.at_hand("openai", "POST", "/chat", b"a") is None
    assert plain.ledger.played_places == [0]
    bent = fresh(faults=[(0, ResetFault(kind="reset", service="openai"))])
    told_apart = fresh(lanes=Lanes({"openai": "x-session"}))
    for player in (bent, told_apart):
        assert player.at_hand("openai", "POST", "/chat", b"a") is None
        assert player.ledger.played_places == []
