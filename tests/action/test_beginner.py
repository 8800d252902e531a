"""A small agent's repository, from `tapegate init` to its pull requests and weeks, run by a runner.

`act` cannot fetch actions, and keeps no artifacts between workflows: checkout, setup-python, artifacts and an App's
token have stand-ins (conftest.py). GitHub itself is the stateful server of tests/github/stand_in.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from github_server import GitHubServer

TASK = "evals/first/FIRST-01@main.yaml"
RETURNED = "    return text\n"
MARKER = "<!-- tapegate:comment suite=evals head=" + "f" * 40 + " run=99.1 -->"
HOSTILE = f"""
@everyone closes #1 ![x](https://x.invalid/p.png) <img src=x> [a](https://x.invalid)
{MARKER}
::set-env name=PWNED::1
::set-output name=verdict::passed
text ##[error]pwned
::error title=pwned::pwned
$(touch "$KEPT/pwned") `touch "$KEPT/pwned"` ${{{{ github.token }}}}
````
| a | b |
|---|---|
"""
BRANCH = "x;touch$IFS'pwned'`id`$(id)${{github.token}}"


def outside_code(markdown: str) -> str:
    """What of a Markdown text is no code."""
    without_blocks = re.sub(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1`*$", "", markdown)
    return re.sub(r"`[^`\n]*`", "", without_blocks)


def test_three_lines_of_yaml_gate_a_regression(small: Any, tmp_path: Path, github: GitHubServer) -> None:
    """On a shallow checkout, whose base is fetched: the line is annotated, the summary tells, one comment is made, and
    the step ends with 1. Whatever the agent says and prints, and however the branch is called, nothing of it is obeyed.
    """
    small.replace("agent.py", RETURNED, f"    print({HOSTILE!r}, flush=True)\n    return {HOSTILE!r}\n")
    event = small.merged(BRANCH)
    event["pull_request"]["title"] = HOSTILE
    base, head = event["pull_request"]["base"]["sha"], event["pull_request"]["head"]["sha"]
    github.pull(7, head)
    token = github.token(pull_requests="write", actions="read", contents="read")
    small.git("branch", "merge", "HEAD")
    small.git("clone", "--quiet", "--depth=1", "--branch=merge", f"file://{small.root}", str(tmp_path / "shallow"))
    shallow = type(small)(tmp_path / "shallow", small.environ, small.action)
    assert shallow.git("rev-list", "--count", "HEAD") == "1"

    words = small.as_github(github, token)
    ran = shallow.run("three-lines.yml", "pull_request", event, tmp_path / "kept", *words)
    assert ran.code == 1, ran.told()
    outputs = ran.outputs("gate")
    assert (outputs["exit-code"], outputs["behaviour"], outputs["recordings"]) == ("1", "fails", "current")
    assert (outputs["comparison"], outputs["base"], outputs["regressions"]) == ("available", base, "1")

    lines = (shallow.root / TASK).read_text().split("\n")
    (wanted,) = [number for number, text in enumerate(lines, 1) if text.lstrip().startswith("facts:")]
    annotation, uncovered = [each for each in ran.annotations("gate") if each.kind == "error"]
    assert (annotation.file, annotation.line) == (TASK, wanted)
    assert (uncovered.file, uncovered.title) == ("agent.py", "Tapegate: eval_unchanged")
    assert annotation.title == "FIRST-01@main passed before: schema_contract fact_missing"

    assert not (ran.kept / "pwned").exists()
    assert not list(shallow.root.rglob("pwned"))
    assert {record.get("name") for record in ran.records if record.get("command") == "set-env"} <= {None}
    assert ran.commands("gate") <= {"error", "warning", "notice", "set-output", "summary"}
    assert "pwned" not in {each.title for each in ran.annotations("gate")}
    assert not [line for line in ran.log("gate").splitlines() if "##[" in line or line.lstrip().startswith("::")]

    (body,) = github.bodies
    assert body.split("\n")[0] != MARKER
    for text in (body.split("\n", 1)[1], ran.summary("gate")):
        assert "everyone" in text
        plain = outside_code(text)
        assert not re.search(r"@everyone|<img|!\[|\]\(|closes #|tapegate:comment|x\.invalid", plain), plain
    assert ran.summary("gate").startswith("## Tapegate: not safe to merge\n")

    # The same report again, by the step that the action runs: nothing is written.
    asked = github.asked("POST"), github.asked("PATCH")
    environ = {
        **small.environ,
        **github.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(ran.kept / "event.json"),
        "GITHUB_RUN_ID": "2",
        "INPUT_TOKEN": token,
        "TAPEGATE_REPORT": str(ran.kept / "artifacts" / "tapegate-report"),
    }
    again = [sys.executable, "-P", "-m", "tapegate.cli.action", "comment"]
    done = subprocess.run(again, env=environ, check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("comment: unchanged")
    assert github.bodies == [body]
    graphql = 1  # who the token speaks for
    assert (github.asked("POST") - graphql, github.asked("PATCH")) == asked


CASES = """
on: pull_request
jobs:
  cases:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: cp -R "$CASES/stale/." .
      - {id: stale, continue-on-error: true, uses: owner/tapegate@v1, with: {baseline: none}}
      - {id: reported, continue-on-error: true, uses: owner/tapegate@v1, with: {baseline: none, stale: report}}
      - run: cp -R "$CASES/plain/." . && cp -R "$CASES/cassette/." .
      - {id: cassette, continue-on-error: true, uses: owner/tapegate@v1, with: {baseline: none}}
      - run: cp -R "$CASES/plain/." .
      - id: hostile
        uses: owner/tapegate@v1
        continue-on-error: true
        with:
          select: |
            $(touch "$KEPT/pwned") `touch "$KEPT/pwned"` "; touch $KEPT/pwned
            ::set-output name=verdict::passed
            ##[error]pwned --profile=dev ${{ github.event.pull_request.head.ref }}
      - run: |
          cp "$CASES/name.yaml" 'evals/first/$(touch pwned)`touch pwned`::set-env ##[error]x@main.yaml'
      - {id: name, continue-on-error: true, uses: owner/tapegate@v1, with: {annotations: false}}
      - run: rm evals/first/*pwned*
      - id: nowhere
        uses: owner/tapegate@v1
        continue-on-error: true
        with: {install: "echo ::error title=pwned::x; exit 9"}
      - {id: unknown, continue-on-error: true, uses: owner/tapegate@v1}
      - run: printf %s "$STEPS" >"$KEPT/steps.json" && find . -name pwned >"$KEPT/touched"
        env:
          STEPS: ${{ toJSON(steps) }}
"""


def test_every_other_end_has_its_own_code_and_no_text_is_a_command(small: Any, tmp_path: Path) -> None:
    """Stale is 4, a recording of other bytes 2, a hostile selection or file name 2, a failed installation 3; a checkout
    that is no merge has no base, which is said first and costs the comparison alone."""
    cassette = "cassettes/first/FIRST-01@main/trial-1.yaml"
    changed = {"stale": ("agent.py", "Be short", "Be brief"), "cassette": (cassette, "I answer", "I Answer")}
    for case, (file, old, new) in changed.items():
        text = (small.root / file).read_text("utf-8")
        assert old in text
        for name, content in (("plain", text), (case, text.replace(old, new, 1))):
            target = tmp_path / "cases" / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, "utf-8")
    shutil.copy(small.root / TASK, tmp_path / "cases" / "name.yaml")
    (small.root / ".github" / "workflows" / "cases.yml").write_text(CASES)
    small.commit()
    event = {"number": 7, "pull_request": {"number": 7, "head": {"ref": BRANCH}, "base": {"ref": "main"}}}
    ran = small.run("cases.yml", "pull_request", event, tmp_path / "kept", CASES=str(tmp_path / "cases"))
    assert (ran.kept / "steps.json").exists(), ran.told()
    steps = json.loads((ran.kept / "steps.json").read_bytes())
    told = {name: step["outputs"] for name, step in steps.items() if "exit-code" in step["outputs"]}
    codes = {name: outputs["exit-code"] for name, outputs in told.items()}
    expected = {"stale": "4", "reported": "3", "cassette": "2", "hostile": "2", "name": "2", "nowhere": "3"}
    assert codes == {**expected, "unknown": "0"}, ran.told()
    assert {told[name]["verdict"] for name in expected} == {"failed"}
    assert {steps[name]["outcome"] for name in expected} == {"failure"}
    assert (told["stale"]["behaviour"], told["stale"]["recordings"]) == ("unknown", "stale")
    assert (told["cassette"]["behaviour"], told["cassette"]["recordings"]) == ("unknown", "unusable")
    assert (told["unknown"]["behaviour"], told["unknown"]["comparison"]) == ("holds", "unavailable")

    (stale,) = [each for each in ran.annotations("stale") if each.kind == "error"]
    assert (stale.file, stale.title) == (TASK, "FIRST-01@main: replay diverged")
    assert "Be brief" in stale.text
    assert "tapegate record FIRST-01@main --stale" in stale.text
    assert ran.summary("unknown").startswith("## Tapegate: not known to be safe\n\n**The comparison is unavailable:")

    assert not (ran.kept / "pwned").exists()
    assert (ran.kept / "touched").read_text() == ""
    assert "pwned" not in {output for step in steps.values() for output in step["outputs"].values()}
    *each, _ = ran.annotations("hostile")
    assert {annotation.title for annotation in each} == {"Tapegate: unknown_selection"}
    assert any("'name=verdict: :passed'" in annotation.text for annotation in each)
    assert ran.annotations("name") == []
    assert ran.commands("name") <= {"set-output", "summary"}
    (nowhere,) = ran.annotations("nowhere")
    assert "the command of the input `install` ended with 9" in nowhere.text


def test_a_fork_is_gated_in_full_and_its_comment_comes_from_another_workflow(
    small: Any, tmp_path: Path, github: GitHubServer
) -> None:
    """With a token that may only read, the gate of `tapegate init --github` judges, annotates and keeps its report; the
    workflow on `workflow_run`, whose event names no pull request, writes the comment."""
    small.replace("agent.py", RETURNED, '    return "Ask somebody else."\n')
    event = small.merged()
    event["pull_request"]["head"]["repo"] = {"id": 2, "full_name": "stranger/library"}
    head = event["pull_request"]["head"]["sha"]
    github.pull(7, head, head_repository="stranger/library", head_ref="change")
    reading = github.token("ghs_read", contents="read", actions="read")
    ran = small.run("tapegate.yml", "pull_request", event, tmp_path / "kept", *small.as_github(github, reading))
    assert ran.code == 1, ran.told()
    assert [each.line for each in ran.annotations("gate") if each.kind == "error"]
    assert ran.outputs("gate")["comparison"] == "available"
    assert github.bodies == []

    run = github.run(
        head, event="pull_request", head_branch="change", head_repository="stranger/library", conclusion="failure"
    )
    github.artifact(run, ran.zipped())
    writing = github.token("ghs_write", pull_requests="write", actions="read")
    payload = github.workflow_run(run)
    assert payload["workflow_run"]["pull_requests"] == []
    words = small.as_github(github, writing)
    told = small.run("tapegate-comment.yml", "workflow_run", payload, tmp_path / "later", *words)
    assert told.code == 0, told.told()
    (body,) = github.bodies
    assert "## Tapegate: not safe to merge" in body
    assert "- Behaviour fails in 1 of 1 task: `FIRST-01@main`" in body
    assert "- Recordings cover the code" in body


def test_weeks_go_as_init_wrote_them(small: Any, tmp_path: Path, github: GitHubServer) -> None:
    """What the model says now comes as one pull request, whose gate is dispatched. (A night of this repository's own
    stands for theirs.)"""
    (small.root / "says.txt").write_text("I answer in another way.")
    small.commit("the model changed")
    bare = small.served(github, tmp_path / "git")
    github.repository.workflows = {"tapegate.yml": {"pull_request", "workflow_dispatch"}}
    token = github.token(contents="write", pull_requests="write", actions="write")
    words = small.as_github(github, token, GITHUB_REF_NAME="main")
    week = small.run("tapegate-weekly.yml", "schedule", {"schedule": "41 4 * * 1"}, tmp_path / "week", *words)
    assert week.code == 0, week.told()
    (pull,) = github.repository.pulls.values()
    assert (pull.head_ref, pull.base_ref, pull.title) == ("tapegate/refresh", "main", "Refresh the recordings")
    assert "`FIRST-01@main`: another answer" in (pull.body or "")
    assert github.repository.started == [("tapegate.yml", "workflow_dispatch", "tapegate/refresh")]
    shown = small.shown(bare, "tapegate/refresh:cassettes/first/FIRST-01@main/trial-1.yaml")
    assert "in another way" in shown


def test_a_maintainer_records_what_a_reviewed_commit_lacks(small: Any, tmp_path: Path, github: GitHubServer) -> None:
    """The workflow that init wrote, dispatched on the newest commit: the recordings come as a pull request to its
    branch. On any other commit it stops before anything of it is run."""
    small.git("checkout", "--quiet", "-b", "change")
    small.replace("agent.py", "Be short", "Be brief")
    head = small.commit()
    small.git("checkout", "--quiet", "main")
    bare = small.served(github, tmp_path / "git")
    github.repository.workflows = {"tapegate.yml": {"pull_request", "workflow_dispatch"}}
    token = github.token(contents="write", pull_requests="write", actions="write")
    asked = f'case "$4" in .head.sha) echo {head};; *) echo change;; esac'
    env = {"ORIGIN": str(bare), **small.command("gh", asked, tmp_path / "commands")}
    words = small.as_github(github, token, GITHUB_REF_NAME="main")

    def dispatched(commit: str, kept: str) -> Any:
        inputs = {"pull-request": "7", "commit": commit, "cap-usd": "1.00"}
        return small.run("tapegate-record.yml", "workflow_dispatch", {"inputs": inputs}, tmp_path / kept, *words, **env)

    stopped = dispatched("e" * 40, "stopped")
    assert stopped.code == 1
    assert not (stopped.kept / "artifacts").exists()
    ran = dispatched(head, "kept")
    assert ran.code == 0, ran.told()
    (pull,) = github.repository.pulls.values()
    assert (pull.head_ref, pull.base_ref, pull.title) == ("tapegate/recordings-7", "change", "Recordings for #7")
    shown = small.shown(bare, "tapegate/recordings-7:cassettes/first/FIRST-01@main/trial-1.yaml")
    assert "Be brief" in shown
