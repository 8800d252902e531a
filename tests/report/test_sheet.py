"""A page of Markdown within a number of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tapegate.report.sheet import Section, Sheet


def section(title: str, count: int, size: int = 100, most: int = 1000, *, folded: bool = False) -> Section:
    """So many items, each of so many bytes, and in short of ten."""
    items = [f"- {number:04} {'x' * (size - 8)}\n" for number in range(count)]
    return Section(f"### {title}", items, [f"- {number:04}\n" for number in range(count)], most, folded)


def test_what_fits_is_whole() -> None:
    """Sections in their order, those without an item left out."""
    page = Sheet(["# Head", ""], [section("A", 2, 10), section("B", 0), section("C", 1, 10)], ["foot", ""])
    assert page.within(10_000) == "# Head\n\n### A\n\n- 0000 xx\n\n- 0001 xx\n\n### C\n\n- 0000 xx\n\nfoot\n"


def test_what_does_not_fit_is_shortened_and_then_counted() -> None:
    """Whole items first, then items in short, then how many more there are; later sections yield to earlier ones."""
    page = Sheet(["# Head", ""], [section("A", 50), section("B", 50)], ["foot"]).within(4_000)
    assert len(page.encode()) <= 4_000
    assert "x" * 92 in page
    assert "- 0039\n" in page
    assert "… and " in page
    assert "more; the report has them all." in page
    assert page.endswith("foot")


def test_a_long_section_says_how_many_more() -> None:
    """Also where there would be room."""
    page = Sheet([], [section("A", 40, 10, most=5)], []).within(100_000)
    assert "… and 35 more" in page


def test_what_is_left_out_is_counted_in_tasks() -> None:
    """An item may tell of many tasks, or, like a command, of none."""
    items = ["- a\n", "- b\n", "- c\n"]
    page = Sheet([], [Section("### A", items, items, most=2, counts=[0, 7, 40])], []).within(100_000)
    assert "… and 40 more" in page


@given(st.integers(1_000, 6_000), st.lists(st.integers(0, 60), max_size=4), st.integers(10, 400))
def test_no_page_is_longer_than_it_may_be(most: int, counts: list[int], size: int) -> None:
    """Whatever it holds; and what was opened is closed."""
    sections = [section(str(number), count, size, folded=number % 2 == 1) for number, count in enumerate(counts)]
    page = Sheet(["# Head", ""], sections, ["foot"]).within(most)
    assert len(page.encode()) <= most
    assert page.count("<details>") == page.count("</details>")
