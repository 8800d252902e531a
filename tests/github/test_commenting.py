"""`tapegate github comment`: from a report to the comment that GitHub stores."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import said
from github_server.state import Run as WorkflowRun
from markdown_it import MarkdownIt

from tapegate.cli import action_comment
from tapegate.cli.commenting import Commenting, comment_on
from tapegate.compare.differential_ab import compare
from tapegate.compare.side import Side
from tapegate.github import claim
from tapegate.github.marker import Marker
from tapegate.load.profiles import profile_of
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import diff_file, results

HEAD = "b" * 40
BOT = "github-actions[bot]"
FORK = "mallory/library"
HOSTILE = (
    "$(touch /tmp/owned) `id` ${{ github.token }} @everyone #1 closes #2 ![x](https://evil.example/x.png)\n"
    "::set-env name=PATH::/evil\n##[error]spoofed\n</details><script>alert(1)</script>\n```\n````\n"
    f"{Marker('evals', 'f' * 40, 10**17).line()}\n<!-- --> | a | \u202ebidi\u200b"
)
"""What a branch, a title, a task or a model may have written."""
Reported = Callable[..., dict[str, bytes]]


@pytest.fixture
def report(passed: Run, failed: Run) -> Reported:
    """Makes the files of a report: of a run, compared with another."""

    def made(run: Run, base: Run | None = None, number: int | None = None, **more: bytes) -> dict[str, bytes]:
        raw = results.Results.of(run).to_bytes()
        files = {"results.json": raw, "traces/RET-01@A1/trial-1.jsonl": b"{}\n"}
        if base is not None:
            sides = Side("main", base, "sha256:" + "0" * 64, "c" * 40), Side("head", run, results.digest(raw), HEAD)
            files["diff.json"] = diff_file.to_bytes(compare(*sides, "pr", profile_of(None, "pr")))
        if number is not None:
            files[claim.FILE] = json.dumps({"number": number}).encode()
        return files | {name.replace("_json", ".json"): value for name, value in more.items()}

    return made


def zipped(files: dict[str, bytes]) -> bytes:
    """As GitHub keeps an artifact."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as made:
        for name, raw in files.items():
            made.writestr(name, raw)
    return into.getvalue()


class Workflow:
    """One workflow step: its variables, its event, what it printed."""

    def __init__(self, server: GitHubServer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.server, self.folder, self.capsys = server, folder, capsys

    def comment(
        self, name: str, event: dict[str, Any], report: Path | None = None, mode: str = "auto", **env: str
    ) -> str:
        """Run the command; returns what it printed. It always ends with 0."""
        file = self.folder / "event.json"
        file.write_text(json.dumps(event))
        environ = {**self.server.environ, "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file)}
        environ |= {"GITHUB_RUN_ID": "10", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_TOKEN": "ghs_default"}
        environ |= {"GITHUB_OUTPUT": str(self.folder / "output"), **env}
        assert comment_on(Commenting(report, "evals", None, mode), environ) == 0  # type: ignore[arg-type]
        return self.capsys.readouterr().out

    def folder_of(self, files: dict[str, bytes]) -> Path:
        """A report as a gate left it."""
        folder = self.folder / "report"
        for name, raw in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(raw)
        return folder

    def fork(self, files: dict[str, bytes] | bytes, **more: Any) -> dict[str, Any]:
        """The event that the end of a fork's run is, with what it uploaded."""
        values = {"event": "pull_request", "head_branch": "topic", "head_repository": FORK, "conclusion": "failure"}
        run: WorkflowRun = self.server.run(HEAD, **{**values, **more})
        self.server.artifact(run, files if isinstance(files, bytes) else zipped(files))
        return self.server.workflow_run(run)


@pytest.fixture
def workflow(server: GitHubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Workflow:
    """A step whose token may comment, on the pull request of a fork."""
    server.token(pull_requests="write", actions="read", contents="read")
    server.pull(7, HEAD, head_repository=FORK)
    return Workflow(server, tmp_path, capsys)


def pull_request(head: str = HEAD, number: Any = 7) -> dict[str, Any]:
    """The event of a pull request."""
    return {"pull_request": {"number": number, "head": {"sha": head}}}


def test_a_gate_comments_on_its_own_pull_request(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, passed: Run
) -> None:
    """From the folder that it left, where its token lets it; again, and nothing is written."""
    folder = workflow.folder_of(report(failed, passed))
    shown = workflow.comment("pull_request", pull_request(), folder)
    assert shown.startswith("comment: created http")
    (body,) = server.bodies
    first, heading = body.split("\n")[:2]
    assert first == Marker("evals", HEAD, 10).line()
    assert heading == "## Tapegate: not safe to merge"
    assert "[run " not in body
    assert (workflow.folder / "output").read_text().splitlines()[1].endswith("#issuecomment-1001")
    assert workflow.comment("pull_request", pull_request(), folder).startswith("comment: unchanged")


def test_a_run_that_judged_nothing_leaves_no_comment_that_says_otherwise(
    workflow: Workflow, server: GitHubServer, report: Reported, passed: Run, tmp_path: Path
) -> None:
    """The step of the action turns the comment of an earlier run, and makes none where there is none."""
    server.pull(7, HEAD)
    event = pull_request()
    here = {"repo": {"id": 1}}
    event["number"] = 7
    event["pull_request"] |= {"head": {"sha": HEAD, **here}, "base": here}
    (tmp_path / "own.json").write_text(json.dumps(event))
    environ = {**server.environ, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "own.json")}
    environ |= {"GITHUB_RUN_ID": "11", "INPUT_TOKEN": "ghs_default", "TAPEGATE_EXIT_CODE": "2"}
    assert action_comment.step(environ) == 0
    assert server.bodies == []
    workflow.comment("pull_request", pull_request(), workflow.folder_of(report(passed, passed)), mode="always")
    assert "## Tapegate: safe to merge" in server.bodies[0]
    assert action_comment.step(environ) == 0
    (body,) = server.bodies
    assert "## Tapegate: not known to be safe" in body
    assert "exit code 2" in body


def test_a_forks_comment_comes_after_its_run(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, passed: Run
) -> None:
    """Its event names no pull request: the one that has the run's commit at its head is found and checked."""
    event = workflow.fork(report(failed, passed, number=7))
    assert event["workflow_run"]["pull_requests"] == []
    assert workflow.comment("workflow_run", event).startswith("comment: created")
    (body,) = server.bodies
    run = event["workflow_run"]
    assert body.split("\n")[0] == Marker("evals", HEAD, run["id"]).line()
    assert f"[run {run['id']}]({run['html_url']})" in body
    assert workflow.comment("workflow_run", event).startswith("comment: unchanged")


@pytest.mark.parametrize("number", [8, 9, None, 0, -7, 10**30])
def test_a_number_that_is_claimed_names_no_other_pull_request(
    number: int | None, workflow: Workflow, server: GitHubServer, report: Reported, failed: Run
) -> None:
    """Whatever an artifact says, the comment goes where the commit is."""
    server.pull(8, "e" * 40, head_ref="other")
    event = workflow.fork(report(failed, number=number))
    workflow.comment("workflow_run", event)
    assert [one.number for one in server.repository.comments.values()] == [7]


def test_of_several_pull_requests_of_a_branch_the_claimed_one_is_taken(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run
) -> None:
    """All of them have the run's commit; without a claim nobody guesses."""
    server.pull(8, HEAD, head_repository=FORK, base_ref="release")
    assert "may be of #8, #7" in workflow.comment("workflow_run", workflow.fork(report(failed)))
    assert "may be of" not in workflow.comment("workflow_run", workflow.fork(report(failed, number=8)))
    assert [one.number for one in server.repository.comments.values()] == [8]


@pytest.mark.parametrize(
    "changes",
    [
        {"head_sha": "d" * 40},
        {"state": "closed"},
        {"head_repository": "octo/library"},
        {"head_repository": None},
        {"head_ref": "elsewhere"},
    ],
)
def test_a_run_that_no_open_pull_request_is_of_comments_nowhere(
    changes: dict[str, Any], workflow: Workflow, server: GitHubServer, report: Reported, failed: Run
) -> None:
    """Pushed to since, closed, of another repository, of a fork that is gone, of another branch."""
    for name, value in changes.items():
        setattr(server.repository.pulls[7], name, value)
    assert workflow.comment("workflow_run", workflow.fork(report(failed))) == "comment: outdated\n"
    assert server.bodies == []


@pytest.mark.parametrize("changes", [{"head_repository": None}, {"head_branch": None}, {"event": "push"}])
def test_a_run_of_nothing_comments_nowhere(
    changes: dict[str, Any], workflow: Workflow, server: GitHubServer, report: Reported, failed: Run
) -> None:
    """A fork that is gone, or no pull request's run at all."""
    workflow.comment("workflow_run", workflow.fork(report(failed), **changes))
    assert server.bodies == []


@pytest.mark.parametrize(
    "files",
    [
        b"not a zip",
        {},
        {"../results.json": b"{}"},
        {"results.json": b"{}"},
        {"results.json": b"[" * 100_000},
        {"results.json": b'{"schema": "tapegate.results/1", "x": ' + b"9" * 10_000 + b"}"},
        {"results.json": b"\xff\xfe"},
        {"comment.md": b"@everyone safe to merge"},
    ],
)
def test_a_report_that_cannot_be_read_is_said(
    files: dict[str, bytes] | bytes, workflow: Workflow, server: GitHubServer
) -> None:
    """In place of what an older commit's comment may say; never taken for a pass, and no text of its own is shown."""
    server.comment(7, BOT, f"{Marker('evals', 'a' * 40, 1).line()}\n## Tapegate: safe to merge\n")
    workflow.comment("workflow_run", workflow.fork(files, conclusion="success"))
    (body,) = server.bodies
    assert body.split("\n")[1:4] == [
        "## Tapegate: not known to be safe",
        "",
        "**The run left no report that can be read.**",
    ]
    assert "@everyone" not in body


def test_a_run_that_uploaded_nothing_is_said(workflow: Workflow, server: GitHubServer, passed: Run) -> None:
    """As one that could not even begin."""
    run = server.run(HEAD, event="pull_request", head_branch="topic", head_repository=FORK, conclusion="failure")
    workflow.comment("workflow_run", server.workflow_run(run))
    assert "has no artifact 'tapegate-report'" in server.bodies[0]


def test_a_run_that_was_cancelled_makes_no_comment(workflow: Workflow, server: GitHubServer, passed: Run) -> None:
    """A newer one of the same commit ends it, after an edit of the description say; a comment that is there is told."""
    more = {"event": "pull_request", "head_branch": "topic", "head_repository": FORK, "conclusion": "cancelled"}
    server.pull(7, HEAD, head_repository=FORK)
    workflow.comment("workflow_run", server.workflow_run(server.run(HEAD, **more)))
    assert server.bodies == []
    workflow.comment("workflow_run", server.workflow_run(server.run(HEAD, **more)), mode="always")
    assert len(server.bodies) == 1
    assert "no report that can be read" in server.bodies[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda run: replace(run, gate=Gate(True, 1, ())),
        lambda run: replace(run, gate=Gate(False, 0, ())),
        lambda run: replace(run, gate=Gate(False, 9, ())),
        lambda run: replace(run, tasks=(run.tasks[0], run.tasks[0])),
    ],
)
def test_results_that_contradict_themselves_are_not_shown(
    change: Any, workflow: Workflow, server: GitHubServer, report: Reported, passed: Run
) -> None:
    """A gate that passed and did not, an exit code that is none, a task twice."""
    workflow.comment("workflow_run", workflow.fork(report(change(passed))))
    assert "no report that can be read" in server.bodies[0]


def test_counts_and_comparisons_are_of_these_results(
    workflow: Workflow, server: GitHubServer, report: Reported, passed: Run, failed: Run
) -> None:
    """A summary that counts otherwise, and a diff.json of another run, are refused."""
    files = report(failed, passed)
    counted = json.loads(files["results.json"])
    counted["summary"]["pass"] = 3
    alone = {name: raw for name, raw in files.items() if name != "diff.json"}
    workflow.comment("workflow_run", workflow.fork(alone | {"results.json": json.dumps(counted).encode()}))
    assert "counts what it does not hold" in server.bodies[0]
    for changed in (
        {"results.json": results.Results.of(passed).to_bytes()},
        {"lint.json": b"{}"},
        {"lint.json": b"nothing"},
    ):
        server.repository.comments.clear()
        workflow.comment("workflow_run", workflow.fork(files | changed))
        assert "no report that can be read" in server.bodies[0], changed


@pytest.mark.parametrize("conclusion", ["failure", "timed_out", None, "`@everyone`"])
def test_a_report_that_says_more_than_its_run_is_doubted(
    conclusion: str | None, workflow: Workflow, server: GitHubServer, report: Reported, passed: Run
) -> None:
    """It claims to pass, and GitHub says how the run really ended."""
    workflow.comment("workflow_run", workflow.fork(report(passed, passed), conclusion=conclusion), mode="always")
    assert server.bodies[0].split("\n")[1] == "## Tapegate: not known to be safe"
    assert "the run itself ended with" in server.bodies[0]
    assert "@everyone" not in server.bodies[0]


def test_a_run_that_is_red_for_its_recordings_is_believed(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, passed: Run
) -> None:
    """Where a team only reports what is stale, the gate passes and the check of the recordings does not; lint then says
    again what is stale."""
    stale = replace(failed, tasks=(failed.tasks[0], failed.tasks[1]), gate=Gate(True, 0, ("1 of 2 tasks not judged",)))
    lint = json.dumps({"findings": [{"severity": "violation", "id": "eval_unchanged"}]}).encode()
    workflow.comment("workflow_run", workflow.fork(report(stale, lint_json=lint)), mode="always")
    first, _, second = server.bodies[0].partition("- Recordings")
    assert "the run itself ended with" not in first
    assert "lint" not in first
    assert second


def test_lint_counts(workflow: Workflow, server: GitHubServer, report: Reported, passed: Run) -> None:
    """A gate that lint fails is not called safe because its tasks pass."""
    lint = json.dumps({"findings": [{"severity": "note"}, {"severity": "violation", "message": "@everyone"}]}).encode()
    workflow.comment("workflow_run", workflow.fork(report(passed, passed, lint_json=lint), conclusion="success"))
    assert server.bodies[0].split("\n")[1].startswith("## Tapegate: not ")
    assert "@everyone" not in server.bodies[0]


def hostile(run: Run) -> Run:
    """The same run, with such text wherever there is text."""
    tasks = []
    for task in run.tasks:
        found = tuple(
            replace(one, message=HOSTILE, got=HOSTILE, expected=HOSTILE, fix=HOSTILE, file=HOSTILE, code=HOSTILE)
            for one in task.findings
        )
        trial = replace(task.trials[0], findings=found, tool_path=(HOSTILE,))
        key = task.key + HOSTILE
        tasks.append(replace(task, trials=(trial,), outcome_names=(HOSTILE, HOSTILE), file=HOSTILE, key=key))
    return replace(run, profile=HOSTILE, tasks=tuple(tasks), gate=replace(run.gate, reasons=(HOSTILE,)))


def test_nothing_that_a_stranger_wrote_is_more_than_text(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, passed: Run
) -> None:
    """Names of tasks and branches, messages, tools, files, profiles: in the comment they stand in code, and none of it
    is a mention, a link, an image, HTML, a marker of ours or a command of the log."""
    server.pull(7, HEAD, head_repository=FORK, head_ref=HOSTILE, title=HOSTILE, body=HOSTILE)
    event = workflow.fork(report(hostile(failed), hostile(passed)), head_branch=HOSTILE)
    event["workflow_run"]["display_title"] = HOSTILE
    shown = workflow.comment("workflow_run", event)
    (body,) = server.bodies
    assert body.count(Marker("evals", HEAD, event["workflow_run"]["id"]).line()) == 1
    assert body.split("\n")[0] == Marker("evals", HEAD, event["workflow_run"]["id"]).line()
    prose = re.sub(
        r"<(pre|code)\b.*?</\1>", "", MarkdownIt("commonmark").render(body.partition("\n")[2]), flags=re.DOTALL
    )
    for bad in ("@everyone", "evil.example", "alert", "github.token", "closes", "touch", "tapegate:comment", "set-env"):
        assert bad not in prose, bad
        assert bad in body or bad == "tapegate:comment"
    assert set(re.findall(r"<(\w+)", prose)) <= {"h2", "h3", "h4", "p", "strong", "ul", "li", "details", "summary", "a"}
    assert re.findall(r'href="([^"]*)"', prose) == [event["workflow_run"]["html_url"]]
    assert "\u202e" not in body
    assert "\u200b" not in body
    assert not re.search(r"^\s*::|##\[", shown, re.MULTILINE)
    # Ours is found again by its first line, whatever the rest quotes.
    assert workflow.comment("workflow_run", event).startswith("comment: unchanged")


@pytest.mark.parametrize("what", ["fork", "gone", "limit", "down", "token", "event", "report", "repository"])
def test_whatever_goes_wrong_costs_the_comment_alone(
    what: str, workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, monkeypatch: Any
) -> None:
    """One notice that says what to do, and exit code 0."""
    monkeypatch.setattr("tapegate.github.patience.Patience.__init__.__defaults__", (0.5,), raising=False)
    folder = workflow.folder_of(report(failed))
    env: dict[str, str] = {}
    event = pull_request()
    if what == "fork":
        server.token(pull_requests="read")
    elif what == "gone":
        server.fault("GET", "/pulls/7", said(404, "Not Found"), said(404, "Not Found"))
    elif what == "limit":
        server.fault("GET", "/pulls/7", said(429, "slow down", retry_after="3600"))
    elif what == "down":
        server.fault("GET", "/pulls/7", *[said(502, "")] * 3)
    elif what == "token":
        env["GITHUB_TOKEN"] = ""
    elif what == "event":
        event = pull_request(number=HOSTILE)
    elif what == "report":
        folder = workflow.folder / "nowhere"
    else:
        env["GITHUB_REPOSITORY"] = HOSTILE
    shown = workflow.comment("pull_request", event, folder, **env)
    assert server.bodies == []
    if what == "event":
        assert shown == "comment: none\n"
        return
    assert shown.startswith("::notice title=Tapegate has no comment to show::")
    assert len(shown.splitlines()) == 1
    assert "##[" not in shown
    assert shown.count("::") == 2


def test_a_fault_of_ours_costs_the_comment_alone(
    workflow: Workflow, server: GitHubServer, report: Reported, failed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notice, and exit code 0; who wants the traceback asks for it."""

    def broken(*words: Any) -> Any:
        raise ZeroDivisionError(HOSTILE)

    monkeypatch.setattr("tapegate.github.pull_comment.tell", broken)
    shown = workflow.comment("pull_request", pull_request(), workflow.folder_of(report(failed)))
    assert "an internal error, ZeroDivisionError" in shown
    assert len(shown.splitlines()) == 1
    with pytest.raises(ZeroDivisionError):
        workflow.comment("pull_request", pull_request(), workflow.folder / "report", TAPEGATE_DEBUG="1")
    workflow.comment("workflow_run", workflow.fork(report(failed)))
    assert "makes no sense: ZeroDivisionError" in server.bodies[0]


@pytest.mark.parametrize(
    ("mode", "same", "other", "failing"),
    [("auto", 0, 1, 1), ("changes", 0, 1, 0), ("always", 1, 1, 1), ("off", 0, 0, 0)],
)
def test_when_a_comment_is_made(
    mode: str, same: int, other: int, failing: int, workflow: Workflow, server: GitHubServer, report: Reported,
    passed: Run, failed: Run,
) -> None:  # fmt: skip
    """Where all is as before; where something differs; where it fails as it did on the base."""
    for run, base, expected in ((passed, passed, same), (failed, passed, other), (failed, failed, failing)):
        server.repository.comments.clear()
        workflow.comment("pull_request", pull_request(), workflow.folder_of(report(run, base)), mode)
        assert len(server.bodies) == expected


@pytest.mark.parametrize("mode", ["auto", "changes", "always"])
def test_one_that_is_there_says_when_all_is_well_again(
    mode: str, workflow: Workflow, server: GitHubServer, report: Reported, passed: Run
) -> None:
    """A comment is never left with what was true of an older commit."""
    server.comment(7, BOT, f"{Marker('evals', 'a' * 40, 1).line()}\n## Tapegate: not safe to merge\n")
    workflow.comment("pull_request", pull_request(), workflow.folder_of(report(passed, passed)), mode)
    assert server.bodies[0].split("\n")[1] == "## Tapegate: safe to merge"


def test_a_long_report_stays_within_a_comment(
    workflow: Workflow, server: GitHubServer, report: Reported, make_task: Any, make_finding: Any
) -> None:
    """However much there is to tell."""
    keys = [f"RET-{number:03}@A1" for number in range(400)]
    tasks = tuple(make_task(key, Verdict.FAIL, make_finding(message="é" * 900, key=key)) for key in keys)
    run = Run("pr", partial=False, tasks=tasks, gate=Gate(False, 1, ("x" * 900,) * 50))
    base = replace(run, tasks=tuple(make_task(key, Verdict.PASS, outcome=0) for key in keys), gate=Gate(True, 0, ()))
    workflow.comment("workflow_run", workflow.fork(report(run, base)))
    assert 20_000 < len(server.bodies[0].encode()) <= 60_000


@pytest.mark.parametrize("name", ["push", "merge_group", "schedule", "", "workflow_dispatch"])
def test_other_events_have_no_comment(
    name: str, workflow: Workflow, server: GitHubServer, report: Reported, failed: Run
) -> None:
    """There is no pull request to put it on."""
    assert workflow.comment(name, {}, workflow.folder_of(report(failed))) == "comment: none\n"
    assert server.requests == []
