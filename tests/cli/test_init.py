"""`tapegate init`: what it writes, what it keeps, and what it refuses. tests/action runs what it wrote."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from tapegate.cli.init import init
from tapegate.cli.starting import STARTER
from tapegate.errors import UsageError
from tapegate.load.suite import load_suite
from tapegate.standard.lint import lint

SHA = "0123456789abcdef0123456789abcdef01234567"
ACTION = f"owner/tapegate@{SHA}"


def begun(root: Path, *words: str) -> Result:
    """`tapegate init`."""
    return CliRunner().invoke(init, ["--project", str(root), *words])


def test_an_empty_repository_gets_a_suite_that_lints(tmp_path: Path) -> None:
    """A config and a task that load, and of which lint says no more than what is not recorded."""
    (tmp_path / "agent.py").write_text("def answer(input): ...\n")
    assert begun(tmp_path).exit_code == 0
    suite = load_suite(tmp_path, tmp_path / "evals")
    assert [task.key for task in suite.tasks] == ["FIRST-01@main"]
    report = lint(tmp_path)
    assert (report.exit_code, {found.id for found in report.findings}) == (0, {"not_recorded"})
    assert "cassettes/** -text" in (tmp_path / ".gitattributes").read_text()
    assert not (tmp_path / ".github").exists()


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    """Nothing is written over; a second time changes nothing."""
    (tmp_path / ".gitattributes").write_text("* text\n")
    first = begun(tmp_path)
    assert "kept     .gitattributes" in first.output
    assert (tmp_path / ".gitattributes").read_text() == "* text\n"
    (tmp_path / "evals" / "tapegate.yaml").write_text("mine\n")
    assert "written" not in begun(tmp_path).output
    assert (tmp_path / "evals" / "tapegate.yaml").read_text() == "mine\n"


def test_the_agent_is_the_one_that_was_named(tmp_path: Path) -> None:
    """Its callable, the parameter that takes the input, and the files that make it: a module's, or a package's."""
    (tmp_path / "library" / "desk").mkdir(parents=True)
    begun(tmp_path, "--entry", "library.desk:ask", "--argument", "message")
    config = load_suite(tmp_path, tmp_path / "evals").config
    (subject,) = config.subjects.values()
    assert (subject.entry, subject.arguments) == ("library.desk:ask", {"message": "{input}"})  # type: ignore[union-attr]
    assert config.paths["main"].files == ("library/desk/**",)


@pytest.mark.parametrize(
    "words",
    [
        ("--entry", "agent"),
        ("--entry", "a:b\nversion: 2"),
        ("--argument", "in put"),
        ("--argument", 'x}, env: {A: "'),
        ("--github", "--action", "owner/tapegate@v1"),
        ("--github", "--action", "owner/tapegate@main"),
        ("--github", "--action", f"owner/tapegate@{SHA} # $(touch pwned)"),
        ("--github", "--action", ""),
    ],
)
def test_words_that_cannot_be_used_write_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    """An action by a tag or a branch, which somebody can move, is one of them."""
    done = begun(tmp_path, *words)
    assert isinstance(done.exception, UsageError)
    assert list(tmp_path.iterdir()) == []


def test_workflows_name_every_action_by_its_commit(tmp_path: Path) -> None:
    """Tapegate's and those of others; the install command stays one string of YAML, whatever it holds."""
    command = 'pip install "a: b" # ${{ x }}'
    begun(tmp_path, "--github", "--action", ACTION, "--install", command)
    written = sorted((tmp_path / ".github" / "workflows").glob("*.yml"))
    assert [path.name for path in written] == sorted(path.name for path in (STARTER / "workflows").glob("*.yml"))
    used = set()
    for path in written:
        text = path.read_text("utf-8")
        assert not re.search("TAPEGATE_ACTION|TAPEGATE_SHA|INSTALL|DEFAULT_BRANCH", text)
        workflow = yaml.safe_load(text)
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        used |= {step["uses"] for step in steps if "uses" in step}
        assert {step["with"]["install"] for step in steps if "install" in step.get("with", {})} <= {command}
    assert {f"owner/tapegate@{SHA}", f"owner/tapegate/setup@{SHA}"} <= used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)


def git(root: Path, *words: str) -> None:
    """Run git."""
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, timeout=60)


def test_workflows_are_written_where_github_reads_them(tmp_path: Path) -> None:
    """Below the repository's root it ignores them: there they are refused, and nothing is written."""
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk")
    (tmp_path / "sub").mkdir()
    done = begun(tmp_path / "sub", "--github", "--action", ACTION)
    assert isinstance(done.exception, UsageError)
    assert "is not the root of its repository" in str(done.exception)
    assert list((tmp_path / "sub").iterdir()) == []
    assert begun(tmp_path / "sub").exit_code == 0


def test_a_branch_that_a_change_is_made_on_is_no_default_branch(tmp_path: Path) -> None:
    """A repository that was pushed and never cloned knows no default of its remote; it has a main."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
    git(tmp_path, *author, "commit", "--quiet", "--allow-empty", "--message", "main")
    git(tmp_path, "checkout", "--quiet", "-b", "add-a-gate")
    begun(tmp_path, "--github", "--action", ACTION)
    workflow = yaml.safe_load((tmp_path / ".github" / "workflows" / "tapegate.yml").read_text("utf-8"))
    assert workflow[True]["push"] == {"branches": ["main"]}


def test_the_results_that_are_compared_with_are_of_the_default_branch(tmp_path: Path) -> None:
    """As the remote names it, else the one that is checked out."""
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk")
    written = tmp_path / ".github" / "workflows" / "tapegate.yml"
    for branch in ("trunk", "a/b"):
        written.unlink(missing_ok=True)
        assert begun(tmp_path, "--github", "--action", ACTION).exit_code == 0
        assert yaml.safe_load(written.read_text("utf-8"))[True]["push"]["branches"] == [branch]
        git(tmp_path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/a/b")
