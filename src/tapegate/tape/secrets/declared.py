"""The values that a project declares secret: found in every encoding, and replaced by their marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from tapegate.errors import BadInput, CassetteError
from tapegate.tape.secrets.base64run import runs
from tapegate.tape.secrets.edits import Edit, apply, resize
from tapegate.tape.secrets.frames import joined
from tapegate.tape.secrets.rule import compile_bytes
from tapegate.tape.secrets.value import Value, mark
from tapegate.tape.secrets.views import views

SHORTEST = 8
"""Characters that a value must have: a shorter one stands in ordinary text, and replacing it would ruin that."""

_LEAST = 9
"""Base64 digits that the shortest value at least fills."""
_ROUNDS = 8


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

    def __repr__(self) -> str:
        return f"Declared({', '.join(self.names)})"

    def replace(self, text: bytes, sizes: Sequence[int] = ()) -> tuple[bytes, list[int]]:
        """`text` and its chunk sizes with every value replaced; the very same `text` where it holds none."""
        sizes = list(sizes)
        if self._any is None:
            return text, sizes
        for _ in range(_ROUNDS):
            if self._any.search(text) is None:
                return text, sizes
            before = text
            for find in (self._plain, self._in_base64):
                edits = list(find(text))
                text, sizes = apply(text, edits), resize(sizes, edits)
            if text == before:
                return text, sizes
        raise CassetteError.of(
            "secret_found",
            f"a value among {', '.join(self.names)} comes back whenever it is replaced by its mark",
            fix="give these variables values that are independent of each other",
        )

    def marked(self, text: bytes) -> bool:
        """Whether `text` holds a mark, or a value that would become one."""
        return any(found is not None and found.search(text) is not None for found in (self._any, self._any_mark))

    def left(self, text: bytes, *, frames: bool) -> Iterator[tuple[Value, str]]:
        """Values that stand where no mark can take their place, and where that is; with `frames` also those cut over
        the frames of a stream. Raises `TooLarge`."""
        if not self.values:
            return
        readings = [("inside gzip", view.data) for view in views(text, self._any_base64) if "gzip" in view.encoding]
        if frames:
            readings.append(("cut over the frames of the stream", b"\n".join(joined(text))))
        for how, reading in readings:
            yield from ((value, how) for value in self.values if value.plain.search(reading) is not None)

    def _plain(self, text: bytes) -> Iterator[Edit]:
        found = [
            (*match.span(), value.mark if match[1] is None else _hex(value.mark, match[1]))
            for value in self.values
            for match in value.plain.finditer(text)
        ]
        end = 0
        edit: Edit | None = None
        # Values may overlap in a text; together they are one piece, and it gets the mark of the first and longest.
        for start, end, new in sorted(found, key=lambda span: (span[0], -span[1])):
            if edit is not None and start < edit.end:
                edit = Edit(edit.start, max(edit.end, end), edit.new)
                continue
            if edit is not None:
                yield edit
            edit = Edit(start, end, new)
        if edit is not None:
            yield edit

    def _in_base64(self, text: bytes) -> Iterator[Edit]:
        if self._any_base64.search(text) is None:
            return
        for run in runs(text, _LEAST):
            if self._any_base64.search(run.text) is None:
                continue
            for phase in range(4):
                decoded = run.decoded(phase)
                edits = list(self._plain(decoded))
                if edits:
                    yield Edit(run.start, run.end, run.encoded(phase, apply(decoded, edits)))
                    break

    @cached_property
    def _any(self) -> Any:
        """One pattern for all, so that a text without any is read once; None without values."""
        return _any(self.values)

    @cached_property
    def _any_mark(self) -> Any:
        return _any(Value(name, mark(name)) for name in self.names)

    @cached_property
    def _any_base64(self) -> Any:
        return compile_bytes("|".join(value.in_base64 for value in self.values))

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


def _any(values: Iterable[Value]) -> Any:
    shapes = [shape for value in values for shape in (value.spelled, value.in_hex, value.in_base64)]
    return compile_bytes("|".join(shapes), max_mem=1 << 28) if shapes else None


def _hex(new: bytes, found: bytes) -> bytes:
    return new.hex().upper().encode() if found != found.lower() else new.hex().encode()
