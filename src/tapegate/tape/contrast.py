"""What differs between two recordings, for whoever reviews a new one."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tapegate.tape.canonical import DuplicateKeyError, load
from tapegate.tape.cassette import Cassette, Interaction, Response
from tapegate.tape.coding import Undecodable, decoded
from tapegate.tape.conversation import Conversation
from tapegate.tape.difference import changes, listed, text_diff

Route = tuple[str, str, str]
"""Service, method, and uri without its query."""

Reader = Callable[[Interaction], Any]
"""What an answer says, as JSON, whatever ids and pieces it comes in; None where nobody can tell."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two recordings part: one interaction of either, or of both."""

    title: str
    """The request, and what of it changed."""
    old: int | None
    """0-based place in the old recording; None for an interaction that is new."""
    new: int | None
    lines: tuple[str, ...] = ()


def contrast(old: Cassette, new: Cassette, reader: Reader = lambda _: None) -> list[Difference]:
    """Everything that differs, in the order of the new recording; empty: the same exchanges, whatever their times.

    Requests of one route are paired in order. Answers that `reader` can tell are compared by what they say.
    """
    waiting: dict[Route, deque[int]] = defaultdict(deque)
    for place, interaction in enumerate(old.interactions):
        waiting[_route(interaction)].append(place)
    found = []
    for place, interaction in enumerate(new.interactions):
        pairs = waiting[_route(interaction)]
        if not pairs:
            found.append(Difference(f"{_shown(interaction)} is new", None, place))
            continue
        before = pairs.popleft()
        what, lines = _parts(old.interactions[before], interaction, reader)
        if what:
            title = f"{_shown(interaction)}: {', '.join(what)} changed"
            found.append(Difference(title, before, place, tuple(lines)))
    gone = sorted(place for pairs in waiting.values() for place in pairs)
    found += [Difference(f"{_shown(old.interactions[place])} is gone", place, None) for place in gone]
    if (old.stream.dialect, old.stream.body) != (new.stream.dialect, new.stream.body):
        lines = text_diff(_text(old.stream.body), _text(new.stream.body))
        found.append(Difference("the agent's own answer changed", None, None, tuple(lines)))
    return found


def _parts(old: Interaction, new: Interaction, reader: Reader) -> tuple[list[str], list[str]]:
    """What changed of a pair, by name, and the lines that show it."""
    what: list[str] = []
    lines: list[str] = []
    for name, before, after in _named(old, new, reader):
        if before != after:
            what.append(name)
            lines += text_diff(before, after) if isinstance(before, str) else listed(list(changes(before, after)))
    return what, lines


def _named(old: Interaction, new: Interaction, reader: Reader) -> Iterator[tuple[str, Any, Any]]:
    yield "query", old.request.uri, new.request.uri
    before, after = Conversation.read(old.request.body), Conversation.read(new.request.body)
    if before is not None and after is not None:
        yield "system prompt", dict(before.prompt), dict(after.prompt)
        yield "tools", dict(before.tools), dict(after.tools)
        yield "parameters", dict(before.parameters), dict(after.parameters)
        yield "conversation", _turns(before), _turns(after)
    else:
        yield "request", *_documents(old.request.body, new.request.body)
    yield "status", {"status": old.response.status}, {"status": new.response.status}
    said = reader(old), reader(new)
    if None in said:
        said = _documents(_plain(old.response), _plain(new.response))
    yield "answer", *said


def _turns(talk: Conversation) -> dict[str, Any]:
    return {f"message {number}": message for number, (_, message) in enumerate(talk.messages, 1)}


def _documents(old: bytes, new: bytes) -> tuple[Any, Any]:
    """Both as JSON where both are; else as text."""
    try:
        before, after = load(old), load(new)
    except DuplicateKeyError:
        before = after = None
    return (before, after) if before is not None and after is not None else (_text(old), _text(new))


def _plain(response: Response) -> bytes:
    try:
        return decoded(response.headers, response.body, whole=False) or response.body
    except Undecodable:
        return response.body


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _route(interaction: Interaction) -> Route:
    return interaction.service, interaction.request.method, interaction.request.uri.partition("?")[0]


def _shown(interaction: Interaction) -> str:
    return f"{interaction.request.method} {interaction.request.uri.partition('?')[0]}"
