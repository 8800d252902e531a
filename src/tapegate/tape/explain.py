"""Why no recording answers a request: the nearest one, what differs, and what that means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tapegate.model.trace import Miss
from tapegate.tape.canonical import canonical, load
from tapegate.tape.cassette import Interaction
from tapegate.tape.conversation import Conversation
from tapegate.tape.difference import Change, changes, listed
from tapegate.tape.lanes import lane_of
from tapegate.tape.secrets.shown import shown
from tapegate.tape.wire import Asked

_VOLATILE = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # uuid
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"  # timestamp
    r"|1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?"  # seconds or milliseconds since 1970
    r"|(?:[a-z]{2,12}[_-])?(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{16,64}"  # random id, with or without a prefix
)


class Explainer:
    """Explains misses against one cassette's interactions."""

    def __init__(self, interactions: Sequence[Interaction], paths: Sequence[str]) -> None:
        self._interactions = interactions
        self._paths = paths

    def explain(self, asked: Asked, taken: Sequence[bool]) -> Miss:
        """The miss of `asked`, where `taken` says which interactions were played already. It shows no key."""
        asked = shown(asked)
        what = f"{asked.method} {asked.path or '/'} of service {asked.service!r}"
        here = [n for n, it in enumerate(self._interactions) if it.service == asked.service]
        same_route = [n for n in here if self._route(n) == (asked.method, _bare(asked.path))]
        if not same_route:
            recorded = sorted({f"{self._interactions[n].request.method} {self._paths[n] or '/'}" for n in here})
            held = f"it holds only {', '.join(recorded[:5])}" if recorded else "it holds no request to that service"
            return self._miss(asked, "not_recorded", f"{what} was never recorded: {held}")

        nearest = max(same_route, key=lambda n: (self._likeness(asked, n), self._in_lane(asked, n), not taken[n], -n))
        interaction = self._interactions[nearest]
        place = f"recorded request {nearest + 1}"
        if asked.path == self._paths[nearest] and _same(asked.body, interaction.request.body):
            if not self._in_lane(asked, nearest):
                text = f"{what} was recorded in another session only: {place} has the same request"
                return self._miss(asked, "not_recorded", text, nearest)
            return self._miss(asked, "extra_call", f"{what} is an extra call: {place} was played already", nearest)

        lines: list[str] = []
        if asked.path != self._paths[nearest]:
            lines.append(f"path: recorded {self._paths[nearest]!r}, now {asked.path!r}")
        recorded_talk, talk = Conversation.read(interaction.request.body), Conversation.read(asked.body)
        if recorded_talk is not None and talk is not None:
            return self._explain_talk(asked, nearest, f"{what}: nearest is {place}", recorded_talk, talk)
        recorded_json, asked_json = load(interaction.request.body), load(asked.body)
        found: list[Change] = []
        if recorded_json is not None and asked_json is not None:
            found = list(changes(recorded_json, asked_json))
            lines += listed(found)
        elif asked.body != interaction.request.body:
            lines.append(f"body: recorded {len(interaction.request.body)} bytes, now {len(asked.body)} other bytes")
        if found and not taken[nearest] and all(map(_volatile, found)):
            return self._volatile(asked, nearest, f"{what}: nearest is {place}", found)
        kind = "extra_call" if all(taken[n] for n in same_route) else "parameters_changed"
        headline = "an extra call" if kind == "extra_call" else "the request changed"
        return self._miss(asked, kind, _text(f"{headline}: {what}; nearest is {place}", lines), nearest)

    def _explain_talk(self, asked: Asked, nearest: int, what: str, old: Conversation, new: Conversation) -> Miss:
        if old.prompt != new.prompt:
            found = list(changes(dict(old.prompt), dict(new.prompt)))
            text = _text(f"the system prompt changed ({what})", listed(found))
            return self._miss(asked, "prompt_changed", text, nearest)
        if old.tools != new.tools:
            found = list(changes(_by_name(old.tools), _by_name(new.tools)))
            return self._miss(asked, "tools_changed", _text(f"the tools changed ({what})", listed(found)), nearest)
        if old.parameters != new.parameters:
            found = list(changes(dict(old.parameters), dict(new.parameters)))
            if all(map(_volatile, found)):
                return self._volatile(asked, nearest, what, found)
            text = _text(f"the parameters changed ({what})", listed(found))
            return self._miss(asked, "parameters_changed", text, nearest)
        turn = old.common_turns(new)
        old_turns, new_turns = [m for _, m in old.messages[turn:]], [m for _, m in new.messages[turn:]]
        found = [
            Change((f"message {turn + 1 + int(change.path[0])}", *change.path[1:]), change.recorded, change.asked)
            for change in changes(old_turns, new_turns)
        ]
        if found and all(map(_volatile, found)):
            return self._volatile(asked, nearest, what, found)
        text = _text(f"the conversation diverged at turn {turn + 1} ({what})", listed(found, 4))
        return self._miss(asked, "diverged", text, nearest, turn + 1)

    def _volatile(self, asked: Asked, nearest: int, what: str, found: list[Change]) -> Miss:
        lines = [*listed(found), "if this field may change freely, declare it under `normalisers`"]
        return self._miss(asked, "volatile_field", _text(f"only a volatile field moved ({what})", lines), nearest)

    def _miss(
        self, asked: Asked, kind: Any, explanation: str, nearest: int | None = None, turn: int | None = None
    ) -> Miss:
        # A JSON escape may give half of a surrogate pair, which the UTF-8 of reports does not have.
        text = explanation.encode("utf-8", "backslashreplace").decode()
        return Miss(asked.service, asked.method, asked.path, kind, text, turn=turn, nearest=nearest)

    def _route(self, number: int) -> tuple[str, str]:
        return self._interactions[number].request.method, _bare(self._paths[number])

    def _in_lane(self, asked: Asked, number: int) -> bool:
        """Whether an interaction was recorded in the session that asks, where sessions are told apart."""
        return not asked.lane or lane_of(self._interactions[number]) == asked.lane

    def _likeness(self, asked: Asked, number: int) -> tuple[int, ...]:
        """How alike a request and a recorded one are: same prompt, tools, parameters, then shared turns."""
        request = self._interactions[number].request
        same_path = int(asked.path == self._paths[number])
        old, new = Conversation.read(request.body), Conversation.read(asked.body)
        if old is not None and new is not None:
            shared = old.common_turns(new)
            apart = abs(len(old.messages) - len(new.messages))
            return (same_path, shared, -apart, old.prompt == new.prompt, old.tools == new.tools)
        old_json, new_json = load(request.body), load(asked.body)
        if old_json is not None and new_json is not None:
            return (same_path, -sum(1 for _ in changes(old_json, new_json)))
        return (same_path, int(request.body == asked.body))


def _bare(path: str) -> str:
    return path.split("?", 1)[0]


def _same(mine: bytes, theirs: bytes) -> bool:
    if mine == theirs:
        return True
    left, right = load(mine), load(theirs)
    return left == right if left is not None else canonical(mine) == canonical(theirs)


def _volatile(change: Change) -> bool:
    """Whether both values look like an id or a time, as nothing that a person writes does."""
    return all(_VOLATILE.fullmatch(str(value)) for value in (change.recorded, change.asked))


def _by_name(tools: Any) -> dict[str, Any]:
    """Tool definitions by their names, so that an inserted tool reads as one."""
    named: dict[str, Any] = {}
    for key, value in tools.items():
        if not isinstance(value, list):
            named[key] = value
            continue
        for number, tool in enumerate(value):
            function = tool.get("function", tool) if isinstance(tool, dict) else {}
            name = function.get("name") if isinstance(function, dict) else None
            named[f"tool {name!r}" if name else f"{key}[{number}]"] = tool
    return named


def _text(headline: str, lines: list[str]) -> str:
    return "\n".join([headline, *(f"  {line}" for line in lines)])
