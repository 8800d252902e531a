"""The standard's compliance checklist, answered from what lint found and from what is in the tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress

from tapegate.grade.audit.draw import PERCENT
from tapegate.model.outcome import Shape
from tapegate.model.task import Task
from tapegate.standard.answer import Answer
from tapegate.standard.change import Change
from tapegate.standard.checks.judge import judged
from tapegate.standard.finding import LintFinding
from tapegate.standard.ground import Ground

MOST = 10
"""Names that a fact lists."""


def answers(ground: Ground, findings: Sequence[LintFinding]) -> Iterator[Answer]:
    """The six answers for a project whose input could be read."""
    tasks = ground.survey.tasks
    yield _touches(ground.change, findings)
    yield _answer(
        2,
        "Are required invariants apart from quality scores?",
        _of(findings, "quality_apart", "hard_gates"),
        [
            f"{_tasks(task for task in tasks if task.expect.required_invariants)} required invariants, which gate",
            f"{_tasks(task for task in tasks if task.grading.quality.facts)} quality facts, which decide nothing",
        ],
    )
    yield _answer(
        3,
        "Do accepted outcomes leave several forms of a valid solution?",
        [*_of(findings, "exact_strings"), *_of_codes(findings, "fixed_sequence")],
        list(_forms(tasks)),
    )
    yield _answer(
        4,
        "Can PR and nightly be decided without a judge?",
        _of(findings, "contract"),
        [
            f"all {len(tasks)} tasks are judged by deterministic metrics ({_metrics(tasks)})",
            "no judge is called in a pull request or at night; judges belong to `tapegate audit`",
        ],
    )
    yield _answer(
        5,
        "Are judge checks capped, and do they block nothing?",
        _of(findings, "judge_gates", "judge_share"),
        [
            f"{_named(task.key for task in judged(ground))} may be judged, and a weekly run draws at most {PERCENT} %",
            "the exit code of `tapegate audit` never depends on a judge",
        ],
    )
    none = [task.key for task in tasks if not (task.expect.required_invariants or task.expect.forbidden_patterns)]
    yield _answer(
        6,
        "Are safety, privacy and protocol checks deterministic hard gates?",
        _of(findings, "judge_questions", "hard_gates", "mandatory"),
        [
            f"invariants and forbidden patterns gate {len(tasks) - len(none)} of {len(tasks)} tasks"
            + (f"; none are asked of {_named(none)}" if none else ""),
            *_set_aside(ground.change),
            "an attempt of the subject to reach the network fails every task, asked for or not",
        ],
    )


def _touches(change: Change | None, findings: Sequence[LintFinding]) -> Answer:
    question = "Does the change touch a path of the scope table?"
    wrong = _of(findings, "change_covered", "change_noted", "change_compatible", "change_removed", "scope_prompts")
    if change is None:
        return Answer(1, question, "not_asked", True, ("no base was named: `tapegate lint --against REV`",))
    facts = [*_path_facts(change), *(f"new in the scope table: {path_id}" for path_id in change.new_paths)]
    facts += [f"{place} of the config changed" for place in change.config]
    facts += _set_aside(change)
    touched = bool(facts or change.dropped_paths)
    facts = facts or [f"of {len(change.files)} changed files none belongs to a path"]
    return Answer(1, question, "yes" if touched else "no", not wrong, (*wrong, *facts))


def _set_aside(change: Change | None) -> list[str]:
    evals = change.evals if change is not None else ()
    return [f"{each.key} is quarantined {each.quarantined}" for each in evals if each.quarantined]


def _path_facts(change: Change) -> Iterator[str]:
    for path in change.paths:
        answered = [
            f"{len(keys)} {noun if len(keys) == 1 else f'{noun}s'} ({_named(keys)})"
            for noun, keys in (("eval", path.evals), ("recording", path.recordings))
            if keys
        ]
        said = " and ".join(answered) + " changed with it" if answered else "no eval and no recording changed with it"
        why = f"; {path.reason}" if path.reason and not answered else ""
        yield f"{path.path_id}: {_named(path.files)} changed; {said}{why}"


def _forms(tasks: Sequence[Task]) -> Iterator[str]:
    several = [task for task in tasks if len(task.expect.accepted_outcomes) > 1]
    yield f"{_tasks(several)} several accepted outcomes, any of which may hold"
    single = [task for task in tasks if len(task.expect.accepted_outcomes) == 1]
    inside = [any(map(_alternatives, task.expect.accepted_outcomes[0].shapes)) for task in single]
    chosen = list(compress(single, inside))
    yield f"{_tasks(chosen)} one outcome with alternatives inside it: tool paths, first tools, wordings, bands"
    plain = [task.key for task, alternatives in zip(single, inside, strict=True) if not alternatives]
    if plain:
        yield f"one outcome without any in {_named(plain)}: whether a valid solution is missing, a reviewer knows"
    fixed = [
        f"{task.key} ({shape.order_critical})"
        for task in tasks
        for outcome in task.expect.accepted_outcomes
        for shape in outcome.shapes
        if shape.tool_path_policy == "fixed_order"
    ]
    if fixed:
        yield f"an order of tools is fixed, with its reason, in {_named(fixed)}"


def _alternatives(shape: Shape) -> bool:
    lists = (shape.any_allowed_path, shape.allowed_first_tools, shape.allowed_tools)
    return any(len(choices) > 1 for choices in lists) or bool(shape.required_slots or shape.tolerances)


def _answer(number: int, question: str, wrong: Sequence[str], facts: Iterable[str]) -> Answer:
    return Answer(number, question, "no" if wrong else "yes", not wrong, (*wrong, *facts))


def _of(findings: Iterable[LintFinding], *checks: str) -> list[str]:
    return [f"{found.id}: {found.message}" for found in findings if found.check in checks]


def _of_codes(findings: Iterable[LintFinding], *codes: str) -> list[str]:
    return [f"{found.id}: {found.message}" for found in findings if found.id in codes]


def _tasks(tasks: Iterable[Task]) -> str:
    count = len(list(tasks))
    return f"{count} task has" if count == 1 else f"{count} tasks have"


def _metrics(tasks: Iterable[Task]) -> str:
    counted = Counter(metric for task in tasks for metric in task.grading.deterministic_metrics)
    return ", ".join(f"{metric} in {count}" for metric, count in sorted(counted.items()))


def _named(names: Iterable[str]) -> str:
    every: Collection[str] = sorted(names)
    more = f" and {len(every) - MOST} more" if len(every) > MOST else ""
    return ", ".join(list(every)[:MOST]) + more if every else "none"
