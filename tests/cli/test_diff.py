"""`tapegate diff` on the command line: what its words may name, its exit codes, what it leaves."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.diff import diff
from tapegate.errors import BadInput, TapegateError, Unavailable
from tapegate.grade import contract
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.model.budget import Budget
from tapegate.model.config import Profile
from tapegate.model.run import Run
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Finish, Text, ToolCall, Trace
from tapegate.report.diff_file import json_schema
from tapegate.report.results import Results
from tapegate.run import events_file

PR = Profile()


def task(**changes: Any) -> Task:
    """A task that wants a search first."""
    document = {
        "id": "RET-01",
        "suite": "retrieval",
        "path_id": "A1",
        "mode": "single_turn",
        "input": "What does the paper say?",
        "expect": {"accepted_outcomes": [{"name": "searches", "allowed_first_tools": ["search"]}]},
        "grading": {"deterministic_metrics": ["tool_trace"]},
        **changes,
    }
    return Task.model_validate_json(json.dumps(document))


@pytest.fixture
def results(tmp_path: Path) -> Callable[..., Path]:
    """Writes a folder of results: a task, judged by the tools that were called."""

    def write(name: str, *tools: str, of: Task | None = None, profile: Profile = PR, text: str = "yes") -> Path:
        judged = of or task()
        calls = [ToolCall(str(place), tool, {}) for place, tool in enumerate(tools)]
        trace = Trace(
            judged.key, 1, (*calls, Text(text), Finish("stop")), (), Account(1), Ending("completed"), 500, 400
        )
        result = grade_task(judged, [grade_trial(judged, trace, "c" * 64)])
        run = Run("pr", False, (result,), decide([result], "pr", profile, False))
        folder = tmp_path / name
        events_file.write(trace, folder / "traces")
        (folder / "contracts.json").write_bytes(contract.to_bytes([judged], "pr", profile))
        (folder / "results.json").write_bytes(Results.of(run).to_bytes())
        return folder

    return write


def run(*words: str | Path) -> Result:
    """The command, in this process; what it refuses is raised."""
    return CliRunner().invoke(diff, [str(word) for word in words], catch_exceptions=False)


def refused(kind: type[TapegateError], *words: str | Path) -> str:
    """What the command says where it refuses."""
    with pytest.raises(kind) as caught:
        run(*words)
    return str(caught.value)


def test_the_same_results_do_not_differ(results: Any) -> None:
    """Exit 0, and one line that says so."""
    folder = results("a", "search")
    done = run(folder, folder)
    assert done.exit_code == 0
    assert "safe to merge · No verdict became worse in 1 task." in done.output


def test_what_became_worse_is_told_and_exits_1(results: Any) -> None:
    """From folders as from single files; a file alone has neither answers nor contracts, and says so."""
    base, head = results("base", "search"), results("head", "web", text="no")
    done = run(base, head)
    assert done.exit_code == 1
    assert "REGRESSION RET-01@A1  pass → fail" in done.output
    assert "answer     + no" in done.output
    alone = run(base / "results.json", head / "results.json")
    assert alone.exit_code == 1
    assert "answer       changed; its text is not at hand" in alone.output
    assert "keep the verdict they came with" in alone.output


def test_it_leaves_reports_that_render_again(results: Any, tmp_path: Path) -> None:
    """diff.json fits its schema, and comment, page and SARIF lie beside it."""
    import jsonschema

    out = tmp_path / "out"
    done = run(results("base", "search"), results("head", "web"), "--out", out, "--json")
    assert json.loads(done.output) == json.loads((out / "diff.json").read_bytes())
    jsonschema.validate(json.loads(done.output), json_schema())
    assert (out / "comment.md").read_text().startswith("## Tapegate: not safe to merge")
    assert "Not safe to merge" in (out / "report.html").read_text()
    assert json.loads((out / "results.sarif").read_bytes())["runs"][0]["results"][0]["baselineState"] == "new"


def test_a_loosened_contract_shows_from_folders(results: Any) -> None:
    """The traces and the contracts that lie in them are enough to judge head by what base asked for."""
    new = task(expect={"accepted_outcomes": [{"name": "anything", "required_tools": ["web"]}]})
    done = run(results("base", "search"), results("head", "web", of=new))
    assert done.exit_code == 0
    assert "LOOSENED RET-01@A1  pass → pass" in done.output
    assert "no longer accepted: searches" in done.output


def test_old_results_are_judged_by_this_version(results: Any) -> None:
    """A verdict that was written down by another Tapegate does not stand against the trace."""
    base, head = results("base", "search"), results("head", "search")
    text = (base / "results.json").read_text()
    (base / "results.json").write_text(text.replace('"verdict": "pass"', '"verdict": "fail"'))
    done = run(base, head)
    assert done.exit_code == 0
    assert "has other verdicts: RET-01@A1 (fail → pass)" in done.output
    assert "FIXED" not in done.output


def test_budgets_of_the_heads_profile_hold(results: Any) -> None:
    """They travel with the results; a profile that differs from the base's is told."""
    strict = Profile(budgets=(Budget(measure="tool_calls", increase=0),))
    done = run(results("base", "search"), results("head", "search", "search", profile=strict))
    assert done.exit_code == 1
    assert "a budget is exceeded (tool calls: at most +0 calls for each task): RET-01@A1" in done.output
    assert "note  profile 'pr' says something else in base (budgets); head's was used" in done.output
    # Asking for less does not pass in silence.
    done = run(results("strict", "search", profile=strict), results("lax", "search", "search"))
    assert done.exit_code == 0
    assert "To look at: the profile says something else than on the base." in done.output


def test_a_profile_that_is_named_is_looked_up(results: Any, tmp_path: Path) -> None:
    """In the config of the project at hand, and refused where it is nowhere declared."""
    base, head = results("base", "search"), results("head", "search", "search")
    assert "there is no profile 'strict'" in refused(BadInput, base, head, "--profile", "strict", "-C", tmp_path)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "tapegate.yaml").write_text(
        "version: 1\npaths:\n  A1: {title: Chat, status: active, files: [a.py], subject: desk}\n"
        "subjects:\n  desk: {kind: python, entry: 'agent:answer', stream: text}\n"
        "profiles:\n  strict: {budgets: [{measure: tool_calls, increase: 0}]}\n"
    )
    assert run(base, head, "--profile", "strict", "-C", tmp_path).exit_code == 1
    assert run(base, head, "--profile", "nightly", "-C", tmp_path).exit_code == 0


def test_words_that_name_nothing_are_refused(results: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a repository, without git, and for an unknown revision, each with what to do instead (ENV-01)."""
    folder = results("a", "search")
    said = refused(Unavailable, "main", folder, "--project", tmp_path)
    assert "no_repository: 'main' is no folder with results" in said
    assert "tapegate diff BASE_FOLDER HEAD_FOLDER" in said
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert "unknown_revision" in refused(BadInput, "main", folder, "--project", tmp_path)
    assert "unknown_revision" in refused(BadInput, "-C", tmp_path, "--", "--upload-pack=x", folder)
    monkeypatch.setenv("PATH", "")
    assert "no_git: git cannot be run" in refused(Unavailable, "main", folder, "--project", tmp_path)
    assert run(folder, folder, "--project", tmp_path).exit_code == 0


@pytest.mark.parametrize(
    ("file", "raw", "code"),
    [
        ("results.json", b"{}", "bad_results"),
        ("contracts.json", b"{}", "bad_contracts"),
        ("traces/RET-01@A1/trial-1.jsonl", b"{}\n", "bad_trace"),
    ],
)
def test_files_that_are_not_what_they_should_be_are_refused(file: str, raw: bytes, code: str, results: Any) -> None:
    """Bad input, named; nothing is skipped in silence."""
    base, head = results("base", "search"), results("head", "search")
    (base / file).write_bytes(raw)
    said = refused(BadInput, base, head)
    assert code in said
    assert file in said


def test_a_key_cannot_lead_out_of_the_folder(results: Any, tmp_path: Path) -> None:
    """Keys come from a file that anybody may have written; no trace is read beyond the folder for them."""
    base, head = results("base", "search"), results("head", "search")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "trial-1.jsonl").write_text("not a trace")
    for folder in (base, head):
        text = (folder / "results.json").read_text()
        (folder / "results.json").write_text(text.replace('"RET-01@A1"', '"../../secret"'))
    assert run(base, head).exit_code == 0


def git(folder: Path, *words: str) -> str:
    """Git, with a name to commit by."""
    named = ["-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", str(folder), *named, *words], check=True, capture_output=True, text=True).stdout


def test_revisions_run_their_own_code_and_recordings(project: Any, tmp_path: Path) -> None:
    """Each in a worktree that is gone afterwards, by branch, by SHA and with HEAD detached (ENV-03); one that cannot be
    run is reported: 2 where it is head, 3 where it is base."""
    root = project.root
    project.only("RET-03@A1")
    project.replace("evals/retrieval_prompt_paths/RET-03@A1.yaml", "trials: 2\n", "trials: 1\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "base")
    project.replace(
        "src/paperdesk/answer.py",
        "        self.text += shown\n",
        '        shown = shown.replace("/", "|")\n        self.text += shown\n',
    )
    git(root, "commit", "-qam", "broken")
    (root / "evals" / "tapegate.yaml").write_text("version: 2\n")
    git(root, "commit", "-qam", "unreadable")
    git(root, "checkout", "-q", "--detach", "main~1")
    broken = git(root, "rev-parse", "HEAD").strip()
    out = tmp_path / "out"
    done = project.tapegate("diff", "main~2", "HEAD", "--out", str(out))
    assert done.code == 1, done.out + done.err
    assert "REGRESSION RET-03@A1  pass → fail" in done.out
    assert "](|paper|p-snow-07)" in done.out
    assert json.loads((out / "diff.json").read_bytes())["head"]["commit"] == broken
    # Its worktree is gone; the same bytes are recorded in the project at hand.
    assert '"raw":[{' in (out / "report.html").read_text("utf-8")
    # What the folder holds of another commit is not taken for what cannot be run.
    again = tmp_path / "again"
    shutil.copytree(out, again)
    done = project.tapegate("diff", str(out / "base"), "main", "--out", str(again))
    assert done.code == 2, done.out + done.err
    assert "head (main) could not be run: " in done.out
    assert not (again / "head" / "results.json").exists()
    done = project.tapegate("diff", str(out / "head"), "main", "--out", str(out))
    assert "side_in_out" in done.err
    done = project.tapegate("diff", str(out / "head"), "main")
    assert done.code == 2, done.out + done.err
    assert "head (main) could not be run: " in done.out
    assert "evals/tapegate.yaml:1:10: unknown_value" in done.out
    assert project.tapegate("diff", "main", str(out / "head"), "--quiet").code == 3
    assert git(root, "worktree", "list").count("\n") == 1
    assert git(root, "status", "--porcelain") == ""
