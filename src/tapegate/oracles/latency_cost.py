"""The metric `latency_cost`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Trace
from tapegate.oracles.measures import GROWS, MEASURES
from tapegate.oracles.number import amount, plain
from tapegate.oracles.oracle import Oracle, problem_at, slot_path
from tapegate.oracles.slot import SlotKind, amount_at_most, at_least, at_most

_AT_LEAST = ("model_calls", "tool_calls")


class LatencyCost(Oracle):
    """What the trial took, as recorded: time, tokens, money, and how often and how deep it called.

    What it checks
    --------------
    Numbers of the recording that was replayed, and of what the agent's code did with it. Times and tokens come from
    the recording; numbers of calls and request bytes are what the code under test asked for in this replay.

    Parameters
    ----------
    - `latency_e2e_ms_max` (milliseconds, rounded up, from 1 up): from the question to the last byte of the answer.
    - `latency_model_ms_max` (milliseconds, likewise): the union of the played interactions' intervals, so that calls
      side by side count once.
    - `input_tokens_max`, `output_tokens_max`, `total_tokens_max` (tokens over all calls of models, as the provider
      reported them).
    - `cost_usd_max` (US dollars, a number or a decimal in quotes): at the prices pinned in `evals/tapegate.yaml`.
    - `model_calls_min`, `model_calls_max`, `tool_calls_min`, `tool_calls_max` (numbers of calls).
    - `dependent_calls_max` (number of calls): the longest chain of model calls that wait for one another.
    - `request_bytes_max` (bytes of all request bodies).
    - `tolerances` widens any of the maxima; `expect.borderline` names a band beyond that.

    Why it is deterministic
    -----------------------
    No clock is read: a replay takes its times from the recording, and its prices from the pinned data. The wall time of
    a replay is never a metric. Money is added as exact decimals.

    False positives and how they are kept low
    -----------------------------------------
    A recording made on a slow machine or a busy day fails a tight limit: what is slow is recorded again or given a
    tolerance, and the finding names the number. Limits on calls, tokens and bytes do not depend on a machine.

    False negatives and how they are kept low
    -----------------------------------------
    Code that became slower between its calls is not seen, since its time is the recorded one; calls, depth and bytes
    are the head's own and are. A number that the recording does not hold (a provider without usage, a model without
    a price, a trial that did not end) is `not_measured`, never zero.

    Example task
    ------------
    ```yaml
    accepted_outcomes:
      - required_slots:
          latency_e2e_ms_max: 4000
          total_tokens_max: 6000
          model_calls_max: 3
        tolerances:
          latency_e2e_ms_max: {rel: 0.1}
    grading:
      deterministic_metrics: [latency_cost]
    ```

    Example finding
    ---------------
    ```text
    latency_cost over_limit: the trial took 7,210 tokens, read and written by models
      expected: at most 6000 tokens
      got: 7210 tokens
    ```
    """

    name = "latency_cost"
    version = 1
    codes: ClassVar[Mapping[str, str]] = {
        "over_limit": "The trial took more than allowed.",
        "under_limit": "The trial took less than expected.",
        "not_measured": "The recording does not hold the number that is limited.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    slots: ClassVar[Mapping[str, SlotKind]] = {
        **{
            f"{name}_max": at_most(f"At most so many {unit} {about}.", least=0 if unit == "calls" else 1)
            for name, (_, unit, about) in MEASURES.items()
            if name != "cost_usd"
        },
        "cost_usd_max": amount_at_most("At most so many US dollars for models: a number, or a decimal in quotes."),
        **{f"{name}_min": at_least(f"At least so many calls {MEASURES[name][2]}.") for name in _AT_LEAST},
    }

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The limits of the outcome that the trial does not keep."""
        for slot, value in outcome.required_slots.items():
            if slot not in self.slots or not self.slots[slot].demands(value):
                continue
            name, side = slot.rsplit("_", 1)
            measure, unit, about = MEASURES[name]
            limit, found, path = amount(value), measure(trace), slot_path(index, slot)
            assert limit is not None
            expected = f"at {'most' if side == 'max' else 'least'} {plain(limit)} {unit}"
            if found is None:
                message = f"the recording does not say how many {unit} the trial took, {about}"
                yield Unmet("not_measured", message, path, expected, "no number", final=False)
            elif side == "max" and found > limit:
                message = f"the trial took {_grouped(plain(found))} {unit}, {about}"
                got = f"{plain(found)} {unit}"
                yield Unmet("over_limit", message, path, expected, got, final=name in GROWS)
            elif side == "min" and found < limit:
                message = f"the trial took {_grouped(plain(found))} {unit}, {about}"
                yield Unmet("under_limit", message, path, expected, f"{plain(found)} {unit}", final=False)

    def problems(self, task: Task) -> Iterator[Problem]:
        """A minimum over its maximum."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            slots = outcome.required_slots
            for name in _AT_LEAST:
                least, most = slots.get(f"{name}_min", 0), slots.get(f"{name}_max")
                if most is not None and least > most:
                    message = f"{name}_min {least} is more than {name}_max {most}"
                    yield problem_at(task, slot_path(index, f"{name}_min"), "unreachable_outcome", message)


def _grouped(digits: str) -> str:
    whole, dot, rest = digits.partition(".")
    return f"{int(whole):,}{dot}{rest}" if whole.lstrip("-").isdigit() else digits
