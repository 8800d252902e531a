"""Characters that a reader cannot see."""

from __future__ import annotations

import unicodedata

import pytest

from tapegate.oracles.invisible import ANY, unseen


def found(text: str) -> list[int]:
    """The places of the invisible characters."""
    return [one.index for one in unseen(text)]


@pytest.mark.parametrize(
    "char",
    [
        *"\u00ad\u034f\u115f\u180e\u200b\u200c\u200d\u2060\u2062\u206f\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ufffb",
        *"\x00\x07\x1b\x7f\x9f",
        *"\U000e0001\U000e0041\U000e0100\U000e01ef\U0001d173",
    ],
)
def test_an_invisible_character_in_a_word_is_found(char):
    """Between two letters none of these shows, so none has a reason to stand there."""
    assert found(f"re{char}ad") == [2]


@pytest.mark.parametrize("char", list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
def test_a_direction_mark_is_one(char):
    """Characters that reorder what a reader sees are told apart."""
    (one,) = unseen(f"if {char}admin")
    assert one.bidi


@pytest.mark.parametrize(
    "text",
    [
        "plain text,\twith a tab\nand a line\r\n",
        "naïve café — “quoted” … €",
        "❤️ and ☎︎ and ©️",
        "👩‍🔬 🏳️‍🌈 👨‍👩‍👧‍👦 👍🏽",
        "1️⃣ #️⃣",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "שלום\u200f! \u200eabc",
        "葛\U000e0100 and 辻\ufe00",
        "中文、日本語。",
        "ភាសា\u200bខ្មែរ ไทย\u200bแท้ ລາວ\u200bແທ້ မြန်မာ\u200bစာ",
        "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠠ\u180b",
        "",
    ],
)
def test_what_a_script_or_an_emoji_needs_is_at_home(text):
    """Joiners, direction marks and variation selectors are no finding where they belong."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("❤️\ufe0f", [2]),
        ("a\ufe0f", [1]),
        ("ไทย\u200b\u200bแท้", [3, 4]),
        ("ไทย\u200b <b", [3]),
        ("日\u200b本", [1]),
        ("1\ufe0f", [1]),
        ("a\u200db", [1]),
        ("🏴\U000e0067", [1]),
        ("😀\U000e0100\U000e0101", [1, 2]),
        ("שלום\nabc\u200f", [8]),
        ("שלום \u202eabc", [5]),
    ],
)
def test_a_home_is_no_cover(text, places):
    """A second selector, a selector on a letter, an unfinished flag and an override hide something."""
    assert found(text) == places


def test_the_table_covers_what_unicode_calls_format_or_control():
    """Every format character and control that this Python knows is in it, but white space and a few visible ones."""
    seen = {"\t", "\n", "\r", "\x0b", "\x0c", "\x85"} | {chr(code) for code in (*range(0x600, 0x606), 0x6DD, 0x70F)}
    seen |= {"\u0890", "\u0891", "\u08e2", "\U000110bd", "\U000110cd"} | {chr(code) for code in range(0x13430, 0x13460)}
    missed = [
        hex(code)
        for code in range(0x110000)
        if unicodedata.category(char := chr(code)) in ("Cf", "Cc") and char not in seen and not ANY.match(char)
    ]
    assert missed == []
