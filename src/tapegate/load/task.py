"""A task file as a `Task`."""

from __future__ import annotations

from tapegate.load import portable
from tapegate.load.cases import case_problems
from tapegate.load.describe import dotted
from tapegate.load.document import Document
from tapegate.load.modes import mode_problems
from tapegate.load.shape import is_name, shaped
from tapegate.load.suggest import did_you_mean
from tapegate.model.problem import Problem
from tapegate.model.task import Task

SETUPS: tuple[tuple[str, ...], ...] = (("setup",), ("cases", "*", "setup"))
"""Where a task file sets something up."""
_SHELVED = (("db_snapshot",), ("fixtures", "*"), ("stream",))
_FILES = (("id",), ("suite",), ("path_id",), *((*setup, *name) for setup in SETUPS for name in _SHELVED))
"""Names that become part of a file's name."""


def read_task(document: Document) -> tuple[Task | None, list[Problem]]:
    """The task that a document holds, and all that is wrong with it alone; with a problem there is no task."""
    task, problems = shaped(Task, document)
    problems = [_vacuous(problem, document) for problem in problems]
    problems += [*_names(document), *_orders(document), *_judges(document), *mode_problems(document)]
    problems += case_problems(document)
    return (None if task is None or problems else task.at(document.source)), problems


def _vacuous(problem: Problem, document: Document) -> Problem:
    """A task without oracles is told by its own code: it would judge nothing, and pass."""
    place = document.place(("grading", "deterministic_metrics"))
    if problem.code != "too_few" or problem.place()[1:] != place:
        return problem
    return document.problem(
        "vacuous_suite",
        "'grading.deterministic_metrics' is empty: the task would judge nothing",
        place,
        "name every metric that an expectation of the task belongs to",
    )


def _names(document: Document) -> list[Problem]:
    """The model checks the characters of a name; whether it means one file on every system is checked here."""
    problems = []
    for pattern in _FILES:
        for path, name in document.each(*pattern):
            fault = portable.fault(name) if is_name(name) else None
            if fault is not None:
                code, why = fault
                message = f"{dotted(path)} is {name!r}, which {why}"
                problems.append(document.problem(code, message, document.place(path), f"use {portable.RULE}"))
    return problems


def _judges(document: Document) -> list[Problem]:
    """A judge has its terms, and the terms their judge; its fallback is a metric that judges the task."""
    judge = document.text("grading", "runtime_llm_judge")
    terms = list(document.each("grading", "judge"))
    problems = []
    if judge == "audit" and all(value is None for _, value in terms):
        problems.append(
            document.problem(
                "judge_not_justified",
                "the weekly audit may ask a model about this task, and nothing says why",
                document.place(("grading", "runtime_llm_judge")),
                "add grading.judge: {reason, justification, fallback}, or set runtime_llm_judge: off",
            )
        )
    if judge != "audit" and any(value is not None for _, value in terms):
        problems.append(
            document.problem(
                "judge_not_used",
                "'grading.judge' gives the terms of a judge, and runtime_llm_judge is not 'audit'",
                document.key_place(("grading", "judge")),
                "remove it, or set runtime_llm_judge: audit",
            )
        )
    declared = [name for _, name in document.each("grading", "deterministic_metrics", "*") if isinstance(name, str)]
    for path, fallback in document.each("grading", "judge", "fallback"):
        if isinstance(fallback, str) and fallback not in declared:
            problems.append(
                document.problem(
                    "unknown_fallback",
                    f"{dotted(path)} names {fallback!r}, which is none of the task's deterministic metrics",
                    document.place(path),
                    did_you_mean(fallback, declared),
                )
            )
    for path, fact in document.each("grading", "quality", "facts", "*"):
        if isinstance(fact, dict) and not fact.get("any_of") and not fact.get("all"):
            problems.append(
                document.problem(
                    "vacuous_fact",
                    f"{dotted(path)} has neither any_of nor all, so that every answer states it",
                    document.place(path),
                    "add the wordings of the fact",
                )
            )
    return problems


def _orders(document: Document) -> list[Problem]:
    """A fixed order of tools has its reason, and the reason its order."""
    problems = []
    for path, outcome in document.each("expect", "accepted_outcomes", "*"):
        if not isinstance(outcome, dict):
            continue
        fixed = outcome.get("tool_path_policy") == "fixed_order"
        reason = outcome.get("order_critical")
        if fixed and reason is None:
            problems.append(
                document.problem(
                    "order_not_justified",
                    f"{dotted(path)} fixes the order of tools and does not say why it is critical to correctness",
                    document.place((*path, "tool_path_policy")),
                    "add order_critical: with the reason, or use tool_path_policy: any_allowed_path",
                )
            )
        if not fixed and reason is not None:
            problems.append(
                document.problem(
                    "order_not_fixed",
                    f"{dotted((*path, 'order_critical'))} gives a reason for an order that the outcome does not fix",
                    document.key_place((*path, "order_critical")),
                    "remove it, or set tool_path_policy: fixed_order",
                )
            )
    return problems
