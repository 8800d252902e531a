"""Asks subjects: the one place where an agent is started, whatever its kind and whatever tape it hears."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from types import TracebackType

from tapegate.doors.gateway import Gateway
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, best
from tapegate.doors.guard.proxies import proxies
from tapegate.doors.lane import Lane
from tapegate.load.suite import Suite
from tapegate.model.config import HttpSubject, PythonSubject
from tapegate.model.task import Task
from tapegate.run.warm import Warm
from tapegate.run.workspace import Workspace, workspace
from tapegate.subject.environment import environment
from tapegate.subject.heard import Clock, Heard, stopwatch
from tapegate.subject.http import HttpRunner
from tapegate.subject.python import PythonWorker, Tape
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.recorder import Recorder
from tapegate.tape.routes import Routes


@dataclass(frozen=True, slots=True)
class Question:
    """One trial of one task, and the tape it hears."""

    task: Task
    trial: int
    tape: Player | Recorder
    ledger: Ledger
    routes: Routes
    cassette: bytes | None = None
    """The recording's bytes where it may be replayed inside the subject's own process; else the gateway serves it."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """While recording: the real value behind each mark."""

    @property
    def lane(self) -> str:
        """What its lane of the gateway is called: the subject sees it, so it is the same in every run."""
        return f"{self.task.id}~{self.task.path_id}~{self.trial}"


class Runner:
    """Starts subjects, asks them and stops them. Use it as a context manager; thread-safe."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._idle: dict[str, list[Warm]] = defaultdict(list)
        self._unfit: set[str] = set()
        self._lock = Lock()
        self._open = ExitStack()

    def __enter__(self) -> Runner:
        self._gateway = self._open.enter_context(Gateway())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            for warm in [warm for idle in self._idle.values() for warm in idle]:
                warm.close()
            self._idle.clear()
        self._open.close()

    def level(self, task: Task) -> Level:
        """How strongly the subject of `task` is kept off the network on this machine."""
        return best(self._subject(task)[1].kind)

    def ask(self, question: Question) -> Heard:
        """Put one question. What was played, missed and attempted stands in its ledger afterwards.

        Raises SubjectError where the subject cannot be started.
        """
        name, subject = self._subject(question.task)
        with workspace(self._suite, question.task) as place:
            values = {
                "input": question.task.input,
                "seed": str(question.task.setup.seed + question.trial - 1),
                "db": str(place.database),
                "workspace": str(place.folder),
                "project": str(self._suite.project),
                "python": sys.executable,
            }
            if isinstance(subject, HttpSubject):
                return self._ask_http(question, subject, values, place)
            if question.cassette is not None:
                warm = self._warm(name, subject)
                if warm is not None:
                    return self._ask_warm(warm, question, name, values, place)
            return self._ask_alone(question, subject, values, place)

    def _ask_http(self, question: Question, subject: HttpSubject, values: Mapping[str, str], place: Workspace) -> Heard:
        with self._enclosed(question, "http") as enclosure, self._lane(question, enclosure) as (urls, lane):
            env = self._environment(place, urls, enclosure.level)
            if enclosure.level == "none":
                # The gateway refuses what honours proxies, and keeps account of it; dead ones only refuse.
                env |= proxies(lane.proxy())
            return HttpRunner(subject).ask(enclosure, values, env, place.folder, self._clock(question))

    def _ask_alone(
        self, question: Question, subject: PythonSubject, values: Mapping[str, str], place: Workspace
    ) -> Heard:
        """In a worker for this trial alone, which hears the tape at the gateway from the agent's import on."""
        with self._enclosed(question, "python") as enclosure, self._lane(question, enclosure) as (urls, _):
            env = self._environment(place, urls, enclosure.level)
            port = enclosure.gateway_port if enclosure.level == "namespace" else self._gateway.port
            allow = [("127.0.0.1", port)]
            project = self._suite.project
            with PythonWorker(subject, project, enclosure, env, place.folder, warm=False, allow=allow) as worker:
                return worker.ask(values, env, place.folder, self._clock(question), ledger=question.ledger)

    def _ask_warm(
        self, warm: Warm, question: Question, name: str, values: Mapping[str, str], place: Workspace
    ) -> Heard:
        """Through the in-process door, in a child of a worker that has imported the agent already."""
        config = self._suite.config
        assert question.cassette is not None
        tape = Tape(
            question.cassette,
            self._addresses(),
            [rule.model_dump(mode="json") for rule in config.normalisers],
            config.secrets,
            [(place, fault.model_dump(mode="json")) for place, fault in question.task.setup.on_tape],
            config.lanes,
        )
        env = self._environment(place, self._addresses(), warm.enclosure.level)
        with ExitStack() as stack:
            stack.callback(warm.close)
            try:
                heard = warm.worker.ask(
                    values, env, place.folder, self._clock(question), ledger=question.ledger, tape=tape
                )
            finally:
                for address in warm.enclosure.attempts():
                    question.ledger.attempted(address)
            if heard.ending.kind != "timed_out" and not warm.touched():
                stack.pop_all()
                with self._lock:
                    self._idle[name].append(warm)
        return heard

    def _warm(self, name: str, subject: PythonSubject) -> Warm | None:
        """A worker that has imported the agent; None for an agent that each trial must import for itself."""
        with self._lock:
            if name in self._unfit:
                return None
            if self._idle[name]:
                return self._idle[name].pop()
        warm = Warm.start(
            subject, self._suite.project, lambda home, level: self._environment(home, self._addresses(), level)
        )
        if warm is None:
            with self._lock:
                self._unfit.add(name)
        return warm

    @contextmanager
    def _enclosed(self, question: Question, kind: str) -> Iterator[Enclosure]:
        with Enclosure.open(best(kind)) as enclosure:
            try:
                yield enclosure
            finally:  # also where the subject could not even be started: it may have tried before that
                for address in enclosure.attempts():
                    question.ledger.attempted(address)

    @contextmanager
    def _lane(self, question: Question, enclosure: Enclosure) -> Iterator[tuple[dict[str, str], Lane]]:
        """The base URL of every service, as the subject reaches it, and its lane, while the block runs."""
        with ExitStack() as stack:
            port = None
            if enclosure.gateway is not None:
                listening, enclosure.gateway = enclosure.gateway, None
                stack.callback(self._gateway.adopt(listening).close)
                port = enclosure.gateway_port
            lane = self._gateway.open(question.tape, question.routes, question.keys, name=question.lane)
            stack.callback(lane.close)
            yield {service: lane.url(service, port=port) for service in self._suite.config.services}, lane

    def _addresses(self) -> dict[str, str]:
        return {name: service.address for name, service in self._suite.config.services.items()}

    def _environment(self, place: Workspace, urls: Mapping[str, str], level: Level) -> dict[str, str]:
        config = self._suite.config
        return environment(
            os.environ,
            workspace=place.folder,
            services=config.services,
            urls=urls,
            secrets=config.secret_env,
            level=level,
        )

    def _clock(self, question: Question) -> Clock:
        """The recorder's own clock, so that what it hears and what the subject answers share one zero."""
        return question.tape.now_us if isinstance(question.tape, Recorder) else stopwatch()

    def _subject(self, task: Task) -> tuple[str, HttpSubject | PythonSubject]:
        name = self._suite.config.paths[task.path_id].subject
        return name, self._suite.config.subjects[name]
