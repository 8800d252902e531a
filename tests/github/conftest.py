"""Runs to report on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from github_server import GitHubServer

from tapegate.github.client import Client
from tapegate.github.patience import Patience
from tapegate.github.place import Place
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult

FILE = "evals/retrieval/{key}.yaml"


def finding(**changes: Any) -> Finding:
    """An unmet condition of an accepted outcome."""
    key = changes.pop("key", "RET-02@A1")
    values: dict[str, Any] = {
        "metric": "citation_contract",
        "code": "too_few_local_citations",
        "severity": "fail",
        "message": "The answer cites too few local papers.",
        "file": FILE.format(key=key),
        "line": 21,
        "trial": 1,
        "outcome": 0,
        "expected": "at least 1 link to /paper/{id}",
        "got": "none",
    }
    return Finding(**{**values, **changes})


def task(key: str, verdict: Verdict, *findings: Finding, outcome: int | None = None, **changes: Any) -> TaskResult:
    """A task of one trial."""
    metrics = Metrics(1200, 34, 1234, None, 1201, 840, 2, 2)
    tools = changes.pop("tool_path", ("search_local", "read_paper"))
    trial = TrialResult(1, verdict, outcome, tools, "a" * 64, "c" * 64, metrics, findings)
    values: dict[str, Any] = {
        "key": key,
        "id": key.split("@")[0],
        "suite": "retrieval",
        "path_id": key.split("@")[1],
        "file": FILE.format(key=key),
        "verdict": verdict,
        "outcome": outcome,
        "outcome_names": ("searches, then reads", None),
        "blocking": True,
        "metrics": metrics,
        "trials": (trial,),
    }
    return TaskResult(**{**values, **changes})


@pytest.fixture
def passed() -> Run:
    """A run in which all holds."""
    tasks = (
        task("RET-01@A1", Verdict.PASS, outcome=0),
        task("RET-02@A1", Verdict.PASS, outcome=1, tool_path=("read_paper", "read_paper")),
    )
    return Run("pr", partial=False, tasks=tasks, gate=Gate(True, 0, ()))


@pytest.fixture
def failed() -> Run:
    """A run with a failure, a stale task and one that passed."""
    stale = finding(
        metric="replay",
        code="prompt_changed",
        severity="stale",
        message="the system prompt changed\n  messages[0].content:\n    -Local first.\n    +Web first.",
        line=1,
        outcome=None,
        expected="",
        got="",
        fix="tapegate record AGT-08@A1 --stale",
        key="AGT-08@A1",
    )
    tasks = (
        task("AGT-08@A1", Verdict.STALE, stale, tool_path=()),
        task("RET-01@A1", Verdict.PASS, outcome=0),
        task("RET-02@A1", Verdict.FAIL, finding(), finding(outcome=1, line=30), finding(outcome=1, line=31)),
    )
    return Run("pr", partial=False, tasks=tasks, gate=Gate(False, 1, ("1 task failed: RET-02@A1",)))


@pytest.fixture
def make_task() -> Callable[..., TaskResult]:
    """Builds a task's result."""
    return task


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    """Builds a finding."""
    return finding


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Now, in seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Pass it."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    """A clock that nobody waits for."""
    return Clock()


@pytest.fixture(scope="module")
def one_server() -> Iterator[GitHubServer]:
    """A server that a module's tests share, one after the other."""
    server = GitHubServer()
    yield server
    server.close()


@pytest.fixture
def server(one_server: GitHubServer) -> Iterator[GitHubServer]:
    """A GitHub as new; every request of the test must have been one that GitHub documents."""
    one_server.fresh()
    yield one_server
    assert one_server.problems == []


Connect = Callable[..., Client]


@pytest.fixture
def connect(server: GitHubServer, clock: Clock) -> Iterator[Connect]:
    """Makes a client with a token that has these permissions."""
    with ExitStack() as stack:

        def made(token: str = "ghs_default", **may: str) -> Client:
            if token not in server.tokens:
                server.token(token, **may)
            patience = Patience(elapsed=clock, now=clock, sleep=clock.sleep)
            return stack.enter_context(Client(Place.of(server.environ), token, patience))

        yield made
