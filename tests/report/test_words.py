"""Numbers and words of reports."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tapegate.cli.rendering import MAKERS, Report
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import markdown, terminal, words
from tapegate.report.results import Results


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (1001, "1.1 s"), (8000, "8.0 s"), (61_234, "61.3 s")],
)
def test_times_are_never_shown_shorter_than_they_were(value: int | None, shown: str) -> None:
    """Rounding goes up; absent is a dash, not zero."""
    assert words.milliseconds(value) == shown


@pytest.mark.parametrize(("count", "shown"), [(None, "–"), (0, "0"), (1234567, "1,234,567")])
def test_tokens(count: int | None, shown: str) -> None:
    """Thousands are separated; absent is a dash, not zero."""
    assert words.tokens(count) == shown


@pytest.mark.parametrize(
    ("tools", "shown"),
    [((), "no tools"), (("a",), "a"), (("a", "a", "b", "a"), "a ×2 → b → a")],
)
def test_tool_paths(tools: tuple[str, ...], shown: str) -> None:
    """Repeats are counted, order is kept."""
    assert words.tool_path(tools) == shown


def test_the_summary_names_each_verdict_that_occurs(failed: Run, passed: Run) -> None:
    """Nothing is left out of the total."""
    assert words.summary(failed) == "3 tasks: 1 passed, 1 failed, 1 stale"
    assert words.summary(passed) == "2 tasks: 2 passed"


def test_what_several_trials_share_is_told_once(make_task: Any, make_finding: Any) -> None:
    """The same finding in trials 1 and 3 is one telling that names both."""
    one, two = make_finding(fix="x (10 tokens)"), make_finding(trial=3, fix="x (12 tokens)")
    task = make_task("RET-02@A1", Verdict.FAIL, one)
    third = replace(task.trials[0], trial=3, findings=(two,))
    (told,) = words.most_telling(replace(task, trials=(*task.trials, third)))
    assert told.trials == (1, 3)


def test_a_stale_task_is_told_by_its_misses_alone(make_task: Any, make_finding: Any) -> None:
    """What did not happen after a miss follows from it and is left out."""
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None)
    unplayed = make_finding(metric="replay", code="unplayed", severity="note", outcome=None)
    follows = [make_finding(severity="stale"), make_finding(severity="stale", metric="output_hygiene", outcome=None)]
    task = make_task("RET-02@A1", Verdict.STALE, *follows, unplayed, miss)
    assert [told.finding for told in words.most_telling(task)] == [miss]
    alone = make_task("RET-02@A1", Verdict.STALE, unplayed)
    assert [told.finding for told in words.most_telling(alone)] == [unplayed]


def test_a_failure_is_told_before_what_a_miss_led_to(make_task: Any, make_finding: Any) -> None:
    """The finding that decided comes first, then the miss; what the miss excuses is left out."""
    cut = make_finding(metric="output_hygiene", code="stream_failure", severity="stale", outcome=None)
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None)
    path = make_finding(metric="tool_trace", code="path_not_allowed")
    told = words.most_telling(make_task("RET-01@A1", Verdict.FAIL, cut, miss, path))
    assert [each.finding.code for each in told] == ["path_not_allowed", "prompt_changed"]


def test_the_command_of_one_task_says_what_all_its_trials_take(make_task: Any, make_finding: Any) -> None:
    """A miss in two trials is told once, and recording both is what the command does."""
    miss = make_finding(
        metric="replay",
        code="prompt_changed",
        severity="stale",
        outcome=None,
        fix="tapegate record RET-01@A1 --stale  # about 2,521 tokens",
    )
    task = make_task("RET-01@A1", Verdict.STALE, miss)
    trials = tuple(replace(task.trials[0], trial=n, recorded_tokens=2000 + n) for n in (1, 2))
    run = Run("pr", partial=False, tasks=(replace(task, trials=trials),), gate=Gate(False, 4, ()))
    (story,) = words.stories(run)
    assert story.fix == "tapegate record RET-01@A1 --stale  # about 4,003 tokens"


def test_a_command_for_everything_says_what_everything_takes(make_task: Any, make_finding: Any) -> None:
    """Without keys it records what other stories tell of too; what blocks is told apart from what does not."""
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None)
    other = replace(miss, code="tools_changed", message="the tools changed")
    tasks = [make_task(f"RET-0{n}@A1", Verdict.STALE, miss) for n in range(5)]
    tasks.append(make_task("RET-05@A1", Verdict.STALE, other))
    tasks.append(replace(make_task("RET-06@A1", Verdict.STALE, other), blocking=False))
    priced = tuple(replace(task, trials=(replace(task.trials[0], recorded_tokens=1000),)) for task in tasks)
    run = Run("pr", partial=False, tasks=priced, gate=Gate(False, 4, ()))
    assert [len(story.tasks) for story in words.stories(run)] == [5, 1, 1]
    assert words.stories(run)[0].fix == "tapegate record --stale  # about 7,000 tokens"


def test_stale_tasks_of_one_cause_are_one_story(make_task: Any, make_finding: Any) -> None:
    """A prompt that many tasks share is explained once, with one command for them all."""
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None, fix="x")
    tasks = tuple(make_task(f"RET-0{n}@A1", Verdict.STALE, miss) for n in range(1, 4))
    other = make_task("RET-09@A1", Verdict.STALE, replace(miss, message="another"))
    told = words.stories(Run("pr", False, (*tasks, other), Gate(False, 4, ())))
    assert [len(story.tasks) for story in told] == [3, 1]
    assert told[0].fix == "tapegate record RET-01@A1 RET-02@A1 RET-03@A1 --stale"
    assert told[1].fix == ""
    many = tuple(make_task(f"RET-{n}@A1", Verdict.STALE, miss) for n in range(10, 20))
    assert words.stories(Run("pr", False, many, Gate(False, 4, ())))[0].fix == "tapegate record --stale"


def test_one_command_for_several_tasks_says_what_it_takes_in_all(make_task: Any, make_finding: Any) -> None:
    """The tokens of every stale trial together; nothing where one of them is not known."""
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None, fix="x")

    def fix(*tokens: int | None, usd: str | None = None) -> str:
        tasks = [make_task(f"RET-0{n}@A1", Verdict.STALE, miss) for n in range(len(tokens))]
        tasks = [
            replace(task, trials=(replace(task.trials[0], recorded_tokens=count, recorded_usd=usd),))
            for task, count in zip(tasks, tokens, strict=True)
        ]
        return words.stories(Run("pr", False, tuple(tasks), Gate(False, 4, ())))[0].fix

    assert fix(1_000, 234) == "tapegate record RET-00@A1 RET-01@A1 --stale  # about 1,234 tokens"
    assert fix(1_000, None) == "tapegate record RET-00@A1 RET-01@A1 --stale"
    assert fix(1_000, 234, usd="0.0151") == "tapegate record RET-00@A1 RET-01@A1 --stale  # about 1,234 tokens, $0.0302"


def test_how_often_a_task_was_borderline_is_told(passed: Run) -> None:
    """Also where its extra trial settled it, in every report; a run without such a task says nothing of it."""
    assert words.remarks(passed) == []
    first = passed.tasks[0]
    border = replace(first.trials[0], verdict=Verdict.NEEDS_REVIEW, borderline=True)
    extra = replace(first.trials[0], trial=2, extra=True)
    run = replace(passed, tasks=(replace(first, trials=(border, extra)), *passed.tasks[1:]))
    said = "borderline, and so a candidate for flaky_prone: RET-01@A1 (1 of 2 trials)"
    assert words.remarks(run) == [said]
    assert said in terminal.render(run, "sha256:x")
    assert "trial 2 (extra)" in terminal.render(run, "sha256:x")
    assert said in markdown.render(run, "sha256:x")
    row = json.loads(Results.of(run).to_bytes())["tasks"][0]
    assert (row["borderline"], [trial["extra"] for trial in row["trials"]]) == (1, [False, True])
    assert Results.parse(Results.of(run).to_bytes(), "results.json").run() == run


def test_quarantined_tasks_are_counted_in_every_report(passed: Run) -> None:
    """With their owner, their reason and their last day, also where they pass."""
    held = "until 2026-12-31 (librarians): the index is rebuilt"
    run = replace(passed, tasks=(replace(passed.tasks[0], quarantine=held, blocking=False), *passed.tasks[1:]))
    said = f"1 of 2 tasks are quarantined: RET-01@A1 {held}"
    assert words.remarks(run) == [said]
    assert said in terminal.render(run, "sha256:x")
    assert said in markdown.render(run, "sha256:x")
    assert json.loads(Results.of(run).to_bytes())["tasks"][0]["quarantine"] == held
    assert Results.parse(Results.of(run).to_bytes(), "results.json").run() == run


@pytest.mark.parametrize("form", sorted(MAKERS.keys() - {"github"}))
def test_every_format_tells_of_bands_quarantines_and_decisions(form: str, passed: Run) -> None:
    """Whatever a task's verdict: how often it was borderline, why it does not block, and what a person accepted."""
    first, second = passed.tasks[0], passed.tasks[1]
    border = replace(first.trials[0], verdict=Verdict.NEEDS_REVIEW, borderline=True)
    extra = replace(first.trials[0], trial=2, extra=True)
    held = "until 2026-12-31 (librarians): the index is rebuilt"
    tasks = (
        replace(first, trials=(border, extra)),
        replace(second, quarantine=held, blocking=False, accepted="A loaded machine."),
    )
    shown = MAKERS[form](Report(replace(passed, tasks=tasks), "sha256:x")).decode()
    for said in ("1 of 2 trials", held, "A loaded machine."):
        assert said in shown
    assert "1 of 2 trials" not in MAKERS[form](Report(passed, "sha256:x")).decode()


def test_what_blocks_and_what_is_counted_stand_in_order(make_task: Any) -> None:
    """The worst verdict first, of that what blocks, and of a task's cases the second before the tenth."""
    keys = ["B@A1", "A@A1[10]", "A@A1[2]", "A@A1", "A@A1[x]"]
    tasks = [make_task(key, Verdict.FAIL, blocking=key != "A@A1") for key in keys]
    tasks.append(make_task("A@A0", Verdict.PASS))
    found = [task.key for task in words.worst_first(tasks)]
    assert found == ["A@A1[x]", "A@A1[2]", "A@A1[10]", "B@A1", "A@A1", "A@A0"]
