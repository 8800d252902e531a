"""A request as it leaves for the provider."""

from __future__ import annotations

import pytest

from tapegate.doors.current import Heard
from tapegate.doors.forward import Forward
from tapegate.tape.routes import Route, Routes
from tapegate.tape.wire import Asked


def forward(path="/chat", headers=(), keys=None, upstream="https://api.example:8443/v1") -> Forward:
    routes = Routes({"model": Route("model", "https://api.example/v1", upstream)})
    return Forward.of(Heard(None, routes, {"model": keys or {}}), Asked("model", "POST", path, tuple(headers), b""))


@pytest.mark.parametrize(
    ("upstream", "path", "origin", "target"),
    [
        ("https://api.example/v1", "/chat?x=1", "https://api.example", b"/v1/chat?x=1"),
        ("http://127.0.0.1:8000", "", "http://127.0.0.1:8000", b"/"),
        ("http://127.0.0.1:8000", "?q=1", "http://127.0.0.1:8000", b"/?q=1"),
        ("http://[::1]:8000/v1/", "/a%2Fb/../c d", "http://[::1]:8000", b"/v1/a%2Fb/../c d"),
    ],
)
def test_a_target_is_left_as_it_was_written(upstream, path, origin, target):
    """Path and query keep their bytes: nothing is normalised on the way."""
    found = forward(path, upstream=upstream)
    assert (found.origin, found.target) == (origin, target)


def test_an_upstream_that_is_no_url_is_named():
    """The error shows what was configured."""
    with pytest.raises(ValueError, match="'ftp://x/chat' is no http"):
        forward(upstream="ftp://x")


def test_a_mark_is_replaced_as_a_whole_word_only():
    """One mark may begin another; a value that holds a mark is not replaced again."""
    keys = {"REDACTED_A": "REDACTED_A_B", "REDACTED_A_B": "two"}
    found = forward("/REDACTED_A?k=REDACTED_A&l=REDACTED_A_B", [("a", "Bearer REDACTED_A"), ("b", "REDACTED_AB")], keys)
    assert found.target == b"/v1/REDACTED_A?k=REDACTED_A_B&l=two"
    assert found.headers[:2] == ((b"a", b"Bearer REDACTED_A_B"), (b"b", b"REDACTED_AB"))


def test_a_key_is_escaped_where_a_query_needs_it():
    """A key with reserved characters stays one value."""
    assert forward("/x?key=REDACTED_A", keys={"REDACTED_A": "a&b=c/+"}).target == b"/v1/x?key=a%26b%3Dc%2F%2B"


def test_a_key_goes_to_its_own_service_only():
    """A model may make an agent search for the mark of its provider's key: the search service gets the mark."""
    at = "https://search.example"
    routes = Routes({"search": Route("search", at, at)})
    asked = Asked("search", "GET", "/find?q=REDACTED_A", (("x-note", "REDACTED_A"), ("x-key", "REDACTED_B")), b"")
    found = Forward.of(Heard(None, routes, {"model": {"REDACTED_A": "a"}, "search": {"REDACTED_B": "b"}}), asked)
    assert found.target == b"/find?q=REDACTED_A"
    assert found.headers[:2] == ((b"x-note", b"REDACTED_A"), (b"x-key", b"b"))


def test_keys_are_in_no_text_of_what_is_heard():
    """A tape that is printed shows no key."""
    assert "secret" not in repr(Heard(None, None, {"model": {"REDACTED_A": "secret"}}))
