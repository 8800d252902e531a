"""The text of one answer, exactly as the user sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paperdesk import stream
from paperdesk.content_filter import ContentFilter


class Answer:
    """Collects the model's text, and says piece by piece what of it the user sees."""

    def __init__(self) -> None:
        self.text = ""
        self._filter = ContentFilter()
        self._new_paragraph = False

    def add(self, piece: str) -> str:
        """What `piece` adds to what the user sees; often nothing."""
        shown = self._filter.feed(piece)
        if not self.text or self._new_paragraph:
            shown = shown.lstrip()
        if shown and self._new_paragraph:
            shown = "\n\n" + shown
            self._new_paragraph = False
        self.text += shown
        return shown

    def pause(self) -> None:
        """Tools run now: what the model says afterwards is a paragraph of its own."""
        self._new_paragraph = bool(self.text)

    def cut(self) -> None:
        """The model says no more: what is said in its place is a paragraph that no tag it left open hides."""
        self._filter = ContentFilter()
        self.pause()


def filtered(pieces: Iterable[str]) -> Iterator[str]:
    """The lines that a user sees of a model's text, `pieces` as they arrive.

    For trying the filter on any text and any cut, without a model.
    """
    answer = Answer()
    for piece in pieces:
        if shown := answer.add(piece):
            yield stream.text(shown)
    yield stream.finish("stop")
