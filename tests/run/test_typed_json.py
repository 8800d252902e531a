"""Dataclasses as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import pytest

from tapegate.model.finding import Verdict
from tapegate.run.typed_json import Unfit, decode, encode


@dataclass(frozen=True, slots=True)
class Leaf:
    """A class of a union."""

    name: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class LongBranch:
    """Another, that holds all there is."""

    leaves: tuple[Leaf, ...]
    pair: tuple[str, int]
    cells: Mapping[tuple[int, ...], int | float | str | bytes | None]
    free: Any = None
    mode: Literal["a", "b"] = "a"
    share: Fraction | None = None
    verdict: Verdict = Verdict.PASS


Either = Leaf | LongBranch

WHOLE = LongBranch(
    (Leaf("x"), Leaf("y", 2)),
    ("p", 1),
    {(1, 2): b"\xff", (): 1.0, (3,): "s"},
    {"k": [True]},
    "b",
    Fraction(-39, 50),
    Verdict.STALE,
)


def test_everything_comes_back_as_it_was() -> None:
    """Tuples, bytes, mappings with keys that are no text, and the class where several are possible."""
    row = json.loads(json.dumps(encode(WHOLE, Either)))
    assert row["event"] == "long_branch"
    assert decode(row, Either) == WHOLE
    assert decode(json.loads(json.dumps(encode(WHOLE, LongBranch))), LongBranch) == WHOLE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"event": "twig"}, "'twig' is none of leaf, long_branch"),
        ({"mode": "c"}, ".mode: 'c' is none of 'a', 'b'"),
        ({"pair": ["p"]}, ".pair: a list of 2 has 1"),
        ({"pair": ["p", True]}, ".pair[1]: True is no int"),
        ({"leaves": {}}, ".leaves: {} is no list"),
        ({"leaves": [{}]}, ".leaves[0]: Leaf needs 'name'"),
        ({"leaves": [{"name": "x", "more": 1}]}, ".leaves[0]: Leaf has no 'more'"),
        ({"leaves": [{"name": "x", "number": "1"}]}, ".leaves[0].number: '1' is no int"),
        ({"cells": [[[1], {"base64": "?"}]]}, ".cells"),
        ({"share": "1/0"}, ".share: '1/0' is no Fraction"),
        ({"share": " 1"}, ".share: ' 1' is no Fraction"),
        ({"verdict": "passed"}, ".verdict: 'passed' is no Verdict"),
        ({"cells": [[1]]}, ".cells[0]"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(change: dict[str, Any], said: str) -> None:
    """Nothing is converted, filled in or ignored."""
    with pytest.raises(Unfit) as caught:
        decode({**encode(WHOLE, Either), **change}, Either)
    assert said in str(caught.value)
