"""The `Link` header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.github.link import next_page

NEXT = "https://api.github.com/repositories/1/issues/2/comments?per_page=100&page=2"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (f'<{NEXT}>; rel="next", <{NEXT}0>; rel="last"', NEXT),
        (f'<{NEXT}0>; rel="prev", <{NEXT}>; rel="next"', NEXT),
        (f"<{NEXT}>;rel=next", NEXT),
        (f"<{NEXT}>; REL=NEXT", NEXT),
        (f'<{NEXT}>; title="a, b; c"; rel="prev next"', NEXT),
        (f'<{NEXT}>; rel="last"', None),
        (f'<{NEXT}>; title="; rel=next"', None),
        (f'<{NEXT}>; title="\\"; rel=next"', None),
        (f'<{NEXT}>; rel="prev"; rel="next"', None),
        ('<>; rel="next"', None),
        (f'{NEXT}; rel="next"', None),
        ("", None),
        ("<<<>>>;;;,,,", None),
    ],
)
def test_the_next_page_is_found(header: str, expected: str | None) -> None:
    """By its relation alone, whatever else the header says."""
    assert next_page(header) == expected


@given(
    st.lists(st.tuples(st.text("abc/:?=&,; ", min_size=1), st.sampled_from(["prev", "last", "first"]))), st.integers(0)
)
def test_a_next_page_is_found_among_any_others(others: list[tuple[str, str]], place: int) -> None:
    """Commas and semicolons in an address are part of it."""
    links = [f'<{url}>; rel="{relation}"' for url, relation in others]
    assert next_page(", ".join(links)) is None
    links.insert(place % (len(links) + 1), f'<{NEXT}>; rel="next"')
    assert next_page(", ".join(links)) == NEXT


@given(st.text('<>;,="\\ relnxt/', max_size=300))
def test_any_header_is_read(header: str) -> None:
    """What is no header names no page, or some address within it; it never fails."""
    found = next_page(header)
    assert found is None or f"<{found}>" in header
