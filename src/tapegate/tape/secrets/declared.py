"""The values that a project declares secret: what they are, and that they can be told from ordinary text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tapegate.errors import BadInput
from tapegate.tape.secrets.frames import joined
from tapegate.tape.secrets.framing import is_binary
from tapegate.tape.secrets.marker import Marker
from tapegate.tape.secrets.rule import compile_bytes
from tapegate.tape.secrets.value import Value, mark
from tapegate.tape.secrets.views import views

SHORTEST = 8
"""Characters that a value must have: a shorter one stands in ordinary text, and replacing it would ruin that."""


class Declared:
    """Values by the name of their variable. An empty one is not set; one that is its own mark needs nothing done.

    Raises `BadInput` for a value that is too short, or that stands inside a mark.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.names = tuple(sorted(values))
        stripped = {name: values[name].strip() for name in self.names}
        self.values = tuple(Value(name, text) for name, text in stripped.items() if text and text != mark(name))
        for value in self.values:
            self._check(value)
        self.sent = Marker((*self.values, *(Value(name, mark(name)) for name in self.names)), bare=True)
        """For what the subject sends. Marks count like values: in replay the subject holds them, and what it then sends
        must come out as what it sent when it held the values."""
        self.received = Marker(self.values, bare=False)
        """For what the subject receives, which it must still be able to read; and for what it answers."""

    def __repr__(self) -> str:
        return f"Declared({', '.join(self.names)})"

    def left(self, text: bytes, *, frames: bool) -> Iterator[tuple[Value, str]]:
        """Values that stand where no mark can take their place, and where that is; with `frames` also those cut over
        the frames of a stream. Raises `TooLarge`."""
        if not self.values:
            return
        readings = [("inside gzip", view.data) for view in views(text, _NOTHING) if "gzip" in view.encoding]
        if is_binary(text):
            yield from ((value, "inside a frame of an AWS event stream") for value in self._in(text))
        if frames:
            readings.append(("cut over the frames of the stream", b"\n".join(joined(text))))
        for how, reading in readings:
            yield from ((value, how) for value in self.values if value.plain.search(reading) is not None)

    def _in(self, text: bytes) -> list[Value]:
        return [value for value in self.values if Marker((value,), bare=False).holds(text)]

    def _check(self, value: Value) -> None:
        if len(value.text) < SHORTEST:
            raise BadInput.of(
                "secret_too_short",
                f"the value of {value.name!r} has {len(value.text)} characters, and at least {SHORTEST} are needed: "
                "a shorter one stands in ordinary text, which would be replaced with it",
                fix=f"unset {value.name}, or give it a value of {SHORTEST} characters or more",
            )
        for name in self.names:
            if value.text in mark(name):
                raise BadInput.of(
                    "secret_is_a_mark",
                    f"the value of {value.name!r} stands inside {mark(name)!r}, the mark that replaces {name!r}",
                    fix=f"give {value.name} another value; to replay, unset it or set it to {mark(value.name)!r}",
                )


_NOTHING = compile_bytes(r"[^\x00-\xff]")
