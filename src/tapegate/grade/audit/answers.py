"""The answers that an audit looks at: the sampled tasks replayed and graded, and recorded anew where that is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from tapegate.errors import TapegateError
from tapegate.grade.trial import grade_trial
from tapegate.load.suite import Suite
from tapegate.model.audit import Fresh
from tapegate.model.run import TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.catalog import needs
from tapegate.oracles.oracle import Oracle
from tapegate.run.fixture import Fixture
from tapegate.run.plan import Trial, plan
from tapegate.run.record import record_one
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner
from tapegate.run.source import Source, ready
from tapegate.tape.emit import emit
from tapegate.tape.pins import pin
from tapegate.tape.store import Loaded

PROFILE = "weekly"


@dataclass(frozen=True, slots=True)
class Answer:
    """One graded answer."""

    trial: Trial
    trace: Trace
    result: TrialResult


def answers(
    suite: Suite, runner: Runner, tasks: Iterable[Task], notes: list[str], catalog: Sequence[Oracle]
) -> Iterator[Answer]:
    """Every trial of the tasks whose replay came to an answer of this code; what did not is told in `notes`."""
    replayer = Replayer(suite, runner, lambda task: needs(task, catalog))
    for trial in plan(suite.project, tasks, PROFILE):
        name = f"{trial.task.key}[{trial.number}]"
        if isinstance(trial.recording, Fixture):
            continue  # no model stands behind a file of the project
        if not isinstance(trial.recording, Loaded):
            notes.append(f"{name} is not judged: {trial.recording.problems[0].message}")
            continue
        try:
            trace = replayer.replay(trial)
        except TapegateError as error:
            notes.append(f"{name} is not judged: {error.problems[0].message}")
            continue
        if trace.account.misses:
            notes.append(f"{name} is not judged: its recording no longer covers the code (tapegate record --stale)")
            continue
        yield Answer(trial, trace, grade_trial(trial.task, trace, trial.recording.sha256, catalog))


def fresh(suite: Suite, runner: Runner, known: Iterable[Answer], catalog: Sequence[Oracle]) -> Iterator[Fresh]:
    """What a recording made now changes of each answer. Nothing is written."""
    replayer = Replayer(suite, runner, lambda task: needs(task, catalog))
    sources: dict[str, Source] = {}
    with ExitStack() as stack:
        for answer in known:
            task, number = answer.trial.task, answer.trial.number
            name = suite.config.source_of(task)
            if name not in sources:
                sources[name] = stack.enter_context(ready(suite, name))
            cassette = record_one(suite, runner, sources[name], task, number)
            raw = emit(cassette)
            loaded = Loaded(cassette, raw, pin(cassette, raw), "a fresh recording")
            trace = replayer.replay(Trial(task, number, loaded))
            now = Answer(Trial(task, number, loaded), trace, grade_trial(task, trace, loaded.sha256, catalog))
            yield Fresh(task.key, number, tuple(_changes(answer, now)))


def _changes(before: Answer, after: Answer) -> Iterator[str]:
    mine, theirs = before.result, after.result
    if mine.verdict is not theirs.verdict:
        yield f"verdict {mine.verdict.value} → {theirs.verdict.value}"
    if mine.outcome != theirs.outcome:
        yield f"accepted outcome {_said(mine.outcome)} → {_said(theirs.outcome)}"
    if mine.tool_path != theirs.tool_path:
        yield f"tools {' → '.join(mine.tool_path) or 'none'} became {' → '.join(theirs.tool_path) or 'none'}"
    if mine.answer_sha256 != theirs.answer_sha256:
        yield "another answer"
    for name in ("input_tokens", "output_tokens"):
        was, now = getattr(mine.metrics, name), getattr(theirs.metrics, name)
        if was != now:
            yield f"{name} {_said(was)} → {_said(now)}"
    for name in ("models", "prompt_sha256", "tools_sha256", "parameters_sha256"):
        if getattr(_pin(before), name) != getattr(_pin(after), name):
            yield f"{name.removesuffix('_sha256')} changed"


def _pin(answer: Answer) -> object:
    assert isinstance(answer.trial.recording, Loaded)
    return answer.trial.recording.pin


def _said(value: int | None) -> str:
    return "none" if value is None else f"{value:,}"
