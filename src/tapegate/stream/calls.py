"""The tool calls of one stream: drafted piece by piece, called once, answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tapegate.model.trace import Json, ToolCall, ToolResult, Violation
from tapegate.stream.frame import BadFrame, read_object
from tapegate.stream.order import joined_surrogates


@dataclass(slots=True)
class Draft:
    """A tool call whose arguments still arrive, as pieces of their JSON text or as an object."""

    call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    value: Mapping[str, Json] | None = None
    free: bool = False
    """Whether the arguments are no JSON but one free text, which then is the argument `input`."""

    def made(self, calls: Calls) -> Iterator[ToolCall | Violation]:
        """The call, complete."""
        text, fault = "".join(self.pieces), None
        if self.value is not None:
            arguments = self.value
        elif self.free:
            arguments = {"input": joined_surrogates(text)[0]}
        else:
            arguments, fault = arguments_of(text)
        if fault:
            yield fault
        if not self.name:
            yield Violation("malformed_frame", f"a tool call without a name, id {self.call_id!r}")
        yield from calls.call(self.call_id, self.name, arguments)


def arguments_of(text: str) -> tuple[Mapping[str, Json], Violation | None]:
    """A JSON text of arguments as a mapping; blank means none.

    A model may write arguments that are no JSON object. The call happened all the same: then the mapping is empty and
    the `Violation` says why.
    """
    text, _ = joined_surrogates(text)
    if not text.strip():
        return {}, None
    try:
        return read_object(text), None
    except BadFrame as error:
        return {}, Violation("malformed_frame", f"arguments of a tool call: {error.message}")


class Calls:
    """Holds each result to a call that was made, and each call to an id of its own."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._answered: set[str] = set()
        self._begun: dict[str, str] = {}

    def begin(self, call_id: str, name: str) -> None:
        """A call is announced; its arguments follow."""
        self._begun[call_id] = name

    def begun(self, call_id: str) -> bool:
        """Whether a call was announced and not made yet."""
        return call_id in self._begun

    def call(self, call_id: str, name: str, arguments: Mapping[str, Json]) -> Iterator[ToolCall | Violation]:
        """A call is made."""
        self._begun.pop(call_id, None)
        # Some servers give no ids at all; then there is nothing to hold them to.
        if call_id and call_id in self._names:
            yield Violation("protocol_violation", f"a second tool call with the id {call_id!r}")
        self._names[call_id] = name
        yield ToolCall(call_id, name, arguments)

    def result(self, call_id: str, name: str | None, ok: bool, content: Json) -> Iterator[ToolResult | Violation]:
        """A call is answered; the name is the call's where the result does not say it."""
        called = self._names.get(call_id)
        if called is None:
            yield Violation("protocol_violation", f"a tool result for the id {call_id!r}, which no call has")
        elif call_id in self._answered:
            yield Violation("protocol_violation", f"a second tool result for the id {call_id!r}")
        elif name is not None and name != called:
            yield Violation("protocol_violation", f"a result of {name!r} for {call_id!r}, a call of {called!r}")
        self._answered.add(call_id)
        yield ToolResult(call_id, name or called or "", ok, content)

    def unmade(self) -> Iterator[Violation]:
        """Calls that were announced and, at the finish, never made."""
        for call_id, name in self._begun.items():
            yield Violation("protocol_violation", f"the call {call_id!r} of {name!r} was begun and never made")
        self._begun.clear()
