"""Two runs, compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.compare.differential_ab import compare, judged_anew
from tapegate.compare.side import Side, no_traces
from tapegate.grade.task import grade_task
from tapegate.model.config import Profile
from tapegate.model.diff import Diff, Edit, Kind, Stratum, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.report import comment
from tapegate.report.safety import safety

PR = Profile()
KEYS = ["RET-01@A1", "RET-02@A1", "RET-02@A2", "AGT-08@A1"]
FINDINGS = [
    Finding("tool_trace", code, "fail", "said", "evals/x.yaml", line, 1)
    for code, line in (("a", 3), ("a", 4), ("b", 3))
]
SHA = st.sampled_from(["a" * 64, "b" * 64])
COUNT = st.none() | st.integers(0, 400)
METRICS = st.builds(Metrics, COUNT, COUNT, COUNT, st.none() | st.sampled_from(["0.001", "0.25"]), COUNT, COUNT)


@st.composite
def results(draw: Any, key: str) -> TaskResult:
    """A task's result that says anything that one can say."""
    trials = tuple(
        TrialResult(
            number,
            draw(st.sampled_from(Verdict)),
            draw(st.none() | st.integers(0, 2)),
            draw(st.lists(st.sampled_from(["search", "read"]), max_size=3).map(tuple)),
            draw(SHA),
            draw(st.none() | SHA),
            draw(METRICS),
            tuple(draw(st.lists(st.sampled_from(FINDINGS), max_size=2))),
            draw(st.sampled_from(["linux-2cpu", "linux-4cpu"])),
        )
        for number in range(1, draw(st.integers(1, 2)) + 1)
    )
    name, _, path = key.partition("@")
    verdict = draw(st.sampled_from(Verdict))
    return TaskResult(
        key, name, "s", path, f"evals/{key}.yaml", verdict, None, ("one", None), draw(st.booleans()), Metrics(), trials,
        draw(st.sampled_from([None, "c" * 64, "d" * 64])),
    )  # fmt: skip


@st.composite
def sides(draw: Any) -> Side:
    """A side of up to four tasks."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=4))
    tasks = tuple(draw(results(key)) for key in sorted(keys))
    return Side("side", Run("pr", False, tasks, Gate(True, 0, ())), "sha256:0")


@given(sides())
@settings(max_examples=30, deadline=None)
def test_a_run_does_not_differ_from_itself(side: Side) -> None:
    """Nothing became of any task, every cell of the matrix lies on its diagonal, every difference is 0."""
    diff = compare(side, side, "pr", PR)
    assert diff.empty
    assert all(turn.base == turn.head for turn in diff.transitions)
    for one in diff.statistics:
        assert one.verdicts is None or (one.verdicts.fixed, one.verdicts.broken) == (0, 0)
        assert all((told.difference, told.low, told.high) == (0, 0, 0) for told in one.measures)
    assert diff.gate.exit_code in (0, 3)
    assert diff.gate.passed == bool(side.run and side.run.tasks)


@given(sides(), sides())
@settings(max_examples=60, deadline=None)
def test_the_other_way_round_is_the_mirror_image(one: Side, other: Side) -> None:
    """Swapping base and head swaps every pair of values, and negates every difference."""
    here, there = compare(one, other, "pr", PR), compare(other, one, "pr", PR)
    assert {_mirrored(task) for task in there.tasks} == set(map(_plain, here.tasks))
    assert {(turn.head, turn.base, turn.keys) for turn in there.transitions} == {
        (turn.base, turn.head, _keys(turn.keys, here)) for turn in here.transitions
    }
    for mine, theirs in zip(here.statistics, there.statistics, strict=True):
        assert (mine.stratum, mine.tasks) == (theirs.stratum, theirs.tasks)
        if mine.verdicts and theirs.verdicts:
            assert (mine.verdicts.fixed, mine.verdicts.broken) == (theirs.verdicts.broken, theirs.verdicts.fixed)
            assert mine.verdicts.p_two_sided == theirs.verdicts.p_two_sided
        for told, turned in zip(mine.measures, theirs.measures, strict=True):
            assert (told.measure, told.pairs, told.p_two_sided) == (turned.measure, turned.pairs, turned.p_two_sided)
            assert (told.base_mean, told.head_p95) == (turned.head_mean, turned.base_p95)
            assert told.difference == -turned.difference
            if told.interval_method == turned.interval_method == "bootstrap_exact":
                assert (told.low, told.high) == (-turned.high, -turned.low)


TURN: dict[str, Any] = {"same": "same", "removed": "added", "added": "removed"}


def _keys(keys: tuple[str, ...], diff: Diff) -> tuple[str, ...]:
    """Keys as the other side calls them."""
    renamed = {task.key: task.base_key for task in diff.tasks}
    return tuple(sorted(renamed.get(key, key) for key in keys))


def _plain(task: TaskDiff) -> TaskDiff:
    """What a mirror shows: the file is the head's, and an edit script's order within a change is its own."""
    trials = tuple(replace(trial, tool_path=_pieces(trial.tool_path)) for trial in task.trials)
    return replace(task, file="", trials=trials)


def _pieces(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    rest = [edit for edit in edits if edit.op != "added"], [edit for edit in edits if edit.op != "removed"]
    return (*rest[0], *rest[1])


def _mirrored(task: TaskDiff) -> TaskDiff:
    return _plain(
        replace(
            task,
            key=task.base_key,
            base_key=task.key,
            base_verdict=task.head_verdict,
            head_verdict=task.base_verdict,
            trials=tuple(map(_turned, task.trials)),
        )
    )


def _turned(trial: TrialDiff) -> TrialDiff:
    return replace(
        trial,
        base_verdict=trial.head_verdict,
        head_verdict=trial.base_verdict,
        base_outcome=trial.head_outcome,
        head_outcome=trial.base_outcome,
        tool_path=tuple(Edit(TURN[edit.op], edit.text) for edit in trial.tool_path),
        gained=trial.lost,
        lost=trial.gained,
        deltas=tuple(
            replace(one, base=one.head, head=one.base, not_measured=_other_way(one.not_measured))
            for one in trial.deltas
            if one.base is not None or one.head is not None
        ),
    )


def _other_way(why: str) -> str:
    for mine, theirs in (
        ("in base", "in head"),
        ("on linux-2cpu and on linux-4cpu", "on linux-4cpu and on linux-2cpu"),
    ):
        if why.endswith(mine):
            return why.replace(mine, theirs)
        if why.endswith(theirs) and " and " not in why.removesuffix(theirs):
            return why.replace(theirs, mine)
    return why


def test_verdicts_make_a_matrix_and_lists(build: Any) -> None:
    """Every task stands in one cell, those on one side only with none on the other."""
    base = build.side(*(build.result(f"T-{n}@A1", verdict) for n, verdict in enumerate([*Verdict, Verdict.PASS])))
    turned = [Verdict.FAIL, Verdict.PASS, Verdict.PASS, Verdict.STALE, Verdict.ERROR]
    head = build.side(*(build.result(f"T-{n}@A1", verdict) for n, verdict in enumerate(turned)), build.result("N-1@A1"))
    diff = compare(base, head, "pr", PR)
    assert [(turn.base, turn.head, turn.keys) for turn in diff.transitions] == [
        (Verdict.PASS, Verdict.FAIL, ("T-0@A1",)),
        (Verdict.PASS, None, ("T-5@A1",)),
        (Verdict.NEEDS_REVIEW, Verdict.PASS, ("T-2@A1",)),
        (Verdict.STALE, Verdict.STALE, ("T-3@A1",)),
        (Verdict.ERROR, Verdict.ERROR, ("T-4@A1",)),
        (Verdict.FAIL, Verdict.PASS, ("T-1@A1",)),
        (None, Verdict.PASS, ("N-1@A1",)),
    ]
    kinds = {task.key: task.kind for task in diff.tasks}
    assert kinds == {
        "N-1@A1": Kind.ADDED,
        "T-0@A1": Kind.REGRESSION,
        "T-1@A1": Kind.FIXED,
        "T-2@A1": Kind.FIXED,
        "T-5@A1": Kind.REMOVED,
    }


def test_a_trial_is_told_in_all_its_parts(build: Any) -> None:
    """Outcome, tool path, answer, findings and numbers, each before and after."""
    task = build.task(
        {"name": "searches", "allowed_first_tools": ["search"]}, {"name": "reads", "allowed_first_tools": ["read"]}
    )
    base = build.judged([task], [build.trace("search", "read", text="It is 3.6 degrees.")])
    head = build.judged([task], [build.trace("read", "search", "read", text="It is 3.7 degrees.")])
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.kind, told.stratum) == (Kind.CHANGED, Stratum.SAME_RECORDINGS)
    (trial,) = told.trials
    assert (trial.base_outcome, trial.head_outcome) == ("searches", "reads")
    assert trial.tool_path == (Edit("added", "read"), Edit("same", "search"), Edit("same", "read"))
    assert trial.answer is not None
    assert [edit.text for edit in trial.answer if edit.op != "same"] == ["3.6", "3.7"]
    (calls,) = trial.deltas
    assert (calls.measure, calls.base, calls.head, calls.increase) == ("tool_calls", 2, 3, 1)


def test_findings_are_compared_without_their_lines(build: Any) -> None:
    """A finding whose line moved is the same finding; one that came twice and comes once is lost once."""
    a3, a4, b3 = FINDINGS
    base = build.side(build.result("T-1@A1", Verdict.FAIL, findings=(a3, a3)))
    head = build.side(build.result("T-1@A1", Verdict.FAIL, findings=(a4, b3)))
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.trials[0].gained, told.trials[0].lost) == ((b3,), (a3,))


def test_the_three_strata_are_kept_apart(build: Any) -> None:
    """Same recordings, re-recorded and contract changed each have their own statistics; the last has none."""

    def side(tokens: int, tape: str, contract: str, verdict: Verdict) -> Side:
        return build.side(
            build.result("S-1@A1", verdict),
            build.result("R-1@A1", verdict, metrics=build.metrics(tokens), tape=tape),
            build.result("C-1@A1", verdict, metrics=build.metrics(tokens), contract_sha256=contract),
            build.result("C-2@A1", verdict, contract_sha256=None),
        )

    diff = compare(side(100, "t1", "c1", Verdict.PASS), side(150, "t2", "c2", Verdict.FAIL), "pr", PR)
    same, recorded, changed = diff.statistics
    assert [one.stratum for one in diff.statistics] == list(Stratum)
    assert [one.tasks for one in diff.statistics] == [1, 1, 2]
    assert same.verdicts is not None
    assert (same.verdicts.pairs, same.verdicts.broken, same.verdicts.p_regression) == (1, 1, 0.5)
    assert {told.measure for told in same.measures} == {"model_calls", "tool_calls"}
    tokens = recorded.measures[0]
    assert (tokens.measure, tokens.pairs, tokens.base_mean, tokens.head_mean) == ("total_tokens", 1, 100.0, 150.0)
    assert (tokens.difference, tokens.worse, tokens.low_n) == (50.0, "higher", True)
    assert (changed.verdicts, changed.measures) == (None, ())


def test_one_recording_made_anew_is_re_recorded(build: Any) -> None:
    """Of a task's trials all must have replayed the same bytes; without a common trial nothing shows that they did."""

    def side(*tapes: str, first: int = 1) -> Side:
        trials = [build.trial(number, tape=tape) for number, tape in enumerate(tapes, first)]
        return build.side(build.result("T-1@A1", Verdict.PASS, *trials))

    strata = {
        "same": (side("a", "b"), side("a", "b")),
        "one anew": (side("a", "b"), side("a", "c")),
        "none in common": (side("a"), side("a", first=2)),
    }
    found = {name: compare(*sides, "pr", PR).statistics[0].stratum for name, sides in strata.items()}
    assert found == {
        "same": Stratum.SAME_RECORDINGS,
        "one anew": Stratum.RE_RECORDED,
        "none in common": Stratum.RE_RECORDED,
    }


def test_trials_of_one_task_are_one_pair(build: Any) -> None:
    """Trials are no independent pairs: a task's difference is the mean of its trials."""

    def side(*tokens: int) -> Side:
        trials = [build.trial(n, tape=str(tokens), metrics=build.metrics(count)) for n, count in enumerate(tokens, 1)]
        return build.side(build.result("T-1@A1", Verdict.PASS, *trials))

    (told,) = compare(side(100, 200, 300), side(110, 200), "pr", PR).statistics
    tokens = told.measures[0]
    assert (tokens.pairs, tokens.base_mean, tokens.head_mean, tokens.difference) == (1, 150.0, 155.0, 5.0)


def test_latencies_of_different_machines_are_not_measured(build: Any) -> None:
    """Neither a difference nor a statistic is made of them; tokens are compared all the same."""
    base = build.side(build.result("T-1@A1", Verdict.PASS, build.trial(tape="1")))
    other = build.trial(tape="2", machine="linux-arm64-4cpu", metrics=build.metrics(150, 900))
    head = build.side(build.result("T-1@A1", Verdict.PASS, other))
    diff = compare(base, head, "pr", PR)
    deltas = {delta.measure: delta for delta in diff.tasks[0].trials[0].deltas}
    assert deltas["total_tokens"].increase == 50
    assert deltas["latency_e2e_ms"].increase is None
    why = "recorded on linux-x86_64-2cpu and on linux-arm64-4cpu"
    assert deltas["latency_e2e_ms"].not_measured == why
    (told,) = diff.statistics
    assert ("latency_e2e_ms", why) in told.not_measured
    assert "total_tokens" in {one.measure for one in told.measures}


def test_a_loosened_contract_hides_nothing(build: Any) -> None:
    """Head's trace is graded by what base asked for: what was dropped and the verdict it would have show."""
    old = build.task({"name": "searches", "allowed_first_tools": ["search"]})
    new = build.task({"name": "anything goes", "allowed_first_tools": ["web", "search"]})
    base, head = build.judged([old], [build.trace("search")]), build.judged([new], [build.trace("web")])
    diff = compare(base, head, "pr", PR)
    (told,) = diff.tasks
    assert (told.kind, told.base_verdict, told.head_verdict) == (Kind.LOOSENED, Verdict.PASS, Verdict.PASS)
    assert told.by_base_contract is Verdict.FAIL
    assert {finding.code for finding in told.by_base_contract_findings} == {"first_tool_not_allowed"}
    assert told.dropped_outcomes == ("searches",)
    assert [(change.place, "web" in change.head) for change in told.contract] == [
        ("expect.accepted_outcomes", False),
        ("expect.accepted_outcomes", True),
    ]
    assert diff.gate.passed
    blocked = compare(base, head, "pr", Profile(loosened="block")).gate
    assert (blocked.exit_code, blocked.reasons) == (1, ("1 task fails by base's contract: RET-01@A1",))


def test_asking_for_less_improves_nothing(build: Any) -> None:
    """A failed task that passes only by another contract was not fixed; where it would pass by the old one it was."""
    old = build.task({"allowed_first_tools": ["search"]})
    new = build.task({"allowed_first_tools": ["web", "search"]})
    base = build.judged([old], [build.trace("web")])
    kinds = []
    for tool in ("web", "search"):
        (told,) = compare(base, build.judged([new], [build.trace(tool)]), "pr", PR).tasks
        kinds.append((told.base_verdict, told.head_verdict, told.kind))
    assert kinds == [(Verdict.FAIL, Verdict.PASS, Kind.LOOSENED), (Verdict.FAIL, Verdict.PASS, Kind.FIXED)]
    unseen = replace(build.judged([new], [build.trace("web")]), traces=no_traces)
    assert compare(base, unseen, "pr", PR).tasks[0].kind is Kind.RECONTRACTED


def test_a_task_that_is_stale_is_stale_whatever_its_contract(build: Any) -> None:
    """What head's cut short trace would be by base's contract does not hide that it must be recorded again."""
    base, head = (build.side(build.result("T-1@A1", verdict)) for verdict in (Verdict.PASS, Verdict.STALE))
    told = compare(base, head, "pr", PR).tasks[0]
    changed = replace(told, stratum=Stratum.CONTRACT_CHANGED, by_base_contract=Verdict.FAIL)
    assert (told.kind, changed.kind) == (Kind.UNJUDGED, Kind.UNJUDGED)


def test_a_contract_that_asks_for_more_is_not_comparable(build: Any) -> None:
    """What head does still passes by base's contract, so nothing is hidden."""
    old, new = build.task(), build.task(input="And what else?")
    base, head = build.judged([old], [build.trace("search")]), build.judged([new], [build.trace("search")])
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.kind, told.stratum) == (Kind.RECONTRACTED, Stratum.CONTRACT_CHANGED)
    assert told.by_base_contract is Verdict.PASS
    assert [change.place for change in told.contract] == ["input"]


def test_without_traces_nothing_is_graded_by_guess(build: Any) -> None:
    """Where head's traces are not at hand, its verdict by base's contract is not known."""
    old, new = build.task(), build.task({"allowed_first_tools": ["web"]})
    base = build.judged([old], [build.trace("search")])
    head = replace(build.judged([new], [build.trace("web")]), traces=no_traces)
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.by_base_contract, told.kind) == (None, Kind.RECONTRACTED)


def test_bare_results_tell_of_a_changed_contract(build: Any) -> None:
    """Where only results are at hand, digests still say that a task asks for something else: it is no pair."""
    before = build.side(build.result("T-1@A1", contract_sha256="a" * 64), build.result("T-2@A1"))
    after = build.side(build.result("T-1@A1", contract_sha256="b" * 64), build.result("T-2@A1"))
    diff = compare(before, after, "pr", PR)
    (told,) = diff.tasks
    assert (told.key, told.kind, told.contract_differs) == ("T-1@A1", Kind.RECONTRACTED, True)
    said = safety(after.run, diff)
    assert (said.state, said.sentence) == ("safe", "The gate passes. To look at: 1 task asks for something else.")
    assert "T-1@A1" in comment.render(diff, after.run)


def test_a_task_whose_contract_nobody_names_is_no_pair(build: Any) -> None:
    """Results without digests compare to nothing: the line counts those tasks apart."""
    side = build.side(build.result("T-1@A1", contract_sha256=None), build.result("T-2@A1"))
    diff = compare(side, side, "pr", PR)
    assert diff.empty
    assert safety(side.run, diff).sentence == "No verdict became worse in 1 task; 1 task cannot be compared."


def test_a_renamed_task_is_one_task(build: Any) -> None:
    """The very same contract under another name pairs, if no other task has it; it is neither added nor removed."""
    base = build.judged([build.task(key="RET-01@A1")], [build.trace("search")])
    head = build.judged([build.task(key="RET-09@A1")], [build.trace("web", key="RET-09@A1")])
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.base_key, told.key, told.kind) == ("RET-01@A1", "RET-09@A1", Kind.REGRESSION)
    same = build.judged([build.task(key="RET-09@A1")], [build.trace("search", key="RET-09@A1")])
    assert [task.kind for task in compare(base, same, "pr", PR).tasks] == [Kind.RENAMED]
    keys = ["RET-08@A1", "RET-09@A1"]
    two = build.judged([build.task(key=key) for key in keys], [build.trace("search", key=key) for key in keys])
    kinds = [task.kind for task in compare(base, two, "pr", PR).tasks]
    assert sorted(kinds) == [Kind.ADDED, Kind.ADDED, Kind.REMOVED]


def limited(build: Any, **limits: Any) -> Any:
    """A task that limits what a change may do to it."""
    expect = {
        "accepted_outcomes": [{"name": "calls", "required_tools": ["search"]}],
        "differential": limits,
    }
    return build.task(expect=expect, grading={"deterministic_metrics": ["tool_trace", "differential_ab"]})


@pytest.mark.parametrize(
    ("limits", "tools", "code"),
    [
        ({"tool_path": "same"}, ("web", "search"), "tool_path_changed"),
        ({"growth": {"tool_calls": {"abs": 1}}}, ("search", "search", "search"), "grown"),
        ({"growth": {"tool_calls": {"abs": 1}}}, ("search", "search"), None),
        ({"tool_path": "same"}, ("search",), None),
    ],
)
def test_a_task_may_limit_what_a_change_does_to_it(
    limits: dict[str, Any], tools: tuple[str, ...], code: str | None, build: Any
) -> None:
    """A task that passes on both sides and changed more than it allows blocks, with the limit that it exceeds."""
    task = limited(build, **limits)
    base, head = build.judged([task], [build.trace("search")]), build.judged([task], [build.trace(*tools)])
    diff = compare(base, head, "pr", PR)
    held = [finding.code for told in diff.tasks for trial in told.trials for finding in trial.limits]
    assert held == ([code] if code else [])
    if code:
        assert diff.tasks[0].kind is Kind.MOVED
        assert diff.gate.reasons == ("1 task changed more than it allows: RET-01@A1",)
    assert diff.gate.exit_code == (1 if code else 0)


def test_a_limit_that_was_lifted_still_shows(build: Any) -> None:
    """Dropping a limit together with the change that exceeds it is told as what base's contract would say."""
    base = build.judged([limited(build, tool_path="same")], [build.trace("search")])
    head = build.judged([limited(build, outcome="same")], [build.trace("web", "search")])
    (told,) = compare(base, head, "pr", PR).tasks
    assert (told.kind, told.by_base_contract) == (Kind.LOOSENED, Verdict.FAIL)
    assert [finding.code for finding in told.by_base_contract_findings] == ["tool_path_changed"]


def test_a_limit_that_cannot_be_held_asks_for_a_person(build: Any) -> None:
    """Neither kept nor exceeded: a growth that one side does not know does not block, and is not silent."""
    task = limited(build, growth={"cost_usd": {"abs": 0.01}}, outcome="same")
    base, head = build.judged([task], [build.trace("search")]), build.judged([task], [build.trace("search", "web")])
    diff = compare(base, head, "pr", PR)
    (finding,) = diff.tasks[0].trials[0].limits
    assert (finding.code, finding.severity) == ("growth_not_measured", "needs_review")
    assert diff.gate.passed


@pytest.mark.parametrize(
    ("base", "head", "blocking", "profile", "code", "said"),
    [
        ("pass", "pass", True, PR, 0, ""),
        ("pass", "fail", True, PR, 1, "1 task passed and fails: T-1@A1"),
        ("pass", "fail", False, PR, 0, ""),
        ("fail", "fail", True, PR, 0, ""),
        ("fail", "pass", True, PR, 0, ""),
        ("stale", "fail", True, PR, 0, ""),
        ("pass", "stale", True, PR, 4, "1 task is stale now: T-1@A1"),
        ("fail", "stale", True, PR, 4, "1 task is stale now: T-1@A1"),
        ("stale", "stale", True, PR, 0, ""),
        ("pass", "stale", True, Profile(stale="report"), 0, ""),
        ("pass", "stale", False, PR, 0, ""),
        ("pass", "error", True, PR, 3, "1 task cannot be judged any more: T-1@A1"),
        ("pass", "error", False, PR, 3, "1 task cannot be judged any more: T-1@A1"),
        ("error", "error", True, PR, 0, ""),
        ("pass", "needs_review", True, PR, 0, ""),
        ("pass", "needs_review", True, Profile(fail_on=("needs_review",)), 1, "1 task needs review now: T-1@A1"),
    ],
)
def test_what_blocks(base: str, head: str, blocking: bool, profile: Profile, code: int, said: str, build: Any) -> None:
    """A mandatory task that passed and fails blocks; what was so before is judged by the run's own gate."""
    sides = [build.side(build.result("T-1@A1", Verdict(one), blocking=blocking)) for one in (base, head)]
    gate = compare(*sides, "pr", profile).gate
    assert (gate.exit_code, gate.passed, gate.reasons) == (code, code == 0, (said,) if said else ())


def test_a_regression_blocks_whatever_p_says(build: Any) -> None:
    """One broken task among a hundred fixed ones is one broken task."""
    base = build.side(*(build.result(f"T-{n:03}@A1", Verdict.FAIL) for n in range(100)), build.result("U-1@A1"))
    head = build.side(*(build.result(f"T-{n:03}@A1") for n in range(100)), build.result("U-1@A1", Verdict.FAIL))
    diff = compare(base, head, "pr", PR)
    assert diff.statistics[0].verdicts is not None
    assert diff.statistics[0].verdicts.p_regression > 0.999
    assert diff.gate.exit_code == 1


def test_a_task_that_stopped_blocking_still_blocks(build: Any) -> None:
    """Setting `blocking: false` beside the change that breaks a task does not let it through."""
    base = build.side(build.result("T-1@A1"))
    head = build.side(build.result("T-1@A1", Verdict.FAIL, blocking=False, contract_sha256="f" * 64))
    assert compare(base, head, "pr", PR).gate.exit_code == 1


def test_precedence_and_nothing_to_compare(build: Any) -> None:
    """3 stands before 1 and 1 before 4; runs without a common task are not compared."""
    base = build.side(*(build.result(f"T-{n}@A1") for n in range(3)))
    turned = [Verdict.FAIL, Verdict.STALE, Verdict.ERROR]
    head = build.side(*(build.result(f"T-{n}@A1", verdict) for n, verdict in enumerate(turned)))
    gate = compare(base, head, "pr", PR).gate
    assert gate.exit_code == 3
    assert [reason.split(":")[0] for reason in gate.reasons] == [
        "1 task cannot be judged any more",
        "1 task passed and fails",
        "1 task is stale now",
    ]
    gate = compare(base, build.side(build.result("N-1@A1")), "pr", PR).gate
    assert (gate.exit_code, gate.reasons) == (3, ("nothing was compared: no task is on both sides",))


@pytest.mark.parametrize(("broken", "code"), [("base", 3), ("head", 2)])
def test_a_side_that_did_not_run_is_said_and_never_guessed(broken: str, code: int, build: Any) -> None:
    """No table, no statistic, no pass: only why, and the code that head ended with or 3."""
    good = build.side(build.result("T-1@A1"), name="good")
    bad = Side("main", None, problem="evals/tapegate.yaml: missing_config", exit_code=2)
    diff = compare(*((bad, good) if broken == "base" else (good, bad)), "pr", PR)
    assert not diff.available
    assert not diff.empty
    assert (diff.tasks, diff.transitions, diff.statistics) == ((), (), ())
    assert (diff.gate.exit_code, diff.gate.passed) == (code, False)
    assert diff.gate.reasons == (f"{broken} (main) could not be run: evals/tapegate.yaml: missing_config",)


def test_old_verdicts_are_judged_anew(build: Any) -> None:
    """A verdict that this version of Tapegate would not give is replaced by the one it gives; what cannot be judged
    again keeps what it came with."""
    task = build.task()
    side = build.judged([task], [build.trace("web")])
    assert side.run is not None
    old = replace(side.run.tasks[0], verdict=Verdict.PASS)
    wrong = replace(side, run=replace(side.run, tasks=(old,)))
    again = judged_anew(wrong, "pr", PR)
    assert again.run is not None
    assert again.run.tasks == side.run.tasks
    assert (again.run.gate.exit_code, wrong.run and wrong.run.gate.exit_code) == (1, 0)
    note = "judged again by this version of Tapegate, side has other verdicts: RET-01@A1 (pass → fail)"
    assert again.notes == (note,)
    blind = judged_anew(replace(wrong, traces=no_traces), "pr", PR)
    assert blind.run is not None
    assert blind.run.tasks == (old,)
    other = build.judged([task], [build.trace("search")])
    mixed = judged_anew(replace(wrong, traces=other.traces), "pr", PR)
    assert mixed.run is not None
    assert mixed.run.tasks == (old,), "a trace of another run judges nothing"


def test_a_task_that_an_extra_trial_decided_stays_decided(build: Any) -> None:
    """A trial that was asked for because the first was borderline is such a trial when it is judged again, too."""
    accepted = [{"name": "brief", "required_slots": {"sentences_max": 2}}]
    expect = {"accepted_outcomes": accepted, "borderline": {"sentences_max": {"abs": 2}}}
    task = build.task(expect=expect, grading={"deterministic_metrics": ["schema_contract"]})
    side = build.judged([task], [build.trace(text="It is so. " * 4), build.trace(text="It is so.", trial=2)])
    assert side.run is not None
    first, second = side.run.tasks[0].trials
    # With another trial to decide, no command for a person stands at the borderline finding.
    first = replace(first, findings=tuple(replace(finding, fix="") for finding in first.findings))
    decided = grade_task(task, [first, replace(second, extra=True)])
    assert (first.verdict, decided.verdict) == (Verdict.NEEDS_REVIEW, Verdict.PASS)
    again = judged_anew(replace(side, run=replace(side.run, tasks=(decided,))), "pr", PR)
    assert again.run is not None
    assert (again.run.tasks, again.notes) == ((decided,), ())


def test_exact_numbers_stay_exact(build: Any) -> None:
    """Costs are decimals: a tenth of a cent more is a tenth of a cent more."""
    base, head = (
        build.side(build.result("T-1@A1", metrics=build.metrics(cost=cost), tape=cost)) for cost in ("0.1", "0.3")
    )
    (task,) = compare(base, head, "pr", PR).tasks
    (cost,) = [delta for delta in task.trials[0].deltas if delta.measure == "cost_usd"]
    assert cost.increase == Fraction(1, 5)
