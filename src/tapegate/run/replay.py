"""Replays trials: recording in, trace out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tapegate.errors import SubjectError
from tapegate.load.suite import Suite
from tapegate.model.config import AnySubject
from tapegate.model.task import Task
from tapegate.model.trace import Ending, Event, Splits, Trace, Turn, Variant
from tapegate.run.conversation import takes_pieces
from tapegate.run.cost import cost_usd
from tapegate.run.fixture import Fixture, as_answered, nothing_recorded, refuse_unreadable
from tapegate.run.latency import e2e_ms, model_ms
from tapegate.run.plan import Trial
from tapegate.run.question import Hearing, Question
from tapegate.run.reading import asked, events, exchanges, joined, offers, tokens, told
from tapegate.run.replies import with_replies
from tapegate.run.runner import Runner
from tapegate.run.splits import cuts
from tapegate.subject.heard import Heard, together
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.store import Loaded

Needs = Callable[[Task], frozenset[str]]
"""What is read of a task's trials beside their events: `database`, `offers`."""
LOGGED = 40
"""Lines kept of what a subject wrote."""


class Replayer:
    """Runs trials of a suite against their recordings. Thread-safe."""

    def __init__(self, suite: Suite, runner: Runner, needs: Needs = lambda _: frozenset()) -> None:
        self._config = suite.config
        self._needs = needs
        self._runner = runner
        self.routes = Routes.of(suite.config.services)
        self.logs: dict[str, list[str]] = {}
        """By task key and trial, `RET-01@A1[1]`: the last lines of each subject that did not complete its answer."""
        self.stand_ins: dict[str, list[str]] = {}
        """By task key and trial: the clients for which vcrpy's patchers stood in."""

    def replay(self, trial: Trial) -> Trace:
        """The trace of a trial with a recording or a fixture. Raises SubjectError where its subject does not start."""
        if isinstance(trial.recording, Fixture):
            return self._fixture(trial, trial.recording)
        cassette, raw = self.recording(trial)
        hearing, ledger = self._heard(trial, cassette, raw)
        return self._trace(trial, hearing, cassette, ledger)

    def recording(self, trial: Trial) -> tuple[Cassette, bytes]:
        """What a trial with a recording hears, the replies that its task gives instead among it."""
        loaded = trial.recording
        assert isinstance(loaded, Loaded)
        if not trial.task.setup.replies:
            return loaded.cassette, loaded.raw
        cassette = self._with_replies(trial.task, loaded.cassette)
        return cassette, emit(cassette)

    def player(self, trial: Trial, cassette: Cassette, ledger: Ledger) -> Player:
        """What plays `cassette` to the subject of `trial`."""
        return Player(
            cassette,
            self.routes,
            ledger,
            normalisers=self._config.normalisers,
            redactor=Redactor(dict.fromkeys(self._config.secrets, "")),
            faults=trial.task.setup.on_tape,
            lanes=Lanes(self._config.lanes),
            match=trial.task.setup.match,
        )

    def _with_replies(self, task: Task, cassette: Cassette) -> Cassette:
        paths = recorded_paths(cassette, self.routes)
        recorded = exchanges(self._config, cassette, paths, range(len(paths)))
        return with_replies(cassette, task, self._config, [one.index for one in recorded if one.model is not None])

    def _fixture(self, trial: Trial, fixture: Fixture) -> Trace:
        """A stream fixture: put to the subject where it takes its pieces, else read as what the subject answered."""
        subject = self._subject(trial)
        taken = takes_pieces(subject)
        empty = nothing_recorded(trial.task.key, trial.number, subject.stream)
        if taken is not None:
            hearing, ledger = self._heard(trial, empty, emit(empty), fixture.data)
        else:
            hearing, ledger = as_answered(fixture.data, trial.task), Ledger()
        first, *others = hearing.answers
        trace = self._trace(trial, replace(hearing, answers=(first,)), empty, ledger)
        refuse_unreadable(trial.task, fixture, trace.events if taken is None else ())
        known = [(joined(self._events(subject.stream, first)), first.ending)]
        differing, same = [], {(first.chunks, first.ending)}
        for cut, heard in zip(hearing.cuts[1:], others, strict=False):
            if (heard.chunks, heard.ending) in same:
                continue  # of 2,000 cuts most change no byte, and reading one answer takes as long as asking
            same.add((heard.chunks, heard.ending))
            found = self._events(subject.stream, heard)
            if (joined(found), heard.ending) not in known:
                known.append((joined(found), heard.ending))
                differing.append(Variant(cut, found, heard.ending))
        planned = cuts(fixture.data, text=taken == "chunks") if trial.task.setup.chunking == "all_splits" else None
        possible = planned.possible if planned is not None else 0
        return replace(trace, splits=Splits(fixture.data, len(others), possible, tuple(differing)))

    def _heard(
        self, trial: Trial, cassette: Cassette, raw: bytes, stream: bytes | None = None
    ) -> tuple[Hearing, Ledger]:
        ledger = Ledger()
        player = self.player(trial, cassette, ledger)
        question = Question(
            trial.task,
            trial.number,
            player,
            ledger,
            self.routes,
            cassette=raw,
            stream=stream,
            reads_database="database" in self._needs(trial.task),
        )
        try:
            hearing = self._runner.ask(question)
        except SubjectError as error:
            self._log(trial, error.log)
            if not ledger.addresses and not ledger.has_missed:
                raise
            # What it tried before it gave up is judged all the same.
            hearing = Hearing((Heard((), (), 0, 0, Ending("exited", "it could not be started")),))
        else:
            unwell = next((heard for heard in hearing.answers if heard.ending.kind != "completed"), None)
            if unwell is not None:
                self._log(trial, unwell.log)
        if ledger.stand_ins:
            self.stand_ins[f"{trial.task.key}[{trial.number}]"] = ledger.stand_ins
        return hearing, ledger

    def _subject(self, trial: Trial) -> AnySubject:
        return self._config.subject_of(trial.task)

    def _events(self, dialect: str, heard: Heard) -> tuple[Event, ...]:
        # An answer that is an HTTP error is no stream in the subject's dialect: its status is the fact.
        return events(dialect, heard.chunks) if heard.ending.kind != "http_error" else ()

    def _log(self, trial: Trial, log: bytes) -> None:
        lines = log.decode("utf-8", "replace").splitlines()[-LOGGED:]
        if lines:
            self.logs[f"{trial.task.key}[{trial.number}]"] = lines

    def _answers(self, trial: Trial, hearing: Hearing) -> tuple[Event | Turn, ...]:
        """The events of each answer behind a mark of its turn; without marks where there is one message."""
        dialect = self._subject(trial).stream
        found = [self._events(dialect, heard) for heard in hearing.answers]
        messages = trial.task.messages
        if len(messages) == 1:
            return found[0]
        found += [()] * (len(messages) - len(found))  # nobody answers what was not put any more
        return tuple(
            event for number, message in enumerate(messages) for event in (Turn(number, message), *found[number])
        )

    def _trace(self, trial: Trial, hearing: Hearing, cassette: Cassette, ledger: Ledger) -> Trace:
        heard = together(hearing.answers)
        paths = recorded_paths(cassette, self.routes)
        account = ledger.account(cassette.interactions, paths)
        played = ledger.played_places
        timed = cassette.timed and account.complete and heard.ending.kind == "completed"
        subject = self._subject(trial)
        recorded, made_at = exchanges(self._config, cassette, paths, range(len(paths))), cassette.provenance.recorded_at
        return Trace(
            key=trial.task.key,
            trial=trial.number,
            events=self._answers(trial, hearing),
            exchanges=tuple(recorded[number] for number in played),
            account=account,
            ending=heard.ending,
            latency_e2e_ms=e2e_ms(cassette.stream.chunks) if timed else None,
            latency_model_ms=model_ms(cassette.interactions[number].chunks for number in played) if timed else None,
            given=told(cassette, played),
            prompted=asked(self._config, cassette, played),
            recorded_tokens=tokens(recorded),
            recorded_usd=None
            if account.complete
            else cost_usd(self._config, recorded, cassette.provenance.recorded_at),
            timeout_ms=subject.timeout_s * 1000 if heard.ending.kind == "timed_out" else None,
            cost_usd=cost_usd(self._config, (recorded[number] for number in played), made_at),
            database=hearing.database,
            offers=offers(self._config, cassette, played) if "offers" in self._needs(trial.task) else None,
        )
