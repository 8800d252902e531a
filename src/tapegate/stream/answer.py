"""The body of a provider's answer as the frames it came in: server-sent events, AWS events, a JSON list, or whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from tapegate.model.trace import Json
from tapegate.stream.aws_events import aws_events
from tapegate.stream.content import Headers, decode_body, header
from tapegate.stream.facts import Facts
from tapegate.stream.frame import BadFrame, read_json
from tapegate.stream.order import Step
from tapegate.stream.sse import Message, Sse


class Reader(Protocol):
    """Reads one answer of one provider API, in frames or whole."""

    facts: Facts

    def read(self, event: str, frame: dict[str, Json]) -> Iterable[Step]:
        """The events of one frame of a streamed answer. Raises `BadFrame`."""

    def whole(self, body: dict[str, Json]) -> Iterable[Step]:
        """The events of an answer in one piece. Raises `BadFrame`."""


class Answer:
    """A response's body, decoded. Raises `Undecodable`."""

    def __init__(self, headers: Headers, body: bytes) -> None:
        self._body = decode_body(headers, body)
        self._kind = header(headers, "content-type").lower()
        if not self._kind and self._body.startswith((b"data:", b"event:")):
            self._kind = "text/event-stream"
        self._list = not self.framed and self._body.lstrip()[:1] == b"["

    @property
    def framed(self) -> bool:
        """Whether its content type is a stream's."""
        return "event-stream" in self._kind or "amazon.eventstream" in self._kind

    @property
    def streamed(self) -> bool:
        """Whether it came in frames. Gemini without `alt=sse` streams the items of a JSON list."""
        return self.framed or self._list

    def steps(self, reader: Reader) -> Iterator[Step]:
        """What `reader` makes of it. A frame that cannot be read is left out."""
        for event, text in self._frames():
            try:
                value = read_json(text.decode() if isinstance(text, bytes) else text)
                frames = value if self._list and isinstance(value, list) else [value]
                for frame in frames:
                    if isinstance(frame, dict):
                        yield from reader.read(event, frame) if self.streamed else reader.whole(frame)
            except (BadFrame, UnicodeDecodeError):
                continue

    def _frames(self) -> Iterator[tuple[str, str | bytes]]:
        if not self.framed:
            yield "message", self._body
        elif "amazon.eventstream" in self._kind:
            for message in aws_events(self._body):
                yield message.name, message.payload
        else:
            # The body is in memory already: no line of it is too long.
            for item in Sse(limit=len(self._body) + 1).feed(self._body):
                if isinstance(item, Message) and item.data.strip() != "[DONE]":
                    yield item.event, item.data
