"""The knowledge skill."""

from __future__ import annotations

from paperdesk.paper import Paper, bundled
from paperdesk.reading import Reading, Section, sentences


def test_of_a_paper() -> None:
    """A paper becomes sections of sentences, the findings that hold figures, and the reader's notes apart."""
    body = (
        "Intro.\n\n## Findings\n\nIt is 3.5 m. It is blue.\n\n<private>My\nnote.</private>\n\n## Limits\n\nTwo sites."
    )
    reading = Reading.of(Paper("p-1", "T", "L", 2000, "t", body))
    assert reading == Reading(
        sections=(
            Section("Summary", ("Intro.",)),
            Section("Findings", ("It is 3.5 m.", "It is blue.")),
            Section("Limits", ("Two sites.",)),
        ),
        key_findings=("It is 3.5 m.",),
        notes=("My note.",),
    )


def test_of_every_bundled_paper() -> None:
    """Each bundled paper has its four sections and several key findings, and no private note outside of `notes`."""
    for paper in bundled():
        reading = Reading.of(paper)
        assert [section.heading for section in reading.sections] == ["Question", "Method", "Findings", "Limits"]
        assert len(reading.key_findings) >= 3
        assert bool(reading.notes) == ("<private>" in paper.body)
        assert "Reader's note" not in str(reading.sections) + str(reading.key_findings)


def test_sentences_keep_decimals_and_lines() -> None:
    """A full stop inside a number ends no sentence, and a line break is a space."""
    assert sentences("It is 2.4 percent\nof all. Then 3!  And so on.") == (
        "It is 2.4 percent of all.",
        "Then 3!",
        "And so on.",
    )
