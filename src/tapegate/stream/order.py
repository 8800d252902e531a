"""What holds for the order of any framed stream: one finish, nothing after it, an end, whole characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tapegate.model.trace import Data, Event, Failure, Finish, Text, ToolCall, ToolResult, Violation
from tapegate.stream.frame import whole


@dataclass(frozen=True, slots=True)
class Done:
    """The marker after the last frame, `[DONE]`. Not an event: it says nothing that the finish did not say."""


Step = Event | Done


class Order:
    """Passes a stream's events on and adds a `Violation` where their order breaks.

    A second finish is dropped: a trace has one at most. Whatever else comes after the finish stays in the
    trace, behind one `protocol_violation`, so that checks of what the user saw also see it.
    """

    def __init__(self) -> None:
        self._half = ""
        self._finished = False
        self._failed = False
        self._done = False
        self._late = False

    def admit(self, steps: Iterable[Step]) -> Iterator[Event]:
        """The events of one frame."""
        for step in steps:
            if isinstance(step, Done):
                self._done = True
            elif isinstance(step, Violation):
                yield step
            elif isinstance(step, Finish):
                yield from self._finish(step)
            else:
                if step == _NOTHING:
                    continue
                yield from self._after(step)
                if isinstance(step, Text):
                    yield from self._text(step.text)
                elif _sound(step):
                    self._failed = self._failed or isinstance(step, Failure)
                    yield step
                else:
                    yield _HALF

    def end(self, *, cut: bool = False) -> Iterator[Event]:
        """The stream is over; `cut`: it ended inside a frame, which was already said."""
        yield from self._release()
        if not (cut or self._finished or self._failed):
            yield Violation("truncated", "the stream ended without a finish")

    def _finish(self, finish: Finish) -> Iterator[Event]:
        yield from self._release()
        if self._finished:
            yield Violation("protocol_violation", f"a second finish, {finish.reason!r}")
            return
        if self._done:
            yield from self._after(finish)
        self._finished = True
        yield finish if _sound(finish) else Finish("unknown")

    def _after(self, event: Event) -> Iterator[Event]:
        if (self._finished or self._done) and not self._late:
            self._late = True
            mark = "the finish" if self._finished else "[DONE]"
            yield Violation("protocol_violation", f"a {type(event).__name__} after {mark}")

    def _text(self, text: str) -> Iterator[Event]:
        # A JavaScript server may cut a string between the two halves of an emoji; each half is an escape of its own.
        if not self._half and text.isascii():
            yield Text(text)
            return
        text = self._half + text
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        text = text[: len(text) - len(self._half)]
        joined, lost = joined_surrogates(text)
        if joined:
            yield Text(joined)
        if lost:
            yield _HALF

    def _release(self) -> Iterator[Event]:
        if self._half:
            self._half = ""
            yield _HALF


_NOTHING = Text("")
_HALF = Violation("invalid_utf8", "half of a surrogate pair stands alone: it has no UTF-8 form and was left out")


def joined_surrogates(text: str) -> tuple[str, bool]:
    """`text` with the halves of surrogate pairs joined, and whether some stood alone and were left out."""
    try:
        text.encode()
    except UnicodeEncodeError:
        wide = text.encode("utf-16-le", "surrogatepass")
        joined = wide.decode("utf-16-le", "ignore")
        return joined, joined.encode("utf-16-le") != wide
    return text, False


def _sound(event: ToolCall | ToolResult | Data | Failure | Finish) -> bool:
    match event:
        case ToolCall(call_id, name, arguments):
            return whole([call_id, name, dict(arguments)])
        case ToolResult(call_id, name, _, content):
            return whole([call_id, name, content])
        case Data(payload):
            return whole(payload)
        case Failure(message):
            return whole(message)
        case Finish(reason):
            return whole(reason)
