"""What a step leaves behind, and that none of it decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.github.step import Step
from tapegate.model.problem import Problem
from tapegate.model.run import Run
from tapegate.report import markdown

DIGEST = "sha256:" + "0" * 64


class Runner:
    """The files of one step, and what was said in its log."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        self.environ = {
            "GITHUB_WORKSPACE": str(root),
            "GITHUB_STEP_SUMMARY": str(root / "summary"),
            "GITHUB_OUTPUT": str(root / "output"),
        }

    def step(self, project: str = ".", **words: Any) -> Step:
        """A step of this runner."""
        return Step(self.root / project, self.environ, self.said.append, **words)

    @property
    def summary(self) -> str:
        """What the step's summary holds."""
        return (self.root / "summary").read_text("utf-8")

    @property
    def output(self) -> str:
        """What the step's outputs hold."""
        return (self.root / "output").read_text("utf-8")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner in a folder of its own."""
    return Runner(tmp_path)


def test_a_run_is_summed_up_annotated_and_named(runner: Runner, failed: Run) -> None:
    """Summary, annotations, digest and report folder all stand where the workflow finds them."""
    runner.step().judged(failed, DIGEST, Path("/somewhere/report"))
    assert runner.summary.startswith("## Tapegate: failed\n")
    assert DIGEST in runner.summary
    assert [line.split(",")[0] for line in runner.said] == [
        "::error file=evals/retrieval/RET-02@A1.yaml",
        "::error file=evals/retrieval/AGT-08@A1.yaml",
    ]
    lines = runner.output.splitlines()
    assert [lines[1], lines[4]] == [DIGEST, "/somewhere/report"]
    assert [line.split("<<")[0] for line in (lines[0], lines[3])] == ["digest", "report"]


def test_a_part_of_a_run_has_no_summary(runner: Runner, failed: Run) -> None:
    """It decides nothing: what all parts come to is told where they are joined."""
    runner.step(part=True).judged(failed, DIGEST, Path("/somewhere/report"))
    assert not (runner.root / "summary").exists()
    assert runner.said


def test_an_annotation_names_its_file_from_the_repositorys_root(runner: Runner, failed: Run) -> None:
    """A project in a folder of the repository is annotated there."""
    runner.step("agents/librarian").judged(failed, DIGEST, Path("out"))
    assert runner.said[0].startswith("::error file=agents/librarian/evals/retrieval/RET-02@A1.yaml,line=21,")


def test_a_project_outside_of_the_workspace_has_no_prefix(runner: Runner, failed: Run, tmp_path: Path) -> None:
    """There is no way from the repository's root to it, and none is made up."""
    runner.environ["GITHUB_WORKSPACE"] = str(tmp_path / "elsewhere")
    runner.step().judged(failed, DIGEST, Path("out"))
    assert runner.said[0].startswith("::error file=evals/retrieval/")


def test_annotations_can_be_turned_off(runner: Runner, failed: Run) -> None:
    """The log then has no command, and the summary still has everything."""
    step = runner.step(annotate=False)
    step.judged(failed, DIGEST, Path("out"))
    step.refused(LoadError.of("unknown_key", "'x' is no key"))
    assert runner.said == []
    assert "too_few_local_citations" in runner.summary
    assert "unknown_key" in runner.summary


def test_a_run_that_could_not_begin_is_told_too(runner: Runner) -> None:
    """Its problems are annotated where they stand, and the summary has them with the exit code."""
    problems = [Problem("unknown_key", "'ids' is no key of a task", "evals/x.yaml", 3, 1), Problem("a", "b")]
    runner.step("agent").refused(LoadError(*problems))
    assert runner.said[0].startswith("::error file=agent/evals/x.yaml,line=3,")
    assert runner.summary == (
        "## Tapegate: failed\n\nExit code 2.\n\n"
        "```text\nevals/x.yaml:3:1: unknown_key: 'ids' is no key of a task\na: b\n```\n"
    )
    assert not (runner.root / "output").exists()


def test_what_a_stranger_wrote_is_inert_in_the_summary(runner: Runner) -> None:
    """Fences, mentions, images and HTML of an input stay text in a code block."""
    runner.step().refused(LoadError.of("x", "```\n@everyone ![](https://x.invalid) <img src=x>\n````\n# big"))
    assert runner.summary.count("\n`````text\n") == 1
    assert runner.summary.endswith("# big\n`````\n")


@pytest.mark.parametrize("character", ["x", "\u202e", "\U0010ffff"])
def test_a_summary_stays_within_what_github_takes(runner: Runner, character: str) -> None:
    """However many problems an input has, the first of them show, and that there are more."""
    problems = [Problem("many", f"{number} " + character * 400) for number in range(3_000)]
    assert sum(len(problem.message) for problem in problems) > 1 << 20
    runner.step().refused(LoadError(*problems))
    assert len(runner.summary.encode()) < 1 << 20
    assert "many: 0 " in runner.summary
    assert "There are more in the step's log." in runner.summary


@pytest.mark.parametrize("file", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
def test_what_cannot_be_written_costs_itself_alone(runner: Runner, failed: Run, file: str) -> None:
    """A summary or an output that has no place leaves the rest, and raises nothing."""
    runner.environ[file] = str(runner.root / "no" / "such" / "folder")
    runner.step().judged(failed, DIGEST, Path("out"))
    runner.step().refused(LoadError.of("a", "b"))
    assert len(runner.said) == 3
    assert (runner.root / "summary").exists() == (file == "GITHUB_OUTPUT")
    assert (runner.root / "output").exists() == (file == "GITHUB_STEP_SUMMARY")


def test_outside_of_a_runner_nothing_is_written(tmp_path: Path, failed: Run) -> None:
    """By hand, `--github` shows the annotations and leaves no file."""
    said: list[str] = []
    Step(tmp_path, {}, said.append).judged(failed, DIGEST, Path("out"))
    assert len(said) == 2
    assert list(tmp_path.iterdir()) == []


def test_two_gates_in_one_step_keep_both_summaries(runner: Runner, failed: Run, passed: Run) -> None:
    """The file is added to, as a runner expects."""
    runner.step().judged(passed, DIGEST, Path("out"))
    runner.step().judged(failed, DIGEST, Path("out"))
    assert runner.summary.count("## Tapegate:") == 2


def test_what_changed_and_the_run_share_one_limit(runner: Runner, failed: Run) -> None:
    """GitHub drops a step's summary over 1 MiB whole: the run is cut by what stands above it."""
    compared = "x" * (markdown.MOST_BYTES - 900)
    runner.step().told([], compared, failed, DIGEST)
    assert runner.summary.startswith(compared)
    assert len(runner.summary.encode()) <= markdown.MOST_BYTES
    assert "more tasks are in `results.json`" in runner.summary
