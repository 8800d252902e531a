"""What a subject answered: every runner returns this, whatever the subject is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import Any

from tapegate.model.trace import Ending

Clock = Callable[[], int]
"""Microseconds since the start of the trial, from a clock that never goes back."""


def stopwatch() -> Clock:
    """A clock that starts now. Monotonic: the machine's wall clock may be set while a trial runs."""
    start = monotonic_ns()
    return lambda: (monotonic_ns() - start) // 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """The bytes of an answer as they arrived, and how the subject ended. Times are as `Clock` gives them."""

    chunks: tuple[bytes, ...]
    at_us: tuple[int, ...]
    """When each chunk arrived; as long as `chunks`, never falling."""
    started_us: int
    """When the subject was asked."""
    ended_us: int
    """When its answer ended."""
    ending: Ending
    log: bytes = field(default=b"", repr=False)
    """The end of what it wrote to standard output and error, for a person; differs from run to run."""

    def __post_init__(self) -> None:
        """Raises ValueError for times that no monotonic clock gives."""
        times = (self.started_us, *self.at_us, self.ended_us)
        if len(self.at_us) != len(self.chunks) or self.started_us < 0 or list(times) != sorted(times):
            raise ValueError(f"{len(self.chunks)} chunks need as many times, none before the last; got {times}")

    @property
    def body(self) -> bytes:
        """The answer in one piece."""
        return b"".join(self.chunks)


def together(answers: Sequence[Heard]) -> Heard:
    """Several answers of one trial as one: their pieces as they arrived, and the first ending that is no good one."""
    if len(answers) == 1:
        return answers[0]
    arrived = sorted(
        (
            (at, number, chunk)
            for number, one in enumerate(answers)
            for at, chunk in zip(one.at_us, one.chunks, strict=True)
        ),
        key=lambda piece: piece[:2],
    )
    return Heard(
        tuple(chunk for *_, chunk in arrived),
        tuple(at for at, *_ in arrived),
        min(one.started_us for one in answers),
        max(one.ended_us for one in answers),
        next((one.ending for one in answers if one.ending.kind != "completed"), answers[0].ending),
        answers[-1].log,
    )


Then = Callable[[Sequence[Heard]], Sequence[Mapping[str, Any]] | None]
"""What is put to a subject after these answers: the values that the templates of each message are filled with, those
of one call at the same time. None where that was all."""
