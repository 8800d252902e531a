"""The metric `differential_ab`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import ClassVar

from tapegate.load.suggest import did_you_mean
from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.run import Metrics, TrialResult
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.oracles.excerpt import visible
from tapegate.oracles.number import plain, reach, with_band
from tapegate.oracles.oracle import Oracle, problem_at
from tapegate.oracles.slot import SlotKind
from tapegate.oracles.tool_path import shown

DIFFERENTIAL: Path = ("expect", "differential")
MEASURES: Mapping[str, str] = {
    "input_tokens": "tokens",
    "output_tokens": "tokens",
    "total_tokens": "tokens",
    "cost_usd": "USD",
    "latency_e2e_ms": "ms",
    "latency_model_ms": "ms",
    "model_calls": "calls",
    "tool_calls": "calls",
}
"""What `growth` may limit, with its unit."""


class DifferentialAb(Oracle):
    """How far a change moves a task: the same trial on the base and on the head of a pull request.

    What it checks
    --------------
    Two results of one trial, as a comparison pairs them by key and trial number. In a run by itself there is no base,
    and the contract is not looked at; `tapegate diff` and the pull request gate hold it against their pairs. A verdict
    that gets worse is reported by them whatever stands here.

    Parameters
    ----------
    - `expect.differential.outcome` (`any` or `same`; default `any`): whether the same accepted outcome must hold.
    - `expect.differential.tool_path` (`any` or `same`; default `any`): whether the same tools are called in the same
      order.
    - `expect.differential.answer` (`any` or `same`; default `any`): whether the answer is the same, character for
      character.
    - `expect.differential.growth` (measure → `abs` in its unit, `rel` as a share; the larger counts): how much more
      than on the base is accepted of `input_tokens`, `output_tokens`, `total_tokens`, `cost_usd`, `latency_e2e_ms`,
      `latency_model_ms`, `model_calls`, `tool_calls`.

    Why it is deterministic
    -----------------------
    Both results come from recordings, and are compared as exact numbers. Nothing is drawn and nothing is timed.

    False positives and how they are kept low
    -----------------------------------------
    Nothing is demanded by default, since a change is meant to change something. Less than on the base is never too
    much. Times of two machines compare only where the machine class is the same, which the comparison sees to.

    False negatives and how they are kept low
    -----------------------------------------
    Growth below the limit in many small steps adds up unseen: the maxima of `latency_cost` are absolute. A measure that
    one side does not know is `growth_not_measured`, never zero.

    Example task
    ------------
    ```yaml
    expect:
      differential:
        tool_path: same
        growth:
          total_tokens: {rel: 0.1}
          model_calls: {abs: 0}
    grading:
      deterministic_metrics: [tool_trace, differential_ab]
    ```

    Example finding
    ---------------
    ```text
    differential_ab grown: total_tokens grew from 6,100 to 7,210 tokens
      expected: at most 6710 (6100 ± 10 %)
      got: 7210
    ```
    """

    name = "differential_ab"
    version = 1
    codes: ClassVar[Mapping[str, str]] = {
        "outcome_changed": "Another accepted outcome holds than on the base.",
        "tool_path_changed": "Other tools are called than on the base, or in another order.",
        "answer_changed": "The answer is not the base's.",
        "grown": "A measure grew more than accepted.",
        "growth_not_measured": "One side does not know a measure whose growth is limited.",
    }
    slots: ClassVar[Mapping[str, SlotKind]] = {}
    invariants: ClassVar[Mapping[str, str]] = {}

    def claims(self, task: Task) -> Iterator[Path]:
        """The limits that the task sets."""
        limits = task.expect.differential
        if limits is not None:
            for field in ("outcome", "tool_path", "answer"):
                if getattr(limits, field) != "any":
                    yield (*DIFFERENTIAL, field)
            for measure in limits.growth:
                yield (*DIFFERENTIAL, "growth", measure)

    def differences(self, task: Task, base: TrialResult, head: TrialResult) -> Iterator[Unmet]:
        """The limits that the head exceeds."""
        limits = task.expect.differential
        if limits is None:
            return
        if limits.outcome == "same" and base.outcome != head.outcome:
            message = "another accepted outcome holds than on the base"
            sides = (_outcome(task, base.outcome), _outcome(task, head.outcome))
            yield Unmet("outcome_changed", message, (*DIFFERENTIAL, "outcome"), *sides)
        if limits.tool_path == "same" and base.tool_path != head.tool_path:
            message = "the tool path is not the base's"
            sides = (shown(base.tool_path), shown(head.tool_path))
            yield Unmet("tool_path_changed", message, (*DIFFERENTIAL, "tool_path"), *sides)
        if limits.answer == "same" and base.answer_sha256 != head.answer_sha256:
            message = "the answer is not the base's"
            sides = (f"sha256 {base.answer_sha256}", f"sha256 {head.answer_sha256}")
            yield Unmet("answer_changed", message, (*DIFFERENTIAL, "answer"), *sides)
        for measure, band in limits.growth.items():
            before, after = _measured(base.metrics, measure), _measured(head.metrics, measure)
            path = (*DIFFERENTIAL, "growth", measure)
            if before is None or after is None:
                side = "base" if before is None else "head"
                message = f"{measure} is not known of the {side}, so its growth cannot be limited"
                yield Unmet("growth_not_measured", message, path, "a number on both sides", f"none on the {side}")
            elif after > before + reach(before, band):
                message = f"{measure} grew from {plain(before)} to {plain(after)} {MEASURES[measure]}"
                expected = f"at most {plain(before + reach(before, band))} ({with_band(plain(before), band)})"
                yield Unmet("grown", message, path, expected, plain(after))

    def problems(self, task: Task) -> Iterator[Problem]:
        """Measures that there are not, and a contract that demands nothing."""
        limits = task.expect.differential
        if limits is None:
            return
        for measure in limits.growth:
            if measure not in MEASURES:
                message = f"there is no measure {visible(repr(measure))}: {did_you_mean(measure, MEASURES)}"
                yield problem_at(task, (*DIFFERENTIAL, "growth", measure), "unknown_measure", message)
        if not any(self.claims(task)):
            message = "'expect.differential' demands nothing of a change"
            yield problem_at(task, DIFFERENTIAL, "vacuous_slot", message, "limit something, or remove it")


def _measured(metrics: Metrics, measure: str) -> Fraction | None:
    found = getattr(metrics, measure)
    return None if found is None else Fraction(found)


def _outcome(task: Task, index: int | None) -> str:
    if index is None:
        return "no accepted outcome"
    outcomes = task.expect.accepted_outcomes
    name = outcomes[index].name if index < len(outcomes) else None
    return f"outcome {index}" if name is None else f"outcome {index} ({visible(name)})"
