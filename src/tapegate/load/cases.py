"""A task with cases as the tasks that they are, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.load.document import Document
from tapegate.model.case import Case
from tapegate.model.problem import Problem
from tapegate.model.source import Path, Source
from tapegate.model.task import Task

_SHARED = frozenset({"replies", "chunking"})
"""Parts of the setup that a recording does not depend on."""


def expanded(task: Task) -> tuple[Task, ...]:
    """The task's cases in their order, each a task of its own; the task itself where it has none."""
    if not task.cases:
        return (task,)
    return tuple(_expanded(task, number, case) for number, case in enumerate(task.cases, 1))


def _expanded(task: Task, number: int, case: Case) -> Task:
    changed: dict[str, object] = {"cases": ()}
    places: dict[Path, Path] = {}
    here: Path = ("cases", number - 1)
    if case.input is not None:
        changed["input"] = case.input
        places["input",] = (*here, "input")
    for part, value in (("setup", case.setup), ("expect", case.expect)):
        if value is not None:
            fields = {name: getattr(value, name) for name in value.model_fields_set}
            given = {name: field for name, field in fields.items() if part == "setup" or field is not None}
            changed[part] = getattr(task, part).model_copy(update=given)
            places |= {(part, name): (*here, part, name) for name in given}
    touched = case.setup.model_fields_set if case.setup is not None else frozenset()
    shares = case.input is None and touched <= _SHARED
    made = task.model_copy(update=changed).as_case(number, shares=shares)
    return made.at(_source(task.source, places, here))


def _source(source: Source, places: dict[Path, Path], here: Path) -> Source:
    """Where the parts of a case stand: those that it changes in the case, all others in the task."""
    lines = {path: line for path, line in source.lines.items() if not any(path[: len(to)] == to for to in places)}
    for to, at in places.items():
        for path, line in source.lines.items():
            if path[: len(at)] == at:
                lines[(*to, *path[len(at) :])] = line
    lines[()] = source.lines.get(here, source.lines.get((), 1))
    return Source(source.file, lines)


def case_problems(document: Document) -> Iterator[Problem]:
    """A case that is named twice or says twice the same, and replies that say nothing or two things."""
    seen: list[tuple[object, object]] = []
    for path, case in document.each("cases", "*"):
        if not isinstance(case, dict):
            continue
        name, rest = case.get("name"), {key: value for key, value in case.items() if key != "name"}
        for other_name, other in seen:
            if name == other_name or rest == other:
                said = f"is named {name!r}, as an earlier one is" if name == other_name else "is an earlier one again"
                message = f"case {int(path[-1]) + 1} {said}"
                yield document.problem("duplicate_case", message, document.place(path), "change or remove it")
                break
        seen.append((name, rest))
    for path, reply in (*document.each("setup", "replies", "*"), *document.each("cases", "*", "setup", "replies", "*")):
        if isinstance(reply, dict) and (reply.get("content") is None) is (reply.get("body") is None):
            message = "a reply has either 'content', the model's text, or 'body', the whole response"
            yield document.problem("bad_reply", message, document.place(path), "write one of them")
