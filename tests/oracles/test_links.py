"""The links of an answer."""

from __future__ import annotations

import pytest

from tapegate.oracles.links import links


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[Map](/paper/p-12)", [("local", "/paper/p-12")]),
        ("see /paper/2101.00001v2.", [("local", "/paper/2101.00001v2")]),
        ("(/paper/p1), /paper/p2; `/paper/p3`", [("local", f"/paper/p{n}") for n in (1, 2, 3)]),
        ("/paper/p1's result and **/paper/p2**", [("local", "/paper/p1"), ("local", "/paper/p2")]),
        ("[a](/paper/p1#page=2)", [("local", "/paper/p1#page=2")]),
        ("[b](/paper/p1?x=1 'title')", [("local", "/paper/p1?x=1")]),
        ("[a](</paper/p1>)", [("local", "/paper/p1")]),
        ("[![alt](/img/a.png)](/paper/p1)", [("local", "/paper/p1")]),
        ("[1]: /paper/p1\n[2]: https://a.org/x", [("local", "/paper/p1"), ("web", "https://a.org/x")]),
        ('<a href="/paper/p1">', [("local", "/paper/p1")]),
        ("https://a.org/x.", [("web", "https://a.org/x")]),
        ("(https://en.wikipedia.org/wiki/Map_(disambiguation))", [("web", "https://en.wikipedia.org/wiki/Map_(disambiguation)")]),
        ("[w](https://a.org/Map_(x))", [("web", "https://a.org/Map_(x)")]),
        ("<https://a.org/?q=1&b=2>, https://a.org…", [("web", "https://a.org/?q=1&b=2"), ("web", "https://a.org")]),
        ("WWW.example.org/a and HTTPS://B.ORG", [("web", "WWW.example.org/a"), ("web", "HTTPS://B.ORG")]),
        ("https://a.org/paper/p1", [("web", "https://a.org/paper/p1")]),
        ("[a](#top) [b](/library)", [("other", "#top"), ("other", "/library")]),
        ("[c](mailto:a@b.org)", [("other", "mailto:a@b.org")]),
        ("[c](//a.org/x) [d](https&#58;//b.org)", [("web", "//a.org/x"), ("web", "https&#58;//b.org")]),
        ("[c](///x) [d](//) a//b", [("malformed", "///x"), ("malformed", "//")]),
        ("![chart](/paper/p1)", []),
        ("on paper, and/paper/p1 or wallpaper/x, paperwork", []),
        ("[not a link] (/library)", []),
        ("", []),
    ],
)  # fmt: skip
def test_links_are_found_where_a_reader_sees_one(text, found):
    """Markdown links, autolinks and bare addresses count, without the punctuation that belongs to the sentence."""
    assert [(link.kind, link.target) for link in links(text)] == found


@pytest.mark.parametrize(
    "target",
    [
        "/papers/p1",
        "/paper/",
        "/paper",
        "paper/p1",
        "../paper/p1",
        "/paper/p1/full",
        "/paper/{id}",
        "/Users/ada/library/p1.pdf",
        "file:///home/ada/p1.pdf",
        "C:\\papers\\p1.pdf",
        "p1.pdf",
        "notes/p1.md",
        "http://localhost:8000/paper/p1",
        "http://127.0.0.1/paper/p1",
        "https://",
        "",
    ],
)
def test_a_link_that_should_cite_a_paper_and_cannot_is_malformed(target):
    """Plural, missing id, longer path, placeholder, files and servers of this machine."""
    (link,) = links(f"[Map]({target})")
    assert (link.kind, link.target) == ("malformed", target)
    assert link.reason


@pytest.mark.parametrize("text", ["see /papers/p1", "see /paper/", "see /paper/{id}"])
def test_a_bare_local_address_may_be_malformed_too(text):
    """An address needs no brackets to be wrong."""
    assert [link.kind for link in links(text)] == ["malformed"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[/paper/p1](/paper/p2)", "/paper/p1"),
        ("[https://a.org](https://evil.example)", "https://a.org"),
        ("[see https://a.org](/paper/p1)", "https://a.org"),
        ("[/paper/p1](/paper/p1#page=3)", ""),
        ("[https://a.org](https://A.org/)", ""),
        ("[a.org](https://a.org/x)", ""),
        ("[Map](/paper/p1)", ""),
    ],
)
def test_a_label_that_shows_another_address_is_known(text, shown):
    """What a reader believes to follow and what they follow are compared."""
    (link,) = links(text)
    assert link.belied == shown


def test_a_link_knows_where_it_stands():
    """Start and end are places in the text."""
    text = "See [Map](/paper/p1)."
    (link,) = links(text)
    assert text[link.start : link.end] == "[Map](/paper/p1)"


@pytest.mark.parametrize("piece", ["[a](", "(", "[", "https://a.org/(", "/paper/", "[a](b", "\\", "![x](/y)"])
def test_no_text_makes_the_search_slow(piece):
    """The work grows with the length of the text, whatever it repeats (no assertion on time: it would not end)."""
    assert isinstance(links(piece * 20_000), list)
