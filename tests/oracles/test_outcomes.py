"""Whether one accepted outcome makes another one pointless."""

from __future__ import annotations

import pytest

from tapegate.oracles.catalog import CATALOG, check_contract
from tapegate.oracles.outcomes import complementary, covers

GIVEN = {"tool_arguments": {"a": [{"arguments": {"x": 1}}]}}
WIDE = {"tolerances": {"sentences_max": {"abs": 9}}}
KINDS = {slot: kind for oracle in CATALOG for slot, kind in oracle.slots.items()}


@pytest.mark.parametrize(
    ("loose", "tight", "covered"),
    [
        ({"required_tools": ["a"]}, {"required_tools": ["b", "a"]}, True),
        ({"required_tools": ["a", "b"]}, {"required_tools": ["a"]}, False),
        ({"forbidden_tools": ["a"]}, {"forbidden_tools": ["a", "b"]}, True),
        ({"allowed_tools": ["a", "b"]}, {"allowed_tools": ["a"]}, True),
        ({"allowed_tools": ["a"]}, {"allowed_tools": ["a", "b"]}, False),
        ({"allowed_tools": ["a"]}, {"required_tools": ["a"]}, False),
        ({"any_allowed_path": [["a"], ["b"]]}, {"any_allowed_path": [["b"]]}, True),
        ({"tool_counts": {"a": {"max": 3}}}, {"tool_counts": {"a": {"min": 1, "max": 2}}}, True),
        ({"tool_counts": {"a": {"max": 3}}}, {"tool_counts": {"a": {"min": 1}}}, False),
        ({"tool_counts": {"a": {"min": 1}}}, {"required_tools": ["a"]}, False),
        ({"tool_path_policy": "no_tools"}, {"allowed_tools": ["a"]}, False),
        ({"forbidden_tools": ["a"]}, {"tool_path_policy": "no_tools", "forbidden_tools": ["a"]}, True),
        (
            {"required_tools": ["a", "b"]},
            {"required_tools": ["a", "b"], "tool_path_policy": "fixed_order", "order_critical": "x"},
            True,
        ),
        ({"required_slots": {"citations_local_min": 1}}, {"required_slots": {"citations_local_min": 2}}, True),
        ({"required_slots": {"citations_local_min": 2}}, {"required_slots": {"citations_local_min": 1}}, False),
        ({"required_slots": {"citations_local_min": 1}}, {"required_tools": ["a"]}, False),
        ({"required_slots": {"sentences_max": 4}}, {"required_slots": {"sentences_max": 2, "prefix": "x"}}, True),
        ({"required_slots": {"prefix": "x"}}, {"required_slots": {"prefix": "xy"}}, False),
        ({**GIVEN, "required_tools": ["a"]}, {**GIVEN, "required_tools": ["a", "b"]}, True),
        (GIVEN, {"required_tools": ["a"]}, False),
        ({"required_tools": ["a"]}, {**GIVEN, "required_tools": ["a"]}, True),
        ({"parallel_tools": [["a", "b"]]}, {"parallel_tools": [["a", "b"], ["c", "d"]]}, True),
        ({"parallel_tools": [["a", "b"]]}, {"required_tools": ["a", "b"]}, False),
        ({"parallel_max": 3}, {"parallel_max": 2}, True),
        ({"parallel_max": 2}, {"parallel_max": 3}, False),
        ({"parallel_max": 2}, {"required_tools": ["a"]}, False),
        ({"state": {"t": {"columns": ["a"]}}}, {"state": {"t": {"columns": ["a"]}, "u": {"columns": ["b"]}}}, True),
        ({"state": {"t": {"columns": ["a"]}}}, {"state": {"t": {"columns": ["b"]}}}, False),
        ({"state_elsewhere": "unchanged"}, {"state": {"t": {"columns": ["a"]}}}, False),
        ({"required_slots": {"sentences_max": 4}}, {"required_slots": {"sentences_max": 3}, **WIDE}, False),
        ({"required_slots": {"sentences_max": 4}, **WIDE}, {"required_slots": {"sentences_max": 3}}, True),
    ],
)
def test_an_outcome_covers_another_that_asks_at_least_as_much(make_task, loose, tight, covered):
    """Fewer demands, wider choices and looser bounds accept everything that the tighter outcome accepts."""
    outcomes = make_task(loose, tight).expect.accepted_outcomes
    assert covers(outcomes[0], outcomes[1], KINDS) is covered


def test_every_outcome_covers_itself(make_task):
    """So that twins are found in either order."""
    outcome = {"required_tools": ["a", "b"], "tool_path_policy": "fixed_order", "order_critical": "x", "name": "first"}
    one, two = make_task(outcome, {**outcome, "name": "second"}).expect.accepted_outcomes
    assert covers(one, two, KINDS)
    assert covers(two, one, KINDS)


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"required_tools": ["a"]}, {"forbidden_tools": ["a"]}, True),
        ({"name": "x", "required_tools": ["a"]}, {"tool_counts": {"a": {"max": 0}}}, True),
        ({"tool_counts": {"a": {"min": 2}}}, {"tool_counts": {"a": {"max": 1}}}, True),
        ({"required_slots": {"citations_local_min": 1}}, {"required_slots": {"citations_local_max": 0}}, True),
        ({"required_slots": {"sentences_max": 3}}, {"required_slots": {"sentences_min": 4}}, True),
        ({"required_slots": {"sentences_max": 3}}, {"required_slots": {"sentences_min": 5}}, False),
        ({"required_slots": {"sentences_max": 3}}, {"required_slots": {"citations_web_min": 4}}, False),
        ({"required_tools": ["a"]}, {"forbidden_tools": ["b"]}, False),
        ({"parallel_max": 3}, {"tool_path_policy": "no_tools"}, False),
        ({"parallel_max": 3}, {"required_tools": ["a"]}, False),
        ({"required_tools": ["a", "b"]}, {"forbidden_tools": ["a"]}, False),
        ({"required_tools": ["a"]}, {"forbidden_tools": ["a", "b"]}, False),
        ({"required_tools": ["a"]}, {"forbidden_tools": ["a"], "required_slots": {"sentences_max": 3}}, False),
        ({"required_tools": ["a"]}, {"required_tools": ["b"]}, False),
    ],
)
def test_two_outcomes_that_accept_everything(make_task, one, other, found):
    """What the one misses the other is: such a pair would pass on nothing."""
    task = make_task(one, other)
    assert complementary(*task.expect.accepted_outcomes) is found
    assert complementary(*reversed(task.expect.accepted_outcomes)) is found
    declared = ["tool_trace", "schema_contract", "citation_contract"]
    grading = task.grading.model_copy(update={"deterministic_metrics": tuple(declared)})
    codes = [problem.code for problem in check_contract(task.model_copy(update={"grading": grading}))]
    assert ("vacuous_outcomes" in codes) is found
