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
from tapegate.doors.lane import Lane
from tapegate.load.suite import Suite
from tapegate.model.config import HttpSubject, PythonSubject
from tapegate.model.task import Task
from tapegate.run.workspace import Workspace, scratch, workspace
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


class Runner:
    """Starts subjects, asks them and stops them. Use it as a context manager; thread-safe."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._idle: dict[str, list[_Warm]] = defaultdict(list)
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
                return self._ask_warm(question, name, subject, values, place)
            return self._ask_python(question, subject, values, place)

    def _ask_http(self, question: Question, subject: HttpSubject, values: Mapping[str, str], place: Workspace) -> Heard:
        with self._enclosed(question, "http") as enclosure, self._lane(question, enclosure) as urls:
            env = self._environment(place, urls, enclosure.level)
            return HttpRunner(subject).ask(enclosure, values, env, place.folder, self._clock(question))

    def _ask_python(
        self, question: Question, subject: PythonSubject, values: Mapping[str, str], place: Workspace
    ) -> Heard:
        """Through the gateway, in a worker of its own: its addresses differ from trial to trial."""
        with self._enclosed(question, "python") as enclosure, self._lane(question, enclosure) as urls:
            env = self._environment(place, urls, enclosure.level)
            port = enclosure.gateway_port if enclosure.level == "namespace" else self._gateway.port
            worker = PythonWorker(
                subject,
                self._suite.project,
                enclosure,
                env,
                place.folder,
                in_process=False,
                allow=[("127.0.0.1", port)],
            )
            with worker:
                return worker.ask(values, env, place.folder, self._clock(question), ledger=question.ledger)

    def _ask_warm(
        self, question: Question, name: str, subject: PythonSubject, values: Mapping[str, str], place: Workspace
    ) -> Heard:
        """Through the in-process door, in a child of a worker that has imported the agent already."""
        services = self._suite.config.services
        addresses = {service: services[service].address for service in services}
        warm = self._warm(name, subject, addresses)
        assert question.cassette is not None
        tape = Tape(
            question.cassette, addresses, [rule.model_dump(mode="json") for rule in self._suite.config.normalisers]
        )
        env = self._environment(place, addresses, warm.enclosure.level)
        try:
            heard = warm.worker.ask(values, env, place.folder, self._clock(question), ledger=question.ledger, tape=tape)
        except BaseException:
            warm.close()
            raise
        for address in warm.enclosure.attempts():
            question.ledger.attempted(address)
        if warm.worker.threads > 1 or heard.ending.kind == "timed_out":
            # A fork of a process with threads may hang on a lock that one of them held.
            warm.close()
        else:
            with self._lock:
                self._idle[name].append(warm)
        return heard

    def _warm(self, name: str, subject: PythonSubject, addresses: Mapping[str, str]) -> _Warm:
        with self._lock:
            if self._idle[name]:
                return self._idle[name].pop()
        stack = ExitStack()
        try:
            enclosure = stack.enter_context(Enclosure.open(best("python")))
            home = stack.enter_context(scratch())
            env = self._environment(home, addresses, enclosure.level)
            worker = PythonWorker(subject, self._suite.project, enclosure, env, home.folder, in_process=True)
            return _Warm(stack.enter_context(worker), enclosure, stack)
        except BaseException:
            stack.close()
            raise

    @contextmanager
    def _enclosed(self, question: Question, kind: str) -> Iterator[Enclosure]:
        with Enclosure.open(best(kind)) as enclosure:
            yield enclosure
            for address in enclosure.attempts():
                question.ledger.attempted(address)

    @contextmanager
    def _lane(self, question: Question, enclosure: Enclosure) -> Iterator[dict[str, str]]:
        """The base URL of every service, as the subject reaches it, while the block runs."""
        adopted = self._gateway.adopt(enclosure.gateway) if enclosure.gateway is not None else None
        port = enclosure.gateway_port if adopted is not None else None
        lane: Lane = self._gateway.open(question.tape, question.routes, question.keys)
        try:
            yield {service: lane.url(service, port=port) for service in self._suite.config.services}
        finally:
            lane.close()
            if adopted is not None:
                adopted.close()
                enclosure.gateway = None

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


@dataclass(frozen=True, slots=True)
class _Warm:
    """A worker that waits for its next trial."""

    worker: PythonWorker
    enclosure: Enclosure
    stack: ExitStack

    def close(self) -> None:
        self.stack.close()
