"""The rules of an accepted outcome about single calls: what they are given, and which go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tapegate.model.outcome import Shape, ToolArguments
from tapegate.model.source import Path
from tapegate.model.trace import Event, ToolCall, ToolResult, Turn
from tapegate.oracles.excerpt import visible
from tapegate.oracles.expectation import Mismatch, dotted, mismatch, shown
from tapegate.oracles.expectation_flaws import flaws
from tapegate.oracles.slot import Flaw
from tapegate.oracles.tool_path import Breach
from tapegate.oracles.tool_path import shown as path_shown


def steps(events: Iterable[Event | Turn]) -> list[tuple[str, ...]]:
    """The tools called, step by step: calls belong to one step when no result and no turn stands between them."""
    found: list[list[str]] = [[]]
    for event in events:
        if isinstance(event, ToolCall):
            found[-1].append(event.name)
        elif isinstance(event, ToolResult | Turn) and found[-1]:
            found.append([])
    return [tuple(step) for step in found if step]


def call_breaches(shape: Shape, events: Sequence[Event | Turn]) -> Iterator[tuple[Breach, str]]:
    """Every rule about single calls that is not met, each with what was called instead."""
    yield from _arguments(shape, [event for event in events if isinstance(event, ToolCall)])
    called = steps(events)
    got = " then ".join(path_shown(step) for step in called) or "no call"
    for index, group in enumerate(shape.parallel_tools):
        if not any(Counter(group) <= Counter(step) for step in called):
            message = f"{path_shown(group)} are not called in one step"
            yield Breach("parallel_tools", (index,), "not_parallel", message, "one step with all of them", False), got
    widest = max(map(len, called), default=0)
    if shape.parallel_max is not None and widest > shape.parallel_max:
        message = f"{widest} tools are called in one step"
        yield Breach("parallel_max", (), "too_parallel", message, f"at most {shape.parallel_max}", True), got


def _arguments(shape: Shape, calls: Sequence[ToolCall]) -> Iterator[tuple[Breach, str]]:
    for tool, entries in shape.tool_arguments.items():
        given = [call for call in calls if call.name == tool]
        for place, entry in enumerate(entries):
            below = (tool, place)
            if not given and entry.calls != "all":
                message = f"tool {tool!r} is never called, so nothing was given to it"
                yield (
                    Breach("tool_arguments", below, "no_call_to_match", message, f"a call of {tool}", False),
                    "no call",
                )
                continue
            wrong = [(call, found) for call in _looked_at(given, entry) if (found := _wrong(entry, call)) is not None]
            if wrong and (entry.calls != "any" or len(wrong) == len(given)):
                call, found = min(wrong, key=lambda pair: -len(pair[1].path))
                which = {"any": "no call", "all": "not every call", "first": "the first call", "last": "the last call"}
                said = f"{which[entry.calls]} of {tool!r} is given what is expected"
                if entry.calls in ("first", "last"):
                    said = f"{which[entry.calls]} of {tool!r} is not given what is expected"
                where = f" at {visible(dotted(found.path))!r}" if found.path else ""
                final = entry.calls in ("all", "first")
                breach = Breach("tool_arguments", below, "arguments_differ", f"{said}{where}", found.expected, final)
                yield breach, f"{found.got} in {shown(dict(call.arguments))}"


def _looked_at(given: Sequence[ToolCall], entry: ToolArguments) -> Sequence[ToolCall]:
    return {"first": given[:1], "last": given[-1:]}.get(entry.calls, given)


def _wrong(entry: ToolArguments, call: ToolCall) -> Mismatch | None:
    given = {name: value for name, value in call.arguments.items() if name not in entry.ignore}
    return mismatch(entry.arguments, given, exact=entry.match == "exact")


def call_flaws(shape: Shape) -> Iterator[Flaw]:
    """What is wrong with these rules at load; the path is from the outcome downwards."""
    for tool, entries in shape.tool_arguments.items():
        if not entries:
            yield Flaw("vacuous_slot", f"nothing is demanded of what {tool!r} is given", ("tool_arguments", tool))
        for place, entry in enumerate(entries):
            path: Path = ("tool_arguments", tool, place)
            yield from (flaw.below(*path, "arguments") for flaw in flaws(entry.arguments))
            if not entry.arguments and entry.match == "subset":
                yield Flaw("vacuous_slot", f"nothing is demanded of what {tool!r} is given", path)
            if entry.ignore and entry.match == "subset":
                message = "'ignore' does nothing here: under match 'subset' other arguments may be anything"
                yield Flaw("vacuous_slot", message, (*path, "ignore"))
            for name in entry.ignore:
                if name in entry.arguments:
                    message = f"{name!r} is expected and ignored"
                    yield Flaw("unreachable_outcome", message, (*path, "ignore"))
    for index, group in enumerate(shape.parallel_tools):
        if len(group) < 2:
            message = "one tool is in one step by itself: a group takes two or more"
            yield Flaw("vacuous_slot", message, ("parallel_tools", index))
        if shape.parallel_max is not None and len(group) > shape.parallel_max:
            message = f"{len(group)} tools cannot be called in one step of at most {shape.parallel_max}"
            yield Flaw("unreachable_outcome", message, ("parallel_tools", index))
    if shape.parallel_max == 0:
        message = "no step has no call: say tool_path_policy: no_tools where none may be called"
        yield Flaw("unreachable_outcome", message, ("parallel_max",))
