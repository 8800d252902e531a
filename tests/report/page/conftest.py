"""A page to look at, and a browser to look with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapegate.model.diff import Compared, Diff, Edit, Rate, Stratum, TaskDiff, Transition, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.model.trace import Account, Ending, Exchange, Finish, Text, ToolCall, ToolResult, Trace, Usage
from tapegate.report.page.evidence import Evidence
from tapegate.report.page.render import render
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response

ANSWER = "The moss shelters were 3.7 degrees cooler. See /x/p-moss-02."
BEFORE = "The moss shelters were 3.6 degrees cooler. See /paper/p-moss-02."


def finding(**changes: Any) -> Finding:
    """Something found in an answer, which quotes it."""
    values = {
        "metric": "citation_contract",
        "code": "unknown_paper",
        "severity": "fail",
        "message": "the answer cites a paper that there is not",
        "file": "evals/retrieval/RET-02@A1.yaml",
        "line": 21,
        "trial": 1,
        "expected": "/paper/p-moss-02",
        "got": "…cooler. See /x/p-moss-02.",
    }
    return Finding(**{**values, **changes})


def task(
    key: str, verdict: Verdict = Verdict.PASS, *findings: Finding, tools: tuple[str, ...] = ("search_local",)
) -> TaskResult:
    """A task of one trial."""
    metrics = Metrics(1200, 34, 1234, "0.0012", 1201, 840, 2, len(tools))
    outcome = 0 if verdict is Verdict.PASS else None
    trial = TrialResult(1, verdict, outcome, tools, "a" * 64, "c" * 64, metrics, findings, machine="linux-x86_64-2cpu")
    name, _, path = key.partition("@")
    return TaskResult(
        key,
        name,
        "retrieval",
        path,
        f"evals/retrieval/{key}.yaml",
        verdict,
        outcome,
        ("searches",),
        True,
        metrics,
        (trial,),
    )


def change(key: str, base: Verdict | None, head: Verdict | None, *trials: TrialDiff, **more: Any) -> TaskDiff:
    """What became of a task."""
    values: dict[str, Any] = {
        "base_key": key,
        "file": f"evals/retrieval/{key}.yaml",
        "blocking": True,
        "stratum": Stratum.SAME_RECORDINGS,
        "base_verdict": base,
        "head_verdict": head,
        "by_base_contract": None,
        "by_base_contract_findings": (),
        "contract": (),
        "dropped_outcomes": (),
        "trials": trials,
        **more,
    }
    return TaskDiff(key=key, **values)


def a_run() -> Run:
    """One task that fails, one that is stale, two that pass."""
    stale = finding(
        metric="replay", code="prompt_changed", severity="stale", message="the prompt changed", got="", expected=""
    )
    tasks = (
        task("AGT-08@A1", Verdict.STALE, stale),
        task("RET-01@A1"),
        task("RET-02@A1", Verdict.FAIL, finding(), tools=("search_local", "web_search", "read_paper")),
        task("RET-03@A1", tools=()),
    )
    return Run("pr", False, tasks, Gate(False, 1, ("1 task failed: RET-02@A1",)))


def a_diff() -> Diff:
    """Of that run and one in which all passed, and which had one task more."""
    path = (Edit("same", "search_local"), Edit("added", "web_search"), Edit("same", "read_paper"))
    words = (
        Edit("same", "The moss shelters were "),
        Edit("removed", "3.6"),
        Edit("added", "3.7"),
        Edit("same", " degrees cooler. See "),
        Edit("removed", "/paper/p-moss-02"),
        Edit("added", "/x/p-moss-02"),
        Edit("same", "."),
    )
    trial = TrialDiff(1, Verdict.PASS, Verdict.FAIL, "searches", None, True, path, True, words, (finding(),), (), ())
    tasks = (
        change("AGT-08@A1", Verdict.PASS, Verdict.STALE),
        change("OLD-01@A1", Verdict.PASS, None, stratum=Stratum.CONTRACT_CHANGED),
        change("RET-02@A1", Verdict.PASS, Verdict.FAIL, trial),
    )
    turns = (
        Transition(Verdict.PASS, Verdict.PASS, ("RET-01@A1", "RET-03@A1")),
        Transition(Verdict.PASS, Verdict.STALE, ("AGT-08@A1",)),
        Transition(Verdict.PASS, Verdict.FAIL, ("RET-02@A1",)),
        Transition(Verdict.PASS, None, ("OLD-01@A1",)),
    )
    base = Compared("main", "b" * 40, "sha256:0", 5, Rate(5, 5, 0.57, 1.0), True, 0)
    head = Compared("HEAD", "e" * 40, "sha256:1", 4, Rate(2, 4, 0.15, 0.85), False, 1)
    gate = Gate(False, 1, ("1 task passed and fails: RET-02@A1",))
    return Diff("pr", base, head, turns, tasks, (), (), (), gate)


def a_trace(_: TaskResult, __: TrialResult) -> Trace:
    """A conversation with a tool."""
    call = Exchange(0, "model", "POST", "/chat", 200, 100_000, 400_000, 900, "model-2026-01-01", Usage(1200, 34))
    events = (ToolCall("1", "search_local", {"q": "moss"}), ToolResult("1", "search_local", True, ["p-moss-02"]))
    return Trace("k", 1, (*events, Text(ANSWER), Finish("stop")), (call,), Account(1), Ending("completed"), 1201, 840)


def a_cassette(_: TaskResult, __: TrialResult) -> Cassette:
    """What the trial replayed."""
    chunks = Chunks(100_000, (4, 4), (200_000, 500_000), 500_000)
    interaction = Interaction(
        "model",
        Request("POST", "https://model.example/chat", {}, b'{"messages": ["Hi"]}'),
        Response(200, "OK", {}, b"data: Hello\n\n"),
        chunks,
    )
    made = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux-x86_64-2cpu", "scripted", "scripted", "rules")
    stream = AgentStream("text", b"Hi there", Chunks(0, (2, 6), (600_000, 900_000), 1_200_000))
    return Cassette("k", 1, made, stream, (interaction,))


EVIDENCE = Evidence({}, a_trace, a_cassette, base=replace(a_run(), tasks=a_run().tasks[1:]))


@pytest.fixture(scope="session")
def make_page() -> Callable[..., bytes]:
    """Renders a page of the run above, or of another."""

    def build(run: Run | None = None, diff: Diff | None = None, evidence: Evidence = EVIDENCE) -> bytes:
        return render(run or a_run(), "sha256:0", diff, evidence)

    return build


@pytest.fixture(scope="session")
def the_run() -> Run:
    """The run that the page shows."""
    return a_run()


@pytest.fixture(scope="session")
def the_diff() -> Diff:
    """Its comparison with a base."""
    return a_diff()


@pytest.fixture(scope="session")
def make_task() -> Callable[..., TaskResult]:
    """Builds a task's result."""
    return task


@pytest.fixture(scope="session")
def make_change() -> Callable[..., TaskDiff]:
    """Builds what became of a task."""
    return change


@pytest.fixture(scope="session")
def make_finding() -> Callable[..., Finding]:
    """Builds a finding."""
    return finding


class Tab:
    """One page in the browser, over its debugging pipe."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> Any:
        """Send one command; its result."""
        return self._browser.call(method, self._session, **params)

    def js(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release one key, wherever the focus is."""
        text = {"text": key} if len(key) == 1 else {"Enter": {"text": "\r"}}.get(key, {})
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def type(self, text: str) -> None:
        """Type a text, key by key."""
        for key in text:
            self.press(key)

    def wait(self, method: str) -> None:
        """Until an event of that name has come."""
        while not any(event["method"] == method for event in self.events):
            self.call("Page.getFrameTree")

    def settle(self) -> None:
        """Let the page handle what happened: its events are queued before this is."""
        self.js("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


class Browser:
    """Headless Chromium, spoken to through a pipe: no port, and nothing of it reaches a network."""

    def __init__(self, program: str, profile: Path) -> None:
        theirs, ours_out = os.pipe()
        ours_in, back = os.pipe()
        flags = [
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
            *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
            *("--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"),
        ]
        # Chromium reads commands from descriptor 3 and answers on 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{back}', "-", program, *flags],
            pass_fds=(theirs, back),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(back)
        self._out, self._in = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb", buffering=0)
        self._rest = b""
        self._last = 0
        self._tabs: dict[str, Tab] = {}

    def open(self, page: Path) -> Tab:
        """A page of this machine in a tab of its own, loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self._tabs[session] = Tab(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        tab.call("Page.navigate", url=page.as_uri())
        tab.js("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        return tab

    def call(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Send one command and wait for its answer; events that come before it are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params, **({"sessionId": session} if session else {})}
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("sessionId") in self._tabs:
                self._tabs[answer["sessionId"]].events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = self._in.read(1 << 20)
            assert piece, "the browser went away"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._out.close()
        self._in.close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The machine's Chromium."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    found = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()
