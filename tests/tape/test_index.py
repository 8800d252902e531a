"""Finding the interaction that answers a request: by bytes, then by meaning, each once, in recorded order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.normaliser import Normaliser
from tapegate.tape import index as module
from tapegate.tape.canonical import canonical, rules_of
from tapegate.tape.index import Index
from tapegate.tape.wire import Asked

CALL_ID = Normaliser(service="openai", path="id", reason="made anew in each run")


def asked(body: bytes, path: str = "/chat", method: str = "POST", service: str = "openai") -> Asked:
    """A request as a door saw it."""
    return Asked(service, method, path, (("x-request-id", "1"),), body)


@pytest.fixture
def index(recording):
    """An index over the bodies given, all to one path."""
    return lambda *bodies, normalisers=(): Index(recording(*bodies).interactions, ["/chat"] * len(bodies), normalisers)


def test_duplicates_are_served_once_each_in_recorded_order(index):
    """CAS-13: the third of two is a miss, and another request is not disturbed."""
    made = index(b'{"a":1}', b'{"b":1}', b'{"a":1}')
    assert [made.take(asked(b'{"a":1}')) for _ in range(3)] == [0, 2, None]
    assert made.taken == [True, False, True]
    assert made.take(asked(b'{"b":1}')) == 1


@pytest.mark.parametrize(
    "other",
    [
        asked(b'{"a":2}'),
        asked(b'{"a":1}', path="/chat?x=1"),
        asked(b'{"a":1}', path="/other"),
        asked(b'{"a":1}', method="PUT"),
        asked(b'{"a":1}', service="search"),
        asked(b""),
    ],
)
def test_service_method_path_and_body_are_all_matched(index, other):
    """A request that differs in any of them is another request."""
    made = index(b'{"a":1}')
    assert made.take(other) is None
    assert made.take(asked(b'{"a":1}')) == 0


def test_spelling_does_not_matter_where_no_bytes_match(index):
    """White space and the order of keys are no meaning; numbers by their spelling are."""
    made = index(b'{"a":1,"b":2}', b'{"a":1.0}')
    assert made.take(asked(b'{ "b": 2, "a": 1 }')) == 0
    assert made.take(asked(b'{"a":1}')) is None
    assert made.take(asked(b'{"a": 1.0}')) == 1


def test_what_was_served_by_its_bytes_is_not_served_by_its_meaning(index):
    """The two ways to find an interaction share what was taken."""
    made = index(b'{"a":1,"b":2}', b'{"b":2,"a":1}')
    assert made.take(asked(b'{"b":2,"a":1}')) == 1
    assert made.take(asked(b'{"b": 2,"a": 1}')) == 0
    assert made.take(asked(b'{"a":1,"b":2}')) is None
    assert made.take(asked(b'{"a": 1, "b": 2}')) is None


def test_a_declared_volatile_field_does_not_matter(index):
    """An id that a normaliser names may differ; in another service it may not."""
    made = index(b'{"id":"x1","q":1}', normalisers=[CALL_ID])
    assert made.take(asked(b'{"id":"x2","q":2}')) is None
    assert made.take(asked(b'{"id":"x2","q":1}')) == 0
    made = index(b'{"id":"x1","q":1}', normalisers=[CALL_ID.model_copy(update={"service": "search"})])
    assert made.take(asked(b'{"id":"x2","q":1}')) is None


def test_equal_bytes_are_found_without_reading_any_json(index, monkeypatch):
    """O(1): among many, a hit costs one hash. Meaning is read when a request misses, and of each recording once."""
    read = []
    monkeypatch.setattr(module, "canonical", lambda body, rules: read.append(body) or canonical(body, rules))
    bodies = [b'{"n":%d}' % number for number in range(500)]
    made = index(*bodies)
    assert [made.take(asked(body)) for body in bodies[:400]] == list(range(400))
    assert read == []
    for _ in range(3):
        assert made.take(asked(b'{"n":-1}')) is None
    assert len(read) == 100 + 3


BODIES = st.sampled_from([b'{"a":1}', b'{ "a":1}', b'{"a": 1}', b'{"a":1,"id":"u"}', b'{"id":"v","a":1}', b"", b"x"])


@given(st.lists(BODIES, max_size=8), st.lists(BODIES, max_size=10))
def test_it_finds_what_a_search_from_the_front_finds(recording, bodies, requests):
    """Against a list: the first unused one with the same bytes, else the first unused one with the same meaning."""
    made = Index(recording(*bodies).interactions, ["/chat"] * len(bodies), [CALL_ID])
    rules = rules_of([CALL_ID], "openai")
    left = dict(enumerate(bodies))
    for body in requests:
        same = [number for number, each in left.items() if each == body]
        alike = [number for number, each in left.items() if canonical(each, rules) == canonical(body, rules)]
        expected = next(iter(same + alike), None)
        assert made.take(asked(body)) == expected
        left.pop(expected, None)


def test_a_thousand_equal_requests_are_served_without_a_search(index):
    """Which duplicate is next is known: no more is looked at for the last one than for the first."""

    class Counting(list):
        looks = 0

        def __getitem__(self, place):
            self.looks += 1
            return super().__getitem__(place)

    many = index(*[b"same"] * 1000)
    many.taken = Counting(many.taken)
    assert [many.take_raw("openai", "POST", "/chat", b"same") for _ in range(1000)] == list(range(1000))
    assert many.taken.looks <= 2000
    assert many.take_raw("openai", "POST", "/chat", b"same") is None
