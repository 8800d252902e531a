"""A judged run as samples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tapegate.grade.rubric.run import run_score, sample_of, with_quality
from tapegate.grade.scores.score import score_trial
from tapegate.model.finding import Verdict
from tapegate.model.run import Metrics, TaskResult, TrialResult
from tapegate.model.scores import Scores
from tapegate.model.task import Task
from tapegate.model.trace import Trace

MEASURED = Metrics(input_tokens=1500, output_tokens=500, total_tokens=2000, latency_e2e_ms=3000)


def _task(key: str, *trials: tuple[Metrics, Scores | None]) -> TaskResult:
    results = tuple(
        TrialResult(number, Verdict.PASS, 0, (), "a" * 64, None, metrics, (), scores)
        for number, (metrics, scores) in enumerate(trials, 1)
    )
    return TaskResult(key, key, "s", "A1", "f", Verdict.PASS, 0, (None,), True, Metrics(), results)


def test_every_trial_is_a_sample_and_none_is_dropped() -> None:
    """Trials that were not judged stay in the denominator, with all that is missing of them."""
    run = run_score(
        [_task("B@A1", (MEASURED, Scores(2, 2)), (MEASURED, Scores(1, 2))), _task("A@A1", (Metrics(), None))]
    )
    assert [one.sample.id for one in run.samples] == ["A@A1[1]", "B@A1[1]", "B@A1[2]"]
    assert (run.n, run.n_scored, run.verdict) == (3, 2, "not_ready")
    assert run.p95_is_infinite


def test_a_timeout_lasted_as_long_as_its_limit() -> None:
    """The wall time of a replay is no measurement; the limit is known."""
    late = sample_of("x", Metrics(), Scores(timed_out=True, timeout_ms=60_000))
    assert late.latency_e2e_ms == 60_000
    assert sample_of("x", Metrics(), Scores(timed_out=True)).latency_e2e_ms is None


def test_quality_is_the_weighted_score() -> None:
    """An exact fraction, and none where a score is missing."""
    assert with_quality(MEASURED, Scores(1, 2)).quality == "31/40"
    assert Fraction(with_quality(MEASURED, Scores(crashed=True)).quality or "") == 0
    assert with_quality(MEASURED, Scores(None, 2)).quality is None


def test_a_stream_fixture_is_no_sample(make_task: Callable[..., Task], make_trace: Callable[..., Trace]) -> None:
    """No agent was asked: neither its scores nor its missing latency count, and it has no quality."""
    task = make_task(mode="stream_fixture", setup={"fixtures": ["x"]})
    scores = score_trial(task, make_trace("It is 42."), None, ())
    assert (scores.sample, scores.accuracy_score, scores.faithfulness_score) == (False, None, None)
    run = run_score([_task("A@A1", (Metrics(), scores)), _task("B@A1", (MEASURED, Scores(2, 2)))])
    assert (run.n, run.verdict) == (1, "ready")
    assert run_score([_task("A@A1", (Metrics(), scores))]).verdict == "no_data"
    assert with_quality(MEASURED, scores).quality is None
