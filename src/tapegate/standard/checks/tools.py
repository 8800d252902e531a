"""Tools are called in tasks as they are called: a misspelt name forbids nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from tapegate.model.outcome import Shape
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

_CLOSE = 0.85  # `web_serach` is, `search_web` and `read_papers_of` are not

_MOST = 100_000
"""Pairs of names that are compared, in less than a second; where there are more, a program makes up tools."""


def _misspelt(ground: Ground) -> Iterator[Problem]:
    """A tool that an outcome forbids, allows or bounds need not be called for the outcome to hold, so that no run shows
    a slip in its name. Such a name that no task demands, and that is nearly one that tasks do demand or name more
    often, is told. Names that are demanded are no slip where the recordings hold. Of hundreds of tools none is looked
    at."""
    demanded: set[str] = set()
    mentioned: dict[str, dict[str, tuple[Task, Path]]] = defaultdict(dict)
    for task in ground.survey.tasks:
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            for place, shape in enumerate(outcome.shapes):
                path: Path = ("expect", "accepted_outcomes", index, *(("turns", place - 1) if place else ()))
                demanded.update(_demanded(shape))
                for tool, below in _mentioned(shape).items():
                    mentioned[tool].setdefault(task.key, (task, (*path, *below)))
    often = {tool: len(where) for tool, where in mentioned.items()}
    if len(often.keys() - demanded) * len(often.keys() | demanded) > _MOST:
        return
    for tool, where in mentioned.items():
        if tool in demanded:
            continue
        others = demanded | {other for other, count in often.items() if count > len(where)}
        near = get_close_matches(tool, sorted(others - {tool}), n=1, cutoff=_CLOSE)
        if near:
            task, path = next(iter(where.values()))
            yield Problem(
                "misspelt_tool",
                f"{task.key} names the tool {tool!r}, which no task demands, and which is nearly {near[0]!r}",
                task.source.file,
                task.source.line(*path),
                fix=f"write {near[0]!r}; where there are two such tools, leave it",
            )


def _demanded(shape: Shape) -> Iterator[str]:
    """Tools that are called where the shape holds."""
    yield from shape.required_tools
    yield from shape.allowed_first_tools
    yield from (tool for path in shape.any_allowed_path for tool in path)
    yield from (tool for group in shape.parallel_tools for tool in group)
    yield from (tool for tool, bounds in shape.tool_counts.items() if bounds.min)
    yield from (tool for tool, given in shape.tool_arguments.items() if any(one.calls != "all" for one in given))


def _mentioned(shape: Shape) -> Mapping[str, Path]:
    """Tools that need not be called for the shape to hold, each with its place in it."""
    found: dict[str, Path] = {tool: ("tool_arguments", tool) for tool in shape.tool_arguments}
    found |= {tool: ("tool_counts", tool) for tool, bounds in shape.tool_counts.items() if not bounds.min}
    for field in ("allowed_tools", "forbidden_tools"):
        found |= {tool: (field, place) for place, tool in enumerate(getattr(shape, field))}
    return found


CHECKS = (
    Check(
        "tool_names",
        "No tool is nearly called as another one is.",
        "note",
        _misspelt,
        {"misspelt_tool": "A tool that nothing demands is nearly called as one that is."},
    ),
)
