"""The deterministic accuracy score, through the grading of a whole trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tapegate.grade.trial import grade_trial
from tapegate.model.finding import Verdict
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Miss, Trace
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.schema_contract import SchemaContract

METRICS = ["tool_trace", "citation_contract", "schema_contract"]
FACTS = [{"name": "cooling", "any_of": ["3.6 degrees"]}, {"name": "count", "any_of": ["28 shelters"]}]
BOTH = {
    "allowed_first_tools": ["read"],
    "required_slots": {"facts": FACTS, "citations_local_include": ["p-moss"], "citations_local_min": 1},
}
WHOLE = "By 3.6 degrees in 28 shelters ([Moss](/paper/p-moss))."


@pytest.fixture
def scored(make_task: Callable[..., Task], make_trace: Callable[..., Trace]) -> Callable[..., Any]:
    """The accuracy and the verdict of an answer to a task with these outcomes."""

    def score(answer: str, *outcomes: dict[str, Any], tool: str = "read", quality: Any = None) -> Any:
        grading = {"deterministic_metrics": METRICS, **({"quality": quality} if quality else {})}
        task = make_task(*outcomes, grading=grading)
        result = grade_trial(task, make_trace(f"tool:{tool}", answer), None)
        assert result.scores is not None
        notes = tuple(note for note in result.scores.notes if note.startswith("accuracy"))
        return result.scores.accuracy_score, result.verdict, notes

    return score


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (WHOLE, 2),
        ("By 3.6 degrees ([Moss](/paper/p-moss)).", 1),
        ("By 3.6 degrees in 28 shelters.", 1),
        ("By 3.6 degrees in 28 shelters ([Moss](/papers/p-moss)).", 1),
        ("See [Moss](/paper/p-moss).", 0),
        ("I found nothing.", 0),
        ("", 0),
    ],
)
def test_slots_make_the_score(answer: str, expected: int, scored: Callable[..., Any]) -> None:
    """All slots: 2. A fact, but not all of it: 1. No fact, whatever is cited: 0."""
    assert scored(answer, BOTH)[0] == expected


def test_the_best_outcome_counts(scored: Callable[..., Any]) -> None:
    """An answer is not worse for being another outcome's."""
    other = {
        "required_tools": ["search"],
        "required_slots": {"facts": [{"name": "honest", "any_of": ["found nothing"]}]},
    }
    assert scored("I found nothing.", BOTH, other)[0] == 2


def test_score_and_verdict_differ(scored: Callable[..., Any]) -> None:
    """A right answer by a forbidden way is right and fails; a thin one that is accepted passes and scores less."""
    assert scored(WHOLE, BOTH, tool="web")[:2] == (2, Verdict.FAIL)
    thin = {"allowed_first_tools": ["read"], "required_slots": {"citations_local_min": 1}}
    quality = {"facts": [FACTS[0], {"name": "place", "all": ["Berlin"]}]}
    answer = "By 3.6 degrees ([Moss](/paper/p-moss))."
    assert scored(answer, thin, quality=quality) == (
        1,
        Verdict.PASS,
        ("accuracy: the answer does not state 'place', which a complete one does",),
    )
    assert scored("See /paper/p-moss there.", thin, quality=quality)[:2] == (0, Verdict.PASS)


def test_an_outcome_without_facts_is_counted_by_its_slots(scored: Callable[..., Any]) -> None:
    """At least half of what it wants is partial credit; without any slot, it holds or it does not."""
    outcome = {"required_slots": {"citations_local_min": 2, "citations_web_max": 0, "facts": FACTS[:1]}}
    outcome["required_slots"].pop("facts")
    assert scored("A (/paper/a) and https://b.c/d.", outcome, BOTH)[0] == 0
    assert scored("A (/paper/a).", outcome, BOTH)[0] == 1
    limits = {"required_slots": {"citations_local_min": 1, "citations_web_max": 0}}
    assert [scored(answer, limits, BOTH)[0] for answer in ("I do not know.", " \n…", "")] == [1, 0, 0]
    tools = {"allowed_first_tools": ["read"]}
    assert scored("Anything.", tools, BOTH)[0] == 2
    assert scored("Anything.", tools, BOTH, tool="web")[0] == 0


class Broken(SchemaContract):
    """A metric that crashes."""

    def unmet(self, *_: Any) -> Any:
        """Raises."""
        raise ZeroDivisionError("at 0x7f00deadbeef")


def test_a_crashed_metric_leaves_the_score_unknown(
    make_task: Callable[..., Task], make_trace: Callable[..., Trace]
) -> None:
    """Neither a zero nor a guess: the score is missing, and its note says why."""
    catalog = [Broken() if isinstance(oracle, SchemaContract) else oracle for oracle in CATALOG]
    task = make_task(BOTH, grading={"deterministic_metrics": METRICS})
    scores = grade_trial(task, make_trace("tool:read", WHOLE), None, catalog).scores
    assert scores is not None
    assert scores.accuracy_score is None
    assert "accuracy: a metric crashed over an accepted outcome" in scores.notes


def test_a_trial_is_scored_by_what_happened(make_task: Callable[..., Task], make_trace: Callable[..., Trace]) -> None:
    """A time-out and a crash are facts; a replay that was cut short has no scores; an empty answer is a wrong one."""
    task = make_task(BOTH, grading={"deterministic_metrics": METRICS})

    def scores(kind: Any, **fields: Any) -> Any:
        return grade_trial(task, make_trace("tool:read", ending=Ending(kind), **fields), None).scores

    late = scores("timed_out", timeout_ms=60_000)
    assert (late.timed_out, late.timeout_ms, late.accuracy_score) == (True, 60_000, None)
    assert scores("raised").crashed
    assert not scores("empty_output").crashed
    assert scores("empty_output").accuracy_score == 0
    miss = Miss("model", "POST", "/chat", "prompt_changed", "it changed")
    cut = scores("raised", account=Account(misses=(miss,)))
    assert (cut.accuracy_score, cut.faithfulness_score, cut.crashed) == (None, None, False)
