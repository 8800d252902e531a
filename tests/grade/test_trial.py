"""One trial and its verdict."""

from __future__ import annotations

from itertools import product

import pytest

from tapegate.grade.trial import grade_trial
from tapegate.model.finding import Verdict
from tapegate.model.trace import Account, Ending, Miss, NetworkAttempt, Unplayed, Violation
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle

MISS = Miss("chat", "POST", "/chat/completions", "prompt_changed", "the system prompt changed")
UNPLAYED = Unplayed(1, "chat", "POST", "/chat/completions")

INVARIANTS = {"holds": "", "broken for good": "</think> ", "broken so far": " <thi"}
"""What the answer ends in, so that `no_hidden_tag_leak` is in this state."""
OUTCOMES = {"holds": "tool:search", "open": "", "closed": "tool:web"}
"""What is called, so that the outcome `allowed_first_tools: [search]` is in this state."""

# Rows: the invariant, as in INVARIANTS. Columns: the outcome, as in OUTCOMES.
TABLE = {
    ("no miss", "completed"): ["pass fail fail", "fail fail fail", "fail fail fail"],
    ("no miss", "timed_out"): ["fail fail fail", "fail fail fail", "fail fail fail"],
    ("miss", "completed"): ["stale stale fail", "fail fail fail", "stale stale fail"],
    ("miss", "timed_out"): ["stale stale fail", "fail fail fail", "stale stale fail"],
    ("unplayed", "completed"): ["stale fail fail", "fail fail fail", "fail fail fail"],
    ("unplayed", "timed_out"): ["fail fail fail", "fail fail fail", "fail fail fail"],
    ("miss and unplayed", "completed"): ["stale stale fail", "fail fail fail", "stale stale fail"],
    ("network", "completed"): ["fail fail fail", "fail fail fail", "fail fail fail"],
    ("miss and network", "completed"): ["fail fail fail", "fail fail fail", "fail fail fail"],
}
ACCOUNTS = {
    "no miss": Account(2),
    "miss": Account(1, misses=(MISS,)),
    "unplayed": Account(1, unplayed=(UNPLAYED,)),
    "miss and unplayed": Account(1, misses=(MISS,), unplayed=(UNPLAYED,)),
    "network": Account(2, network=(NetworkAttempt("a.org:443"),)),
    "miss and network": Account(1, misses=(MISS,), network=(NetworkAttempt("a.org:443"),)),
}


@pytest.mark.parametrize(
    ("account", "ending", "invariant", "outcome"),
    [(*facts, *states) for facts in TABLE for states in product(INVARIANTS, OUTCOMES)],
)
def test_verdict_table(make_task, make_trace, account, ending, invariant, outcome):
    """Every combination of replay facts, ending, invariant and outcome has its verdict (DESIGN §2)."""
    task = make_task(invariants=["no_hidden_tag_leak"], metrics=["tool_trace", "output_hygiene"])
    trace = make_trace(
        *[event for event in (OUTCOMES[outcome], INVARIANTS[invariant]) if event],
        account=ACCOUNTS[account],
        ending=Ending(ending),
    )
    row = TABLE[account, ending][list(INVARIANTS).index(invariant)]
    expected = row.split()[list(OUTCOMES).index(outcome)]
    result = grade_trial(task, trace, "c" * 64)
    assert result.verdict == Verdict(expected)
    assert result.outcome == (0 if outcome == "holds" else None)
    if expected != "pass":
        assert any(finding.severity == expected for finding in result.findings)


@pytest.mark.parametrize("kind", ["raised", "crashed", "exited", "timed_out", "http_error", "empty_output"])
def test_a_subject_that_does_not_complete_fails_by_the_name_of_its_ending(make_task, make_trace, kind):
    """PRO-05, PRO-07, PRO-08: what it did before is judged, and its ending is a finding of its own."""
    trace = make_trace("tool:search", ending=Ending(kind, "SIGSEGV"))
    result = grade_trial(make_task(), trace, None)
    assert result.verdict is Verdict.FAIL
    assert [(finding.metric, finding.code) for finding in result.findings] == [("subject", kind)]
    assert "SIGSEGV" in result.findings[0].message


def test_a_rule_broken_before_the_miss_is_a_failure_not_merely_stale(make_task, make_trace):
    """Web first, then a request without a recording: the miss explains nothing away."""
    trace = make_trace("tool:web", account=Account(0, misses=(MISS,)), finish=False)
    result = grade_trial(make_task(), trace, None)
    assert result.verdict is Verdict.FAIL
    assert [(finding.code, finding.severity) for finding in result.findings] == [
        ("first_tool_not_allowed", "fail"),
        ("prompt_changed", "stale"),
    ]


def test_after_a_miss_only_what_is_proven_counts_against_an_outcome(make_task, make_trace):
    """A condition that the rest of the answer might have met is a note beside the one that fails."""
    outcome = {"allowed_first_tools": ["search"], "required_slots": {"citations_local_min": 1}}
    task = make_task(outcome, metrics=["tool_trace", "citation_contract"])
    result = grade_trial(task, make_trace("tool:web", account=Account(0, misses=(MISS,))), None)
    assert [(finding.code, finding.severity) for finding in result.findings] == [
        ("first_tool_not_allowed", "fail"),
        ("too_few_local_citations", "note"),
        ("prompt_changed", "stale"),
    ]


def test_one_open_outcome_keeps_the_trial_stale(make_task, make_trace):
    """After a miss, an outcome that is ruled out is a note as long as another one might still hold."""
    task = make_task({"forbidden_tools": ["web"]}, {"required_tools": ["web", "read"]})
    result = grade_trial(task, make_trace("tool:web", account=Account(0, misses=(MISS,))), None)
    assert result.verdict is Verdict.STALE
    assert [(finding.outcome, finding.severity) for finding in result.findings[:2]] == [(0, "note"), (1, "stale")]


def test_the_first_outcome_that_holds_is_named_and_the_others_are_kept(make_task, make_trace):
    """Outcomes are tried in order; what the others lack stays in the result as notes."""
    task = make_task({"required_tools": ["read"]}, {"required_tools": ["web"]}, {"forbidden_tools": ["read"]})
    result = grade_trial(task, make_trace("tool:web"), None)
    assert (result.verdict, result.outcome) == (Verdict.PASS, 1)
    assert [(finding.outcome, finding.code, finding.severity) for finding in result.findings] == [
        (0, "required_tool_missing", "note")
    ]


def test_a_broken_invariant_fails_whatever_else_holds(make_task, make_trace):
    """Invariants stand apart from outcomes: the outcome is still named, and the trial fails at the invariant's line."""
    task = make_task(invariants=["no_hidden_tag_leak"], metrics=["tool_trace", "output_hygiene"])
    result = grade_trial(task, make_trace("tool:search", "<think>hm</think>"), None)
    assert (result.verdict, result.outcome) == (Verdict.FAIL, 0)
    assert {(finding.metric, finding.code, finding.line, finding.outcome) for finding in result.findings} == {
        ("output_hygiene", "hidden_tag", 8, None)
    }


def test_a_network_attempt_is_a_broken_invariant_that_no_task_must_ask_for(make_task, make_trace):
    """PRO-13: each address once, sorted, so that retries and races change nothing."""
    attempts = tuple(NetworkAttempt(address) for address in ("b.org:443", "a.org:80", "b.org:443"))
    result = grade_trial(make_task(), make_trace("tool:search", account=Account(1, network=attempts)), None)
    assert result.verdict is Verdict.FAIL
    assert [(finding.code, finding.got) for finding in result.findings] == [
        ("network_attempt", "a.org:80"),
        ("network_attempt", "b.org:443"),
    ]


def test_a_stream_that_breaks_its_protocol_fails_even_where_no_invariant_asks(make_task, make_trace):
    """STR-07, STR-11: the code of the violation is the code of the finding; a task that asks hears it once."""
    trace = make_trace("tool:search", Violation("invalid_utf8", "byte 0xff at 12"))
    result = grade_trial(make_task(), trace, None)
    assert result.verdict is Verdict.FAIL
    assert [(finding.metric, finding.code) for finding in result.findings] == [("stream", "invalid_utf8")]
    asked = make_task(invariants=["stream_complete"], metrics=["tool_trace", "output_hygiene"])
    codes = [finding.code for finding in grade_trial(asked, trace, None).findings]
    assert codes == ["protocol_violation"]


class Crashing(Oracle):
    """A metric that raises where it is told to."""

    name, version, codes, slots, invariants = "tool_trace", 1, {}, {}, {}

    def __init__(self, where: str, error: Exception, outcome: int | None = None) -> None:
        self._where, self._error, self._outcome = where, error, outcome

    def claims(self, task):
        """As `tool_trace` does, so that the task counts as judged."""
        if self._where == "claims":
            raise self._error
        return CATALOG[0].claims(task)

    def broken(self, task, trace):
        """Raises where it is told to."""
        if self._where == "broken":
            raise self._error
        return ()

    def unmet(self, index, outcome, task, trace):
        """Raises after its first answer where it is told to."""
        yield from CATALOG[0].unmet(index, outcome, task, trace)
        if self._where == "unmet" and self._outcome in (None, index):
            raise self._error


@pytest.mark.parametrize("where", ["broken", "unmet", "claims"])
@pytest.mark.parametrize("error", [ValueError("bad"), RecursionError("deep"), KeyError("x"), AssertionError()])
def test_a_metric_that_raises_makes_the_trial_an_error_and_never_a_pass(make_task, make_trace, where, error):
    """Whatever it raises: the task could not be judged, the finding names metric and exception, nothing escapes."""
    catalog = (Crashing(where, error), *CATALOG[1:])
    result = grade_trial(make_task(), make_trace("tool:search"), None, catalog)
    assert result.verdict is Verdict.ERROR
    assert result.findings[0].code == "oracle_crashed"
    assert type(error).__name__ in result.findings[0].message


def test_a_metric_that_raises_on_one_outcome_is_no_pass_by_another(make_task, make_trace):
    """Half a judgement is none, even where another outcome would hold."""
    task = make_task({"required_tools": ["read"]}, {"required_tools": ["search"]})
    catalog = (Crashing("unmet", ValueError("bad"), outcome=0), *CATALOG[1:])
    assert grade_trial(task, make_trace("tool:search"), None, catalog).verdict is Verdict.ERROR


def test_an_outcome_that_could_not_be_judged_does_not_hold(make_task, make_trace):
    """No unmet condition was reported, but nobody finished looking: the result names no outcome."""
    catalog = (Crashing("unmet", ValueError("bad")), *CATALOG[1:])
    result = grade_trial(make_task(), make_trace("tool:search"), None, catalog)
    assert (result.verdict, result.outcome) == (Verdict.ERROR, None)


def test_a_proven_failure_outranks_a_metric_that_raised(make_task, make_trace):
    """A broken invariant is known, whatever could not be judged beside it; both stay in the findings."""
    task = make_task(invariants=["no_hidden_tag_leak"], metrics=["tool_trace", "output_hygiene"])
    catalog = (Crashing("unmet", ValueError("bad")), *CATALOG[1:])
    result = grade_trial(task, make_trace("tool:search", "</think> x"), None, catalog)
    assert result.verdict is Verdict.FAIL
    assert {finding.severity for finding in result.findings} == {"fail", "error"}


def test_an_address_in_an_exception_does_not_reach_the_results(make_task, make_trace):
    """It would differ from run to run."""
    catalog = (Crashing("broken", ValueError("<object at 0x7f31a2b4c5d0>")), *CATALOG[1:])
    result = grade_trial(make_task(), make_trace("tool:search"), None, catalog)
    assert result.findings[0].message.endswith("ValueError: <object at 0x…>")


@pytest.mark.parametrize(
    ("outcomes", "fields"),
    [
        ([{}], {}),
        ([{"required_slots": {"unknown_slot": 1}}], {}),
        ([{"required_slots": {"citations_local_min": 1}}], {"metrics": ["tool_trace"]}),
        ([{"required_tools": ["search"]}], {"invariants": ["nobody_knows"]}),
        ([{"required_tools": ["search"]}], {"metrics": ["nobody"]}),
    ],
)
def test_a_task_that_nobody_would_judge_is_an_error(make_task, make_trace, outcomes, fields):
    """TAS-05, TAS-12: a contract that slipped past the load checks never passes because no metric looked."""
    result = grade_trial(make_task(*outcomes, **fields), make_trace("tool:search"), None)
    assert result.verdict is Verdict.ERROR
    assert "not_judged" in [finding.code for finding in result.findings]


def test_without_any_metric_nothing_passes(make_task, make_trace):
    """An empty catalog judges nothing."""
    assert grade_trial(make_task(), make_trace("tool:search"), None, catalog=()).verdict is not Verdict.PASS


def test_the_result_holds_what_the_trial_was(make_task, make_trace):
    """Number, tool path, hashes of answer and cassette."""
    result = grade_trial(make_task(), make_trace("tool:search", "Yes\ud800", trial=3), "c" * 64)
    assert (result.trial, result.tool_path, result.cassette_sha256) == (3, ("search",), "c" * 64)
    assert len(result.answer_sha256) == 64


def test_the_same_trial_gives_the_same_result(make_task, make_trace):
    """Whatever was graded before it."""
    task, trace = make_task(), make_trace("tool:web", "</think> x", account=ACCOUNTS["miss and unplayed"])
    first = grade_trial(task, trace, None)
    grade_trial(make_task({"forbidden_tools": ["web"]}), trace, None)
    assert grade_trial(task, trace, None) == first
