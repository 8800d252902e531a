"""What is put to a subject in one trial, and what later messages take over from earlier answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tapegate.load.template import PIECES, placeholders
from tapegate.model.config import AnySubject, PythonSubject
from tapegate.model.task import Task
from tapegate.model.trace import Data
from tapegate.run.splits import Cuts, cuts, pieces
from tapegate.stream.dialect import parser
from tapegate.subject.entry import packed
from tapegate.subject.heard import Heard

Values = Mapping[str, Any]
"""What the templates of one message are filled with."""


@dataclass(slots=True)
class Conversation:
    """The messages of a trial: those that are put at once, and those that wait for their answers."""

    first: Sequence[Values]
    _later: Iterator[Sequence[Values]]
    _subject: AnySubject
    _carried: dict[str, str]
    following: Sequence[Sequence[Values]] = ()
    """What is put after the first, one after the other, whatever is answered: nobody has to wait for it."""

    @classmethod
    def of(cls, task: Task, subject: AnySubject, values: Values) -> Conversation:
        """The conversation of a task with its subject."""
        if task.mode == "concurrent":
            return cls([{**values, "input": message} for message in task.messages], iter(()), subject, {})
        later = ([{**values, "input": message}] for message in task.then)
        carried = dict.fromkeys(subject.carry, "")
        return cls([{**carried, **values}], later, subject, carried)

    @classmethod
    def over(cls, stream: bytes, task: Task, subject: PythonSubject, values: Values) -> tuple[Conversation, list[Cuts]]:
        """A stream fixture, put to a function whole and then once for each cut; with the cuts in their order."""
        text = takes_pieces(subject) == "chunks"
        planned: list[Cuts] = [()]
        if task.setup.chunking == "all_splits":
            planned += cuts(stream, text=text).tried
        first, *following = ([{**values, **_as_values(pieces(stream, cut), text)}] for cut in planned)
        return cls(first, iter(()), subject, {}, following), planned

    def then(self, heard: Sequence[Heard]) -> Sequence[Values] | None:
        """What is put after these answers; None where that was all."""
        # Nobody goes on talking to an agent that failed.
        if any(answer.ending.kind != "completed" for answer in heard):
            return None
        following = next(self._later, None)
        if following is None:
            return None
        for answer in heard if self._carried else ():
            self._carried |= self._taken(answer)
        return [{**values, **self._carried} for values in following]

    def _taken(self, answer: Heard) -> dict[str, str]:
        """The fields of the answer's data frames that the subject's config carries over, the last of each."""
        reader = parser(self._subject.stream)
        events = [event for chunk in answer.chunks for event in reader.feed(chunk)]
        taken = {}
        for event in (*events, *reader.close()):
            if isinstance(event, Data) and isinstance(event.payload, Mapping):
                for name, field in self._subject.carry.items():
                    if isinstance(found := event.payload.get(field), str | int):
                        taken[name] = str(found)
        return taken


def takes_pieces(subject: AnySubject) -> str | None:
    """The placeholder by which the subject takes a stream fixture; None where the fixture stands for its answer."""
    if not isinstance(subject, PythonSubject):
        return None
    return next((name for _, name in placeholders(subject.arguments) if name in PIECES), None)


def _as_values(parts: Sequence[bytes], text: bool) -> dict[str, Any]:
    if text:
        return {"chunks": [part.decode("utf-8") for part in parts]}
    return {"byte_chunks": [packed(part) for part in parts]}
