"""Recording: what passes through a door becomes interactions, with the times at which it passed."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from tapegate.errors import NotJudged
from tapegate.model.fault import TapeFault
from tapegate.tape.cassette import UNANSWERED, Chunks, Ended, Headers, Interaction, Request, Response
from tapegate.tape.faults import Faults, Met
from tapegate.tape.lanes import HEADER, NO_LANES, Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.secrets.shown import shown_path
from tapegate.tape.wire import Answer, Asked, HeaderPairs

Clock = Callable[[], int]
"""Nanoseconds of a clock that never goes back."""


class Take:
    """One interaction while it happens. A door calls `head` once, `chunk` as bytes arrive, `end` once."""

    def __init__(self, asked: Asked, now_us: Callable[[], int]) -> None:
        self.asked = asked
        self._now_us = now_us
        self._started_us = now_us()
        self._status = 0
        self._reason = ""
        self._headers: HeaderPairs = ()
        self._chunks: list[tuple[bytes, int]] = []
        self._ended: tuple[Ended, int] | None = None
        self.broken: str | None = None

    @property
    def request(self) -> str:
        """What was asked, in a few words."""
        return f"{self.asked.method} {shown_path(self.asked.path)} of service {self.asked.service!r}"

    @property
    def started_us(self) -> int:
        """Microseconds from the start of the trial."""
        return self._started_us

    def head(self, status: int, reason: str, headers: Sequence[tuple[str, str]]) -> None:
        """The response's first line and headers arrived."""
        self._status, self._reason, self._headers = status, reason, tuple(headers)

    def chunk(self, data: bytes) -> None:
        """A piece of the body arrived; it is stamped with this moment."""
        if data:
            self._chunks.append((bytes(data), self._now_us()))

    def end(self, ended: Ended = "eof") -> None:
        """The stream ended; the first word counts."""
        if self._ended is None:
            self._ended = (ended, self._now_us())

    def unanswered(self) -> None:
        """The client gave up before an answer began: it does so again in replay."""
        if not self._status:
            self._status, self._reason = UNANSWERED, "client closed request"
        self.end("client_closed")

    def answer(self) -> Answer:
        """What came, as a client may be given it; complete once the take has ended."""
        assert self._ended is not None, "the take has ended"
        return Answer(
            status=self._status,
            reason=self._reason,
            headers=self._headers,
            chunks=tuple(data for data, _ in self._chunks),
            at_us=tuple(at - self._started_us for _, at in self._chunks),
            ended=self._ended[0],
        )

    def abandon(self, reason: str) -> None:
        """The recorder's own side failed, so nothing of this recording may be written."""
        self.broken = reason

    def interaction(self, routes: Routes) -> Interaction:
        """What happened. Raises NotJudged `recording_broken` when it did not happen whole."""
        if self.broken is not None:
            raise _broken(f"{self.request}: {self.broken}")
        if self._ended is None or not self._status:
            raise _broken(f"{self.request} was still open when the agent had ended")
        ended, ended_us = self._ended
        return Interaction(
            service=self.asked.service,
            request=Request(
                self.asked.method,
                routes.uri(self.asked.service, self.asked.path),
                _grouped((*self.asked.headers, *(((HEADER, self.asked.lane),) if self.asked.lane else ()))),
                self.asked.body,
            ),
            response=Response(
                self._status, self._reason, _grouped(self._headers), b"".join(data for data, _ in self._chunks)
            ),
            chunks=Chunks(
                started_us=self._started_us,
                sizes=tuple(len(data) for data, _ in self._chunks),
                at_us=tuple(at for _, at in self._chunks),
                ended_us=ended_us,
                ended=ended,
            ),
        )


class Recorder:
    """One trial in recording. Thread-safe; nothing leaves it before redaction."""

    def __init__(
        self,
        routes: Routes,
        redactor: Redactor,
        ledger: Ledger,
        *,
        clock: Clock = time.monotonic_ns,
        faults: Sequence[tuple[int, TapeFault]] = (),
        lanes: Lanes = NO_LANES,
    ) -> None:
        """`faults` are the task's, each with its place in `setup.faults`: the agent meets them here as in replay."""
        self._lanes = lanes
        self.ledger = ledger
        self._faults = Faults(faults, ledger)
        self._routes = routes
        self._redactor = redactor
        self._clock = clock
        self._start = clock()
        self._takes: list[Take] = []
        self._lock = threading.Lock()

    def now_us(self) -> int:
        """Microseconds since the trial started."""
        return (self._clock() - self._start) // 1000

    def meet(self, asked: Asked) -> Met:
        """The faults that `asked` meets. With an answer in place of the service's, nothing leaves and nothing begins.

        The recording keeps what the service answered; the agent gets it bent.
        """
        return self._faults.meet(asked)

    def begin(self, asked: Asked, *, met: Met | None = None) -> Take:
        """A request is about to leave.

        `met` is what `meet` gave. Raises ValueError where a door that bends nothing records a task with faults.
        """
        if met is None and self._faults:
            raise ValueError("a task with faults on the tape is recorded through the gateway")
        take = Take(self._lanes.mark(asked), self.now_us)
        with self._lock:
            self._takes.append(take)
        return take

    def attempted(self, address: str) -> None:
        """The agent reached for `address`, which is no declared service: a recording cannot hold it."""
        self.ledger.attempted(address)

    def interactions(self) -> tuple[Interaction, ...]:
        """All that was recorded, redacted, in the order in which the requests left.

        Raises NotJudged `recording_broken` when a take is not whole, `undeclared_service` when the agent reached
        around the tape, and CassetteError `secret_found` when a key that was not declared would reach the disk.
        """
        self.check_reach()
        takes = sorted(self._all(), key=lambda take: take.started_us)
        return tuple(self._redactor.redact(take.interaction(self._routes), place) for place, take in enumerate(takes))

    def check_reach(self) -> None:
        """Raises NotJudged `undeclared_service` when the agent reached around the tape."""
        if reached := self.ledger.addresses:
            raise NotJudged.of(
                "undeclared_service",
                f"the agent reached {', '.join(map(repr, reached))}, which no service in evals/tapegate.yaml declares",
                fix="declare it under `services`, with the variable that holds its base URL",
            )

    def broken(self) -> list[str]:
        """Why takes are not whole, for a person: what the recorder's own side could not do."""
        return [f"{take.request}: {take.broken}" for take in self._all() if take.broken is not None]

    def _all(self) -> list[Take]:
        with self._lock:
            return list(self._takes)


def _broken(what: str) -> NotJudged:
    return NotJudged.of("recording_broken", f"nothing was written: {what}", fix="record the task again")


def _grouped(pairs: Sequence[tuple[str, str]]) -> Headers:
    grouped: dict[str, list[str]] = defaultdict(list)
    for name, value in pairs:
        grouped[name].append(value)
    return {name: tuple(values) for name, values in grouped.items()}
