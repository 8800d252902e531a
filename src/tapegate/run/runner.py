"""Asks subjects: the one place where an agent is started, whatever its kind and whatever tape it hears."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Lock
from types import TracebackType

from tapegate.doors import in_process
from tapegate.doors.current import Pace
from tapegate.doors.gateway import Gateway
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, best, facts
from tapegate.doors.guard.proxies import proxies
from tapegate.doors.guard.spawned import Launch, spawn
from tapegate.doors.lane import Lane
from tapegate.errors import LoadError
from tapegate.load.suite import Suite
from tapegate.model.config import AnySubject, CommandSubject, HttpSubject, PythonSubject
from tapegate.model.database import Database
from tapegate.model.task import Task
from tapegate.run.conversation import Conversation
from tapegate.run.plan import Trial
from tapegate.run.question import EPOCH, Hearing, Question
from tapegate.run.snapshot import snapshot
from tapegate.run.splits import Cuts
from tapegate.run.warm import Warm
from tapegate.run.workspace import Workspace, scratch, workspace
from tapegate.subject.command import CommandRunner
from tapegate.subject.environment import environment
from tapegate.subject.fork_server import ForkServer
from tapegate.subject.heard import Clock, Heard, stopwatch
from tapegate.subject.http import HttpRunner
from tapegate.subject.interpreter import interpreter
from tapegate.subject.needs import found_all
from tapegate.subject.python import PythonWorker, Tape, static_env
from tapegate.tape.recorder import Recorder

Alike = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]
"""What a warm worker is known by: the entries that it has imported, from which folders, under which variables."""


class Runner:
    """Starts subjects, asks them and stops them. Use it as a context manager; thread-safe."""

    def __init__(self, suite: Suite, pace: Pace = "at_once") -> None:
        """`pace` is when replayed chunks come."""
        self._suite = suite
        self._pace: Pace = pace
        self._idle: dict[Alike, list[Warm]] = defaultdict(list)
        self._unfit: set[Alike] = set()
        self._lock = Lock()
        self._open = ExitStack()

    def __enter__(self) -> Runner:
        self._gateway = self._open.enter_context(Gateway())
        self._forks = self._preloading()
        self._launch: Launch = self._forks.launch if self._forks is not None else spawn
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            for warm in [warm for idle in self._idle.values() for warm in idle]:
                warm.close()
            self._idle.clear()
        self._open.close()

    def ready(self) -> None:
        """Wait until subjects can be started. Raises LoadError where what `preload` names cannot be preloaded."""
        if self._forks is None:
            return
        try:
            self._forks.ready()
        except LoadError as error:
            source = self._suite.source
            where = replace(error.problems[0], file=source.file, line=source.line("preload"))
            raise LoadError(where) from error

    def level(self, task: Task) -> Level:
        """How strongly the subject of `task` is kept off the network on this machine."""
        return best(self._suite.config.subject_of(task).kind)

    def shared(self, trial: Trial) -> str | None:
        """What a trial shares with others and is made once for them: the worker that has imported a Python subject."""
        subject = self._suite.config.subject_of(trial.task)
        return repr(self._alike(subject)) if isinstance(subject, PythonSubject) else None

    def ask(self, question: Question) -> Hearing:
        """Put one question. What was played, missed and attempted stands in its ledger afterwards.

        Raises SubjectError where the subject cannot be started.
        """
        subject = self._suite.config.subject_of(question.task)
        setup = question.task.setup
        with workspace(self._suite, question.task) as place:
            values = {
                "input": question.task.input,
                "seed": str(setup.seed + question.trial - 1),
                "db": str(place.database),
                "workspace": str(place.folder),
                "project": str(self._suite.project),
                "python": interpreter(),
                "clock": setup.clock or EPOCH,
            }
            cuts: list[Cuts] = []
            if question.stream is not None and isinstance(subject, PythonSubject):
                talk, cuts = Conversation.over(question.stream, question.task, subject, values)
            else:
                talk = Conversation.of(question.task, subject, values)
            before = snapshot(place.database) if question.reads_database else None
            answers = self._answers(question, subject, talk, place)
            after = snapshot(place.database) if before is not None else None
        return Hearing(answers, tuple(cuts), Database(before, after) if before and after else None)

    def _answers(
        self, question: Question, subject: AnySubject, talk: Conversation, place: Workspace
    ) -> tuple[Heard, ...]:
        if isinstance(subject, HttpSubject | CommandSubject):
            return self._ask_program(question, subject, talk, place)
        if question.cassette is not None:
            for alike in dict.fromkeys((self._alike(subject), self._alike(subject, alone=True))):
                warm = self._warm(subject, alike)
                if warm is not None:
                    return self._ask_warm(warm, alike, question, talk, place)
        return self._ask_alone(question, subject, talk, place)

    def _ask_program(
        self, question: Question, subject: HttpSubject | CommandSubject, talk: Conversation, place: Workspace
    ) -> tuple[Heard, ...]:
        with self._enclosed(question, subject.kind) as enclosure, self._lane(question, enclosure) as (urls, lane):
            env = self._environment(question, place, urls, enclosure.level)
            if enclosure.level == "none":
                # The gateway refuses what honours proxies, and keeps account of it; dead ones only refuse.
                env |= proxies(lane.proxy())
            clock, then = self._clock(question), question.then(talk)
            found_all(subject, env)
            asker = HttpRunner(subject) if isinstance(subject, HttpSubject) else CommandRunner(subject)
            return asker.converse(enclosure, talk.first, env, place.folder, clock=clock, then=then)

    def _ask_alone(
        self, question: Question, subject: PythonSubject, talk: Conversation, place: Workspace
    ) -> tuple[Heard, ...]:
        """In a worker for this trial alone, which hears the tape at the gateway from the agent's import on."""
        with self._enclosed(question, "python") as enclosure, self._lane(question, enclosure) as (urls, _):
            env = self._environment(question, place, urls, enclosure.level)
            port = enclosure.gateway_port if enclosure.level == "namespace" else self._gateway.port
            allow = [("127.0.0.1", port)]
            project = self._suite.project
            with PythonWorker(subject, project, enclosure, env, place.folder, warm=False, allow=allow) as worker:
                trial = question.python_trial(env, place, None)
                clock, then = self._clock(question), question.then(talk)
                return worker.converse(talk.first, trial, clock, then, talk.following)

    def _ask_warm(
        self, warm: Warm, alike: Alike, question: Question, talk: Conversation, place: Workspace
    ) -> tuple[Heard, ...]:
        """Through the in-process door, in a child of a worker that has imported the agent already."""
        config = self._suite.config
        subject = config.subject_of(question.task)
        assert isinstance(subject, PythonSubject)
        assert question.cassette is not None
        tape = Tape(
            question.cassette,
            self._addresses(),
            [rule.model_dump(mode="json") for rule in config.normalisers],
            config.secrets,
            [(place, fault.model_dump(mode="json")) for place, fault in question.task.setup.on_tape],
            config.lanes,
            self._pace,
            question.task.setup.match,
        )
        env = self._environment(question, place, self._inside(), warm.enclosure.level)
        with ExitStack() as stack:
            stack.callback(warm.close)
            try:
                trial = question.python_trial(env, place, tape)
                worker, clock, then = warm.worker.asking(subject), self._clock(question), question.then(talk)
                answers = worker.converse(talk.first, trial, clock, then, talk.following)
            finally:
                for address in warm.enclosure.attempts():
                    question.ledger.attempted(address)
            if all(heard.ending.kind != "timed_out" for heard in answers) and not warm.touched():
                stack.pop_all()
                with self._lock:
                    self._idle[alike].append(warm)
        return answers

    def _alike(self, subject: PythonSubject, *, alone: bool = False) -> Alike:
        """The subjects that can share a worker with this one: they differ in nothing that an import may see."""

        def seen(one: PythonSubject) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
            return one.pythonpath, tuple(sorted(static_env(one, self._suite.project).items()))

        others = [one for one in self._suite.config.subjects.values() if isinstance(one, PythonSubject) and not alone]
        entries = {subject.entry, *(one.entry for one in others if seen(one) == seen(subject))}
        return tuple(sorted(entries)), *seen(subject)

    def _warm(self, subject: PythonSubject, alike: Alike) -> Warm | None:
        """A worker that has imported the agents; None for agents that each trial must import for itself."""
        with self._lock:
            if alike in self._unfit:
                return None
            if self._idle[alike]:
                return self._idle[alike].pop()
        entries, *_ = alike
        warm = Warm.start(
            subject,
            self._suite.project,
            lambda home, level: self._environment(None, home, self._inside(), level),
            beside=entries,
            launch=self._launch,
        )
        if warm is None:
            with self._lock:
                self._unfit.add(alike)
        return warm

    @contextmanager
    def _enclosed(self, question: Question, kind: str) -> Iterator[Enclosure]:
        with Enclosure.open(best(kind), launch=self._launch) as enclosure:
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
            tape, routes = question.tape, question.routes
            lane = self._gateway.open(tape, routes, question.keys, pace=self._pace, name=question.lane)
            stack.callback(lane.close)
            yield {service: lane.url(service, port=port) for service in self._suite.config.services}, lane

    def _preloading(self) -> ForkServer | None:
        """What has imported the libraries of the agents once; None where each trial imports them."""
        preload = self._suite.config.preload
        if not preload or sys.platform != "linux" or facts().namespace == "sudo":
            return None
        level = best("command")
        home = self._open.enter_context(scratch())
        env = self._environment(None, home, self._inside(), level)
        return self._open.enter_context(ForkServer(preload, self._suite.project, env, home.folder, level=level))

    def _inside(self) -> dict[str, str]:
        return {name: in_process.url(name) for name in self._suite.config.services}

    def _addresses(self) -> dict[str, str]:
        return {name: service.address for name, service in self._suite.config.services.items()}

    def _environment(
        self, question: Question | None, place: Workspace, urls: Mapping[str, str], level: Level
    ) -> dict[str, str]:
        config = self._suite.config
        made = environment(
            os.environ,
            workspace=place.folder,
            services=config.services,
            urls=urls,
            secrets=config.secret_env,
            level=level,
        )
        if question is not None and question.second is not None:
            made["SOURCE_DATE_EPOCH"] = str(question.second)
        return made

    def _clock(self, question: Question) -> Clock:
        """The recorder's own clock, so that what it hears and what the subject answers share one zero."""
        return question.tape.now_us if isinstance(question.tape, Recorder) else stopwatch()
