"""Replays trials: recording in, trace out."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.errors import SubjectError
from tapegate.load.suite import Suite
from tapegate.model.config import Config
from tapegate.model.trace import Ending, Event, Exchange, Trace
from tapegate.run.latency import e2e_ms, model_ms
from tapegate.run.plan import Trial
from tapegate.run.runner import Question, Runner
from tapegate.stream.dialect import parser
from tapegate.stream.given import given
from tapegate.stream.provider import read_call
from tapegate.subject.heard import Heard
from tapegate.tape.cassette import Cassette
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.store import Loaded

LOGGED = 40
"""Lines kept of what a subject wrote."""


class Replayer:
    """Runs trials of a suite against their recordings. Thread-safe."""

    def __init__(self, suite: Suite, runner: Runner) -> None:
        self._config = suite.config
        self._runner = runner
        self._routes = Routes.of(suite.config.services)
        self.logs: dict[str, list[str]] = {}
        """By task key and trial, `RET-01@A1[1]`: the last lines of each subject that did not complete its answer."""

    def replay(self, trial: Trial) -> Trace:
        """The trace of a trial that has a recording. Raises SubjectError where the subject cannot be started."""
        loaded = trial.recording
        assert isinstance(loaded, Loaded)
        ledger = Ledger()
        redactor = Redactor(dict.fromkeys(self._config.secrets, ""))
        player = Player(
            loaded.cassette,
            self._routes,
            ledger,
            normalisers=self._config.normalisers,
            redactor=redactor,
            faults=trial.task.setup.on_tape,
            lanes=Lanes(self._config.lanes),
        )
        question = Question(trial.task, trial.number, player, ledger, self._routes, cassette=loaded.raw)
        try:
            heard = self._runner.ask(question)
        except SubjectError as error:
            self._log(trial, error.log)
            if not ledger.addresses and not ledger.has_missed:
                raise
            # What it tried before it gave up is judged all the same.
            heard = Heard((), (), 0, 0, Ending("exited", "it could not be started"))
        else:
            if heard.ending.kind != "completed":
                self._log(trial, heard.log)
        return self._trace(trial, heard, loaded.cassette, ledger)

    def _log(self, trial: Trial, log: bytes) -> None:
        lines = log.decode("utf-8", "replace").splitlines()[-LOGGED:]
        if lines:
            self.logs[f"{trial.task.key}[{trial.number}]"] = lines

    def _trace(self, trial: Trial, heard: Heard, cassette: Cassette, ledger: Ledger) -> Trace:
        paths = recorded_paths(cassette, self._routes)
        account = ledger.account(cassette.interactions, paths)
        played = ledger.played_places
        timed = cassette.timed and account.complete and heard.ending.kind == "completed"
        subject = self._config.subjects[self._config.paths[trial.task.path_id].subject]
        recorded = exchanges(self._config, cassette, paths, range(len(paths)))
        return Trace(
            key=trial.task.key,
            trial=trial.number,
            # An answer that is an HTTP error is no stream in the subject's dialect: its status is the fact.
            events=events(subject.stream, heard.chunks) if heard.ending.kind != "http_error" else (),
            exchanges=tuple(recorded[number] for number in played),
            account=account,
            ending=heard.ending,
            latency_e2e_ms=e2e_ms(cassette.stream.chunks) if timed else None,
            latency_model_ms=model_ms(cassette.interactions[number].chunks for number in played) if timed else None,
            given=_given(cassette, played),
            timeout_ms=subject.timeout_s * 1000 if heard.ending.kind == "timed_out" else None,
            recorded_tokens=tokens(recorded),
        )


def tokens(recorded: Iterable[Exchange]) -> int | None:
    """What models read and wrote in all; None where none was called, or one call does not say."""
    used = [exchange.usage for exchange in recorded if exchange.model is not None]
    counts = [(usage.input_tokens, usage.output_tokens) if usage is not None else (None, None) for usage in used]
    known = [read + written for read, written in counts if read is not None and written is not None]
    return sum(known) if known and len(known) == len(counts) else None


def events(dialect: str, chunks: Iterable[bytes]) -> tuple[Event, ...]:
    """The events in an answer."""
    reader = parser(dialect)
    found = [event for chunk in chunks for event in reader.feed(chunk)]
    return (*found, *reader.close())


def _given(cassette: Cassette, places: Iterable[int]) -> tuple[str, ...]:
    requests = [cassette.interactions[number].request for number in places]
    return tuple(dict.fromkeys(text for request in requests for text in given(request.headers, request.body)))


def exchanges(config: Config, cassette: Cassette, paths: list[str], places: Iterable[int]) -> tuple[Exchange, ...]:
    """The interactions at `places`, read as provider calls where they are such, in the order of the recording."""
    made = []
    for number in places:
        interaction = cassette.interactions[number]
        service = config.services.get(interaction.service)
        call = read_call(
            service.protocol if service is not None else "http",
            interaction.request.method,
            paths[number],
            interaction.response.status,
            request_headers=interaction.request.headers,
            request_body=interaction.request.body,
            response_headers=interaction.response.headers,
            response_body=interaction.response.body,
        )
        made.append(
            Exchange(
                index=number,
                service=interaction.service,
                method=interaction.request.method,
                path=paths[number],
                status=interaction.response.status,
                started_us=interaction.chunks.started_us,
                duration_us=interaction.chunks.ended_us - interaction.chunks.started_us,
                request_bytes=len(interaction.request.body),
                model=(call.model or call.requested_model) if call is not None else None,
                usage=call.usage if call is not None else None,
                finish_reason=call.finish_reason if call is not None else None,
            )
        )
    return tuple(made)
