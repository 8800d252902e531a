"""Runtime judges: only for the two allowed reasons, only beside a deterministic check, never a gate."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.errors import BadInput
from tapegate.grade.audit import record as records
from tapegate.grade.audit.draw import PERCENT, cap
from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.inventory import HARD

SETTLED = frozenset(
    {
        "tool_trace",
        "db_state",
        "output_hygiene",
        "content_filter_contract",
        "orchestration_contract",
        "latency_cost",
        "differential_ab",
    }
)
"""Metrics of safety, privacy, protocol, tools and database, of time, cost and differences: what they answer is no
question for a judge, and says nothing of what a judge is for."""


def judged(ground: Ground) -> list[Task]:
    """The tasks that the weekly audit may have judged."""
    return [task for task in ground.survey.tasks if task.grading.runtime_llm_judge == "audit"]


def _blocking(ground: Ground) -> Iterator[Problem]:
    """A task that a judge may score says `blocking: false`. A mandatory eval must block, and so has no judge: what a
    judge shall look at there is an eval of its own."""
    for task in judged(ground):
        if task.blocking:
            yield _at(
                task,
                "judge_blocking",
                f"{task.key} may be judged by a model, and its failure would fail the gate",
                "runtime_llm_judge",
                fix="write `blocking: false`; where the eval is mandatory, give the judge an eval of its own",
            )


def _questions(ground: Ground) -> Iterator[Problem]:
    """A question is settled without a judge where its fallback is a metric of tools, database, hygiene, content
    filter, orchestration, cost or differences, where the task has no other metric than those, and where the standard's
    inventory lists the eval under safety, privacy or protocol."""
    for task in judged(ground):
        terms = task.grading.judge
        if task.id in HARD:
            why = f"{task.id} is an eval of safety, privacy or protocol"
        elif terms is not None and terms.fallback in SETTLED:
            why = f"its fallback {terms.fallback} settles it"
        elif set(task.grading.deterministic_metrics) <= SETTLED:
            why = f"{', '.join(task.grading.deterministic_metrics)} settle it"
        else:
            continue
        yield _at(
            task,
            "judge_question",
            f"{task.key} may be judged by a model, and {why}",
            "runtime_llm_judge",
            fix="write `runtime_llm_judge: off`; a judge is for open-ended answers",
        )


def _weeks(ground: Ground) -> Iterator[Problem]:
    """Every recorded audit (`cassettes/audit-<week>/audit.json`) is held against its draw: no more than 15 in 100 tasks
    of that run were judged, and only such as were drawn."""
    for week in records.weeks(ground.survey.project):
        try:
            records.read(ground.survey.project, week)
        except BadInput as error:
            yield from error.problems


def _drawn(ground: Ground) -> Iterator[Problem]:
    """Where more tasks allow a judge than a weekly run may have judged, each week draws others of them; a run of fewer
    than seven tasks draws none."""
    asked, all_ = judged(ground), len(ground.survey.tasks)
    most = cap(all_)
    if len(asked) > most:
        yield _at(
            asked[most],
            "judge_candidates",
            f"{len(asked)} of {all_} tasks may be judged by a model, and a weekly run judges at most {PERCENT} %:"
            f" each week draws {most or 'none'} of them",
            "runtime_llm_judge",
            fix=f"where each of them shall be judged every week, leave `runtime_llm_judge: audit` to {most or 'none'}",
        )


def _at(task: Task, code: str, message: str, *path: str, fix: str) -> Problem:
    source = task.source
    return Problem(code, message, source.file, source.line("grading", *path), fix=fix)


CHECKS = (
    Check(
        "judge_gates",
        "No judge can fail a gate.",
        "finding",
        _blocking,
        {"judge_blocking": "A task that a judge may score is blocking."},
    ),
    Check(
        "judge_questions",
        "No judge is asked what a deterministic check answers.",
        "finding",
        _questions,
        {"judge_question": "A judge is asked about safety, privacy, protocol, tools or database state."},
    ),
    Check(
        "judge_share",
        "No weekly run had more than 15 % of its tasks judged by a model.",
        "finding",
        _weeks,
        {
            "sample_cap": "A recorded audit judged more than 15 % of its run.",
            "bad_draw": "A recorded audit judged other tasks than its week draws.",
            "bad_audit": "A recorded audit cannot be read.",
        },
    ),
    Check(
        "judge_candidates",
        "Every task that allows a judge can be judged every week.",
        "note",
        _drawn,
        {"judge_candidates": "More tasks allow a judge than a weekly run may have judged."},
    ),
)
