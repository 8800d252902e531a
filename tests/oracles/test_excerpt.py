"""A few words of a text for a message."""

from __future__ import annotations

from tapegate.oracles.excerpt import excerpt, named, visible


def test_what_nobody_sees_is_written_as_an_escape():
    """Invisible characters, controls and line ends show, and stay on one line."""
    assert visible("a\u200bb\U000e0041\x07\r\n\té") == "a\\u200bb\\U000e0041\\u0007\\r\\n\\té"


def test_a_place_is_shown_with_a_little_around_it():
    """Long texts are cut on both sides, and say so."""
    assert excerpt("a" * 50 + "X" + "b" * 50, 50, 51) == "…" + "a" * 24 + "X" + "b" * 24 + "…"
    assert excerpt("short", 0, 5) == "short"


def test_a_long_place_is_cut():
    """A leak of a megabyte makes no message of a megabyte."""
    assert len(excerpt("x" * 1_000_000, 0, 1_000_000)) < 200


def test_a_character_is_named():
    """By its code point and Unicode's name for it."""
    assert named("\u200b") == "U+200B ZERO WIDTH SPACE"
    assert named("\x07") == "U+0007 without a name"
