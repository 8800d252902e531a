"""A tape for an agent that somebody starts by hand: the gateway alone, in replay or recording one trial."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tapegate.doors.current import Pace
from tapegate.doors.gateway import Gateway
from tapegate.doors.guard.proxies import proxies
from tapegate.doors.lane import Lane
from tapegate.errors import NotJudged, TapegateError, UsageError
from tapegate.load.suite import Suite
from tapegate.model.task import Task
from tapegate.model.trace import Account
from tapegate.run.fixture import Fixture
from tapegate.run.plan import Trial, trial_of
from tapegate.run.record import provenance
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner
from tapegate.run.source import Source
from tapegate.subject.environment import mark
from tapegate.tape import store
from tapegate.tape.cassette import UNTIMED, AgentStream, Cassette, Chunks
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import recorded_paths
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor


@dataclass(frozen=True, slots=True)
class Served:
    """A trial whose replay is being served."""

    environment: Mapping[str, str]
    """What the agent must be started with."""
    ledger: Ledger
    cassette: Cassette
    paths: list[str]

    def account(self) -> Account:
        """What was played, missed and left over so far."""
        return self.ledger.account(self.cassette.interactions, self.paths)


@contextmanager
def replaying(suite: Suite, task: Task, number: int, pace: Pace = "at_once") -> Iterator[Served]:
    """Serve the recording of one trial while the block runs. Raises what is wrong with the recording."""
    trial = _recorded(suite, task, number)
    replayer = Replayer(suite, Runner(suite))
    cassette, _ = replayer.recording(trial)
    ledger = Ledger()
    player = replayer.player(trial, cassette, ledger)
    with Gateway() as gateway:
        lane = gateway.open(player, replayer.routes, pace=pace, name=_name(task, number))
        yield Served(_environment(suite, lane), ledger, cassette, recorded_paths(cassette, replayer.routes))
        lane.close()


@contextmanager
def recording(suite: Suite, task: Task, source: Source) -> Iterator[tuple[Mapping[str, str], Recorder]]:
    """Record through the gateway while the block runs: what the agent must be started with, and who records."""
    redactor = Redactor({name: os.environ.get(name, "") for name in suite.config.secrets})
    lanes = Lanes(suite.config.lanes)
    recorder = Recorder(source.routes, redactor, Ledger(), faults=task.setup.on_tape, lanes=lanes)
    with Gateway() as gateway:
        lane = gateway.open(recorder, source.routes, source.keys, name=_name(task, 1))
        yield _environment(suite, lane), recorder
        lane.close()


def keep(suite: Suite, task: Task, source: Source, recorder: Recorder, *, number: int, answer: bytes) -> int:
    """Write what was recorded as one trial of `task`, and pin it; returns the number of interactions.

    `answer` is what the agent itself said. When it came is not known, so the recording says nothing of latency. Raises
    NotJudged where nothing or not the whole of it passed, and what the recorder and the store raise.
    """
    interactions = recorder.interactions()
    if not interactions:
        raise NotJudged.of(
            "nothing_recorded",
            f"no request of the agent came through the gateway; nothing was written for {task.key!r}",
            fix="start the agent with the variables that were printed",
        )
    redactor = Redactor({name: os.environ.get(name, "") for name in suite.config.secrets})
    stream = AgentStream(
        suite.config.subject_of(task).stream,
        answer,
        Chunks(0, (len(answer),) if answer else (), (0,) if answer else (), 0),
    )
    cassette = Cassette(
        key=task.recorded_as,
        trial=number,
        provenance=provenance(suite, source, UNTIMED),
        stream=redactor.redact_stream(stream),
        interactions=interactions,
    )
    store.write(suite.project, task.suite, [cassette])
    return len(interactions)


def _recorded(suite: Suite, task: Task, number: int) -> Trial:
    trial = trial_of(suite.project, task, number)
    if isinstance(trial.recording, Fixture):
        raise UsageError.of("no_recording", f"{task.key!r} is a stream fixture: nothing of it is served by a gateway")
    if isinstance(trial.recording, TapegateError):
        raise trial.recording
    return trial


def _name(task: Task, number: int) -> str:
    return f"{task.id}~{task.path_id}~{number}"


def _environment(suite: Suite, lane: Lane) -> dict[str, str]:
    """Base URLs of services, marks in place of keys, and proxy variables that lead to who refuses."""
    made = {name: mark(name) for name in suite.config.secrets}
    for name, service in suite.config.services.items():
        made |= dict.fromkeys(service.base_url_env, lane.url(name))
    return dict(sorted(made.items())) | proxies(lane.proxy())
