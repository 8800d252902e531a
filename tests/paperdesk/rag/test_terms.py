"""Words that count."""

from __future__ import annotations

import pytest

from paperdesk.rag.terms import coverage, terms


def test_terms() -> None:
    """Common words go, plurals become singulars, numbers stay whole."""
    assert terms("The ferries' noises fell by 1,907 or 3.6 dB, glass") == (
        "ferry",
        "noise",
        "fell",
        "1,907",
        "3.6",
        "db",
        "glass",
    )


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("moss walls", "A wall of moss", 1.0),
        ("moss walls", "Kelp", 0.0),
        ("moss kelp", "moss moss", 0.5),
        ("the of", "the", 0.0),
    ],
)
def test_coverage(query: str, text: str, share: float) -> None:
    """The share counts each word of the query once; a query without words has none."""
    assert coverage(query, text) == share
