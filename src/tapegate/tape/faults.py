"""Bending the tape: which fault a request meets, and what becomes of its answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import cycle

from tapegate.model.fault import (
    MalformedFault,
    MalformedJsonFault,
    ResetFault,
    SlowFault,
    SplitFault,
    StatusFault,
    TapeFault,
    TimeoutFault,
    TruncateFault,
)
from tapegate.tape.cassette import Ended
from tapegate.tape.ledger import Ledger
from tapegate.tape.wire import SILENCE, Answer, Asked

ERRORS = {429: "rate_limit_error", 503: "unavailable_error", 529: "overloaded_error"}
"""What providers call these; any other status is an `api_error`."""
REASONS = {529: "Overloaded"}
"""Of statuses that no RFC names."""


@dataclass(frozen=True, slots=True)
class Met:
    """The faults that one request meets."""

    instead: Answer | None = None
    """What is answered in place of the service, which is then not asked."""
    bends: tuple[TapeFault, ...] = ()
    """What is done to the service's own answer, in this order."""

    def bend(self, answer: Answer) -> Answer:
        """The answer as the client gets it; a miss stays as it is."""
        if answer.missed or answer.lost:
            return answer
        for fault in self.bends:
            answer = _bent(answer, fault)
        return answer


NONE = Met()


class Faults:
    """The faults of one trial. Thread-safe: which request meets one follows from the order in which requests come.

    `rules` are those of a task, by their place in its `setup.faults`; others than the tape's are no business of this
    class and not among them.
    """

    def __init__(self, rules: Sequence[tuple[int, TapeFault]], ledger: Ledger) -> None:
        self._rules = tuple(rules)
        self._ledger = ledger
        self._seen = dict.fromkeys((place for place, _ in rules), 0)
        self._lock = threading.Lock()

    def meet(self, asked: Asked) -> Met:
        """What `asked` meets. Every request is to be put here once."""
        if not self._rules:
            return NONE
        with self._lock:
            met = [fault for place, fault in self._rules if self._meets(place, fault, asked)]
        instead = next((answer for answer in map(_instead, met) if answer is not None), None)
        return Met(instead, tuple(met))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def _meets(self, place: int, fault: TapeFault, asked: Asked) -> bool:
        if fault.service != asked.service or (fault.containing or "").encode() not in asked.body:
            return False
        self._seen[place] += 1
        meets = not fault.calls or self._seen[place] in fault.calls
        if meets:
            self._ledger.faulted(place)
        return meets


def _instead(fault: TapeFault) -> Answer | None:
    match fault:
        case TimeoutFault():
            return SILENCE
        case ResetFault():
            return SILENCE._replace(lost="reset")
        case StatusFault(status=status):
            content_type = () if "content-type" in map(str.lower, fault.headers) else (("content-type", _kind(fault)),)
            return Answer(
                status=status,
                reason=REASONS.get(status) or _reason(status),
                headers=(*content_type, *fault.headers.items()),
                chunks=(_error(fault),),
                at_us=(0,),
            )
        case _:
            return None


def _bent(answer: Answer, fault: TapeFault) -> Answer:
    match fault:
        case TruncateFault(after_chunks=count):
            kept = [*answer.chunks[:count], *(chunk[: len(chunk) // 2] for chunk in answer.chunks[count : count + 1])]
            ended: Ended = "error" if fault.ending == "break" else "eof"
            return answer._replace(chunks=tuple(kept), at_us=answer.at_us[: len(kept)], ended=ended)
        case MalformedFault(after_chunks=count):
            at = answer.at_us[min(count, len(answer.at_us)) - 1] if count and answer.at_us else 0
            chunks = (*answer.chunks[:count], fault.insert.encode(), *answer.chunks[count:])
            return answer._replace(chunks=chunks, at_us=(*answer.at_us[:count], at, *answer.at_us[count:]))
        case MalformedJsonFault():
            body = b"".join(answer.chunks)
            return answer._replace(chunks=(body[: len(body) // 2],), at_us=answer.at_us[-1:] or (0,))
        case SlowFault(delay_ms=delay):
            at_us = tuple(1000 * delay * (place + 1) for place in range(len(answer.chunks)))
            return answer._replace(at_us=at_us, paced=True)
        case SplitFault(sizes=sizes):
            return _split(answer, sizes)
        case _:
            return answer


def _split(answer: Answer, sizes: Sequence[int]) -> Answer:
    body = b"".join(answer.chunks)
    ends = [end for at, chunk in zip(answer.at_us, answer.chunks, strict=True) for end in [at] * len(chunk)]
    chunks, at_us, start = [], [], 0
    for size in cycle(sizes):
        if start >= len(body):
            break
        chunks.append(body[start : start + size])
        start += size
        at_us.append(ends[min(start, len(body)) - 1])
    return answer._replace(chunks=tuple(chunks), at_us=tuple(at_us))


def _error(fault: StatusFault) -> bytes:
    if fault.body is not None:
        return fault.body.encode()
    kind = ERRORS.get(fault.status, "api_error")
    message = f"status {fault.status}, injected by the task"
    return json.dumps({"error": {"type": kind, "code": kind, "message": message}}).encode()


def _kind(fault: StatusFault) -> str:
    return "application/json" if fault.body is None or fault.body[:1] in ("{", "[") else "text/plain; charset=utf-8"


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
