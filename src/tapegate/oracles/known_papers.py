"""The papers that a trace shows to exist: those whose ids a tool returned."""

from __future__ import annotations

import json
import re

from tapegate.model.trace import Json, ToolResult, Trace

_KEYS = frozenset({"id", "ids", "paper", "papers", "paper_id", "paper_ids", "paperid", "paperids"})
"""Keys, in lower case, whose values are ids."""
_IN_TEXT = re.compile(
    r"/paper/([A-Za-z0-9][A-Za-z0-9._:-]*)"
    r"|(?i:\b(?:paper[ _-]?)?id[\"']?\s*[:=]\s*[\"']?)([A-Za-z0-9][A-Za-z0-9._:-]*)"
)


def known_papers(trace: Trace) -> frozenset[str]:
    """Ids that successful tool results hold: as the value of an id key, or as `/paper/{id}` or `id: …` in a text.

    What a tool told in a turn before is known in this one.
    """
    ids: set[str] = set()
    for event in (*trace.before, *trace.events):
        if isinstance(event, ToolResult) and event.ok:
            _collect(event.content, ids)
    return frozenset(ids)


def _collect(content: Json, ids: set[str]) -> None:
    open_: list[tuple[Json, bool]] = [(content, False)]  # a stack, not recursion: a result may be nested at will
    while open_:
        value, is_id = open_.pop()
        if isinstance(value, dict):
            open_.extend((below, str(key).lower() in _KEYS) for key, below in value.items())
        elif isinstance(value, list | tuple):
            open_.extend((below, is_id) for below in value)
        elif isinstance(value, str):
            if is_id:
                ids.add(value)
            parsed = _parsed(value)
            if parsed is not None:
                open_.append((parsed, False))
            else:
                ids.update(found.rstrip(".:-") for pair in _IN_TEXT.findall(value) for found in pair if found)
        elif is_id and type(value) is int:
            ids.add(str(value))


def _parsed(text: str) -> Json | None:
    """The JSON object or list that a tool returned as text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
