"""A cassette in memory: the interactions of one trial, and the agent stream recorded with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

Headers = Mapping[str, tuple[str, ...]]
"""Header names as they were sent, each with its values in order."""

Ended = Literal["eof", "client_closed", "error"]
"""How a stream ended: to its last byte, closed by the reader before that, or broken off."""


UNANSWERED = 499
"""Status of a call that its client gave up before an answer began; with `client_closed` and no body. It is the number
that nginx logs for it, and no provider's: what it replays as is silence."""

UNTIMED = "none"
"""Machine class of a recording that holds no times: one that another tool made."""

SourceKind = Literal["live", "local", "scripted"]
"""What stood behind a recording: the provider itself, a real model on this machine, or rules."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """How a body arrived. Times are microseconds of a monotonic clock from the start of the trial."""

    started_us: int
    """When the request was sent."""
    sizes: tuple[int, ...]
    """Bytes of each chunk; they add up to the body."""
    at_us: tuple[int, ...]
    """When each chunk arrived; as long as `sizes`, never falling."""
    ended_us: int
    """When the stream ended."""
    ended: Ended = "eof"

    def cut(self, body: bytes) -> list[bytes]:
        """The body in its chunks."""
        chunks, start = [], 0
        for size in self.sizes:
            chunks.append(body[start : start + size])
            start += size
        return chunks


@dataclass(frozen=True, slots=True)
class Request:
    """A request as vcrpy stores it: `uri` is the service's declared address plus path and query."""

    method: str
    uri: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """A response, its body exactly as it came over the wire (still encoded where it was)."""

    status: int
    reason: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class Interaction:
    """One recorded request, its response, and how that arrived."""

    service: str
    request: Request
    response: Response
    chunks: Chunks
    redacted: bool = False
    """Whether redaction changed a body, or an import rebuilt one: then its bytes are not the ones that were sent."""

    @property
    def answered(self) -> bool:
        """Whether any answer came before its client gave up."""
        nothing = self.chunks.ended == "client_closed" and not self.chunks.sizes
        return not (nothing and self.response.status == UNANSWERED)


@dataclass(frozen=True, slots=True)
class AgentStream:
    """What the agent itself answered while the cassette was recorded."""

    dialect: str
    body: bytes
    chunks: Chunks


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who recorded it, when, from what."""

    recorder: str
    """`tapegate 0.1.0`."""
    recorded_at: str
    """UTC, RFC 3339, whole seconds."""
    commit: str
    """git SHA of the code that was recorded, with `+dirty` where the work tree differed; `none` without git."""
    machine: str
    """Machine class, `linux-x86_64-2cpu`: latencies compare within one class only. `none`: there are no latencies."""
    source: str
    """Name of the recording source in the config."""
    source_kind: SourceKind
    source_description: str


@dataclass(frozen=True, slots=True)
class Cassette:
    """Everything one cassette file holds."""

    key: str
    trial: int
    provenance: Provenance
    stream: AgentStream
    interactions: tuple[Interaction, ...]

    FORMAT: ClassVar[int] = 1
    """The format's version; one integer, raised with a one-step converter."""

    @property
    def timed(self) -> bool:
        """Whether its times were measured."""
        return self.provenance.machine != UNTIMED
