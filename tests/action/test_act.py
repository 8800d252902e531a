"""The workflows of this repository, run by a runner as they stand.

What is not on a test's machine has stand-ins: actions of others (conftest.py), GitHub (tests/github/stand_in), `gh`,
and the local model that `make audit-record` starts.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from github_server import GitHubServer

TASK = "evals/retrieval_prompt_paths/RET-02@A1.yaml"
RECORDING = "cassettes/retrieval_prompt_paths/RET-02@A1/trial-1.yaml"
ANSWER = "src/paperdesk/answer.py"
SHOWN = "        self.text += shown\n        return shown\n"
DROPPED = '        import re\n\n        shown = re.sub(r"[\\[\\]]|/paper/[a-z0-9-]*", "", shown)\n'
"""A defect: the answer cites nothing."""
POLICY = "src/paperdesk/policy.py"
READ, READ_OTHERWISE = "Read before citing", "Read before you cite"
PARTS = {f"tapegate-report-shard-{part}-of-2" for part in (1, 2)}


def test_pr_yml_judges_a_fork_in_two_parts_and_comment_yml_tells_it(
    repository: Any, tmp_path: Path, github: GitHubServer
) -> None:
    """Two jobs replay a part each, a third joins them, holds them against the merge commit's first parent and fails
    with 1: an error on the line of the expectation, a summary, a report, and the two answers as checks of their own.
    The token may only read; the comment comes from the workflow that runs when this one has ended."""
    repository.replace(ANSWER, SHOWN, DROPPED + SHOWN)
    event = repository.merged()
    event["pull_request"]["head"]["repo"] = {"id": 2, "full_name": "stranger/library"}
    head = event["pull_request"]["head"]["sha"]
    github.pull(7, head, head_repository="stranger/library", head_ref="change")
    reading = github.token("ghs_read", contents="read", actions="read")
    ran = repository.run("pr.yml", "pull_request", event, tmp_path / "kept", *repository.as_github(github, reading))
    assert ran.code == 1, ran.told()

    assert {path.name for path in (ran.kept / "artifacts").iterdir()} == {"tapegate-report", *PARTS}
    results = json.loads((ran.kept / "artifacts" / "tapegate-report" / "results.json").read_bytes())
    assert (results["gate"]["exit_code"], results["partial"], results["summary"]["total"]) == (1, False, 2)

    outputs = ran.outputs("gate")
    assert outputs["base"] == event["pull_request"]["base"]["sha"]
    assert (outputs["verdict"], outputs["exit-code"], outputs["comparison"]) == ("failed", "1", "available")
    assert (outputs["behaviour"], outputs["recordings"]) == ("fails", "current")
    assert outputs["regressions"] == str(results["summary"]["fail"])

    found = [each for each in ran.annotations("gate") if each.file == TASK]
    lines = (repository.root / TASK).read_text().split("\n")
    expected = {number for number, text in enumerate(lines, 1) if "citations_local_min: 2" in text}
    assert found
    assert {each.line for each in found} <= expected
    assert {(each.kind, each.title) for each in found} == {
        ("error", "RET-02@A1 passed before: citation_contract too_few_local_citations")
    }
    summary = ran.summary("gate")
    assert summary.startswith("## Tapegate: not safe to merge\n")
    assert "passed before and fail" in summary
    assert f"`{outputs['digest']}`" in summary
    assert {name: result for name, result in ran.ended().items() if "Replay" not in name} == {
        "Gate": "failure",
        "Behaviour holds": "failure",
        "Recordings cover the change": "success",
    }
    assert github.bodies == []

    run = github.run(
        head, event="pull_request", head_branch="change", head_repository="stranger/library", conclusion="failure"
    )
    github.artifact(run, ran.zipped())
    writing = github.token("ghs_write", pull_requests="write", actions="read")
    payload = github.workflow_run(run)
    words = repository.as_github(github, writing)
    told = repository.run("comment.yml", "workflow_run", payload, tmp_path / "later", *words)
    assert told.code == 0, told.told()
    (body,) = github.bodies
    assert "## Tapegate: not safe to merge" in body
    assert "RET-02@A1" in body


def test_pr_yml_keeps_mains_results_and_holds_a_merge_group_against_them(
    repository: Any, tmp_path: Path, github: GitHubServer
) -> None:
    """Main passes in two parts and keeps its report. A group with a recording of other bytes than its pins say fails
    with 2: what could be judged holds, and the job that joins the parts names the file."""
    base = repository.git("rev-parse", "HEAD")
    words = repository.as_github(github, github.token(contents="read", actions="read"))
    main = repository.run("pr.yml", "push", {"ref": "refs/heads/main"}, tmp_path / "main", *words)
    assert main.code == 0, main.told()
    assert set(main.ended().values()) == {"success"}
    github.artifact(github.run(base, event="push"), main.zipped())

    with (repository.root / RECORDING).open("a") as file:
        file.write("# changed by hand\n")
    head = repository.commit()
    payload = {"action": "checks_requested", "merge_group": {"base_sha": base, "head_sha": head}}
    ran = repository.run("pr.yml", "merge_group", payload, tmp_path / "group", *words)
    assert ran.code == 1, ran.told()
    outputs = ran.outputs("gate")
    assert (outputs["base"], outputs["exit-code"], outputs["regressions"]) == (base, "2", "0")
    assert f"base {base[:12]}, from its own run" in ran.log("gate")
    assert {name: result for name, result in ran.ended().items() if "Replay" not in name} == {
        "Gate": "failure",
        "Behaviour holds": "success",
        "Recordings cover the change": "failure",
    }
    assert [each for each in ran.annotations("gate") if RECORDING in each.text]


def test_nightly_yml_and_weekly_yml_keep_their_schedule(repository: Any, tmp_path: Path, github: GitHubServer) -> None:
    """At night two orders give the same bytes. Once a week everything is recorded anew, and comes as one pull request
    whose gate is dispatched."""
    night = repository.run("nightly.yml", "schedule", {"schedule": "23 3 * * *"}, tmp_path / "night")
    assert night.code == 0, night.told()
    assert (night.kept / "artifacts" / "tapegate-nightly" / "second" / "results.json").is_file()

    bare = repository.served(github, tmp_path / "git")
    github.repository.workflows = {"pr.yml": {"pull_request", "workflow_dispatch"}}
    token = github.token(contents="write", pull_requests="write", actions="write")
    words = repository.as_github(github, token, GITHUB_REF_NAME="main")
    audited = f"""{shutil.which("make")} --dry-run "$@" | grep -e '/tapegate audit --record --out out/refresh/audit$' &&
mkdir -p out/refresh/audit && echo 'Nothing drifted.' >out/refresh/audit/audit.md"""
    env = repository.command("make", audited, tmp_path / "commands")
    week = repository.run("weekly.yml", "schedule", {"schedule": "41 4 * * 1"}, tmp_path / "week", *words, **env)
    assert week.code == 0, week.told()
    (pull,) = github.repository.pulls.values()
    assert (pull.head_ref, pull.base_ref, pull.title) == ("tapegate/refresh", "main", "Refresh the recordings")
    assert "Nothing drifted." in (pull.body or "")
    assert github.repository.started == [("pr.yml", "workflow_dispatch", "tapegate/refresh")]
    assert repository.shown(bare, f"tapegate/refresh:{RECORDING}") != repository.shown(bare, f"main:{RECORDING}")


def test_record_yml_records_a_reviewed_commit(repository: Any, tmp_path: Path, github: GitHubServer) -> None:
    """Dispatched on the newest commit of a pull request whose prompt has changed: main's Tapegate records it, and the
    recordings come as a pull request to its branch."""
    repository.git("checkout", "--quiet", "-b", "change")
    repository.replace(POLICY, READ, READ_OTHERWISE)
    head = repository.commit()
    repository.git("checkout", "--quiet", "main")
    bare = repository.served(github, tmp_path / "git")
    github.repository.workflows = {"pr.yml": {"pull_request", "workflow_dispatch"}}
    token = github.token(contents="write", pull_requests="write", actions="write")
    asked = f'case "$4" in .head.sha) echo {head};; *) echo change;; esac'
    env = {"ORIGIN": str(bare), **repository.command("gh", asked, tmp_path / "commands")}
    payload = {"inputs": {"pull-request": "7", "commit": head, "cap-usd": "1.00"}}
    words = repository.as_github(github, token, GITHUB_REF_NAME="main")
    ran = repository.run("record.yml", "workflow_dispatch", payload, tmp_path / "kept", *words, **env)
    assert ran.code == 0, ran.told()
    (pull,) = github.repository.pulls.values()
    assert (pull.head_ref, pull.base_ref, pull.title) == ("tapegate/recordings-7", "change", "Recordings for #7")
    assert github.repository.started == [("pr.yml", "workflow_dispatch", "tapegate/recordings-7")]
    assert READ_OTHERWISE in repository.shown(bare, f"tapegate/recordings-7:{RECORDING}")


def test_ci_yml_runs_the_action_on_itself(repository: Any, tmp_path: Path) -> None:
    """Its other job is all of the tests, this one among them."""
    ran = repository.run("ci.yml", "push", {"ref": "refs/heads/main"}, tmp_path / "kept", "--job", "action")
    assert ran.code == 0, ran.told()
    assert ran.outputs("whole")["comparison"] == "none"
