"""The ledger: every fact once, told on as it happens, and the same account in whatever order they came."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.trace import Account, NetworkAttempt, Unplayed
from tapegate.tape.ledger import Ledger
from tapegate.tape.wire import Asked

BODIES = (b'{"q":"tide"}', b'{"q":"moon"}', b'{"q":"snow"}')
PATHS = ["/chat"] * len(BODIES)


def asked(body: bytes) -> Asked:
    """A request to the service `openai`."""
    return Asked("openai", "POST", "/chat", (), body)


def test_an_empty_ledger_has_played_nothing(recording):
    """Without a fact every recording is unplayed, and nothing else is said."""
    interactions = recording(*BODIES[:1]).interactions
    unplayed = (Unplayed(0, "openai", "POST", "/chat"),)
    assert Ledger().account(interactions, ["/chat"]) == Account(unplayed=unplayed)
    assert not Ledger().has_missed


def test_each_fact_is_told_at_once_and_once():
    """What is known already is not told again: a client that tries forever does not fill the line."""
    told = []
    ledger = Ledger(told.append)
    for _ in range(3):
        ledger.played(1)
        ledger.missed(asked(b"\xff\x00"))
        ledger.attempted("a.example:443")
    assert told == [
        {"played": 1},
        {"missed": {"service": "openai", "method": "POST", "path": "/chat", "body": "\xff\x00"}},
        {"network": "a.example:443"},
    ]
    assert (ledger.played_places, ledger.has_missed, ledger.addresses) == ([1], True, ["a.example:443"])


FACTS = st.lists(
    st.one_of(
        st.integers(0, 2).map(lambda number: ("played", number)),
        st.binary(max_size=12).map(lambda body: ("missed", asked(body))),
        st.sampled_from(["a.example:443", "dns:b.example"]).map(lambda address: ("attempted", address)),
    ),
    max_size=8,
)


@given(FACTS, st.randoms(use_true_random=False))
def test_a_ledger_in_another_process_gives_the_same_account(recording, facts, random):
    """Facts told as JSON and entered there, in any order and more than once, lead to the same account."""
    wire: list[str] = []
    here = Ledger(lambda fact: wire.append(json.dumps(fact)))
    for what, value in facts:
        getattr(here, what)(value)
    shuffled = wire * 2
    random.shuffle(shuffled)
    there = Ledger()
    for line in shuffled:
        there.enter(json.loads(line))
    interactions = recording(*BODIES).interactions
    assert there.account(interactions, PATHS) == here.account(interactions, PATHS)


def test_a_miss_is_explained_by_what_was_played_in_the_end(recording):
    """The nearest recording is one that stayed unplayed, also when it was played after the miss was told."""
    interactions = recording(b'{"q":"tide"}', b'{"q":"tides"}').interactions
    places = set()
    for order in (("missed", "played"), ("played", "missed")):
        ledger = Ledger()
        for what in order:
            getattr(ledger, what)(asked(b'{"q":"tidal"}') if what == "missed" else 0)
        (miss,) = ledger.account(interactions, PATHS[:2]).misses
        places.add(miss.nearest)
    assert places == {1}


@pytest.mark.parametrize(
    "fact", [{}, {"seen": 1}, {"missed": {}}, {"missed": 7}, {"played": "x"}, {"played": None}, {"missed": {"body": 1}}]
)
def test_what_is_no_fact_is_refused(fact):
    """A subject's process may say anything: what is no fact changes nothing."""
    told = []
    ledger = Ledger(told.append)
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        ledger.enter(fact)
    assert (ledger.account((), ()), told) == (Account(), [])


def test_a_fact_that_comes_while_one_is_told_is_entered():
    """A finalizer that reaches for the network while a fact is entered neither waits forever nor is lost."""
    told = []

    def tell(fact) -> None:
        told.append(fact)
        ledger.attempted("late.example:443")

    ledger = Ledger(tell)
    ledger.played(0)
    assert told == [{"played": 0}, {"network": "late.example:443"}]
    assert ledger.account((), ()).network == (NetworkAttempt("late.example:443"),)
