"""Pairing demands with what meets them."""

from __future__ import annotations

from tapegate.oracles.pairing import unpaired


def left(demands: list[set[str]], found: list[str]) -> list[int]:
    """The demands, each a set of what meets it, that nothing is left for."""
    return list(unpaired(len(demands), len(found), lambda one, other: found[other] in demands[one]))


def test_a_demand_that_is_easily_met_makes_room():
    """The first takes what the second does not need, in whichever order they stand."""
    assert left([{"a", "b"}, {"a"}], ["a", "b"]) == []
    assert left([{"a"}, {"a", "b"}], ["a", "b"]) == []


def test_one_thing_meets_one_demand():
    """Two demands for the same are not met by one."""
    assert left([{"a"}, {"a"}], ["a", "b"]) == [1]
    assert left([{"x"}], []) == [0]
