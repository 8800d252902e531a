"""The metric `latency_cost`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.model.trace import Exchange, Usage
from tapegate.oracles.latency_cost import LatencyCost


def slots(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome with these slots."""
    return {"outcome": {"required_slots": values}}


def call(index: int, started_ms: int, ms: int, read: int | None = 1000, written: int | None = 50) -> Exchange:
    """A call of a model that read and wrote so many tokens."""
    usage = Usage(read, written) if read is not None or written is not None else None
    return Exchange(index, "model", "POST", "/chat", 200, started_ms * 1000, ms * 1000, 400, "m-2026", usage)


SEARCH = Exchange(9, "search", "GET", "/q", 200, 0, 5000, 0)
TWO = [call(0, 0, 100), call(1, 150, 100)]
SIDE_BY_SIDE = [call(0, 0, 100), call(1, 50, 100), call(2, 160, 10)]
TOOLS = ["tool:search", "tool:read"]
TIMES = {"latency_e2e_ms": 900, "latency_model_ms": 200}
COST = {"cost_usd": "0.0151"}

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("fast enough", slots(latency_e2e_ms_max=900), [TIMES], []),
    ("a millisecond too slow", slots(latency_e2e_ms_max=899), [TIMES], ["over_limit"]),
    ("models fast enough", slots(latency_model_ms_max=200), [TIMES], []),
    ("models too slow", slots(latency_model_ms_max=199), [TIMES], ["over_limit"]),
    ("no time recorded", slots(latency_e2e_ms_max=900), [], ["not_measured"]),
    ("cheap enough, to the last digit", slots(cost_usd_max="0.0151"), [COST], []),
    ("cheap enough, as a number", slots(cost_usd_max=0.0151), [COST], []),
    ("too dear", slots(cost_usd_max="0.01509"), [COST], ["over_limit"]),
    ("no price known", slots(cost_usd_max=1), TWO, ["not_measured"]),
    ("tokens read", slots(input_tokens_max=2000), TWO, []),
    ("too many tokens read", slots(input_tokens_max=1999), TWO, ["over_limit"]),
    ("tokens written", slots(output_tokens_max=100), TWO, []),
    ("too many tokens written", slots(output_tokens_max=99), TWO, ["over_limit"]),
    ("tokens", slots(total_tokens_max=2100), TWO, []),
    ("too many tokens", slots(total_tokens_max=2099), TWO, ["over_limit"]),
    (
        "one call without usage",
        slots(total_tokens_max=9999),
        [call(0, 0, 1), call(1, 2, 1, None, None)],
        ["not_measured"],
    ),
    ("half a usage", slots(total_tokens_max=9999), [call(0, 0, 1, 10, None)], ["not_measured"]),
    ("no call, no tokens", slots(input_tokens_max=1), [SEARCH], ["not_measured"]),
    ("calls of models", slots(model_calls_max=2), [*TWO, SEARCH], []),
    ("too many calls of models", slots(model_calls_max=1), TWO, ["over_limit"]),
    ("no call at all", slots(model_calls_max=0), [SEARCH], []),
    ("calls expected", slots(model_calls_min=2), TWO, []),
    ("too few calls", slots(model_calls_min=3), TWO, ["under_limit"]),
    ("calls of tools", slots(tool_calls_max=2), TOOLS, []),
    ("too many calls of tools", slots(tool_calls_max=1), TOOLS, ["over_limit"]),
    ("tools expected", slots(tool_calls_min=2), TOOLS, []),
    ("too few tools", slots(tool_calls_min=3), TOOLS, ["under_limit"]),
    ("side by side is one after another only once", slots(dependent_calls_max=2), SIDE_BY_SIDE, []),
    ("one after another", slots(dependent_calls_max=1), TWO, ["over_limit"]),
    ("bytes", slots(request_bytes_max=800), TWO, []),
    ("too many bytes", slots(request_bytes_max=799), TWO, ["over_limit"]),
    ("nothing asked", {"outcome": {"required_tools": ["a"]}}, ["tool:a"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each limit is kept by the recordings that it admits and by no others."""
    assert judged(LatencyCost(), expectation, events) == codes


def one(make_task, make_trace, values, **fields):
    """The single limit that is not kept."""
    task = make_task(slots(**values)["outcome"])
    (unmet,) = LatencyCost().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(**fields))
    return unmet


def test_a_limit_that_is_not_kept_says_both_numbers(make_task, make_trace):
    """With their unit, and what was counted."""
    unmet = one(make_task, make_trace, {"total_tokens_max": 2000}, exchanges=tuple(TWO))
    assert unmet.message == "the trial took 2,100 tokens, read and written by models"
    assert (unmet.expected, unmet.got) == ("at most 2000 tokens", "2100 tokens")
    assert unmet.path[-1] == "total_tokens_max"


def test_money_is_exact(make_task, make_trace):
    """A tenth and two tenths are three tenths, whatever floats make of it."""
    unmet = one(make_task, make_trace, {"cost_usd_max": "0.3"}, cost_usd="0.30000000000000000001")
    assert unmet.got == "0.30000000000000000001 USD"


@pytest.mark.parametrize(
    ("values", "final"),
    [({"total_tokens_max": 1}, False), ({"input_tokens_max": 1}, True), ({"model_calls_min": 9}, False)],
)
def test_what_a_longer_trial_can_only_raise_is_final(make_task, make_trace, values, final):
    """A minimum may still be reached, a number that one more call might leave unknown may not be final."""
    assert one(make_task, make_trace, values, exchanges=tuple(TWO)).final is final


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"model_calls_min": 2, "model_calls_max": 2}, []),
        ({"model_calls_min": 3, "model_calls_max": 2}, ["unreachable_outcome"]),
        ({"tool_calls_min": 1, "tool_calls_max": 0}, ["unreachable_outcome"]),
    ],
)
def test_a_minimum_over_its_maximum_is_found_at_load(make_task, values, codes):
    """No trial could keep both."""
    assert [problem.code for problem in LatencyCost().problems(make_task(slots(**values)["outcome"]))] == codes


@pytest.mark.parametrize("value", ["-1", "1e3", "", "1.", -0.5, True, None, float("nan")])
def test_what_is_no_amount_of_money_is_refused(value):
    """Only a number from 0 up, or a plain decimal in quotes."""
    assert [flaw.code for flaw in LatencyCost.slots["cost_usd_max"].flaws(value)] == ["bad_slot_value"]
