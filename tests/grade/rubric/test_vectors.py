"""The golden vectors of the rubric, and cases of our own that prove the same."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.grade.rubric.aggregate import aggregate
from tapegate.grade.rubric.score import score
from tapegate.grade.rubric.shown import fraction
from tapegate.load.samples import read_samples
from tapegate.model.rubric import Sample

VECTORS = Path(__file__).parents[3].parent / "shared" / "vectors" / "rubric.json"
CASES = json.loads(VECTORS.read_bytes())["cases"] if VECTORS.is_file() else []

GOOD = {"accuracy_score": 2, "faithfulness_score": 2, "latency_e2e_ms": 3000, "total_tokens": 2000}
NULL = {**GOOD, "accuracy_score": None, "faithfulness_score": None}
TIMEOUT = {**NULL, "timed_out": True, "latency_e2e_ms": 700, "timeout_ms": 9000, "total_tokens": 100}

OURS = [
    {
        "id": "a time-out lasts at least as long as its limit, and counts in every rate",
        "samples": [GOOD, GOOD, GOOD, TIMEOUT],
        "expected": {
            "n": 4,
            "n_scored": 4,
            "aggregate_score": "3/4",
            "pass_rate": "3/4",
            "faithfulness_failure_rate": "1/4",
            "latency_e2e_p95_ms": 9000,
            "failed_gates": ["aggregate", "pass_rate", "faithfulness_failure_rate"],
            "verdict": "not_ready",
        },
    },
    {
        "id": "one missing score of two decides",
        "samples": [GOOD, NULL],
        "expected": {
            "n_scored": 1,
            "aggregate_score": "1/1",
            "aggregate_gate_lower": "5/8",
            "aggregate_upper": "1/1",
            "pass_rate": "1/2",
            "pass_rate_upper": "1/1",
            "faithfulness_failure_rate": "0/1",
            "faithfulness_failure_rate_upper": "1/2",
            "failed_gates": ["aggregate", "pass_rate", "faithfulness_failure_rate"],
            "failed_gates_upper": [],
            "verdict": "inconclusive",
        },
    },
    {
        "id": "a latency that nobody measured is unbounded, and no missing score can mend it",
        "samples": [GOOD, {**GOOD, "latency_e2e_ms": None}],
        "expected": {
            "n_scored": 2,
            "aggregate_score": "37/40",
            "pass_rate": "1/2",
            "latency_e2e_p95_ms": None,
            "p95_is_infinite": True,
            "failed_gates": ["pass_rate", "latency_p95"],
            "failed_gates_upper": ["pass_rate", "latency_p95"],
            "verdict": "not_ready",
        },
    },
    {
        "id": "tokens that nobody counted earn nothing",
        "samples": [{**GOOD, "total_tokens": None}],
        "expected": {"aggregate_score": "9/10", "sample_pass": [False], "verdict": "not_ready"},
    },
    {
        "id": "two legal samples average exactly four fifths",
        "samples": [
            {**GOOD, "latency_e2e_ms": 5000, "total_tokens": 2500},
            {**GOOD, "accuracy_score": 1, "latency_e2e_ms": 6000, "total_tokens": 2500},
        ],
        "expected": {"sample_scores": ["23/25", "17/25"], "aggregate_score": "4/5", "verdict": "ready"},
    },
    {
        "id": "a twentieth of faithfulness failures is within the limit",
        "samples": [GOOD] * 19 + [{**GOOD, "faithfulness_score": 0}],
        "expected": {"faithfulness_failure_rate": "1/20", "pass_rate": "19/20", "failed_gates": [], "verdict": "ready"},
    },
    {
        "id": "seventeen of twenty pass, and that is enough",
        "samples": [GOOD] * 17 + [{**GOOD, "latency_e2e_ms": 8001}] * 3,
        "expected": {"pass_rate": "17/20", "failed_gates": [], "verdict": "ready"},
    },
    {"id": "nothing is never ready", "samples": [], "expected": {"n": 0, "verdict": "no_data", "release_ready": False}},
]


def _got(samples: list[Sample], name: str) -> Any:
    if name == "sample_scores":
        return [None if (one := score(sample).sample_score) is None else fraction(one) for sample in samples]
    if name == "sample_scores_lower_bound":
        return [fraction(score(sample).lower) for sample in samples]
    if name == "sample_pass":
        return [score(sample).passes for sample in samples]
    value = getattr(aggregate(samples), name)
    if isinstance(value, Fraction):
        return fraction(value)
    return list(value) if isinstance(value, tuple) else value


def _holds(case: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(case["samples"]))
    if "error" in case["expected"]:
        with pytest.raises(LoadError) as caught:
            read_samples(file, file.name)
        assert {problem.code for problem in caught.value.problems} == {case["expected"]["error"]}
        return
    samples = list(read_samples(file, file.name))
    assert {name: _got(samples, name) for name in case["expected"]} == case["expected"]


@pytest.mark.skipif(not CASES, reason="../shared/vectors/rubric.json is not here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['name']}")
def test_a_golden_vector_is_met_exactly(case: dict[str, Any], tmp_path: Path) -> None:
    """Every expected number of a golden case comes out as the same fraction, from the same input format."""
    _holds(case, tmp_path / "samples.json")


@pytest.mark.parametrize("case", OURS, ids=lambda case: case["id"])
def test_a_case_of_our_own_is_met_exactly(case: dict[str, Any], tmp_path: Path) -> None:
    """The same rules, on cases worked out by hand."""
    _holds(case, tmp_path / "samples.json")
