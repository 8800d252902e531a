"""Records trials: the subject runs against a source, and what passed becomes cassettes and pins."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from tapegate import __version__
from tapegate.errors import NotJudged, SubjectError, last_lines
from tapegate.load.suite import Suite
from tapegate.model.task import Task
from tapegate.run.cap import Cap
from tapegate.run.commit import commit_of
from tapegate.run.cores import cores
from tapegate.run.question import Question
from tapegate.run.runner import Runner
from tapegate.run.source import Source
from tapegate.subject.heard import Heard, together
from tapegate.tape import store
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.place import ROOM
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor


def record(
    suite: Suite,
    runner: Runner,
    source: Source,
    task: Task,
    trials: Sequence[int],
    *,
    replace: bool,
    cap: Cap | None = None,
) -> int:
    """Record `trials` of `task` and write them all, or none. Returns how many interactions they hold.

    With a cap, raises NotJudged before anything is sent where nothing is left of it, and where it cannot be kept any
    more, after what was recorded was written. All trials are kept, good or bad: nothing is judged here. Raises
    NotJudged `recording_broken` where the subject did not answer to its end, and whatever the recorder and the store
    raise; then nothing was written.
    """
    if cap is not None:
        cap.allow(task.key)
    cassettes = [record_one(suite, runner, source, task, trial) for trial in trials]
    store.write(suite.project, task.suite, cassettes, replace=replace)
    if cap is not None:
        cap.charge(cassettes)
    return sum(len(cassette.interactions) for cassette in cassettes)


def record_one(suite: Suite, runner: Runner, source: Source, task: Task, trial: int) -> Cassette:
    """One trial, recorded and redacted. Nothing is written; raises as `record` does."""
    redactor = Redactor({name: os.environ.get(name, "") for name in suite.config.secrets})
    ledger = Ledger()
    lanes = Lanes(suite.config.lanes)
    recorder = Recorder(source.routes, redactor, ledger, faults=task.setup.on_tape, lanes=lanes)
    question = Question(task, trial, recorder, ledger, source.routes, keys=source.keys)
    try:
        heard = together(runner.ask(question).answers)
    except SubjectError:
        recorder.check_reach()
        raise
    recorder.check_reach()
    if heard.ending.kind != "completed":
        raise _broken(task, trial, heard, recorder)
    subject = suite.config.subject_of(task)
    return Cassette(
        key=task.recorded_as,
        trial=trial,
        provenance=provenance(suite, source, machine_class()),
        stream=redactor.redact_stream(AgentStream(subject.stream, heard.body, _chunks(heard))),
        interactions=recorder.interactions(),
    )


def _broken(task: Task, trial: int, heard: Heard, recorder: Recorder) -> NotJudged:
    ending = heard.ending
    reasons = [f"the subject {ending.kind} ({ending.detail})", *recorder.broken()]
    return NotJudged.of(
        "recording_broken",
        f"trial {trial} of {task.key} was not recorded: {'; '.join(reasons)}{last_lines(heard.log)}",
        fix="mend the subject and record again; the old recordings hold",
    )


def machine_class() -> str:
    """What latencies are comparable within: system, processor and number of cores."""
    return f"{sys.platform}-{platform.machine().lower()}-{cores()}cpu"


def _chunks(heard: Heard) -> Chunks:
    return Chunks(heard.started_us, tuple(map(len, heard.chunks)), heard.at_us, heard.ended_us)


def provenance(suite: Suite, source: Source, machine: str) -> Provenance:
    """Who records now, from what; `machine` is the class of this one, or `none` where no time is to be believed."""
    return Provenance(
        recorder=f"tapegate {__version__}",
        recorded_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        commit=commit_of(suite.project, beside=ROOM),
        machine=machine,
        source=source.name,
        source_kind=source.declared.kind,
        source_description=source.declared.description,
    )
