"""Which service a URL belongs to."""

from __future__ import annotations

import pytest

from tapegate.tape.routes import Route, Routes

ROUTES = Routes(
    {
        "model": Route("model", "https://model.example/v1", "http://127.0.0.1:9001/v1"),
        "embed": Route("embed", "https://model.example/v1/embed", "https://model.example/v1/embed"),
        "search": Route("search", "https://search.example", "http://127.0.0.1:9002"),
    }
)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://model.example/v1/chat", ("model", "/chat")),
        ("https://model.example/v1", ("model", "")),
        ("https://model.example/v1?a=1", ("model", "?a=1")),
        ("https://MODEL.example:443/v1/chat/", ("model", "/chat/")),
        ("http://127.0.0.1:9001/v1/chat", ("model", "/chat")),
        ("https://model.example/v1/embed/x", ("embed", "/x")),
        ("https://model.example/v1/embedding", ("model", "/embedding")),
        ("https://search.example/?q=%2F", ("search", "/?q=%2F")),
        ("https://model.example/v1/chat?", ("model", "/chat?")),
        ("https://model.example/v1?#top", ("model", "?")),
        ("https://model.example/v1/chat#?", ("model", "/chat")),
        ("https://model.example:no/v1/chat", None),
        ("https://model.example:99999/v1/chat", None),
        ("https://[::1/v1/chat", None),
        ("https://model.example/v2/chat", None),
        ("https://model.example/v10", None),
        ("http://model.example/v1/chat", None),
        ("https://model.example.evil.test/v1/chat", None),
        ("https://model.example:8443/v1/chat", None),
        ("https://user@evil.test/?https://model.example/v1", None),
    ],
)
def test_a_url_belongs_to_the_longest_address_that_leads_to_it(url: str, found: tuple[str, str] | None) -> None:
    """Addresses match whole path segments, whichever of address and upstream was used; all else is nobody's."""
    assert ROUTES.resolve(url) == found


def test_a_recording_names_the_declared_address() -> None:
    """Where a service is really reached never shows in a recorded uri."""
    assert ROUTES.uri("model", "/chat?x=1") == "https://model.example/v1/chat?x=1"
    assert ROUTES.upstream("model", "/chat?x=1") == "http://127.0.0.1:9001/v1/chat?x=1"
    assert "model" in ROUTES
    assert "other" not in ROUTES
