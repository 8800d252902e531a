"""The rules of an accepted outcome about which tools are called, applied to a path of tool names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tapegate.model.outcome import Outcome


class Breach(NamedTuple):
    """A rule that a tool path does not meet."""

    field: str
    """The field of the outcome that holds the rule."""
    below: tuple[str | int, ...]
    """Where in that field; `()` is the whole of it."""
    code: str
    message: str
    expected: str
    final: bool
    """Whether no longer path that starts like this one would meet the rule."""


def breaches(outcome: Outcome, path: Sequence[str]) -> Iterator[Breach]:
    """Every rule of `outcome` that the tool path does not meet."""
    path = tuple(path)
    yield from _whole(outcome, path)
    yield from _first(outcome, path)
    yield from _required(outcome, path)
    yield from _excluded(outcome, path)
    yield from _counts(outcome, path)


def _whole(outcome: Outcome, path: tuple[str, ...]) -> Iterator[Breach]:
    if outcome.tool_path_policy == "no_tools" and path:
        message = f"no tool may be called, but {path[0]!r} was"
        yield Breach("tool_path_policy", (), "tool_called", message, "no tool call", True)
    if outcome.any_allowed_path and path not in outcome.any_allowed_path:
        open_ = any(allowed[: len(path)] == path for allowed in outcome.any_allowed_path)
        expected = " or ".join(map(shown, outcome.any_allowed_path))
        message = f"the tool path {shown(path)} is none of the allowed ones"
        yield Breach("any_allowed_path", (), "path_not_allowed", message, expected, not open_)


def _first(outcome: Outcome, path: tuple[str, ...]) -> Iterator[Breach]:
    allowed = outcome.allowed_first_tools
    if not allowed or (path and path[0] in allowed):
        return
    expected = " or ".join(allowed)
    if not path:
        message = "no tool is called, but the first tool call is prescribed"
        yield Breach("allowed_first_tools", (), "no_tool_called", message, expected, False)
    else:
        message = f"the first tool called is {path[0]!r}"
        yield Breach("allowed_first_tools", (), "first_tool_not_allowed", message, expected, True)


def _required(outcome: Outcome, path: tuple[str, ...]) -> Iterator[Breach]:
    for index, tool in enumerate(outcome.required_tools):
        if tool not in path:
            message = f"required tool {tool!r} is never called"
            yield Breach("required_tools", (index,), "required_tool_missing", message, f"a call of {tool}", False)
    if outcome.tool_path_policy == "fixed_order":
        # Judged on the first call of each: a tool called too early is not mended by calling it again.
        called = [tool for tool in dict.fromkeys(path) if tool in outcome.required_tools]
        if called != list(outcome.required_tools[: len(called)]):
            message = f"the required tools are first called in the order {shown(called)}"
            yield Breach("required_tools", (), "order_broken", message, shown(outcome.required_tools), True)


def _excluded(outcome: Outcome, path: tuple[str, ...]) -> Iterator[Breach]:
    for tool in dict.fromkeys(path) if outcome.allowed_tools else ():
        if tool not in outcome.allowed_tools:
            message = f"tool {tool!r} is called and is not among the allowed ones"
            yield Breach("allowed_tools", (), "tool_not_allowed", message, ", ".join(outcome.allowed_tools), True)
    for index, tool in enumerate(outcome.forbidden_tools):
        if tool in path:
            message = f"forbidden tool {tool!r} is called"
            yield Breach("forbidden_tools", (index,), "forbidden_tool_called", message, f"no call of {tool}", True)


def _counts(outcome: Outcome, path: tuple[str, ...]) -> Iterator[Breach]:
    for tool, bounds in outcome.tool_counts.items():
        count = path.count(tool)
        if count < bounds.min:
            message = f"tool {tool!r} is called {times(count)}, at least {times(bounds.min)} expected"
            yield Breach("tool_counts", (tool,), "too_few_calls", message, f"at least {bounds.min} of {tool}", False)
        if bounds.max is not None and count > bounds.max:
            message = f"tool {tool!r} is called {times(count)}, at most {times(bounds.max)} allowed"
            yield Breach("tool_counts", (tool,), "too_many_calls", message, f"at most {bounds.max} of {tool}", True)


def unreachable(outcome: Outcome) -> str | None:
    """Why no tool path at all meets the outcome, or None where one does.

    Where whole paths are listed, each is tried. Elsewhere the shortest candidates are: every path that meets the
    outcome holds one of its first tools, all its required ones and the minimum of each count, so that a rule which
    the shortest such path breaks for good, every longer one breaks too.
    """
    for bounds in outcome.tool_counts.values():
        if bounds.max is not None and bounds.min > bounds.max:
            return f"a tool may not be called at least {times(bounds.min)} and at most {times(bounds.max)}"
    reasons = []
    for path in outcome.any_allowed_path or _shortest(outcome):
        reason = next((breach.message for breach in breaches(outcome, path)), None)
        if reason is None:
            return None
        reasons.append(f"{shown(path)}: {reason}")
    return "; ".join(reasons)


def dead_paths(outcome: Outcome) -> Iterator[tuple[int, str]]:
    """The allowed paths that break another rule of the same outcome, each with the rule."""
    for index, path in enumerate(outcome.any_allowed_path):
        reason = next((breach.message for breach in breaches(outcome, path)), None)
        if reason is not None:
            yield index, reason


def dead_first_tools(outcome: Outcome) -> Iterator[tuple[int, str]]:
    """The first tools that another rule of the same outcome excludes, each with that rule."""
    if not outcome.any_allowed_path:
        for index, path in enumerate(_shortest(outcome) if outcome.allowed_first_tools else ()):
            reason = next((breach.message for breach in breaches(outcome, path)), None)
            if reason is not None:
                yield index, reason
        return
    for index, tool in enumerate(outcome.allowed_first_tools):
        if not any(path[:1] == (tool,) for path in outcome.any_allowed_path):
            yield index, f"no allowed path starts with {tool!r}"


def _shortest(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    for first in outcome.allowed_first_tools or (None,):
        path = [first] if first is not None else []
        path += [tool for tool in outcome.required_tools if tool not in path]
        demanded = [tool for tool, given in outcome.tool_arguments.items() if any(one.calls != "all" for one in given)]
        path += [tool for tool in demanded if tool not in path]
        for group in outcome.parallel_tools:
            path += [tool for tool in dict.fromkeys(group) for _ in range(group.count(tool) - path.count(tool))]
        for tool, bounds in outcome.tool_counts.items():
            path += [tool] * (bounds.min - path.count(tool))
        yield tuple(path)


def shown(path: Sequence[str]) -> str:
    """`[search_local → read_paper]`."""
    return f"[{' → '.join(path)}]"


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
