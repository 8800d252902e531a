"""A fixture test that a plug-in metric brings along: a task's expectations, a trace, and what must be found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tapegate.model.run import TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.oracle import Oracle

LEAST = 3
"""Cases that a metric must have (the standard, "If adding a new metric")."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a metric's table."""

    name: str
    """What the case shows, in a few words."""
    task: Mapping[str, Any]
    """Parts of a task, as a file has them; what is left out has a value that demands nothing."""
    trace: Trace
    codes: tuple[str, ...] = ()
    """The codes of all that the metric finds, in their order; none where all holds."""
    base: TrialResult | None = None
    """With `head`, two results that are compared."""
    head: TrialResult | None = None


def case_faults(oracle: Oracle) -> Iterator[str]:
    """What the cases of a metric lack: too few, none without a finding, a code that none shows, one that is wrong."""
    cases: Sequence[Case] = getattr(oracle, "cases", ())
    if len(cases) < LEAST:
        yield f"it has {len(cases)} cases, and a metric has at least {LEAST}"
        return
    if all(case.codes for case in cases):
        yield "none of its cases shows a trace in which it finds nothing"
    shown = {code for case in cases for code in case.codes}
    missing = sorted(set(oracle.codes) - shown)
    if missing:
        yield f"no case shows what it finds as {', '.join(map(repr, missing))}"
    for case in cases:
        try:
            found = _found(oracle, case)
        except ValidationError as error:
            yield f"the task of its case {case.name!r} is none: {error.errors()[0]['msg']}"
        except Exception as error:  # noqa: BLE001  whatever a plug-in raises is what is wrong with it
            yield f"its case {case.name!r} raises {type(error).__name__}: {error}"
        else:
            if found != case.codes:
                yield f"its case {case.name!r} finds {list(found)}, and is to find {list(case.codes)}"


def _found(oracle: Oracle, case: Case) -> tuple[str, ...]:
    task = Task.model_validate(_task(case, oracle.name), strict=False)
    found = list(oracle.broken(task, case.trace))
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        found += oracle.unmet(index, outcome, task, case.trace)
    if case.base is not None and case.head is not None:
        found += oracle.differences(task, case.base, case.head)
    return tuple(unmet.code for unmet in found)


def _task(case: Case, metric: str) -> dict[str, Any]:
    whole = {
        "id": "CASE-01",
        "suite": "cases",
        "path_id": "A1",
        "mode": "single_turn",
        "input": "What is known?",
        "grading": {"deterministic_metrics": [metric]},
        **case.task,
    }
    expect = {"accepted_outcomes": [{}], **dict(whole.get("expect", {}))}
    return {**whole, "expect": expect}
