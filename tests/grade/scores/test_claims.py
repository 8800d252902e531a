"""An answer cut into claims."""

from __future__ import annotations

import pytest

from tapegate.grade.scores.claims import claims


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is 3. ([A](/paper/a))", [("It is 3. (A)", ["/paper/a"])]),
        ("[A](/paper/a) reports: it is 3.", [("A reports: it is 3.", ["/paper/a"])]),
        ("It is 3.\n\nIt is 4, says [B](/paper/b) too.", [("It is 3.", []), ("It is 4, says B too.", ["/paper/b"])]),
        ("- it is 3\n\nSource: [A](/paper/a)", [("- it is 3\n\nSource: A", ["/paper/a"])]),
        (
            "One.\n\nTwo things, says [A](/paper/a) there.\n\nThree.\n\nSources: /paper/b, https://c.d/e",
            [
                ("One.", []),
                ("Two things, says A there.", ["/paper/a"]),
                ("Three.\n\nSources:  ,  ", ["/paper/b", "c.d/e"]),
            ],
        ),
        ("It is 3 [1].\n\n[1]: /paper/a", [("It is 3  .\n\n   ", ["/paper/a"])]),
        ("It is 3.\n\nSource: [A](/papers/a)", [("It is 3.\n\nSource: A", ["/papers/a"])]),
        ("![x](/paper/a) and [y](#z)", [("![x](/paper/a) and y", [])]),
        ("One.\n\nBy 3 ([A](/paper/a))", [("One.", []), ("By 3 (A)", ["/paper/a"])]),
        ("", []),
    ],
)
def test_a_citation_stands_for_its_paragraph(answer: str, expected: list[tuple[str, list[str]]]) -> None:
    """And a paragraph of little but citations stands for those above it that have none."""
    assert [(claim.text, [link.address for link in claim.links]) for claim in claims(answer)] == expected
