"""Accepted bands and borderline bands."""

from __future__ import annotations

import pytest

from tapegate.oracles.catalog import CATALOG, check_contract
from tapegate.oracles.tolerances import tolerant

NUMBERS = [{"name": "cooling", "value": 3.6, "abs": 0.1}, {"name": "rise", "value": 2}]


@pytest.mark.parametrize(
    ("slots", "tolerances", "widened"),
    [
        ({"sentences_max": 5}, {"sentences_max": {"abs": 1}}, {"sentences_max": 6}),
        ({"sentences_max": 5}, {"sentences_max": {"rel": 0.1}}, {"sentences_max": 5}),
        ({"sentences_max": 10}, {"sentences_max": {"abs": 1, "rel": 0.2}}, {"sentences_max": 12}),
        ({"citations_local_min": 3}, {"citations_local_min": {"abs": 1.5}}, {"citations_local_min": 2}),
        ({"latency_e2e_ms_max": 3000}, {"latency_e2e_ms_max": {"rel": 0.1}}, {"latency_e2e_ms_max": 3300}),
        ({"cost_usd_max": "0.3"}, {"cost_usd_max": {"rel": 0.1}}, {"cost_usd_max": "0.33"}),
        ({"cost_usd_max": 0.1}, {"cost_usd_max": {"abs": 0.2}}, {"cost_usd_max": "0.3"}),
        (
            {"numbers": NUMBERS},
            {"numbers.cooling": {"abs": 0.05}},
            {"numbers": [{"name": "cooling", "value": 3.6, "abs": "0.15", "rel": 0}, NUMBERS[1]]},
        ),
        (
            {"dates": [{"name": "due", "date": "2026-03-04"}]},
            {"dates.due": {"abs": 2}},
            {"dates": [{"name": "due", "date": "2026-03-04", "within_days": 2}]},
        ),
    ],
)
def test_a_tolerance_widens_its_slot(make_task, slots, tolerances, widened):
    """By the larger of number and share, exactly, and nothing else."""
    task = make_task({"required_slots": slots, "tolerances": tolerances})
    assert check_contract(task) == []
    assert tolerant(task, CATALOG).expect.accepted_outcomes[0].required_slots == widened
    assert task.expect.accepted_outcomes[0].required_slots == slots


def test_a_borderline_band_lies_beyond_the_tolerance(make_task):
    """It widens what the tolerance already did, in every outcome that has the slot."""
    task = make_task(
        {"required_slots": {"sentences_max": 5}, "tolerances": {"sentences_max": {"abs": 1}}},
        {"required_slots": {"sentences_max": 3, "prefix": "A"}},
        {"required_slots": {"prefix": "B"}},
        expect={"borderline": {"sentences_max": {"abs": 2}}},
    )
    wider = tolerant(task, CATALOG, borderline=True).expect.accepted_outcomes
    assert [one.required_slots.get("sentences_max") for one in wider] == [8, 5, None]


def test_a_task_without_bands_is_left_alone(make_task):
    """The very same task, at no cost."""
    task = make_task({"required_slots": {"sentences_max": 5}})
    assert tolerant(task, CATALOG) is task
    assert tolerant(task, CATALOG, borderline=True) is task


@pytest.mark.parametrize(
    ("slots", "tolerances", "code", "said"),
    [
        ({"sentences_max": 5}, {"sentence_max": {"abs": 1}}, "unknown_tolerance", "did you mean 'sentences_max'?"),
        ({"sentences_max": 5}, {"sentences_max": {}}, "vacuous_tolerance", "no width"),
        ({"sentences_max": 5}, {"sentences_max.x": {"abs": 1}}, "unknown_tolerance", "takes no tolerance"),
        ({"prefix": "A"}, {"prefix": {"abs": 1}}, "unknown_tolerance", "takes no tolerance"),
        ({"numbers": NUMBERS}, {"numbers": {"abs": 1}}, "unknown_tolerance", "takes no tolerance"),
        ({"numbers": NUMBERS}, {"numbers.x": {"abs": 1}}, "unknown_tolerance", "has no entry 'x'"),
        ({"citations_local_min": 1}, {"citations_local_min": {"abs": 1}}, "vacuous_tolerance", "nothing is left"),
    ],
)
def test_a_band_that_makes_no_sense_is_refused(make_task, slots, tolerances, code, said):
    """At load, whether it is accepted or borderline."""
    for fields in ({"tolerances": tolerances}, {}):
        expect = {} if fields else {"borderline": tolerances}
        task = make_task({"required_slots": slots, **fields}, expect=expect)
        problems = [problem for problem in check_contract(task) if problem.code == code]
        assert problems
        assert said in problems[0].message
