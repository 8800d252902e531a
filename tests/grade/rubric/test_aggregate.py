"""A run's score."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.grade.rubric.aggregate import aggregate
from tapegate.model.rubric import Sample
from tapegate.report.rubric import RubricRow, run_json
from tapegate.report.rubric_table import run_table

_SCORES = st.sampled_from([0, 1, 2, None])
_SAMPLE = st.builds(
    Sample,
    accuracy_score=_SCORES,
    faithfulness_score=_SCORES,
    latency_e2e_ms=st.sampled_from([None, 0, 1, 3000, 3001, 8000, 8001, 10_000, 10_001, 60_000]),
    total_tokens=st.sampled_from([None, 0, 1, 2000, 2001, 6000, 6001, 90_000]),
    timed_out=st.booleans(),
    crashed=st.booleans(),
    timeout_ms=st.sampled_from([None, 30_000]),
)
some_samples = st.lists(_SAMPLE, max_size=24)


@settings(max_examples=60, deadline=None)
@given(some_samples, st.randoms(use_true_random=False))
def test_no_order_of_samples_changes_a_byte(samples: list[Sample], random: Random) -> None:
    """Shuffled samples give the same JSON and the same table, to the byte."""
    turned = list(samples)
    random.shuffle(turned)
    assert run_json(aggregate(turned)) == run_json(aggregate(samples))
    assert run_table(aggregate(turned)) == run_table(aggregate(samples))


@settings(max_examples=60, deadline=None)
@given(some_samples, st.data())
def test_readiness_brackets_what_the_missing_scores_turn_out_to_be(samples: list[Sample], data: st.DataObject) -> None:
    """Whatever the missing scores are, a ready run stays ready and one that is not ready stays so."""

    def known(value: int | None) -> int:
        return data.draw(st.sampled_from([0, 1, 2])) if value is None else value

    filled = [
        replace(one, accuracy_score=known(one.accuracy_score), faithfulness_score=known(one.faithfulness_score))
        for one in samples
    ]
    before, after = aggregate(samples), aggregate(filled)
    assert after.verdict != "inconclusive"
    if before.verdict != "inconclusive":
        assert after.verdict == before.verdict
    if before.aggregate_gate_lower is not None:
        assert before.aggregate_gate_lower <= after.aggregate_score <= before.aggregate_upper
        assert before.pass_rate <= after.pass_rate <= before.pass_rate_upper
        assert before.faithfulness_failure_rate <= after.faithfulness_failure_rate
        assert after.faithfulness_failure_rate <= before.faithfulness_failure_rate_upper


@settings(max_examples=60, deadline=None)
@given(some_samples)
def test_what_is_shown_never_contradicts_the_verdict(samples: list[Sample]) -> None:
    """The rounded numbers, held against the rubric's limits, give the gates that the exact ones gave."""
    score = aggregate(samples)
    shown = json.loads(run_json(score))
    if not score.n:
        return
    late = shown["p95_is_infinite"] or shown["latency_e2e_p95_ms"] > 10_000
    holding = {
        "aggregate": shown["aggregate_gate_lower"] >= 0.80,
        "pass_rate": shown["pass_rate"] >= 0.85,
        "faithfulness_failure_rate": shown["faithfulness_failure_rate_upper"] <= 0.05,
        "latency_p95": not late,
    }
    assert shown["failed_gates"] == [name for name, holds in holding.items() if not holds]


def test_what_is_missing_is_counted(make_sample: Callable[..., Sample]) -> None:
    """A sum over the known values says beside it how many are not known."""
    score = aggregate([make_sample(), make_sample(input_tokens=None, total_tokens=None)])
    assert (score.total_input_tokens, score.total_tokens) == (1500, 2000)
    assert score.missing == {"latency_model_ms": 2, "input_tokens": 1, "total_tokens": 1}


def test_thousands_of_different_samples_stay_exact(make_sample: Callable[..., Sample]) -> None:
    """The sum has more digits than Python writes by default, and is compared and written all the same."""
    samples = [make_sample(latency_e2e_ms=3000 + number) for number in range(4900)]
    score = aggregate(samples)
    assert json.loads(run_json(score))["exact"]["aggregate_score"].count("/") == 1
    assert len(RubricRow.of(score).exact["aggregate_score"]) > 4300
    assert score.verdict == "ready"
