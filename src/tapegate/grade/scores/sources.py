"""What the agent read: the text that a trace holds about each paper and each page."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from tapegate.model.trace import Json, ToolResult, Trace
from tapegate.oracles.links import Link, bare, links

_IDS = frozenset({"id", "paper", "paper_id", "paperid"})
_ADDRESSES = frozenset({"url", "uri", "link", "href", "address"})
"""Keys, in lower case, that say what an object is about."""
_ID_IN_TEXT = re.compile(r"(?i:\b(?:paper[ _-]?)?id[\"']?\s*[:=]\s*[\"']?)([A-Za-z0-9][A-Za-z0-9._:-]*)")


class Sources:
    """The tool results of a trial, by what they are about.

    What was read about a paper is every text in an object that holds its id under an id key, and every text of a result
    that is no JSON and names it; about a page likewise, by its address. Results are the successful ones in the agent's
    stream, and those that the played requests gave to the model: the agent may show its user less than it reads. Beside
    them stands what requests told the model as a user does: a document to sum up, passages to answer from. What the
    user of the agent wrote (`question`) is no source.
    """

    def __init__(self, trace: Trace, question: str = "") -> None:
        self._about: dict[str, list[str]] = defaultdict(list)
        texts: list[str] = []
        for result in [*_results(trace), *(text for text in trace.prompted if text.strip() not in question)]:
            texts.append("\n".join(_scalars(result)))
            self._enter(result)
        self.any = bool(texts)
        """Whether the trace holds any result at all."""
        self.everything = "\n".join(texts)
        """All that was read, in one piece."""

    def about(self, link: Link) -> str | None:
        """All that was read about what a link leads to; None where nothing was."""
        found = self._about.get(link.address)
        return "\n".join(found) if found else None

    def _enter(self, result: Json) -> None:
        if isinstance(result, str):
            addresses = [link.address for link in links(result) if link.kind in ("local", "web")]
            addresses += [f"/paper/{found.rstrip('.:-')}" for found in _ID_IN_TEXT.findall(result)]
            for address in dict.fromkeys(addresses):
                self._about[address].append(result)
            return
        open_ = [result]  # a stack, not recursion: a result may be nested at will
        while open_:
            value = open_.pop()
            if isinstance(value, dict):
                for address in _subjects(value):
                    self._about[address] += _scalars(value)
                open_.extend(value.values())
            elif isinstance(value, list | tuple):
                open_.extend(value)
            elif isinstance(value, str) and (parsed := _parsed(value)) is not None:
                open_.append(parsed)


def _results(trace: Trace) -> Iterator[Json]:
    """What tools returned, JSON in a text undone."""
    shown = [event.content for event in trace.events if isinstance(event, ToolResult) and event.ok]
    for result in (*shown, *trace.given):
        parsed = _parsed(result) if isinstance(result, str) else None
        yield result if parsed is None else parsed


def _subjects(value: dict[str, Json]) -> Iterator[str]:
    """The addresses, as links name them, of what an object is about."""
    for key, named in value.items():
        name = str(key).lower()
        if name in _IDS and type(named) in (str, int):
            yield f"/paper/{named}"
        elif name in _ADDRESSES and isinstance(named, str):
            yield from (link.address for link in bare(named) if link.kind in ("local", "web"))


def _scalars(value: Json) -> list[str]:
    """Every text and number in a value, in order, JSON in a text undone."""
    found: list[str] = []
    open_ = [value]
    while open_:
        one = open_.pop()
        if isinstance(one, dict):
            open_.extend(reversed(one.values()))
        elif isinstance(one, list | tuple):
            open_.extend(reversed(one))
        elif isinstance(one, str):
            parsed = _parsed(one)
            if parsed is None:
                found.append(one)
            else:
                open_.append(parsed)
        elif type(one) in (int, float):
            found.append(str(one))
    return found


def _parsed(text: str) -> Json | None:
    """The JSON object or list that a tool returned as text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
