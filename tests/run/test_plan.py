"""Plans: which trials run, in which order, and what each is replayed from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tapegate.errors import CassetteError, Stale
from tapegate.run.plan import batches, in_order, numbers, of_profile, plan
from tapegate.tape.store import Loaded


def keys(trials) -> list[tuple[str, int]]:
    """Key and number of each."""
    return [(trial.task.key, trial.number) for trial in trials]


def test_trials_stand_by_key_and_number(kit):
    """Whatever the order of the tasks; every trial that a task asks for, recorded or not."""
    kit.task("T-2", trials=2).task("A-9", trials=3)
    suite = kit.suite()
    expected = [("A-9@A1", 1), ("A-9@A1", 2), ("A-9@A1", 3), ("T-1@A1", 1), ("T-2@A1", 1), ("T-2@A1", 2)]
    assert keys(plan(kit.root, suite.tasks, "pr")) == expected
    assert keys(plan(kit.root, suite.tasks[::-1], "pr")) == expected


@pytest.mark.parametrize(
    ("trials", "flaky", "profile", "count"),
    [
        (1, False, "pr", 1),
        (1, True, "pr", 1),
        (1, True, "nightly", 3),
        (5, True, "nightly", 5),
        (2, False, "nightly", 2),
    ],
)
def test_nightly_runs_flaky_tasks_three_times(kit, trials, flaky, profile, count):
    """Standard, "CI Gate Profiles": at least three trials of a flaky-prone task, and never fewer than it asks for."""
    kit.task("T-1", trials=trials, flaky_prone=flaky)
    (task,) = kit.suite().tasks
    assert list(numbers(task, profile)) == list(range(1, count + 1))


@pytest.mark.parametrize(("profile", "there"), [("pr", False), ("nightly", False), ("weekly", True), ("dev", True)])
def test_an_eval_of_the_weekly_audit_is_in_no_gate(kit, profile, there):
    """RET-07 is judged in the weekly audit, and where a person selects it; no pull request and no night runs it."""
    kit.task("RET-07", blocking=False)
    assert ("RET-07@A1" in [task.key for task in of_profile(kit.suite().tasks, profile)]) is there


def test_a_recording_is_loaded_or_why_not_is_kept(kit):
    """One bad recording does not keep the others from being planned."""
    kit.task("T-2").task("T-3").pretend("T-1")
    kit.pretend("T-2")
    path = kit.root / "cassettes/s/T-2@A1/trial-1.yaml"
    path.write_bytes(path.read_bytes()[:-1])
    suite = kit.suite()
    first, second, third = plan(kit.root, suite.tasks, "pr")
    assert isinstance(first.recording, Loaded)
    assert isinstance(second.recording, CassetteError)
    assert second.recording.problems[0].code == "hash_mismatch"
    assert isinstance(third.recording, Stale)


def test_a_recording_that_cannot_be_read_is_one_task_of_many(kit):
    """A folder in its place is told like any other recording that cannot be trusted."""
    kit.task("T-2").pretend("T-2")
    kit.pretend("T-1")
    path = kit.root / "cassettes/s/T-2@A1/trial-1.yaml"
    path.unlink()
    path.mkdir()
    first, second = kit.trials(kit.suite())
    assert isinstance(first.recording, Loaded)
    assert isinstance(second.recording, CassetteError)


def test_trials_that_share_something_stand_in_rows(kit):
    """Those alike one after the other, others alone; a row is a part of the work that leaves some for every thread."""
    for number in range(2, 9):
        kit.task(f"T-{number}")
    trials = plan(kit.root, kit.suite().tasks, "pr")
    assert len(trials) == 8
    names = dict(zip((trial.task.key for trial in trials), "aabba-a-", strict=True))

    def shared(trial):
        return names[trial.task.key].strip("-") or None

    assert batches(trials, 1, shared) == [[0, 1], [2, 3], [4, 6], [5], [7]]
    assert batches(trials, 2, shared) == [[place] for place in range(8)]
    assert batches(trials * 9, 1, lambda _: "a") == [list(range(at, at + 18)) for at in range(0, 72, 18)]
    assert batches((), 2, shared) == []


def test_orders_of_work_hold_the_same_trials(kit):
    """Sorted, reversed, and shuffled by a seed: the same seed gives the same order."""
    for number in range(2, 8):
        kit.task(f"T-{number}")
    trials = plan(kit.root, kit.suite().tasks, "pr")
    assert in_order(trials, "sorted") == trials
    assert keys(in_order(trials, "reversed")) == keys(trials)[::-1]
    shuffled = in_order(trials, "shuffled", 7)
    assert keys(shuffled) != keys(trials)
    assert keys(shuffled) == keys(in_order(trials, "shuffled", 7)) != keys(in_order(trials, "shuffled", 8))
    assert sorted(keys(shuffled)) == keys(trials)
    assert replace(trials[0], number=2) != trials[0]
