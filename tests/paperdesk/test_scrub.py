"""What is sensitive is taken out, and nothing else."""

from __future__ import annotations

import pytest

from paperdesk.scrub import REMOVED, scrub

ZERO_WIDTH = "\u200b"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my key is sk-proj-abc123def456 ok", "abc123"),
        ("use ghp_16C7e42F292c6912E7710c838347Ae178B4a now", "16C7e42"),
        ("xoxb-1234-5678-abcdef is it", "5678"),
        ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "c2ln"),
        ("password: hunter2", "hunter2"),
        ("My password is hunter2.", "hunter2"),
        ('{"api_key": "abc"}', "abc"),
        ("API key = zzz999", "zzz999"),
        ("the token is t0ps3cret, keep it", "t0ps3cret"),
        ("Authorization: Bearer abc.def", "abc.def"),
        ("https://me:pw@host.example/x", "pw@"),
        ("write to jane.doe@mail.example please", "jane.doe"),
        ("it lies in /Users/reader/Papers/x.pdf", "reader"),
        ("it lies in ~/Papers/x.pdf", "Papers"),
        ("see file:///home/x/y.txt", "home"),
        ("see C:\\Users\\me\\x.doc", "me"),
        ("see \\\\server\\share\\x", "share"),
        ("/var/log/app.log", "app.log"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "MIIE"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "MIIE"),
        ("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6", "a1b2"),
        (f"s{ZERO_WIDTH}k-proj-abc{ZERO_WIDTH}123def456", "123def456"),
        ("ｐａｓｓｗｏｒｄ: hunter2", "hunter2"),
        ("<private>the shelf mark</private> and more", "shelf"),
    ],
)
def test_secrets_are_removed(text: str, secret: str) -> None:
    """Keys, tokens, passwords, addresses and paths go, in disguise as well; going over it again changes nothing."""
    clean = scrub(text)
    assert secret not in clean
    assert scrub(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "Keep answers short, with numbers and/or units.",
        "What is a token bucket? And a secret garden?",
        "It costs 3.6 euros/metre at 20:00, on 3/5/2021.",
        "See [Moss](/paper/p-moss-02) and https://bread-notes.example/sourdough-summer",
        "Électrochimie, naïve, 日本語 🙂",
        "counterrevolutionaries and internationalization",
    ],
)
def test_the_rest_stays(text: str) -> None:
    """Plain questions, numbers, links and words of every script are not touched."""
    assert scrub(text) == text


def test_several_in_a_row_are_one_mark() -> None:
    """Neighbours are marked once."""
    assert scrub("/Users/a/b, /Users/c/d and /Users/e/f") == f"{REMOVED} and {REMOVED}"
