"""Trials that never came to a trace."""

from __future__ import annotations

import pytest

from tapegate.errors import CassetteError, NotJudged, Stale, SubjectError, TapegateError
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.finding import Verdict


@pytest.mark.parametrize(
    ("error", "verdict", "metric"),
    [
        (Stale.of("not_recorded", "no cassette"), Verdict.STALE, "replay"),
        (CassetteError.of("hash_mismatch", "other bytes"), Verdict.ERROR, "input"),
        (SubjectError.of("no_start", "it did not start"), Verdict.ERROR, "harness"),
        (NotJudged(), Verdict.ERROR, "harness"),
        (TapegateError.of("odd", "odd"), Verdict.ERROR, "harness"),
    ],
)
def test_an_error_becomes_a_trial_that_stays_in_the_denominator(make_task, error, verdict, metric):
    """A missing recording is stale, everything else is an error; never a pass, never dropped."""
    result = unjudged_trial(make_task(), 2, error, "c" * 64)
    assert (result.trial, result.verdict, result.outcome) == (2, verdict, None)
    assert [finding.metric for finding in result.findings] == [metric]
    assert result.cassette_sha256 == "c" * 64


def test_every_problem_of_the_error_is_a_finding_with_its_place(make_task):
    """The file that is wrong is named in the message; the finding stands in the task's own file."""
    error = CassetteError.all(
        [
            TapegateError.of("duplicate_key", "key 'a' twice", file="cassettes/x.yaml", line=7).problems[0],
            TapegateError.of("hash_mismatch", "other bytes", file="cassettes/x.yaml", fix="git checkout").problems[0],
        ]
    )
    result = unjudged_trial(make_task(), 1, error)
    assert [(finding.code, finding.message, finding.fix) for finding in result.findings] == [
        ("hash_mismatch", "cassettes/x.yaml: other bytes", "git checkout"),
        ("duplicate_key", "cassettes/x.yaml:7: key 'a' twice", ""),
    ]
    assert {finding.file for finding in result.findings} == {"evals/retrieval/RET-01@A1.yaml"}


def test_a_missing_recording_comes_with_the_command_that_records_it(make_task):
    """CAS-04."""
    result = unjudged_trial(make_task(), 1, Stale.of("not_recorded", "no cassette"))
    assert result.findings[0].fix == "tapegate record RET-01@A1 --missing"
