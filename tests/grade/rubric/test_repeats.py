"""Repeated runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

from tapegate.errors import UsageError
from tapegate.grade.rubric.repeats import repeats
from tapegate.grade.rubric.shown import root
from tapegate.model.rubric import Sample
from tapegate.report.rubric import repeats_json


def test_mean_and_deviation_are_of_the_runs(make_sample: Callable[..., Sample]) -> None:
    """Three runs with p95 of 1, 2 and 4 s: mean 7/3 s, variance 7/3 s² with n - 1, its root rounded up."""
    samples = [
        make_sample(run_id=run, latency_e2e_ms=latency) for run, latency in (("c", 4000), ("a", 1000), ("b", 2000))
    ]
    found = repeats(samples)
    assert list(found.runs) == ["a", "b", "c"]
    assert found.latency_e2e_p95_ms.mean == Fraction(7000, 3)
    assert found.latency_e2e_p95_ms.variance == Fraction(7_000_000, 3)
    assert str(root(found.latency_e2e_p95_ms.variance)) == "1527.5253"
    assert found.verdict == "ready"
    document = json.loads(repeats_json(found))
    assert document["latency_e2e_p95_ms"]["exact"] == {"mean": "7000/3", "variance": "7000000/3"}
    assert repeats_json(repeats(reversed(samples))) == repeats_json(found)


def test_one_bad_run_is_not_averaged_away(make_sample: Callable[..., Sample]) -> None:
    """The verdict is not ready where one run is not, and inconclusive where one is open."""
    good = [make_sample(run_id=run) for run in "abc"]
    assert repeats([*good, make_sample(run_id="d", accuracy_score=0)]).verdict == "not_ready"
    assert repeats([*good, make_sample(run_id="d", accuracy_score=None)]).verdict == "inconclusive"


def test_a_run_without_the_number_leaves_no_mean(make_sample: Callable[..., Sample]) -> None:
    """A mean over the runs that happen to have a latency would be another number."""
    found = repeats([make_sample(run_id="a"), make_sample(run_id="b"), make_sample(run_id="c", latency_e2e_ms=None)])
    assert found.latency_e2e_p95_ms.mean is None
    assert found.aggregate_score.mean is not None


@pytest.mark.parametrize(("runs", "code"), [(["a", "b"], "too_few_runs"), (["a", "b", "c", ""], "unnamed_run")])
def test_fewer_than_three_runs_are_refused(runs: list[str], code: str, make_sample: Callable[..., Sample]) -> None:
    """The rubric asks for three; a sample without a run belongs to none."""
    with pytest.raises(UsageError) as caught:
        repeats([make_sample(run_id=run) for run in runs])
    assert caught.value.problems[0].code == code
