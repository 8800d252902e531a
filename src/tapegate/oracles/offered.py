"""Calls of tools held against the schemas that models were offered."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.errors import NotJudged
from tapegate.model.finding import Unmet
from tapegate.model.source import Path
from tapegate.model.trace import Json, Trace
from tapegate.oracles import json_schema
from tapegate.oracles.expectation import shown


def invalid_calls(trace: Trace, path: Path) -> Iterator[Unmet]:
    """Every call whose arguments no offer of its tool admits, and every tool that was never offered."""
    if trace.offers is None:
        raise NotJudged.of(
            "no_evidence", "the trace holds no tools that were offered, though the task says that calls must fit them"
        )
    offered: dict[str, list[Json]] = {}
    for offer in trace.offers:
        for name, schema in offer.tools.items():
            if schema not in offered.setdefault(name, []):
                offered[name].append(schema)
    told: set[str] = set()
    for call in trace.tool_calls:
        if call.name not in offered:
            if call.name not in told:
                told.add(call.name)
                message = f"tool {call.name!r} is called, and no recorded request offers it"
                known = ", ".join(sorted(offered)) or "a tool that a model was offered; none was"
                yield Unmet("tool_not_offered", message, path, known, call.name, final=False)
            continue
        try:
            wrong = [json_schema.broken(schema, dict(call.arguments)) for schema in offered[call.name]]
        except json_schema.Unusable as error:
            message = f"tool {call.name!r} is offered with a schema that nothing can be held against ({error})"
            yield Unmet("tool_schema_unusable", message, path, "a JSON Schema", shown(offered[call.name][0]))
            continue
        if all(one is not None for one in wrong) and wrong[0] is not None:
            expected, got = wrong[0]
            message = f"tool {call.name!r} is called with arguments that do not meet its schema"
            yield Unmet("arguments_invalid", message, path, expected, f"{got} in {shown(dict(call.arguments))}")
