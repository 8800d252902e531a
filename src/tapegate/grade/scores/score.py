"""The two deterministic scores of one graded trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tapegate.grade.docket import ADDRESS
from tapegate.grade.outcomes import Judged
from tapegate.grade.replay import cut_short
from tapegate.grade.scores.accuracy import accuracy
from tapegate.grade.scores.faithfulness import faithfulness
from tapegate.model.scores import Scores
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.oracle import Oracle

Scored = tuple[int | None, tuple[str, ...]]
CRASHES = frozenset({"raised", "crashed", "exited", "http_error"})
"""Endings that are a crash. An empty answer is an answer, and a wrong one."""


def score_trial(task: Task, trace: Trace, judged: Judged | None, oracles: Sequence[Oracle]) -> Scores:
    """Accuracy and faithfulness of a trial; `judged` is None where its task could not be judged. Never raises.

    A trial that a miss cut short has no scores: its answer is not the one that this code would have given.
    """
    if task.mode == "stream_fixture":
        return Scores(notes=("a stream fixture: no agent was asked, so that nothing is scored",), sample=False)
    if cut_short(trace):
        return Scores(notes=("the replay was cut short by a request without a recording, so that nothing is scored",))
    if trace.ending.kind == "timed_out":
        return Scores(timed_out=True, timeout_ms=trace.timeout_ms, notes=("the subject timed out",))
    if trace.ending.kind in CRASHES:
        return Scores(crashed=True, notes=(f"the subject did not answer: {trace.ending.kind}",))
    if judged is None:
        right: Scored = (None, ("accuracy: the task could not be judged",))
    else:
        right = _guarded("accuracy", lambda: accuracy(task, trace, judged, oracles))
    grounded = _guarded("faithfulness", lambda: faithfulness("\n".join(task.messages), trace))
    return Scores(right[0], grounded[0], (*right[1], *grounded[1]))


def _guarded(axis: str, scored: Callable[[], Scored]) -> Scored:
    try:
        return scored()
    except Exception as error:  # noqa: BLE001 - a grader that fails leaves its score unknown, and never a verdict
        said = ADDRESS.sub("0x…", str(error)[:300])
        return None, (f"{axis}: the grader failed: {type(error).__name__}: {said}",)
