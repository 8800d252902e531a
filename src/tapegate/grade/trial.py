"""One trial: its trace, the task's expectations, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tapegate.grade.docket import Docket
from tapegate.grade.metrics import metrics_of
from tapegate.grade.outcomes import judge_outcomes
from tapegate.grade.replay import cut_short, report_account, report_ending, report_network, report_splits
from tapegate.grade.rubric.run import with_quality
from tapegate.grade.scores.score import score_trial
from tapegate.model.run import TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.catalog import CATALOG, unjudged
from tapegate.oracles.oracle import Oracle


def grade_trial(
    task: Task, trace: Trace, cassette_sha256: str | None, catalog: Sequence[Oracle] = CATALOG
) -> TrialResult:
    """Judge one trial (DESIGN §5): invariants first and apart, then the outcomes, then what the replay says.

    Whatever can be judged is judged, also where replay was incomplete. Never raises: a metric that does makes the trial
    an `error`, and so does a task that the declared metrics would leave unjudged in any part.
    """
    docket = Docket(task, trace.trial)
    oracles = [oracle for oracle in catalog if oracle.name in task.grading.deterministic_metrics]
    judged = None
    gap = _gap(task, catalog, docket) or _untold(task, trace)
    report_network(docket, trace)
    if gap is not None:
        docket.say("grading", "not_judged", "error", f"the task cannot be judged: {gap}", fix="run tapegate lint")
    else:
        _judge_invariants(docket, trace, oracles)
        judged = judge_outcomes(docket, trace, oracles)
    report_ending(docket, trace)
    report_account(docket, trace)
    report_splits(docket, trace)
    scores = score_trial(task, trace, judged, oracles)
    return TrialResult(
        trial=trace.trial,
        verdict=docket.verdict,
        outcome=judged.holding if judged is not None else None,
        tool_path=trace.tool_path,
        # A lone surrogate, which UTF-8 does not have, can come out of a JSON escape.
        answer_sha256=sha256(trace.text.encode("utf-8", "surrogatepass")).hexdigest(),
        cassette_sha256=cassette_sha256,
        recorded_tokens=trace.recorded_tokens,
        recorded_usd=trace.recorded_usd,
        metrics=with_quality(metrics_of(trace), scores),
        findings=tuple(docket.findings),
        scores=scores,
        borderline=judged is not None and judged.borderline is not None,
    )


def _gap(task: Task, catalog: Sequence[Oracle], docket: Docket) -> str | None:
    try:
        return unjudged(task, catalog)
    except Exception as error:  # noqa: BLE001 - a task whose contract cannot even be read is not judged
        docket.crashed("grading", error)
        return "its contract cannot be read"


def _untold(task: Task, trace: Trace) -> str | None:
    """What of the task's question the trace does not answer to, so that nothing is judged by a part of it."""
    if len(trace.turns) != len(task.messages):
        return f"the task puts {len(task.messages)} messages, and the trace holds {len(trace.turns)} answers"
    if task.mode == "stream_fixture" and trace.splits is None:
        return "the task is a stream fixture, and the trace holds none"
    return None


def _judge_invariants(docket: Docket, trace: Trace, oracles: Sequence[Oracle]) -> None:
    for oracle in oracles:
        try:
            broken = list(oracle.broken(docket.task, trace))
        except Exception as error:  # noqa: BLE001 - whatever a metric raises, the task is not judged by it
            docket.crashed(oracle.name, error)
            continue
        for one in broken:
            docket.report(oracle.name, one, "stale" if cut_short(trace) and not one.final else "fail")
