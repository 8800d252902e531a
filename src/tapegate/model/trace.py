"""What a trial did: ordered, typed events, and the account of its replay.

Two orders are kept apart on purpose. `events` come from the agent's own stream, in its order.
`exchanges` come from the tape, in the order of the recording. How the two interleave depends on
scheduling, so nothing may be judged from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from tapegate.model.database import Database

Json = Any
"""A value that JSON can hold."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of what the user sees."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The agent calls a tool."""

    call_id: str
    name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool answers."""

    call_id: str
    name: str
    ok: bool
    content: Json


@dataclass(frozen=True, slots=True)
class Data:
    """Anything else the stream carries: session ids, message ids, annotations."""

    payload: Json


@dataclass(frozen=True, slots=True)
class Failure:
    """The agent says in its own stream that it failed."""

    message: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The agent says that its answer is complete."""

    reason: str


@dataclass(frozen=True, slots=True)
class Violation:
    """The stream breaks its own protocol: bad UTF-8, a frame after the finish, a line too long."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The answer to the next of several messages begins: what follows belongs to it, up to the next turn.

    A trial of one message has none. Those that were put at the same time stand in the order of the task.
    """

    index: int
    """0-based."""
    input: str
    """What the user said."""


Event = Text | ToolCall | ToolResult | Data | Failure | Finish | Violation


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a provider reported for one call; None where it reported none."""

    input_tokens: int | None = None
    """All that the model read, cached or not."""
    output_tokens: int | None = None
    """All that the model wrote, reasoning included."""
    cached_tokens: int | None = None
    """Those of the input that came from a cache."""
    reasoning_tokens: int | None = None
    """Those of the output that were reasoning."""
    cache_write_tokens: int | None = None
    """Those of the input that were written to a cache; some providers charge more for them."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One interaction that was played (or recorded), read as a provider call where it is one."""

    index: int
    """0-based place in the recording."""
    service: str
    method: str
    path: str
    status: int
    started_us: int
    """Microseconds from the start of the trial to the request, as recorded."""
    duration_us: int
    """Microseconds from the request to the last byte, as recorded."""
    request_bytes: int
    model: str | None = None
    """The model that the provider says it used; None where the exchange is no model call."""
    usage: Usage | None = None
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What one request to a model told it beside the conversation."""

    index: int
    """0-based place in the recording."""
    tools: Mapping[str, Json]
    """The JSON Schema of each tool's arguments, by the tool's name."""
    system: str
    """The system prompt; empty where it has none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """An answer that another cut of the same stream gave, where it differs from the uncut one's."""

    cuts: tuple[int, ...]
    """Where the stream was cut, in bytes from its start."""
    events: tuple[Event, ...]
    ending: Ending


@dataclass(frozen=True, slots=True)
class Splits:
    """A stream that was put to the subject again and again, cut at other places each time."""

    source: bytes
    """The stream."""
    tried: int
    """How many cuts were tried."""
    possible: int
    """How many there are; more than were tried where a sample was drawn."""
    variants: tuple[Variant, ...]
    """One for each answer that differs from the first, with the first cut that gave it."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that no recording answers."""

    service: str
    method: str
    path: str
    kind: Literal[
        "prompt_changed",
        "tools_changed",
        "parameters_changed",
        "diverged",
        "extra_call",
        "volatile_field",
        "not_recorded",
    ]
    explanation: str
    """Nearest recording, the JSON paths that differ, the part of the prompt that changed."""
    turn: int | None = None
    """For `diverged`: the 1-based message at which the conversation left the recording."""
    nearest: int | None = None
    """Index of the recorded interaction that the explanation compares with."""


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A recorded interaction that the agent never requested."""

    index: int
    service: str
    method: str
    path: str


@dataclass(frozen=True, slots=True)
class NetworkAttempt:
    """An attempt to reach something other than the tape."""

    address: str
    """`host:port`, or a name that was looked up."""


@dataclass(frozen=True, slots=True)
class Account:
    """What the player did and did not do; the only source of `stale`."""

    played: int = 0
    misses: tuple[Miss, ...] = ()
    unplayed: tuple[Unplayed, ...] = ()
    network: tuple[NetworkAttempt, ...] = ()
    faults: tuple[int, ...] = ()
    """Places, in the task's `setup.faults`, of the faults on the tape that a request met."""
    alike: tuple[int, ...] = ()
    """Places of the interactions that were played for their conversation alone (`match: conversation`)."""

    @property
    def complete(self) -> bool:
        """Whether the recording covered all that the agent did, and the agent did all that it holds."""
        return not self.misses and not self.unplayed


@dataclass(frozen=True, slots=True)
class Ending:
    """How the subject ended."""

    kind: Literal["completed", "raised", "crashed", "exited", "timed_out", "http_error", "empty_output"]
    detail: str = ""
    """Deterministic: exception type and message, signal name, exit code; never an address, a path or a pid."""


@dataclass(frozen=True)
class Trace:
    """One trial, as it happened."""

    key: str
    trial: int
    """1-based."""
    events: tuple[Event | Turn, ...]
    exchanges: tuple[Exchange, ...]
    account: Account
    ending: Ending
    latency_e2e_ms: int | None = None
    """As recorded: request to last byte of the answer, rounded up; None where no recording says."""
    latency_model_ms: int | None = None
    """As recorded: length of the union of the played provider calls' intervals, rounded up."""
    given: tuple[str, ...] = ()
    """What tools told the models, as the played requests say: each text once, in the order of the recording."""
    prompted: tuple[str, ...] = ()
    """What users told the models, and what was embedded, as the played requests say: each text once, in that order."""
    timeout_ms: int | None = None
    """The limit that a subject which timed out had run into."""
    recorded_tokens: int | None = None
    """Tokens of every model call in the recording, played or not: about what recording it again takes."""
    recorded_usd: str | None = None
    """What those calls cost at the pinned prices, an exact decimal; None where one of them has no known price, and for
    a recording that was played whole."""
    cost_usd: str | None = None
    """What the played calls cost at the pinned prices, an exact decimal; None where one of them has no known price."""
    database: Database | None = None
    """None where no condition of the task asks for it."""
    offers: tuple[Offer, ...] | None = None
    """Of the played calls of models; None where no condition of the task asks for them."""
    splits: Splits | None = None
    """None where the stream was not cut."""
    before: tuple[Event, ...] = ()
    """In one turn of a conversation, what happened in the turns before it."""

    @cached_property
    def text(self) -> str:
        """All that the user sees, in one piece; a blank line between the answers of two turns."""
        pieces: list[str] = []
        for event in self.events:
            if isinstance(event, Text):
                pieces.append(event.text)
            elif isinstance(event, Turn) and event.index:
                pieces.append("\n\n")
        return "".join(pieces)

    @cached_property
    def turns(self) -> tuple[Trace, ...]:
        """The trial turn by turn, each with its own events and all else; the trial itself where it has but one."""
        marks = [place for place, event in enumerate(self.events) if isinstance(event, Turn)]
        if not marks:
            return (self,)
        ends = [*marks[1:], len(self.events)]
        return tuple(replace(self, events=self.events[start + 1 : end]) for start, end in zip(marks, ends, strict=True))

    @cached_property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tools called, in order."""
        return tuple(event for event in self.events if isinstance(event, ToolCall))

    @property
    def tool_path(self) -> tuple[str, ...]:
        """The names of the tools called, in order."""
        return tuple(call.name for call in self.tool_calls)

    @property
    def complete(self) -> bool:
        """Whether the trial ran to its end on a recording that covered it."""
        return self.account.complete and self.ending.kind == "completed"
