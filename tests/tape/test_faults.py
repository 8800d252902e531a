"""Which request meets a fault, and what becomes of an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tapegate.model.fault import TapeFault
from tapegate.model.setup import Setup
from tapegate.tape.faults import Faults, Met
from tapegate.tape.ledger import Ledger
from tapegate.tape.wire import SILENCE, Answer, Asked

FAULT = TypeAdapter(TapeFault)
ANSWER = Answer(200, "OK", (("content-type", "application/json"),), (b'{"a":', b"12", b"3}"), (10, 20, 30))


def fault(kind, **more):
    return FAULT.validate_python({"kind": kind, "service": "model", **more})


def asked(body=b"{}", service="model"):
    return Asked(service, "POST", "/chat", (), body)


def bent(*faults, answer=ANSWER):
    return Met(None, faults).bend(answer)


@pytest.mark.parametrize(
    ("more", "bodies", "met"),
    [
        ({}, [b"a", b"b", b"a"], [True, True, True]),
        ({"calls": (2,)}, [b"a", b"b", b"a"], [False, True, False]),
        ({"calls": (1, 3)}, [b"a", b"a", b"a", b"a"], [True, False, True, False]),
        ({"containing": "b"}, [b"a", b"b", b"ab"], [False, True, True]),
        ({"containing": "b", "calls": (2,)}, [b"b", b"a", b"b", b"b"], [False, False, True, False]),
        ({"containing": "größe"}, ["größe".encode(), b"gr"], [True, False]),
    ],
)
def test_which_requests_meet_it(more, bodies, met):
    """Those of its service that hold its text, counted as they come; a retry counts as any other."""
    faults = Faults([(0, fault("reset", **more))], Ledger())
    assert [faults.meet(asked(body)).instead is not None for body in bodies] == met


def test_another_service_does_not_meet_it_and_is_not_counted():
    """The first request to the model is its first call, whatever else was asked before."""
    faults = Faults([(0, fault("reset", calls=(1,)))], Ledger())
    assert faults.meet(asked(service="search")).instead is None
    assert faults.meet(asked()).instead is not None


def test_each_fault_counts_for_itself():
    """Two faults on one service: each has its own count, and the first that answers is what is answered."""
    rules = [(0, fault("status", status=500, calls=(1,))), (2, fault("status", status=429, calls=(1, 2)))]
    ledger = Ledger()
    faults = Faults(rules, ledger)
    answers = [faults.meet(asked()).instead for _ in range(3)]
    assert [answer and answer.status for answer in answers] == [500, 429, None]
    assert ledger.account((), ()).faults == (0, 2)


def test_what_was_not_met_is_not_on_the_account():
    """So that a task whose fault nobody met is seen."""
    ledger = Ledger()
    Faults([(3, fault("reset", calls=(9,)))], ledger).meet(asked())
    assert ledger.account((), ()).faults == ()


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (429, "Too Many Requests", "rate_limit_error"),
        (500, "Internal Server Error", "api_error"),
        (529, "Overloaded", "overloaded_error"),
        (599, "", "api_error"),
    ],
)
def test_a_status_is_an_error_as_providers_give_it(status, reason, kind):
    """JSON, with its headers; a content type of the task's own stands in place of ours."""
    rule = fault("status", status=status, headers={"Retry-After": "0"})
    answer = Faults([(0, rule)], Ledger()).meet(asked()).instead
    assert (answer.status, answer.reason) == (status, reason)
    assert answer.headers == (("content-type", "application/json"), ("Retry-After", "0"))
    assert json.loads(answer.chunks[0])["error"]["type"] == kind
    own = fault("status", status=status, headers={"Content-Type": "text/html"}, body="<b>")
    answer = Faults([(0, own)], Ledger()).meet(asked()).instead
    assert (answer.headers, answer.chunks) == ((("Content-Type", "text/html"),), (b"<b>",))


@pytest.mark.parametrize(
    ("rule", "chunks", "at_us", "ended"),
    [
        (fault("truncate"), (b'{"',), (10,), "error"),
        (fault("truncate", after_chunks=1), (b'{"a":', b"1"), (10, 20), "error"),
        (fault("truncate", after_chunks=1, ending="end"), (b'{"a":', b"1"), (10, 20), "eof"),
        (fault("truncate", after_chunks=9), ANSWER.chunks, ANSWER.at_us, "error"),
        (fault("malformed", insert="!"), (b'{"a":', b"!", b"12", b"3}"), (10, 10, 20, 30), "eof"),
        (fault("malformed", insert="!", after_chunks=0), (b"!", *ANSWER.chunks), (0, 10, 20, 30), "eof"),
        (fault("malformed", insert="!", after_chunks=9), (*ANSWER.chunks, b"!"), (10, 20, 30, 30), "eof"),
        (fault("malformed_json"), (b'{"a"',), (30,), "eof"),
        (fault("slow", delay_ms=7), ANSWER.chunks, (7000, 14000, 21000), "eof"),
        (fault("split", sizes=(4, 2)), (b'{"a"', b":1", b"23}"), (10, 20, 30), "eof"),
    ],
)
def test_what_it_does_to_an_answer(rule, chunks, at_us, ended):
    """Chunks, times and end; status and headers stay."""
    answer = bent(rule)
    assert (answer.chunks, answer.at_us, answer.ended) == (chunks, at_us, ended)
    assert (answer.status, answer.headers) == (ANSWER.status, ANSWER.headers)
    assert answer.paced is (rule.kind == "slow")


@given(st.lists(st.binary(max_size=9), max_size=6), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_a_split_keeps_every_byte(chunks, sizes):
    """In the sizes asked for; a byte never comes before it did, and times never fall."""
    at_us = tuple(range(10, 10 * len(chunks) + 10, 10))
    answer = bent(fault("split", sizes=tuple(sizes)), answer=Answer(200, "OK", (), tuple(chunks), at_us))
    body = b"".join(chunks)
    assert b"".join(answer.chunks) == body
    assert all(len(chunk) == sizes[place % len(sizes)] for place, chunk in enumerate(answer.chunks[:-1]))
    assert len(answer.at_us) == len(answer.chunks)
    arrived = [at for at, chunk in zip(at_us, chunks, strict=True) for _ in chunk]
    end = 0
    for chunk, at in zip(answer.chunks, answer.at_us, strict=True):
        end += len(chunk)
        assert at == arrived[end - 1]


@pytest.mark.parametrize("kind", ["truncate", "malformed", "malformed_json", "split"])
def test_an_answer_without_a_body_can_be_bent(kind):
    """An empty answer breaks nothing."""
    empty = Answer(204, "No Content", (), (), ())
    assert len(bent(fault(kind), answer=empty).chunks) == len(bent(fault(kind), answer=empty).at_us)


def test_a_miss_and_silence_are_not_bent():
    """What explains a miss reaches the agent whole."""
    miss = Answer(424, "Failed Dependency", (), (b"{}",), (0,), missed=True)
    assert bent(fault("truncate"), answer=miss) is miss
    assert bent(fault("slow", delay_ms=1), answer=SILENCE) is SILENCE


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "status", "service": "model", "status": 200},
        {"kind": "status", "service": "model", "status": 429, "headers": {"a b": "c"}},
        {"kind": "status", "service": "model", "status": 429, "headers": {"a": "b\r\nc: d"}},
        {"kind": "slow", "service": "model", "delay_ms": 0},
        {"kind": "split", "service": "model", "sizes": (0,)},
        {"kind": "reset"},
        {"kind": "reset", "service": "model", "calls": (0,)},
        {"kind": "melt", "service": "model"},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(wrong):
    """When the task is read, not when it runs."""
    with pytest.raises(ValidationError):
        Setup(faults=(wrong,))
