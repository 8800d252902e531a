"""A whole run: every trial judged once, whatever happens to one, and the same result in any order."""

from __future__ import annotations

import hashlib
import threading

import pytest

from tapegate.errors import CassetteError, NotJudged, Stale
from tapegate.grade.session import judge
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.problem import Problem
from tapegate.run.plan import Trial
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.pins import pin
from tapegate.tape.store import Loaded

CASSETTE = Cassette(
    "RET-01@A1",
    1,
    Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "scripted", "scripted", "rules"),
    AgentStream("text", b"", Chunks(0, (), (), 0)),
    (),
)
SHA256 = hashlib.sha256(b"raw").hexdigest()


@pytest.fixture
def run():
    """Judges trials, by what stands for their recording and what replaying does."""

    def build(*trials: Trial, replay, jobs: int = 2, done=lambda *_: None):
        return judge(trials, replay, profile_name="pr", profile=Profile(), partial=False, jobs=jobs, done=done)

    return build


@pytest.fixture
def trial(make_task):
    """A planned trial of a task, with a recording unless another thing is given."""

    def build(name: str = "RET-01", number: int = 1, recording=None, **fields) -> Trial:
        loaded = Loaded(CASSETTE, b"", pin(CASSETTE, b"raw"), "cassettes/retrieval/trial-1.yaml")
        task = make_task({"allowed_first_tools": ["search"]}, **{"id": name, **fields})
        return Trial(task, number, loaded if recording is None else recording)

    return build


def test_every_trial_is_judged_and_tasks_stand_by_key(run, trial, make_trace):
    """Several trials of a task are one task; the first trial's facts are the task's."""
    trials = [trial("RET-02"), trial("RET-01", 1, trials=2), trial("RET-01", 2, trials=2)]
    result = run(*trials, replay=lambda each: make_trace("tool:search", "x", trial=each.number))
    assert [(task.key, len(task.trials), task.verdict) for task in result.tasks] == [
        ("RET-01@A1", 2, Verdict.PASS),
        ("RET-02@A1", 1, Verdict.PASS),
    ]
    assert (result.profile, result.partial, result.gate.exit_code) == ("pr", False, 0)
    assert result.tasks[1].trials[0].cassette_sha256 == SHA256


@pytest.mark.parametrize("jobs", [1, 3])
def test_order_and_jobs_do_not_show(run, trial, make_trace, jobs):
    """The result is a function of the trials, not of when each was run."""
    trials = [trial(f"RET-0{number}") for number in range(1, 6)]

    def replay(each):
        return make_trace("tool:search" if each.task.id != "RET-03" else "tool:web", "x")

    forward, backward = (run(*order, replay=replay, jobs=jobs) for order in (trials, trials[::-1]))
    assert forward == backward
    assert forward.gate.exit_code == 1


def test_jobs_run_side_by_side(run, trial, make_trace):
    """As many at a time as are asked for: here each waits for the other."""
    together = threading.Barrier(2, timeout=20)

    def replay(_):
        together.wait()
        return make_trace("tool:search", "x")

    assert run(trial("RET-01"), trial("RET-02"), replay=replay, jobs=2).gate.passed


@pytest.mark.parametrize(
    ("recording", "verdict", "code"),
    [
        (Stale(Problem("not_recorded", "not recorded yet")), Verdict.STALE, 4),
        (CassetteError(Problem("hash_mismatch", "other bytes")), Verdict.ERROR, 2),
    ],
)
def test_a_trial_without_a_recording_is_not_replayed_and_not_dropped(run, trial, make_trace, recording, verdict, code):
    """It stays in the denominator with the verdict of what is wrong with it."""
    asked = []
    done = []
    result = run(
        trial("RET-01"),
        trial("RET-02", recording=recording),
        replay=lambda each: asked.append(each.task.id) or make_trace("tool:search", "x"),
        done=lambda each, judged, trace: done.append((each.task.id, judged.verdict, trace is None)),
    )
    assert asked == ["RET-01"]
    assert [task.verdict for task in result.tasks] == [Verdict.PASS, verdict]
    assert result.gate.exit_code == code
    assert sorted(done) == [("RET-01", Verdict.PASS, False), ("RET-02", verdict, True)]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotJudged.of("subject_not_started", "no such program"), "subject_not_started"),
        (ZeroDivisionError("at 0x7f0011223344"), "internal_error"),
    ],
)
def test_one_trial_that_cannot_be_judged_keeps_the_others(run, trial, make_trace, error, code, monkeypatch):
    """Exit 3, and every other task has its verdict: also where Tapegate itself is at fault."""
    monkeypatch.delenv("TAPEGATE_DEBUG", raising=False)

    def replay(each):
        if each.task.id == "RET-02":
            raise error
        return make_trace("tool:search", "x")

    result = run(*(trial(f"RET-0{number}") for number in range(1, 4)), replay=replay)
    assert [task.verdict for task in result.tasks] == [Verdict.PASS, Verdict.ERROR, Verdict.PASS]
    assert result.gate.exit_code == 3
    (finding,) = result.tasks[1].findings
    assert finding.code == code
    assert "0x7f" not in finding.message
    assert result.tasks[1].trials[0].cassette_sha256 == SHA256


def test_an_error_of_tapegate_shows_whole_to_who_looks_for_it(run, trial, monkeypatch):
    """TAPEGATE_DEBUG lets the traceback through."""
    monkeypatch.setenv("TAPEGATE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(trial(), replay=lambda _: 1 / 0)


def test_an_interrupt_is_no_verdict(run, trial):
    """Who stops a run gets no result of half of it."""

    def replay(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(trial(), replay=replay, jobs=1)


def test_nothing_to_run_is_no_pass(run):
    """Exit 3: nothing was judged."""
    assert run(replay=lambda _: None).gate.exit_code == 3
