"""Lists that an answer gives."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.oracles.stated_lists import LISTS, items, missing

ANSWER = "Three papers:\n\n1. **Moss** shelters\n   by Ito\n2. Kelp farms\n3) Snow fences\n\nThat is all.\n"


def test_items_are_read_off_every_kind_of_list():
    """Bullets, numbers and letters; lines that continue an item belong to it, paragraphs do not."""
    assert items(ANSWER) == ["**Moss** shelters\n   by Ito", "Kelp farms", "Snow fences"]
    assert items("- a\n* b\n+ c\n• d\n(1) e\na) f\n") == ["a", "b", "c", "d", "e", "f"]
    assert items("a - b\n3.6 degrees\n-5 degrees\n") == []


@pytest.mark.parametrize(
    ("fields", "met"),
    [
        ({"items": ["snow", "moss"]}, True),
        ({"items": ["moss", "snow"], "order": "given"}, True),
        ({"items": ["snow", "moss"], "order": "given"}, False),
        ({"items": ["moss", {"any_of": ["seaweed", "kelp"]}, "snow"], "others": "none"}, True),
        ({"items": ["moss", "snow"], "others": "none"}, False),
        ({"items": ["moss", "peat"]}, False),
        ({"items": ["moss", "moss shelters"]}, False),
    ],
)
def test_each_entry_has_an_item_of_its_own(fields: dict[str, Any], met):
    """In any order or in the given one, with others beside them or without."""
    entry = {"name": "papers", **fields}
    assert list(LISTS.flaws([entry])) == []
    assert (missing(entry, ANSWER) is None) is met
