"""Seven runs, small enough to review what every report says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import pytest

from tapegate.compare.differential_ab import compare
from tapegate.compare.side import Side
from tapegate.errors import SubjectError
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.budget import Budget
from tapegate.model.config import Profile
from tapegate.model.diff import Diff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Exchange, Finish, Miss, Text, ToolCall, Trace, Usage

MACHINE = "linux-x86_64-2cpu"
QUESTION = "How much cooler are moss bus shelters in the evening?"
ANSWER = "Between 20:00 and 23:00 the moss shelters were 3.6 degrees cooler than the bare ones."


@dataclass(frozen=True, slots=True)
class Scene:
    """A run, and what it was compared with."""

    head: Run
    digest: str
    diff: Diff


def task(key: str, *outcomes: Mapping[str, Any], **fields: Any) -> Task:
    """A task that wants a tool path and a fact."""
    fact = {"facts": [{"name": "cooling", "any_of": ["3.6 degrees"]}]}
    name, _, path = key.partition("@")
    accepted = list(outcomes) or [
        {"name": "searches, then reads", "required_tools": ["search_local", "read_paper"], "required_slots": fact},
        {"name": "reads at once", "any_allowed_path": [["read_paper"]], "required_slots": fact},
    ]
    document = {
        "id": name,
        "suite": "retrieval",
        "path_id": path,
        "mode": "single_turn",
        "input": QUESTION,
        "expect": {"accepted_outcomes": accepted},
        "grading": {"deterministic_metrics": ["tool_trace", "schema_contract"]},
        **fields,
    }
    lines: dict[tuple[str | int, ...], int] = {(): 1, ("expect", "accepted_outcomes", 0): 12}
    lines[("expect", "accepted_outcomes", 0, "required_tools")] = 13
    lines[("expect", "accepted_outcomes", 0, "required_slots")] = 14
    return Task.model_validate_json(json.dumps(document)).at(Source(f"evals/retrieval/{key}.yaml", lines))


def trace(key: str, *tools: str, text: str = ANSWER, tokens: int = 1200, ms: int = 900, missed: bool = False) -> Trace:
    """A trace that calls tools and answers."""
    calls = [ToolCall(f"call-{place}", tool, {}) for place, tool in enumerate(tools)]
    explained = "the system prompt changed\n  messages[0].content:\n    -Local first.\n    +Web first."
    misses = (Miss("model", "POST", "/chat/completions", "prompt_changed", explained),) if missed else ()
    if missed:
        return Trace(key, 1, (), (), Account(0, misses), Ending("completed"))
    usage = Usage(tokens - tokens // 10, tokens // 10)
    exchange = Exchange(0, "model", "POST", "/chat", 200, 0, ms * 900, 900, "model-2026-01-01", usage)
    events = (*calls, Text(text), Finish("stop"))
    cost = f"0.0{tokens}"
    return Trace(key, 1, events, (exchange,), Account(1), Ending("completed"), ms, ms * 9 // 10, cost_usd=cost)


def side(name: str, contracts: Sequence[Task], traces: Sequence[Trace], tape: str = "tape", **more: Any) -> Side:
    """A side that is judged here."""
    kept = {one.key: one for one in traces}
    results = []
    for contract in contracts:
        found = kept[contract.key]
        judged = grade_trial(contract, found, sha256(f"{tape}{contract.key}".encode()).hexdigest())
        # Quality is the rubric's affair; here it would only repeat what latency and tokens say.
        judged = replace(judged, machine=MACHINE, metrics=replace(judged.metrics, quality=None))
        results.append(grade_task(contract, [judged]))
    return of(name, results, {one.key: one for one in contracts}, kept, **more)


def of(
    name: str,
    results: Sequence[TaskResult],
    contracts: Mapping[str, Task] | None = None,
    traces: Mapping[str, Trace] | None = None,
    profile: Profile | None = None,
) -> Side:
    """A side of these results."""
    ordered = tuple(sorted(results, key=lambda result: result.key))
    run = Run("pr", False, ordered, decide(ordered, "pr", profile or Profile(), False))
    commit = sha256(name.encode()).hexdigest()[:40]
    found = traces or {}
    # Made up: the real one changes with every field that results.json is given.
    digest = f"sha256:{sha256(commit.encode()).hexdigest()}"
    return Side(name, run, digest, commit, contracts or {}, lambda key, _: found.get(key))


def scene(base: Side, head: Side, profile: Profile | None = None) -> Scene:
    """Two sides, compared."""
    diff = compare(base, head, "pr", profile or Profile())
    assert head.run is not None
    return Scene(head.run, head.digest, diff)


BOTH = ("search_local", "read_paper")


def all_pass() -> Scene:
    """Nothing differs."""
    keys = ["AGT-08@A1", "RET-01@A1", "RET-02@A1"]
    sides = [side(name, [task(key) for key in keys], [trace(key, *BOTH) for key in keys]) for name in ("main", "HEAD")]
    return scene(*sides)


def regressions() -> Scene:
    """One of everything that a change can do to a task."""
    keys = [f"RET-{number:02}@A1" for number in range(1, 8)]
    wrong = ANSWER.replace("3.6", "3.7")
    web = task(
        "RET-03@A1",
        {"name": "anything goes", "required_tools": ["web_search"]},
        grading={"deterministic_metrics": ["tool_trace"]},
    )
    base = side(
        "main",
        [task(key) for key in keys[:6]],
        [
            trace("RET-01@A1", *BOTH),
            trace("RET-02@A1", *BOTH),
            trace("RET-03@A1", *BOTH),
            trace("RET-04@A1", *BOTH, text=wrong),
            trace("RET-05@A1", *BOTH, text=wrong),
            trace("RET-06@A1", *BOTH),
        ],
    )
    head = side(
        "HEAD",
        [
            task("RET-01@A1"),
            task("RET-02@A1"),
            web,
            task("RET-04@A1"),
            task("RET-05@A1"),
            task("RET-07@A1", trials=1, input="And at noon?"),
        ],
        [
            trace("RET-01@A1", "search_local", "web_search", text=wrong),
            trace("RET-02@A1", "read_paper"),
            trace("RET-03@A1", "web_search", text="It depends."),
            trace("RET-04@A1", *BOTH),
            trace("RET-05@A1", *BOTH, text=wrong),
            trace("RET-07@A1", *BOTH),
        ],
    )
    return scene(base, head)


def re_recorded() -> Scene:
    """A prompt that costs more, recorded again."""
    keys = [f"RET-{number:02}@A1" for number in range(1, 5)]
    contracts = [task(key) for key in keys]
    base = side(
        "main", contracts, [trace(key, *BOTH, tokens=1000 + 100 * n, ms=900 + 50 * n) for n, key in enumerate(keys)]
    )
    more = [60, 80, 240, 70]
    traces = [
        trace(
            key, *BOTH, tokens=1000 + 100 * n + more[n], ms=900 + 50 * n - 120, text=f"{ANSWER} Nothing else is said."
        )
        for n, key in enumerate(keys)
    ]
    profile = Profile(
        budgets=(
            Budget(measure="total_tokens", increase_percent=10),
            Budget(measure="cost_usd", over="mean", increase=0.0002, block=False),
            Budget(measure="latency_e2e_ms", over="mean", increase=0),
        )
    )
    return scene(base, side("HEAD", contracts, traces, "other"), profile)


def stale() -> Scene:
    """A prompt that was changed and not recorded again."""
    keys = ["RET-01@A1", "RET-02@A1", "RET-03@A1"]
    contracts = [task(key) for key in keys]
    base = side("main", contracts, [trace(key, *BOTH) for key in keys])
    head = side("HEAD", contracts, [trace(key, *BOTH, missed=key != keys[2]) for key in keys])
    return scene(base, head)


def needs_review() -> Scene:
    """A result within the band in which only a person can tell."""
    keys = ["RET-01@A1", "RET-02@A1"]
    contracts = [task(key) for key in keys]
    base, head = (side(name, contracts, [trace(key, *BOTH) for key in keys]) for name in ("main", "HEAD"))
    assert head.run is not None
    borderline = Finding(
        "latency_cost", "borderline", "needs_review", "the answer took 2,040 ms, in the band beyond 2,000 ms",
        "evals/retrieval/RET-01@A1.yaml", 18, 1, outcome=0, expected="at most 2000 ms", got="2040 ms",
        fix="tapegate accept RET-01@A1 --digest … --reason …",
    )  # fmt: skip
    first, second = head.run.tasks
    trial = replace(first.trials[0], verdict=Verdict.NEEDS_REVIEW, outcome=None, findings=(borderline,))
    return scene(
        base, of("HEAD", [replace(first, verdict=Verdict.NEEDS_REVIEW, outcome=None, trials=(trial,)), second])
    )


def nothing_judged() -> Scene:
    """An agent that does not start, and a base that cannot be run."""
    keys = ["RET-01@A1", "RET-02@A1"]
    error = SubjectError.of(
        "did_not_start", "the subject did not answer on /health within 30 s", fix="start it by hand"
    )
    results = [grade_task(task(key), [unjudged_trial(task(key), 1, error)]) for key in keys]
    base = Side(
        "main",
        None,
        commit="b" * 40,
        problem="evals/tapegate.yaml:3:1: unknown_key: there is no key 'pathes'",
        exit_code=2,
    )
    return scene(base, of("HEAD", results))


def thousand() -> Scene:
    """A thousand tasks, of which some became worse."""
    keys = [f"RET-{number:04}@A1" for number in range(1, 1001)]
    contracts = [task(key) for key in keys]
    traces = [trace(key, *BOTH) for key in keys]
    wrong = ANSWER.replace("3.6", "3.7")
    changed = [
        trace(key, *BOTH, text=wrong) if n % 25 == 3 else trace(key, "read_paper") if n % 10 == 5 else traces[n]
        for n, key in enumerate(keys)
    ]
    return scene(side("main", contracts, traces), side("HEAD", contracts, changed))


SCENES: Mapping[str, Callable[[], Scene]] = {
    made.__name__: made for made in (all_pass, regressions, re_recorded, stale, needs_review, nothing_judged, thousand)
}


@pytest.fixture(scope="session")
def scenes() -> Mapping[str, Callable[[], Scene]]:
    """The runs by name, each made when it is asked for."""
    return SCENES
