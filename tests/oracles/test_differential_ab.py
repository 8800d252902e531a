"""The metric `differential_ab`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.model.finding import Verdict
from tapegate.model.run import Metrics, TrialResult
from tapegate.oracles.differential_ab import MEASURES, DifferentialAb


def side(
    outcome: int | None = 0, tools: tuple[str, ...] = ("read",), answer: str = "a", **measured: Any
) -> TrialResult:
    """One side of a comparison."""
    return TrialResult(1, Verdict.PASS, outcome, tools, answer * 64, None, Metrics(**measured), ())


def limits(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome and these limits on a change."""
    return {"outcome": {"required_tools": ["read"]}, "expect": {"differential": values}}


def growth(**bands: Any) -> dict[str, Any]:
    """Limits on growth alone."""
    return limits(growth=bands)


CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("the same outcome", limits(outcome="same"), [side(), side()], []),
    ("another outcome", limits(outcome="same"), [side(), side(1)], ["outcome_changed"]),
    ("no outcome any more", limits(outcome="same"), [side(), side(None)], ["outcome_changed"]),
    ("another outcome, which nobody minds", limits(tool_path="same"), [side(), side(1)], []),
    ("the same tools", limits(tool_path="same"), [side(), side()], []),
    ("other tools", limits(tool_path="same"), [side(), side(tools=("web",))], ["tool_path_changed"]),
    (
        "another order",
        limits(tool_path="same"),
        [side(tools=("a", "b")), side(tools=("b", "a"))],
        ["tool_path_changed"],
    ),
    ("the same answer", limits(answer="same"), [side(), side()], []),
    ("another answer", limits(answer="same"), [side(), side(answer="b")], ["answer_changed"]),
    ("within a share", growth(total_tokens={"rel": 0.1}), [side(total_tokens=100), side(total_tokens=110)], []),
    ("beyond a share", growth(total_tokens={"rel": 0.1}), [side(total_tokens=100), side(total_tokens=111)], ["grown"]),
    ("within a number", growth(latency_e2e_ms={"abs": 5}), [side(latency_e2e_ms=10), side(latency_e2e_ms=15)], []),
    ("no growth at all", growth(model_calls={}), [side(model_calls=2), side(model_calls=3)], ["grown"]),
    ("less is never too much", growth(model_calls={}), [side(model_calls=3), side(model_calls=1)], []),
    ("money to the last digit", growth(cost_usd={"rel": 0.1}), [side(cost_usd="0.3"), side(cost_usd="0.33")], []),
    ("money beyond it", growth(cost_usd={"rel": 0.1}), [side(cost_usd="0.3"), side(cost_usd="0.3301")], ["grown"]),
    ("unknown of one side", growth(cost_usd={"rel": 9}), [side(cost_usd="0.3"), side()], ["growth_not_measured"]),
    ("a run by itself", limits(answer="same"), ["tool:read"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each limit is kept by the changes that it admits and by no others."""
    assert judged(DifferentialAb(), expectation, events) == codes


def test_growth_says_both_numbers_and_the_band(make_task):
    """The finding points at the limit of the measure."""
    task = make_task({"required_tools": ["read"]}, expect={"differential": {"growth": {"total_tokens": {"rel": 0.1}}}})
    (found,) = DifferentialAb().differences(task, side(total_tokens=6100), side(total_tokens=7210))
    assert found.path == ("expect", "differential", "growth", "total_tokens")
    assert found.message == "total_tokens grew from 6100 to 7210 tokens"
    assert (found.expected, found.got) == ("at most 6710 (6100 ± 10 %)", "7210")


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"answer": "same"}, []),
        ({}, ["vacuous_slot"]),
        ({"growth": {"tokens": {"abs": 1}}}, ["unknown_measure"]),
    ],
)
def test_limits_that_say_nothing_are_found_at_load(make_task, values, codes):
    """And so are measures that there are not, with the nearest that there is."""
    task = make_task({"required_tools": ["read"]}, expect={"differential": values})
    assert [problem.code for problem in DifferentialAb().problems(task)] == codes


def test_every_measure_is_one_of_the_results():
    """Growth is limited by what `results.json` holds of a trial."""
    assert set(MEASURES) <= set(Metrics.__dataclass_fields__)
