"""Templates: which braces are placeholders."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.load.template import placeholders


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("{input}", [((), "input")]),
        ("--port={port} {port}", [((), "port"), ((), "port")]),
        ('{"a": {1}, {}, { input }', []),
        ("{{input}}", [((), "input")]),
        ({"a": ["x", "{seed}"], "{db}": 3, "b": None}, [(("a", 1), "seed")]),
        (("{a}", ("{b}",)), [((0,), "a"), ((1, 0), "b")]),
        (True, []),
    ],
)
def test_a_name_in_braces_is_a_placeholder(value: Any, found: list[tuple[tuple[str | int, ...], str]]) -> None:
    """Names directly between braces, in every text of a value but not in keys; all other braces are text."""
    assert list(placeholders(value)) == found
