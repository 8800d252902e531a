"""The pages of the web that a trace shows to exist: those whose addresses a tool returned."""

from __future__ import annotations

from tapegate.model.trace import ToolResult, Trace
from tapegate.oracles.echoes import texts_in
from tapegate.oracles.links import links


def known_pages(trace: Trace) -> frozenset[str]:
    """Addresses that successful tool results hold anywhere in a text, as `Link.address` tells them.

    What a tool told in a turn before is known in this one.
    """
    return frozenset(
        link.address
        for event in (*trace.before, *trace.events)
        if isinstance(event, ToolResult) and event.ok
        for text in texts_in(event.content)
        for link in links(text)
        if link.kind == "web"
    )
