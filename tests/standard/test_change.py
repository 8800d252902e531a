"""Change control: what a change touches, its evals show, or its authors say why not."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import Unavailable, UsageError
from tapegate.standard.base import CommitBase, FolderBase
from tapegate.standard.finding import LintReport
from tapegate.standard.git import Git
from tapegate.standard.lint import lint

TASK = "evals/retrieval/RET-01@P1.yaml"
PROMPT = "src/prompts/deep/main.md"
IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
IDENTITY |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git with an identity of its own, and without the user's settings or the state of a hook."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)


def git(root: Path, *words: str) -> str:
    """Run git."""
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path, message: str = "x") -> str:
    """Commit all that is there."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repo(bench: Any) -> Any:
    """The sound project in a repository, on a branch that left main at its first commit."""
    git(bench.root, "init", "-q", "-b", "main")
    commit(bench.root)
    git(bench.root, "checkout", "-q", "-b", "work")
    return bench


def against(bench: Any, revision: str = "main", *described: str) -> LintReport:
    """What lint finds against a revision."""
    return lint(bench.root, base=CommitBase.of(bench.root, revision), described=described)


def ids(report: LintReport) -> list[str]:
    """What was found."""
    return [found.id for found in report.findings]


def touch(bench: Any) -> None:
    """Change the prompt of the path."""
    bench.put(PROMPT, "Answer briefly.")


def loosen(bench: Any) -> None:
    """Accept one more first tool."""
    bench.swap(TASK, "[search_local]", "[search_local, read_paper]")


def note(bench: Any, text: str = "{note: papers may be read first}") -> None:
    """Add a migration note."""
    bench.swap(TASK, "grading:", f"migrations: [{text}]\ngrading:")


def test_nothing_changed_is_clean(repo: Any) -> None:
    """No finding, no path, no eval; the first question is answered no."""
    report = against(repo)
    assert ids(report) == []
    assert report.change is not None
    assert (report.change.paths, report.change.evals, dict(report.change.files)) == ((), (), {})
    assert report.checklist[0].answer == "no"


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "in the work tree"])
def test_a_prompt_without_its_evals_is_found(repo: Any, committed: bool) -> None:
    """The path, the file and the way out are named, before the commit as after it."""
    touch(repo)
    if committed:
        commit(repo.root)
    (found,) = against(repo).findings
    assert (found.id, found.file) == ("eval_unchanged", PROMPT)
    assert "'P1'" in found.message
    assert "Tapegate-Eval-Unchanged: P1: reason" in found.fix


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda repo: repo.record("RET-01@P1", b'{"again": 1}'), id="recorded anew"),
        pytest.param(lambda repo: repo.record("RET-01@P1", trial=2), id="recorded once more"),
        pytest.param(lambda repo: repo.task("RET-02@P1"), id="a new eval"),
        pytest.param(lambda repo: (loosen(repo), note(repo)), id="another contract"),
        pytest.param(lambda repo: repo.swap(TASK, "grading:", "flaky_prone: false\ngrading:"), id="no, the same"),
        pytest.param(lambda repo: repo.swap(TASK, "grading:", "flaky_prone: true\ngrading:"), id="no, more nights"),
        pytest.param(
            lambda repo: repo.swap(
                TASK, "grading:", "grading:\n  quality: {facts: [{name: polite, any_of: [please, thanks]}]}"
            ),
            id="no, a score",
        ),
        pytest.param(
            lambda repo: (repo.root / "cassettes/retrieval/RET-01@P1/trial-1.yaml").chmod(0o755),
            id="no, a recording that may be run",
        ),
        pytest.param(lambda repo: repo.swap(TASK, "suite:", "# a comment\nsuite:"), id="no, a comment"),
        pytest.param(note, id="no, a note alone"),
        pytest.param(
            lambda repo: repo.swap(
                TASK, "grading:", "quarantine: {reason: r, owner: o, until: '2999-01-01'}\ngrading:"
            ),
            id="no, a quarantine",
        ),
        pytest.param(
            lambda repo: repo.swap(
                TASK, "grading:", f"reviews: [{{digest: 'sha256:{'a' * 64}', reason: r}}]\ngrading:"
            ),
            id="no, an accepted result",
        ),
        pytest.param(lambda repo: repo.put("docs/x.md", "x"), id="no, docs"),
    ],
)
def test_what_answers_a_change_of_a_path(
    repo: Any, answer: Callable[[Any], None], request: pytest.FixtureRequest
) -> None:
    """A new recording, a new eval or another one; neither comments nor notes nor other files."""
    touch(repo)
    answer(repo)
    found = "eval_unchanged" in ids(against(repo))
    assert found is ("no, " in request.node.callspec.id)


def test_a_slot_of_the_projects_own_is_known_when_it_is_loosened(repo: Any) -> None:
    """What was accepted by a metric of `evals/oracles` still is, where its limit is wider now."""
    spec = importlib.util.spec_from_file_location("plugins", Path(__file__).parents[1] / "oracles" / "test_plugins.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    repo.put("evals/oracles/word_count.py", module.PLUGIN)
    repo.swap(TASK, "- allowed_first", "- required_slots: {words_max: 3}\n      allowed_first")
    repo.swap(TASK, "[tool_trace]", "[tool_trace, word_count]")
    before = commit(repo.root)
    repo.swap(TASK, "words_max: 3", "words_max: 4")
    note(repo)
    assert "outcome_dropped" not in ids(against(repo, before))
    repo.swap(TASK, "words_max: 4", "words_max: 2")
    assert "outcome_dropped" in ids(against(repo, before))


def test_an_eval_of_another_path_answers_nothing(repo: Any) -> None:
    """Each path is answered for by its own evals."""
    repo.config("subjects:", "  P2: {title: x, status: y, files: [src/other.py], subject: desk}\nsubjects:")
    repo.put("src/other.py", "")
    repo.task("RET-01@P2")
    commit(repo.root)
    touch(repo)
    repo.record("RET-01@P2", b'{"again": 1}')
    assert ids(against(repo, "HEAD")) == ["eval_unchanged"]


def test_what_a_task_starts_from_is_part_of_it(repo: Any) -> None:
    """A fixture that changed changes the evals that name it."""
    repo.put("evals/fixtures/notes.txt", "one")
    repo.swap(TASK, "expect:", "setup: {fixtures: [notes]}\nexpect:")
    commit(repo.root)
    touch(repo)
    repo.put("evals/fixtures/notes.txt", "two")
    report = against(repo, "HEAD")
    assert ids(report) == []
    assert report.change is not None
    assert report.change.paths[0].evals == ("RET-01@P1",)


def test_a_case_with_recordings_of_its_own_is_of_its_path(repo: Any) -> None:
    """The folder of its recordings is named after its number; its fixtures are its task's."""
    repo.put("evals/fixtures/notes.txt", "one")
    cases = "cases: [{name: short}, {name: long, input: More., setup: {fixtures: [notes]}}]"
    repo.swap(TASK, "grading:", f"{cases}\ngrading:")
    repo.record("RET-01@P1[2]")
    commit(repo.root)
    assert ids(against(repo, "HEAD")) == []
    touch(repo)
    assert ids(against(repo, "HEAD")) == ["eval_unchanged"]
    repo.record("RET-01@P1[2]", b'{"again": 1}')
    assert ids(against(repo, "HEAD")) == []
    commit(repo.root)
    repo.put(PROMPT, "Answer in two words.")
    repo.put("evals/fixtures/notes.txt", "two")
    assert ids(against(repo, "HEAD")) == []


def test_a_removed_recording_or_eval_answers_nothing(repo: Any) -> None:
    """Less testing is no answer to a change."""
    repo.record("RET-01@P1", trial=2)
    repo.task("RET-02@P1")
    commit(repo.root)
    touch(repo)
    git(repo.root, "rm", "-q", "-r", "cassettes/retrieval/RET-02@P1", "evals/retrieval/RET-02@P1.yaml")
    assert set(ids(against(repo, "HEAD"))) == {"eval_unchanged", "eval_removed"}


def test_evals_in_another_folder_are_the_same_evals(repo: Any) -> None:
    """A folder that was renamed hides neither a changed prompt nor a loosened contract."""
    git(repo.root, "mv", "evals", "gate")
    base = CommitBase.of(repo.root, "main")
    assert ids(lint(repo.root, repo.root / "gate", base=base)) == []
    touch(repo)
    assert ids(lint(repo.root, repo.root / "gate", base=base)) == ["eval_unchanged"]
    repo.swap("gate/retrieval/RET-01@P1.yaml", "[search_local]", "[read_paper]")
    report = lint(repo.root, repo.root / "gate", base=base)
    assert set(ids(report)) == {"contract_unnoted", "outcome_dropped"}
    assert report.change is not None
    assert report.change.new_paths == ()


def test_an_eval_of_another_path_is_another_eval(repo: Any) -> None:
    """What one path no longer tests is gone from it, though another path tests it now; a path may be renamed."""
    repo.config("subjects:", "  P2: {title: x, status: y, files: [src/other.py], subject: desk}\nsubjects:")
    repo.put("src/other.py", "")
    repo.task("RET-02@P1")
    repo.task("RET-01@P2")
    commit(repo.root)
    text = (repo.root / "evals/retrieval/RET-02@P1.yaml").read_text()
    git(repo.root, "rm", "-q", "-r", "cassettes/retrieval/RET-02@P1", "evals/retrieval/RET-02@P1.yaml")
    repo.task("RET-02@P2", text.replace("P1", "P2"))
    assert ids(against(repo, "HEAD")) == ["eval_removed"]
    git(repo.root, "reset", "-q", "--hard")
    shutil.rmtree(repo.root / "evals/retrieval")
    shutil.rmtree(repo.root / "cassettes/retrieval")
    repo.config("  P1:", "  P3:")
    repo.task("RET-02@P3", text.replace("P1", "P3"))
    repo.task("RET-01@P2")
    repo.task("RET-01@P3")
    assert "eval_removed" not in ids(against(repo, "HEAD"))


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "in the work tree"])
def test_the_right_to_run_a_file_is_no_change_of_it(repo: Any, committed: bool) -> None:
    """A prompt whose bytes are as they were touches no path; one that changed as well does."""
    repo.put("src/run.sh", "echo")
    (repo.root / PROMPT).chmod(0o755)
    if committed:
        commit(repo.root)
    report = against(repo)
    assert report.change is not None
    assert (ids(report), list(report.change.files)) == ([], ["src/run.sh"])
    touch(repo)
    assert ids(against(repo)) == ["eval_unchanged"]


def test_a_file_that_is_gone_touches_its_path(repo: Any) -> None:
    """Deleted and moved files count, by the table as it was."""
    (repo.root / PROMPT).unlink()
    repo.put("src/prompts/other.md", "x")
    report = against(repo)
    assert ids(report) == ["eval_unchanged"]
    assert report.change is not None
    assert report.change.paths[0].files == (PROMPT, "src/prompts/other.md")


@pytest.mark.parametrize("where", ["commit", "earlier commit", "description"])
def test_the_authors_may_say_why(repo: Any, where: str) -> None:
    """In a commit of the change or in the description of its pull request; the reason is shown."""
    touch(repo)
    line = "Tapegate-Eval-Unchanged: a comment for translators"
    if where != "description":
        commit(repo.root, f"Explain the prompt\n\n{line}")
    if where == "earlier commit":
        commit(repo.root, "More")
    report = against(repo, "main", *([line] if where == "description" else []))
    assert ids(report) == []
    assert report.change is not None
    assert report.change.paths[0].reason == "a comment for translators"
    assert any("a comment for translators" in fact for fact in report.checklist[0].facts)


def test_a_reason_of_the_past_is_none(repo: Any) -> None:
    """What the base's own commits said does not excuse a new change."""
    git(repo.root, "checkout", "-q", "main")
    commit(repo.root, "x\n\nTapegate-Eval-Unchanged: said once")
    git(repo.root, "checkout", "-q", "-b", "next")
    touch(repo)
    assert ids(against(repo)) == ["eval_unchanged"]


def test_a_changed_contract_needs_a_note(repo: Any) -> None:
    """The places that differ are named; a note settles it, and both stand in the report."""
    loosen(repo)
    (found,) = against(repo).findings
    assert (found.id, found.file) == ("contract_unnoted", TASK)
    assert "expect.accepted_outcomes" in found.message
    note(repo)
    report = against(repo)
    assert ids(report) == []
    assert report.change is not None
    (changed,) = report.change.evals
    assert (changed.kind, changed.dropped, [each.note for each in changed.notes]) == (
        "contract",
        (),
        ["papers may be read first"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grading:", "blocking: false\ngrading:"),
        ("grading:", "trials: 2\ngrading:"),
        ("What is known of gates?", "What is known of gates and tapes?"),
        ("  accepted_outcomes:", "  forbidden_patterns: [x-1]\n  accepted_outcomes:"),
        ("expect:", "setup: {seed: 7}\nexpect:"),
    ],
)
def test_every_part_that_a_verdict_depends_on_is_contract(repo: Any, old: str, new: str) -> None:
    """Input, setup, gates, patterns, trials."""
    repo.swap(TASK, old, new)
    if "patterns" in new:
        repo.swap(TASK, "[tool_trace]", "[tool_trace, output_hygiene]")
    assert "contract_unnoted" in ids(against(repo))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("id: RET-01", "# why\nid: RET-01"),
        ("[search_local]", '["search_local"]'),
        ("grading:", "flaky_prone: true\ngrading:"),
        ("mode: single_turn\n", ""),
    ],
)
def test_other_edits_are_none(repo: Any, old: str, new: str) -> None:
    """Comments, quotes, what changes no verdict, the order of keys."""
    repo.swap(TASK, old, new)
    if not new:
        repo.swap(TASK, "expect:", "mode: single_turn\nexpect:")
    assert "contract_unnoted" not in ids(against(repo))


def test_each_change_needs_a_note_of_its_own(repo: Any) -> None:
    """A note that was there already says nothing of what comes after it."""
    note(repo)
    commit(repo.root)
    loosen(repo)
    assert ids(against(repo, "HEAD")) == ["contract_unnoted"]
    repo.swap(TASK, "first}]", "first}, {note: and the web}]")
    assert ids(against(repo, "HEAD")) == []


@pytest.mark.parametrize(("old", "new"), [("{note: papers may be read first}", ""), ("first}", "last}")])
def test_history_is_kept(repo: Any, old: str, new: str) -> None:
    """Notes are neither removed nor rewritten, whether the contract changes or not."""
    note(repo)
    commit(repo.root)
    repo.swap(TASK, old, new)
    assert ids(against(repo, "HEAD")) == ["history_rewritten"]


def test_what_was_accepted_still_is(repo: Any) -> None:
    """An outcome that the new ones cover is kept; one that they do not is given up by its name, and shown."""
    repo.swap(TASK, "[search_local]", "[search_local]\n      name: looks first")
    commit(repo.root)
    repo.swap(TASK, "[search_local]", "[read_paper]")
    note(repo)
    (found,) = against(repo, "HEAD").findings
    assert (found.id, "'looks first'" in found.message, found.line) == ("outcome_dropped", True, 8)
    assert "deprecates: [looks first]" in found.fix
    repo.swap(TASK, "read first}", "read first, deprecates: [looks first]}")
    report = against(repo, "HEAD")
    assert ids(report) == []
    assert report.change is not None
    assert report.change.evals[0].dropped == ("looks first",)


def test_a_removed_eval_says_why(repo: Any) -> None:
    """Its key is named by who removes it; what it accepted is shown."""
    repo.task("RET-02@P1")
    commit(repo.root)
    git(repo.root, "rm", "-q", "-r", "cassettes/retrieval/RET-02@P1", "evals/retrieval/RET-02@P1.yaml")
    (found,) = against(repo, "HEAD").findings
    assert (found.id, found.file) == ("eval_removed", "evals/retrieval/RET-02@P1.yaml")
    assert "outcome 1" in found.message
    assert ids(against(repo, "HEAD", "Tapegate-Eval-Removed: RET-02@P1 it tested what RET-01 tests")) == []


def test_a_renamed_eval_is_the_same(repo: Any) -> None:
    """With the same contract under another id nothing was removed."""
    git(repo.root, "rm", "-q", "-r", "--cached", "cassettes", TASK)
    (repo.root / TASK).unlink()
    repo.task("RET-09@P1")
    repo.swap("evals/retrieval/RET-09@P1.yaml", "id: RET-09", "id: RET-09\n# renamed")
    git(repo.root, "clean", "-q", "-fd", "cassettes/retrieval/RET-01@P1")
    report = against(repo)
    assert report.change is not None
    assert [(each.kind, each.key, each.was) for each in report.change.evals] == [("renamed", "RET-09@P1", "RET-01@P1")]
    assert "eval_removed" not in ids(report)


def test_an_eval_in_another_suite_is_the_same(repo: Any) -> None:
    """Its key stays, and so does its history."""
    text = (repo.root / TASK).read_text().replace("suite: retrieval", "suite: other")
    git(repo.root, "rm", "-q", "-r", "cassettes", TASK)
    repo.put("evals/other/RET-01@P1.yaml", text)
    repo.record("RET-01@P1", suite="other")
    report = against(repo)
    assert ids(report) == []
    assert report.change is not None
    assert [each.kind for each in report.change.evals] == ["edited"]


def test_a_base_that_cannot_be_read_may_have_asked_for_anything(repo: Any) -> None:
    """Then the task needs a note: nobody can tell that its contract is the same."""
    good = (repo.root / TASK).read_text()
    repo.put(TASK, good.replace("single_turn", "two_turns"))
    commit(repo.root)
    repo.put(TASK, good)
    assert ids(against(repo, "HEAD")) == ["contract_unnoted"]
    note(repo)
    assert ids(against(repo, "HEAD")) == []


def test_a_path_leaves_no_file_without_one(repo: Any) -> None:
    """A path that is gone from the table is found while its files are there; without them it may go."""
    repo.config("subjects:", "  P2: {title: x, status: y, files: [src/critic.py], subject: desk}\nsubjects:")
    repo.put("src/critic.py", "")
    commit(repo.root)
    repo.config("  P2: {title: x, status: y, files: [src/critic.py], subject: desk}\n", "")
    report = against(repo, "HEAD")
    assert ids(report) == ["path_removed"]
    assert "src/critic.py" in report.findings[0].message
    (repo.root / "src/critic.py").unlink()
    assert "path_removed" not in ids(against(repo, "HEAD"))


def test_a_new_prompt_has_a_path_first(repo: Any) -> None:
    """A new file with a prompt is found until the table has it, and then the new path wants an eval."""
    repo.put("src/critic.py", 'PROMPT = """Score the passage."""\n')
    assert ids(against(repo)) == ["unscoped_prompt"]
    repo.config("subjects:", "  P2: {title: x, status: y, files: [src/critic.py], subject: desk}\nsubjects:")
    report = against(repo)
    assert "scope_evals" in ids(report)
    repo.task("RET-01@P2")
    report = against(repo)
    assert ids(report) == []
    assert report.change is not None
    assert report.change.new_paths == ("P2",)


def test_a_project_that_adopts_tapegate_has_nothing_to_answer_for(bench: Any) -> None:
    """Against a base without evals every path and every eval is new."""
    git(bench.root, "init", "-q", "-b", "main")
    git(bench.root, "add", "src")
    git(bench.root, "commit", "-q", "-m", "x")
    report = against(bench, "main")
    assert ids(report) == []
    assert report.change is not None
    assert report.change.new_paths == ("P1",)
    assert [each.kind for each in report.change.evals] == ["added"]


def test_the_base_is_where_the_branch_left(repo: Any) -> None:
    """What main did since is no part of the change."""
    git(repo.root, "checkout", "-q", "main")
    touch(repo)
    commit(repo.root)
    git(repo.root, "checkout", "-q", "work")
    report = against(repo)
    assert report.change is not None
    assert dict(report.change.files) == {}


def test_a_detached_head_works_by_sha(repo: Any) -> None:
    """A checkout of a commit, as CI makes it, has no branch."""
    base = git(repo.root, "rev-parse", "HEAD")
    touch(repo)
    git(repo.root, "checkout", "-q", commit(repo.root))
    assert ids(against(repo, base)) == ["eval_unchanged"]


def test_a_merge_commit_is_held_against_its_first_parent(repo: Any) -> None:
    """As a pull request is checked out: the merge of main and the branch, of which the branch's commits speak."""
    touch(repo)
    commit(repo.root, "x\n\nTapegate-Eval-Unchanged: said on the branch")
    git(repo.root, "checkout", "-q", "main")
    repo.put("docs/x.md", "x")
    commit(repo.root)
    git(repo.root, "merge", "-q", "--no-edit", "work")
    report = against(repo, "HEAD^1")
    assert ids(report) == []
    assert report.change is not None
    assert report.change.paths[0].reason == "said on the branch"


def test_a_shallow_clone_has_its_base(repo: Any, tmp_path: Path) -> None:
    """Without the history in which the two parted, the named commit itself is the base."""
    touch(repo)
    commit(repo.root)
    git(repo.root, "checkout", "-q", "main")
    repo.put("docs/x.md", "x")
    commit(repo.root)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{repo.root}", str(shallow))
    git(shallow, "checkout", "-q", "work")
    report = lint(shallow, base=CommitBase.of(shallow, "origin/main"))
    assert "eval_unchanged" in ids(report)


def test_a_project_below_the_root_of_its_repository(repo: Any, tmp_path: Path) -> None:
    """Paths are told from the project's root, and files elsewhere do not count."""
    outer = tmp_path / "outer"
    (outer / "other").mkdir(parents=True)
    (repo.root / ".git").rename(tmp_path / "gone")
    repo.root.rename(outer / "desk")
    git(outer, "init", "-q", "-b", "main")
    commit(outer)
    (outer / "desk" / PROMPT).write_text("x")
    (outer / "other" / "prompt.md").write_text("x")
    report = lint(outer / "desk", base=CommitBase.of(outer / "desk", "main"))
    assert ids(report) == ["eval_unchanged"]
    assert report.change is not None
    assert dict(report.change.files) == {PROMPT: "changed"}


def test_names_that_are_hard_to_write(repo: Any) -> None:
    """Spaces, line breaks, quotes and other alphabets in names of files: none confuses what changed."""
    for name in ("src/prompts/a b.md", "src/prompts/ä\n'\".md", "evals/fixtures/x\ny.txt"):
        repo.put(name, "x")
    commit(repo.root)
    for name in ("src/prompts/a b.md", "src/prompts/ä\n'\".md"):
        repo.put(name, "y")
    report = against(repo, "HEAD")
    assert report.change is not None
    assert set(report.change.files) == {"src/prompts/a b.md", "src/prompts/ä\n'\".md"}


def test_a_revision_that_is_none_is_a_wrong_word(repo: Any) -> None:
    """Exit 2, with what to name; a word that looks like an option is no option."""
    for revision in ("no-such-branch", "--output=x", "HEAD:evals"):
        with pytest.raises(UsageError, match="is no commit of this repository"):
            CommitBase.of(repo.root, revision)


def test_without_a_repository_the_way_out_is_said(bench: Any) -> None:
    """Exit 3, and `--base-dir`."""
    with pytest.raises(Unavailable, match="--base-dir") as caught:
        CommitBase.of(bench.root, "main")
    assert caught.value.problems[0].code == "no_repository"


def test_without_git_the_way_out_is_said(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3, and `--base-dir`; what needs no base is linted as before."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(Unavailable, match="--base-dir") as caught:
        CommitBase.of(repo.root, "main")
    assert (caught.value.problems[0].code, caught.value.exit_code) == ("no_git", 3)
    assert lint(repo.root).exit_code == 0


@pytest.mark.parametrize("nested", [True, False])
def test_a_folder_is_a_base_too(bench: Any, nested: bool, tmp_path: Path) -> None:
    """For where there is no git: the same change is told, wherever the folder lies."""
    folder = bench.root / "old" if nested else tmp_path / "old"
    shutil.copytree(bench.root, tmp_path / "copy")
    shutil.copytree(tmp_path / "copy", folder)
    touch(bench)
    bench.put("docs/new.md", "x")
    (bench.root / "src/agent.py").unlink()
    report = lint(bench.root, base=FolderBase.of(bench.root, folder))
    assert report.change is not None
    assert dict(report.change.files) == {
        "docs/new.md": "added",
        "src/agent.py": "removed",
        PROMPT: "changed",
    }
    assert "eval_unchanged" in ids(report)
    with pytest.raises(UsageError, match="is no folder"):
        FolderBase.of(bench.root, tmp_path / "nowhere")


def test_what_cannot_be_read_is_told_before_any_change(repo: Any) -> None:
    """With a broken task nothing is said of the change; that it was not checked is."""
    repo.swap(TASK, "single_turn", "single_trun")
    report = against(repo)
    assert report.change is None
    assert {"change_covered", "change_noted"} <= set(report.skipped)
    assert report.exit_code == 2


def test_git_is_asked_and_nothing_else_is_done(repo: Any) -> None:
    """No program that the repository names is run, and the index is not written."""
    marker = repo.root / "ran"
    git(repo.root, "config", "core.fsmonitor", f"touch {marker}; false")
    git(repo.root, "config", "diff.external", f"touch {marker}; false")
    git(repo.root, "config", "diff.x.textconv", f"touch {marker}; cat")
    repo.put(".gitattributes", "* diff=x\n")
    touch(repo)
    index = (repo.root / ".git/index").read_bytes()
    against(repo)
    assert not marker.exists()
    assert (repo.root / ".git/index").read_bytes() == index


def test_git_tells_what_belongs_to_the_project(repo: Any) -> None:
    """Tracked files and new ones; not what is ignored."""
    repo.put(".gitignore", "out/\n")
    repo.put("out/prompt.md", "x")
    repo.put("src/new.py", "x")
    files = Git(repo.root).files()
    assert "src/new.py" in files
    assert "src/agent.py" in files
    assert not [name for name in files if name.startswith("out/")]
    assert ids(lint(repo.root)) == []
