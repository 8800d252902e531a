"""The judge at work: every question through a gateway lane, replayed from a week's recordings or recorded into them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from types import TracebackType

from tapegate import __version__
from tapegate.doors.gateway import Gateway
from tapegate.errors import Stale
from tapegate.grade.audit.answers import Answer
from tapegate.grade.audit.inputs import inputs
from tapegate.grade.audit.record import suite_of
from tapegate.grade.judge.ask import ask
from tapegate.load.suite import Suite
from tapegate.model.audit import Judgement
from tapegate.model.config import Judge
from tapegate.run.commit import commit_of
from tapegate.run.record import machine_class
from tapegate.run.source import Source, ready
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.store import load, searched

DIALECT = "text"
"""Of what a judge's recording holds beside its calls: the answer that was judged."""


class Bench:
    """Asks the judge about answers. Use it as a context manager."""

    def __init__(self, suite: Suite, judge: Judge, week: str, *, record: bool) -> None:
        self._suite = suite
        self._judge = judge
        self._service = suite.config.services[judge.service]
        self._week = week
        self._record = record
        self._open = ExitStack()
        self._source: Source | None = None
        self.recorded: list[Cassette] = []
        """What was recorded, in the order of the questions; nothing of it is on the disk yet."""

    def __enter__(self) -> Bench:
        """Start the gateway and, to record, what stands behind the judge."""
        with ExitStack() as opening:
            self._gateway = opening.enter_context(Gateway())
            if self._record:
                source = ready(self._suite, self._judge.source, only={self._judge.service})
                self._source = opening.enter_context(source)
            self._open = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def judge(self, answer: Answer) -> Judgement:
        """The judge's word on one answer; `not_recorded` where no recording holds it."""
        key, number = answer.trial.task.key, answer.trial.number
        asked = inputs(answer.trial.task, answer.trace)
        if self._source is not None:
            recorder = Recorder(self._source.routes, self._redactor(real=True), Ledger())
            with self._lane(recorder, self._source.routes) as url:
                said = ask(asked, self._judge, self._service, url)
            self.recorded.append(self._cassette(key, number, asked.candidate_answer, recorder))
            return said
        try:
            loaded = searched(load(self._suite.project, suite_of(self._week), key, number))
        except Stale:
            return Judgement(None, None, evaluator_error="not_recorded")
        routes = Routes.of(self._suite.config.services)
        player = Player(loaded.cassette, routes, Ledger(), redactor=self._redactor(real=False))
        with self._lane(player, routes) as url:
            return ask(asked, self._judge, self._service, url)

    @contextmanager
    def _lane(self, tape: Player | Recorder, routes: Routes) -> Iterator[str]:
        lane = self._gateway.open(tape, routes, self._source.keys if self._source is not None else {})
        try:
            yield lane.url(self._judge.service)
        finally:
            lane.close()

    def _redactor(self, *, real: bool) -> Redactor:
        names = self._suite.config.secrets
        return Redactor({name: os.environ.get(name, "") if real else "" for name in names})

    def _cassette(self, key: str, number: int, answer: str, recorder: Recorder) -> Cassette:
        assert self._source is not None
        body = answer.encode("utf-8", "replace")
        whole = Chunks(0, (len(body),) if body else (), (0,) if body else (), 0)
        declared = self._source.declared
        return Cassette(
            key=key,
            trial=number,
            provenance=Provenance(
                recorder=f"tapegate {__version__}",
                recorded_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                commit=commit_of(self._suite.project),
                machine=machine_class(),
                source=self._source.name,
                source_kind=declared.kind,
                source_description=declared.description,
            ),
            stream=self._redactor(real=True).redact_stream(AgentStream(DIALECT, body, whole)),
            interactions=recorder.interactions(),
        )
