"""Faults on the tape: how a task bends what a service answers, the same way in recording and in replay."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tapegate.model.part import Count, Name, NonEmpty, Part

Nth = Annotated[int, Field(ge=1)]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]
HeaderValue = Annotated[str, Field(pattern=r"^[\t -~\u0080-\u00ff]*$")]


class _OnTape(Part):
    """Which requests meet the fault."""

    service: Name
    """The service that is asked."""
    containing: NonEmpty | None = None
    """Only requests whose body holds this text: tells calls apart that run side by side."""
    calls: tuple[Nth, ...] = ()
    """Which of those requests, counted from 1 in each trial as they come, retries among them; empty: all of them."""


class StatusFault(_OnTape):
    """An error of the service, in place of its answer. A retry that is not among `calls` gets the recorded answer."""

    kind: Literal["status"]
    status: Annotated[int, Field(ge=400, le=599)]
    """429, 500, 529 and the like."""
    headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict)
    """Headers beside the content type, `retry-after` for one."""
    body: str | None = None
    """The error's body; absent: a JSON error as providers give it."""


class TimeoutFault(_OnTape):
    """No answer: the client waits until it gives up."""

    kind: Literal["timeout"]


class ResetFault(_OnTape):
    """The connection is reset before an answer."""

    kind: Literal["reset"]


class TruncateFault(_OnTape):
    """The answer breaks off inside a chunk."""

    kind: Literal["truncate"]
    after_chunks: Count = 0
    """Chunks that come whole; of the next one comes half."""
    ending: Literal["break", "end"] = "break"
    """`break`: the connection breaks; `end`: the answer ends there as if it were whole."""


class MalformedFault(_OnTape):
    """Something that does not belong there comes between two chunks of a stream."""

    kind: Literal["malformed"]
    after_chunks: Count = 1
    """Chunks that come before it."""
    insert: NonEmpty = 'data: {"choices":[{"delta":\n\n'
    """What comes; by default an event whose JSON breaks off."""


class MalformedJsonFault(_OnTape):
    """The body is the first half of its JSON, and well framed."""

    kind: Literal["malformed_json"]


class SlowFault(_OnTape):
    """Each chunk comes later than the one before."""

    kind: Literal["slow"]
    delay_ms: Annotated[int, Field(ge=1, le=60_000)]
    """Milliseconds before each chunk, in real time."""


class SplitFault(_OnTape):
    """The body comes in other chunks than it was recorded in."""

    kind: Literal["split"]
    sizes: tuple[Nth, ...] = (1,)
    """Bytes of each chunk, over and over; by default every byte by itself, so that each possible cut is made."""


TapeFault = (
    StatusFault
    | TimeoutFault
    | ResetFault
    | TruncateFault
    | MalformedFault
    | MalformedJsonFault
    | SlowFault
    | SplitFault
)
