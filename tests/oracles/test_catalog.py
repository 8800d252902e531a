"""The catalog: its metrics are whole and tested, and a task's contract is held against it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tapegate.errors import UsageError
from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.oracles.catalog import CATALOG, check_contract, collisions, invariants, metric, needs, unjudged
from tapegate.oracles.manual import shortcomings
from tapegate.oracles.oracle import Oracle
from tapegate.oracles.tool_trace import ToolTrace

EXAMPLE = """
{
  "id": "RET-01", "suite": "retrieval_prompt_paths", "path_id": "A1", "mode": "single_turn", "input": "What is known?",
  "expect": {
    "required_invariants": ["no_hidden_tag_leak", "no_private_path_leak"],
    "accepted_outcomes": [
      {"tool_path_policy": "any_allowed_path", "allowed_first_tools": ["read_paper"],
       "required_slots": {"citations_local_min": 1}}
    ],
    "forbidden_patterns": ["<thinking>", "^/(Users|home|var|tmp)/"]
  },
  "grading": {"deterministic_metrics": ["tool_trace", "citation_contract", "output_hygiene"]}
}
"""


def cases(oracle: Oracle) -> list[tuple[str, dict[str, Any], list[Any], list[str]]]:
    """The table of the metric's own test file."""
    path = Path(__file__).with_name(f"test_{oracle.name}.py")
    spec = importlib.util.spec_from_file_location(f"table_of_{oracle.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[tuple[str, dict[str, Any], list[Any], list[str]]] = module.CASES
    return found


class Silent(Oracle):
    """A metric that finds nothing, in place of another one."""

    def __init__(self, instead_of: Oracle) -> None:
        for attribute in ("name", "version", "codes", "slots", "invariants"):
            setattr(self, attribute, getattr(instead_of, attribute))


@pytest.mark.parametrize("oracle", CATALOG, ids=lambda oracle: oracle.name)
class TestMetric:
    """Every metric of the catalog."""

    def test_it_has_everything_a_metric_needs(self, oracle):
        """Docstring sections, a version, and a line on each code, slot and invariant."""
        assert shortcomings(oracle) == []

    def test_it_has_fixture_tests_true_and_false(self, oracle):
        """At least three, as the standard demands, and each code that it may report turns up in one."""
        table = cases(oracle)
        assert len(table) >= 3
        assert any(not codes for *_, codes in table)
        assert {code for *_, codes in table for code in codes} == set(oracle.codes)

    def test_every_expectation_it_owns_is_met_in_one_test_and_missed_in_another(self, oracle, judged):
        """For each slot and invariant the table holds a case that is green and one that is red."""
        for name in (*oracle.slots, *oracle.invariants):
            mentions = [case for case in cases(oracle) if f'"{name}"' in json.dumps(case[1])]
            assert any(not codes for *_, codes in mentions), name
            values = [case[1]["outcome"]["required_slots"][name] for case in mentions if name in oracle.slots]
            demanding = name in oracle.invariants or any(map(oracle.slots[name].demands, values))
            assert any(codes for *_, codes in mentions) or not demanding, name

    def test_its_table_fails_when_it_finds_nothing(self, oracle, judged):
        """Replacing the metric by a silent one breaks every test that expects a finding."""
        red = [case for case in cases(oracle) if case[3]]
        assert red
        for name, expectation, events, codes in red:
            assert judged(oracle, expectation, events) == codes, name
            assert judged(Silent(oracle), expectation, events) != codes, name

    def test_its_table_fails_when_it_always_finds_something(self, oracle, judged):
        """The tests are green for a reason too: a metric that refuses everything breaks them."""
        green = [case for case in cases(oracle) if not case[3]]
        assert all(judged(oracle, expectation, events) == [] for _, expectation, events, _ in green)

    def test_it_is_found_by_its_name(self, oracle):
        """The name in `deterministic_metrics` is the name in the catalog."""
        assert metric(oracle.name) is oracle


def test_no_two_metrics_claim_the_same():
    """Names, slots and invariants belong to one metric each; a twin would be told."""
    assert collisions(CATALOG) == []
    assert collisions([ToolTrace(), ToolTrace()]) == [
        "metric 'tool_trace' belongs to 'tool_trace' and to 'tool_trace'",
        "invariant 'tool_arguments_valid' belongs to 'tool_trace' and to 'tool_trace'",
    ]


def test_what_every_trial_is_held_to_belongs_to_no_metric(make_task):
    """A task may name it without declaring anything, and no metric may claim it."""

    class Claimant(ToolTrace):
        name = "claimant"
        invariants: ClassVar = {"no_network_attempt": "Mine."}

    task = make_task({"required_tools": ["a"]}, invariants=["no_network_attempt"])
    assert task.grading.deterministic_metrics == ("tool_trace",)
    assert check_contract(task) == []
    assert unjudged(task) is None
    assert "no_network_attempt" in invariants()
    assert collisions([Claimant()]) == ["invariant 'no_network_attempt' belongs to 'every trial' and to 'claimant'"]


def test_evidence_is_read_where_a_declared_metric_needs_it(make_task):
    """And nowhere else: a database or every request of a trial is much to read for nothing."""
    assert needs(make_task({"required_tools": ["a"]})) == frozenset()
    task = make_task({"state_elsewhere": "unchanged"}, invariants=["tool_arguments_valid"], setup={"db_snapshot": "b"})
    assert needs(task) == {"database", "offers"}


def test_an_unknown_metric_is_refused_with_the_known_ones():
    """TAS-05, on the command line."""
    with pytest.raises(UsageError) as raised:
        metric("tool_trac")
    assert "did you mean 'tool_trace'?" in str(raised.value)


def example(**changes: Any) -> Task:
    """The example with some of its parts replaced: `expect__forbidden_patterns`, …"""
    document = json.loads(EXAMPLE)
    for path, value in changes.items():
        part, key = path.split("__")
        document[part][key] = value
    lines = {("expect",): 5, ("grading", "deterministic_metrics"): 20, ("grading", "deterministic_metrics", 1): 21}
    return Task.model_validate_json(json.dumps(document)).at(Source("evals/a.json", lines))


def test_a_task_in_the_standards_shape_has_no_problem():
    """And the declared metrics judge all of it."""
    assert check_contract(example()) == []
    assert unjudged(example()) is None


def test_the_standards_own_example_has_no_problem():
    """Word for word as the document has it."""
    standard = Path(__file__).parents[2].parent / "shared" / "spec" / "agent-evaluation-standard.md"
    if not standard.exists():
        pytest.skip("the standard is not beside the project")
    text = standard.read_text("utf-8").split("```json\n")[1].split("```")[0]
    assert check_contract(Task.model_validate_json(text)) == []


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        (
            {"grading__deterministic_metrics": ["tool_trace", "citation_contract", "output_hygeine"]},
            "unknown_metric",
            "did you mean 'output_hygiene'?",
        ),
        ({"expect__required_invariants": ["no_hidden_tags_leak"]}, "unknown_invariant", "no_hidden_tag_leak"),
        (
            {"expect__accepted_outcomes": [{"required_slots": {"citation_local_min": 1}}]},
            "unknown_slot",
            "did you mean 'citations_local_min'?",
        ),
        (
            {"expect__accepted_outcomes": [{"required_slots": {"citations_local_min": "1"}}]},
            "bad_slot_value",
            "'1' is not a whole number",
        ),
        (
            {"grading__deterministic_metrics": ["tool_trace", "citation_contract"]},
            "undeclared_metric",
            "expect.required_invariants.0 belongs to the metric 'output_hygiene'",
        ),
        (
            {
                "grading__deterministic_metrics": [
                    "tool_trace",
                    "citation_contract",
                    "output_hygiene",
                    "schema_contract",
                ]
            },
            "unused_metric",
            "'schema_contract' is declared, but no expectation",
        ),
        (
            {"grading__deterministic_metrics": ["tool_trace", "citation_contract", "output_hygiene", "tool_trace"]},
            "duplicate_entry",
            "declared twice",
        ),
        (
            {"expect__required_invariants": ["no_hidden_tag_leak", "no_hidden_tag_leak"]},
            "duplicate_entry",
            "required twice",
        ),
        ({"expect__accepted_outcomes": [{}]}, "vacuous_outcome", "anything would pass"),
        (
            {"expect__accepted_outcomes": [{"required_slots": {"citations_local_min": 0}}]},
            "vacuous_outcome",
            "anything would pass",
        ),
        (
            {"expect__accepted_outcomes": [{"required_tools": ["a"]}, {"required_tools": ["a"], "name": "twin"}]},
            "duplicate_outcome",
            "outcome 1 is the same as outcome 0",
        ),
        (
            {"expect__accepted_outcomes": [{"required_tools": ["a"]}, {"required_tools": ["a", "b"]}]},
            "subsumed_outcome",
            "outcome 1 is already accepted by outcome 0",
        ),
        ({"expect__forbidden_patterns": ["(?<!x)y"]}, "bad_pattern", "look-around"),
        ({"expect__forbidden_patterns": ["y*"]}, "vacuous_pattern", "says nothing"),
        (
            {"expect__accepted_outcomes": [{"required_tools": ["a"], "forbidden_tools": ["a"]}]},
            "unreachable_outcome",
            "no tool path meets",
        ),
    ],
)
def test_a_broken_contract_is_told(changes, code, said):
    """TAS-05, TAS-06, TAS-08, TAS-11, TAS-12: each with its code and what is known or expected."""
    problems = check_contract(example(**changes))
    assert code in [problem.code for problem in problems]
    assert any(said in problem.message for problem in problems if problem.code == code)


def test_a_tighter_outcome_may_come_first():
    """Then it is named when it holds, which is what the first place is for."""
    outcomes = [{"required_tools": ["a", "b"]}, {"required_tools": ["a"], "required_slots": {"citations_local_min": 1}}]
    assert check_contract(example(expect__accepted_outcomes=outcomes)) == []


def test_every_problem_is_told_at_once_in_the_order_of_the_file():
    """Ten errors are ten problems, with the lines that they stand on."""
    task = example(
        grading__deterministic_metrics=["tool_trace", "citation_contrct"],
        expect__required_invariants=["nothing_leaks"],
        expect__accepted_outcomes=[{"required_slots": {"citations_local_mn": 1}}, {}],
    )
    problems = check_contract(task)
    assert {problem.code for problem in problems} == {
        "unknown_invariant",
        "unknown_slot",
        "vacuous_outcome",
        "undeclared_metric",
        "unused_metric",
        "unknown_metric",
    }
    assert [problem.line for problem in problems] == sorted(problem.line or 0 for problem in problems)
    assert next(problem for problem in problems if problem.code == "unknown_metric").line == 21


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"expect__required_invariants": ["nothing_leaks"]}, "no declared metric judges the invariant 'nothing_leaks'"),
        ({"grading__deterministic_metrics": ["tool_trace", "output_hygiene"]}, "'citation_contract'"),
        ({"grading__deterministic_metrics": ["nothing"]}, "not declared"),
        ({"expect__accepted_outcomes": [{"required_slots": {"nothing": 1}}]}, "no metric knows the slot 'nothing'"),
        ({"expect__accepted_outcomes": [{"required_tools": ["a"]}, {}]}, "accepted outcome 1 demands nothing"),
    ],
)
def test_what_nobody_would_judge_is_known_before_a_verdict(changes, said):
    """A task that slipped past the load checks gets no verdict from a metric that does not look."""
    gap = unjudged(example(**changes))
    assert gap is not None
    if said != "not declared":
        assert said in gap
