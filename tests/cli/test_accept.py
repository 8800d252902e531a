"""`tapegate accept`: a decision is held against the results it was taken on, and written into the task's file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.accept import accept
from tapegate.errors import TapegateError
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.load.suite import load_suite
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.model.trace import Account, Ending, Finish, Text, Trace
from tapegate.report import junit, markdown, sarif, terminal
from tapegate.report.results import Results

CONFIG = """\
version: 1
paths:
  A1: {title: Main, status: active, files: [agent.py], subject: desk}
subjects:
  desk: {kind: python, entry: "agent:answer", stream: text}
"""
TASK = """\
# What the desk says.
id: RET-01
suite: retrieval
path_id: A1
mode: single_turn
input: What is known?
expect:
  accepted_outcomes:
    - required_slots: {sentences_max: 2}  # brief
  borderline:
    sentences_max: {abs: 2}
grading:
  deterministic_metrics: [schema_contract]
"""
KEY = "RET-01@A1"
FILE = "evals/retrieval/RET-01@A1.yaml"


class Desk:
    """A project with one task, and the results of its last run."""

    def __init__(self, root: Path, text: str = TASK, file: str = FILE) -> None:
        self.root, self.file = root, root / file
        self.file.parent.mkdir(parents=True)
        (root / "evals" / "tapegate.yaml").write_text(CONFIG)
        self.file.write_text(text)

    def run(self, sentences: int = 4, key: str = KEY) -> TaskResult:
        """Judge an answer of so many sentences, and leave the results."""
        task = load_suite(self.root).task(key)
        events = (Text("It is so. " * sentences), Finish("stop"))
        trace = Trace(key, 1, events, (), Account(1), Ending("completed"))
        judged = grade_task(task, [grade_trial(task, trace, "c" * 64)])
        run = Run("pr", False, (judged,), decide([judged], "pr", Profile(), False))
        (self.root / "out").mkdir(exist_ok=True)
        (self.root / "out" / "results.json").write_bytes(Results.of(run).to_bytes())
        return judged

    def accept(self, digest: str, key: str = KEY, reason: str = "Four say as much.", *words: str) -> Result:
        """Run the command."""
        return CliRunner().invoke(
            accept, ["-C", str(self.root), key, "--digest", digest, "--reason", reason, *words], catch_exceptions=True
        )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The project, with a YAML task."""
    return Desk(tmp_path)


def refusal(done: Result) -> tuple[int, list[str]]:
    """Exit code and ids of what a command refused."""
    assert isinstance(done.exception, TapegateError)
    return done.exception.exit_code, [problem.code for problem in done.exception.problems]


def test_a_decision_is_written_and_holds(desk: Desk) -> None:
    """All else in the file stays, comments too; the same bytes pass from then on, others need review."""
    digest = desk.run().review_digest
    assert digest is not None
    done = desk.accept(digest)
    assert (done.exit_code, done.stdout.split(":")[0]) == (0, FILE)
    assert desk.file.read_text() == f'{TASK}reviews:\n  - digest: "{digest}"\n    reason: "Four say as much."\n'
    assert (desk.run().verdict, desk.run().accepted) == (Verdict.PASS, "Four say as much.")
    assert desk.run(3).verdict is Verdict.NEEDS_REVIEW


def test_the_same_decision_is_written_once(desk: Desk) -> None:
    """Also without its prefix, and when the results that it was taken on are gone."""
    digest = desk.run().review_digest or ""
    desk.accept(digest)
    (desk.root / "out" / "results.json").unlink()
    text = desk.file.read_text()
    done = desk.accept(digest.removeprefix("sha256:"), KEY, "Again.", "--json")
    assert json.loads(done.stdout) == {"key": KEY, "digest": digest, "file": FILE, "written": False}
    assert desk.file.read_text() == text


def test_a_second_decision_stands_below_the_first(desk: Desk) -> None:
    """Whatever follows `reviews` in the file."""
    first = desk.run().review_digest or ""
    desk.accept(first)
    desk.file.write_text(desk.file.read_text() + "\n# Of late.\ntrials: 1\n")
    second = desk.run(3).review_digest or ""
    assert desk.accept(second, KEY, "So do three: ~ #1").exit_code == 0
    task = load_suite(desk.root).task(KEY)
    assert [(one.digest, one.reason) for one in task.reviews] == [
        (first, "Four say as much."),
        (second, "So do three: ~ #1"),
    ]
    assert desk.file.read_text().endswith("\n\n# Of late.\ntrials: 1\n")


def test_a_case_is_accepted_by_itself(tmp_path: Path) -> None:
    """The decision stands in the file of all cases, and holds for the one that it was taken on."""
    desk = Desk(tmp_path, TASK + "cases: [{name: one}, {name: two, input: And now?}]\n")
    digest = desk.run(key=f"{KEY}[2]").review_digest or ""
    assert desk.accept(digest, f"{KEY}[2]").exit_code == 0
    assert desk.run(key=f"{KEY}[2]").verdict is Verdict.PASS
    assert desk.run(key=f"{KEY}[1]").verdict is Verdict.NEEDS_REVIEW


def test_a_json_task_takes_one_too(tmp_path: Path) -> None:
    """A task may be a JSON file."""
    document = {
        **{"id": "RET-01", "suite": "retrieval", "path_id": "A1", "mode": "single_turn", "input": "What?"},
        "expect": {
            "accepted_outcomes": [{"required_slots": {"sentences_max": 2}}],
            "borderline": {"sentences_max": {"abs": 2}},
        },
        "grading": {"deterministic_metrics": ["schema_contract"]},
    }
    desk = Desk(tmp_path, json.dumps(document), FILE.replace(".yaml", ".json"))
    assert desk.accept(desk.run().review_digest or "").exit_code == 0
    assert desk.run().verdict is Verdict.PASS


def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path) -> None:
    """The message says what to write by hand."""
    text = json.dumps(json.loads(json.dumps({"id": "RET-01", "suite": "retrieval", "path_id": "A1"})))[:-1]
    text += ', "mode": "single_turn", "input": "What?", "expect": {"accepted_outcomes": [{"required_slots": '
    text += '{"sentences_max": 2}}], "borderline": {"sentences_max": {"abs": 2}}}, '
    text += '"grading": {"deterministic_metrics": ["schema_contract"]}}\n'
    desk = Desk(tmp_path, text)  # JSON in a YAML file is a flow mapping: nothing follows it
    assert refusal(desk.accept(desk.run().review_digest or "")) == (2, ["not_plain"])
    assert desk.file.read_text() == text


def test_what_is_no_decision_is_refused(desk: Desk) -> None:
    """Exit 2, and nothing is written: another digest, a result that passes or fails, no results, no reason, no task."""
    digest = desk.run().review_digest or ""
    assert refusal(desk.accept("sha256:" + "0" * 64)) == (2, ["other_digest"])
    assert refusal(desk.accept("soon")) == (2, ["other_digest"])
    assert refusal(desk.accept(digest, "RET-02@A1")) == (2, ["unknown_task"])
    assert refusal(desk.accept(digest, KEY, " \t")) == (2, ["no_reason"])
    for sentences in (2, 9):
        desk.run(sentences)
        assert refusal(desk.accept(digest)) == (2, ["nothing_to_decide"])
    (desk.root / "out" / "results.json").unlink()
    assert refusal(desk.accept(digest)) == (2, ["no_results"])
    assert desk.file.read_text() == TASK


def test_what_was_matched_by_conversation_is_recorded_instead(desk: Desk) -> None:
    """A result that needs review for another reason has nothing to bind a decision to."""
    judged = replace(desk.run(), review_digest=None)
    run = Run("pr", False, (judged,), decide([judged], "pr", Profile(), False))
    (desk.root / "out" / "results.json").write_bytes(Results.of(run).to_bytes())
    assert refusal(desk.accept("sha256:" + "0" * 64)) == (2, ["not_decidable"])


def test_every_report_shows_the_command_and_the_decision(desk: Desk) -> None:
    """Before: how to accept it; after: that a person did, and why. Both survive results.json."""
    before = desk.run()
    desk.accept(before.review_digest or "")
    for task, said in (
        (before, f"tapegate accept {KEY} --digest {before.review_digest}"),
        (desk.run(), "Four say as much."),
    ):
        run = Run("pr", False, (task,), decide([task], "pr", Profile(), False))
        run = Results.parse(Results.of(run).to_bytes(), "results.json").run()
        assert run.tasks == (task,)
        assert said in terminal.render(run, "sha256:0", width=300)
        assert said in markdown.render(run, "sha256:0")
        if task is before:
            assert said in junit.render(run).decode()
            assert said in sarif.render(run).decode()
