"""Tool results as the rules read them."""

from __future__ import annotations

from typing import Any

import pytest

from paperdesk.scripted_model.findings import Source, listed, paper

TEXT = "## Findings\n\nA brick is 7 cm wide. Bricks are red.\n\n<private>Mine.</private>\n\n## Limits\n\nWhy so few?"
RAW: dict[str, Any] = {"id": "p-1", "title": "Bricks", "authors": "L", "year": 2000, "file": "/f.pdf", "text": TEXT}
STRUCTURED: dict[str, Any] = {
    "id": "p-1",
    "title": "Bricks",
    "file": "/f.pdf",
    "sections": [
        {"heading": "Findings", "sentences": ["A brick is 7 cm wide.", "Bricks are red."]},
        {"heading": "Limits", "sentences": ["Why so few?"]},
    ],
    "key_findings": ["A brick is 7 cm wide."],
    "notes": ["Mine."],
}


@pytest.mark.parametrize("result", [RAW, STRUCTURED])
def test_paper(result: dict[str, Any]) -> None:
    """A paper as text and a paper as a structured reading are read alike."""
    assert paper(result) == Source(
        title="Bricks",
        link="/paper/p-1",
        sentences=("A brick is 7 cm wide.", "Bricks are red.", "Why so few?"),
        notes=("Mine.",),
        file="/f.pdf",
        paper_id="p-1",
    )


@pytest.mark.parametrize("result", [{}, {"error": "no"}, {"id": 3, "title": "T"}, {"id": "p"}])
def test_no_paper(result: dict[str, Any]) -> None:
    """Anything else is no paper."""
    assert paper(result) is None


def test_listed() -> None:
    """Hits of the library and of the web are told apart; what is neither is left out."""
    hits = [
        {"id": "p-1", "title": "Bricks", "snippet": "… red bricks …", "matched": ["wide"]},
        {"title": "Web", "url": "https://w.example/", "snippet": "On bricks."},
        {"title": "Nothing"},
        "text",
        {"url": "https://untitled.example"},
    ]
    local, page = listed({"results": hits})
    assert (local.link, local.paper_id, local.matched) == ("/paper/p-1", "p-1", ("wide",))
    assert (page.link, page.paper_id, page.sentences) == ("https://w.example/", "", ("On bricks.",))
    assert not list(listed({"error": "down"}))


def source(*sentences: str) -> Source:
    return Source("T", "/paper/p", sentences)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How wide is a brick?", ("A brick is 7 cm wide.",)),
        ("What colour have bricks, red?", ("Bricks are red.",)),
        ("How wide is a brick, and who lays red ones?", ("A brick is 7 cm wide.", "Bricks are red.")),
        ("Zebra?", ()),
    ],
)
def test_best(question: str, best: tuple[str, ...]) -> None:
    """The sentences that hold the question's rarer words, and a figure where one is asked for, are the best."""
    assert source("Bricks are old.", "A brick is 7 cm wide.", "Bricks are red.").best(question, 2) == best


def test_best_is_limited_and_in_order() -> None:
    """No more than the limit, in the source's order; questions of the source answer little."""
    bricks = source("Is a brick red?", "One brick is red.", "A red brick is nice.", "This brick is red too.")
    assert bricks.best("Which brick is red?", 2) == ("One brick is red.", "A red brick is nice.")


def test_coverage() -> None:
    """Title and text count together for what a source holds of a question."""
    assert Source("Heavy bricks", "", ("They are red.",)).coverage("Are red bricks heavy or light?") == 0.75
