"""One JSON object a line, each an envelope that says by its `type` what it is (see `Envelopes`).

Lines end in LF, CR or CRLF; blank lines are allowed. The stream is complete with its `finish`.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.stream.envelope import Envelopes
from tapegate.stream.foreign import refuse_foreign, stray_line
from tapegate.stream.frame import read_object
from tapegate.stream.order import Step


class Ndjson:
    """Says what a line means."""

    name = "ndjson"

    def __init__(self) -> None:
        self._envelopes = Envelopes()

    def read(self, line: str) -> Iterable[Step]:
        """The events of one line. Raises `BadFrame`."""
        if not line.lstrip().startswith("{"):
            raise stray_line(line, self.name, "a JSON object")
        frame = read_object(line)
        refuse_foreign(frame, self.name)
        return self._envelopes.read(frame)
