"""The metric `tool_trace`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Trace
from tapegate.oracles import tool_path
from tapegate.oracles.offered import invalid_calls
from tapegate.oracles.oracle import INVARIANTS, Evidence, Oracle, outcome_path, problem_at
from tapegate.oracles.slot import SlotKind
from tapegate.oracles.tool_calls import call_breaches, call_flaws

_LISTS = ("any_allowed_path", "allowed_first_tools", "required_tools", "allowed_tools", "forbidden_tools")


VALID = "tool_arguments_valid"


class ToolTrace(Oracle):
    """Which tools the agent calls, which it calls first, how often, and in which order where order matters.

    What it checks
    --------------
    The names of the tools called, in the order of the agent's own stream, against the tool fields of each accepted
    outcome. All fields that an outcome sets must hold together; a task passes when one outcome holds.

    Parameters
    ----------
    - `tool_path_policy` (one of `any_allowed_path`, `fixed_order`, `no_tools`; default `any_allowed_path`):
      `no_tools` accepts no call at all; `fixed_order` demands that the first calls of `required_tools` come in the
      order they are listed in, and needs `order_critical`.
    - `any_allowed_path` (list of lists of tool names): the whole path must equal one of them, call for call.
    - `allowed_first_tools` (list of tool names): the first call is one of these; no call at all does not meet it.
    - `required_tools` (list of tool names): each is called at least once, in any order.
    - `allowed_tools` (list of tool names): no other tool is called.
    - `forbidden_tools` (list of tool names): none of these is called.
    - `tool_counts` (tool name → `min`, `max`; numbers of calls, both included): how often a tool is called.
    - `tool_arguments` (tool name → list of entries, all of which hold): `arguments` (argument → expectation: a value,
      or a rule such as `{$regex: ...}` or `{$near: 3, $abs: 1}`), `match` (`subset` or `exact`; default `subset`),
      `ignore` (arguments that `exact` leaves aside), `calls` (`any`, `all`, `first` or `last`; default `any`; all but
      `all` demand that the tool is called).
    - `parallel_tools` (list of groups of tool names): each group is called in one step, in any order. A step is a run
      of calls with no result between them.
    - `parallel_max` (number of calls, from 1 up): no step has more.
    - `order_critical` (text): why the order is critical to correctness; goes with `fixed_order` and nothing else.
    - `required_invariants`: `tool_arguments_valid`: every call has a tool that a recorded request to a model offers,
      and arguments that meet the JSON Schema it is offered with.

    Why it is deterministic
    -----------------------
    It compares names, arguments and counts of the agent's own stream, whose order the agent decides. It looks at
    neither times nor the order in which concurrent provider calls arrived.

    False positives and how they are kept low
    -----------------------------------------
    A good answer by an unforeseen route is refused. Every outcome is a whole shape of its own and outcomes are
    alternatives, a list left empty asks nothing, order counts only under `fixed_order` with a written reason, and a
    task whose outcomes leave one single sequence is refused at load (`fixed_sequence`).

    False negatives and how they are kept low
    -----------------------------------------
    A tool whose result is ignored still counts as called, and so does one with wrong arguments where `tool_arguments`
    does not look: `citation_contract` and `schema_contract` judge what came of it. A tool that the agent calls without
    telling its stream is not seen; its provider traffic is, as a miss or as a request of the recording. Names are
    compared exactly.

    Example task
    ------------
    ```yaml
    accepted_outcomes:
      - tool_path_policy: any_allowed_path
        allowed_first_tools: [search_local, read_paper]
        forbidden_tools: [web_search]
        tool_counts: {read_paper: {max: 3}}
        tool_arguments:
          search_local:
            - arguments: {query: {$says: [moss, bryophyte]}, limit: {$min: 1, $max: 10}}
    grading:
      deterministic_metrics: [tool_trace]
    ```

    Example finding
    ---------------
    ```text
    tool_trace first_tool_not_allowed: the first tool called is 'web_search'
      expected: search_local or read_paper
      got: [web_search → read_paper]
    ```
    """

    name = "tool_trace"
    version = 3
    codes: ClassVar[Mapping[str, str]] = {
        "tool_called": "A tool is called where none may be.",
        "path_not_allowed": "The tool path is none of the allowed ones.",
        "no_tool_called": "No tool is called although the first one is prescribed.",
        "first_tool_not_allowed": "The first tool called is not one of those allowed first.",
        "required_tool_missing": "A required tool is never called.",
        "order_broken": "Required tools are first called in another order than the critical one.",
        "tool_not_allowed": "A tool is called that is not among the allowed ones.",
        "forbidden_tool_called": "A forbidden tool is called.",
        "too_few_calls": "A tool is called less often than its minimum.",
        "too_many_calls": "A tool is called more often than its maximum.",
        "no_call_to_match": "A tool that must be given something is never called.",
        "arguments_differ": "A tool is given something else than expected.",
        "not_parallel": "Tools that go together are not called in one step.",
        "too_parallel": "More tools are called in one step than allowed.",
        "arguments_invalid": "A tool is called with arguments that do not meet its schema.",
        "tool_not_offered": "A tool is called that no recorded request offers, so that it has no schema.",
        "tool_schema_unusable": "A tool is offered with a schema that nothing can be held against.",
    }
    by_turn = True
    slots: ClassVar[Mapping[str, SlotKind]] = {}
    invariants: ClassVar[Mapping[str, str]] = {
        "tool_arguments_valid": "Every tool is called with arguments that meet the schema it was offered with.",
    }

    def claims(self, task: Task) -> Iterator[Path]:
        """Its invariant, and the tool fields that each outcome sets."""
        yield from super().claims(task)
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            if outcome.tool_path_policy != "any_allowed_path":
                yield outcome_path(index, "tool_path_policy")
            for field in _LISTS:
                if getattr(outcome, field):
                    yield outcome_path(index, field)
            for tool, bounds in outcome.tool_counts.items():
                if bounds.min or bounds.max is not None:
                    yield outcome_path(index, "tool_counts", tool)
            for tool in outcome.tool_arguments:
                yield outcome_path(index, "tool_arguments", tool)
            if outcome.parallel_tools:
                yield outcome_path(index, "parallel_tools")
            if outcome.parallel_max is not None:
                yield outcome_path(index, "parallel_max")

    def needs(self, task: Task) -> Iterator[Evidence]:
        """What models were offered, where arguments are held against it."""
        if VALID in task.expect.required_invariants:
            yield "offers"

    def broken(self, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The calls whose arguments no offered schema admits."""
        if VALID in task.expect.required_invariants:
            yield from invalid_calls(trace, (*INVARIANTS, task.expect.required_invariants.index(VALID)))

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The tool rules of the outcome that the trace's tool path does not meet."""
        path = tool_path.shown(trace.tool_path)
        breaches = [(breach, path) for breach in tool_path.breaches(outcome, trace.tool_path)]
        for breach, got in (*breaches, *call_breaches(outcome, trace.events)):
            place = outcome_path(index, breach.field, *breach.below)
            yield Unmet(breach.code, breach.message, place, breach.expected, got, breach.final)

    def problems(self, task: Task) -> Iterator[Problem]:
        """Contradictions between tool fields, order without a reason, and one single sequence in disguise."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            yield from _order_problems(task, index, outcome)
            for field in _LISTS:
                tools = getattr(outcome, field)
                for place, tool in enumerate(tools):
                    if tool in tools[:place]:
                        message = f"{tool!r} stands in {field} twice"
                        yield problem_at(task, outcome_path(index, field, place), "duplicate_entry", message)
            for flaw in call_flaws(outcome):
                yield problem_at(task, outcome_path(index, *flaw.path), flaw.code, flaw.message)
            reason = tool_path.unreachable(outcome)
            if reason is not None:
                message = f"no tool path meets accepted outcome {index}: {reason}"
                yield problem_at(task, outcome_path(index), "unreachable_outcome", message)
                continue
            for place, why in tool_path.dead_paths(outcome):
                message = f"an allowed path is excluded by another rule of its outcome: {why}"
                path = outcome_path(index, "any_allowed_path", place)
                yield problem_at(task, path, "unreachable_alternative", message)
            for place, why in tool_path.dead_first_tools(outcome):
                message = f"an allowed first tool is excluded by another rule of its outcome: {why}"
                path = outcome_path(index, "allowed_first_tools", place)
                yield problem_at(task, path, "unreachable_alternative", message)
        yield from _single_sequence(task)


def _order_problems(task: Task, index: int, outcome: Outcome) -> Iterator[Problem]:
    fixed = outcome.tool_path_policy == "fixed_order"
    if fixed and outcome.order_critical is None:
        yield problem_at(
            task,
            outcome_path(index, "tool_path_policy"),
            "order_without_reason",
            "'fixed_order' without 'order_critical': an order may be fixed only where correctness depends on it",
            "say why in order_critical, or use any_allowed_path",
        )
    if not fixed and outcome.order_critical is not None:
        message = f"'order_critical' goes with tool_path_policy 'fixed_order', not {outcome.tool_path_policy!r}"
        yield problem_at(task, outcome_path(index, "order_critical"), "reason_without_order", message)
    if fixed and len(outcome.required_tools) < 2 and not outcome.any_allowed_path:
        message = "'fixed_order' fixes nothing: it takes two required_tools or more, or whole paths in any_allowed_path"
        yield problem_at(task, outcome_path(index, "tool_path_policy"), "vacuous_order", message)


def _single_sequence(task: Task) -> Iterator[Problem]:
    outcomes = task.expect.accepted_outcomes
    paths = {path for outcome in outcomes for path in outcome.any_allowed_path}
    if (
        len(paths) == 1
        and len(next(iter(paths))) > 1
        and all(outcome.any_allowed_path and outcome.tool_path_policy == "any_allowed_path" for outcome in outcomes)
    ):
        yield problem_at(
            task,
            outcome_path(0, "any_allowed_path"),
            "fixed_sequence",
            f"{tool_path.shown(next(iter(paths)))} is the only tool path this task accepts",
            "allow another path or outcome, or say tool_path_policy: fixed_order with order_critical",
        )
