"""`tapegate rubric`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.rubric import rubric
from tapegate.errors import BadInput

GOOD = {
    "accuracy_score": 2,
    "faithfulness_score": 2,
    "latency_e2e_ms": 3000,
    "input_tokens": 1500,
    "output_tokens": 500,
}


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., Result]:
    """Runs the command on samples."""

    def run(samples: Any, *words: str) -> Result:
        path = tmp_path / "samples.json"
        path.write_text(json.dumps(samples))
        return CliRunner().invoke(rubric, [str(path), *words])

    return run


@pytest.mark.parametrize(
    ("samples", "code", "verdict"),
    [
        ([GOOD] * 20, 0, "ready"),
        (GOOD, 0, "ready"),
        ([{**GOOD, "accuracy_score": 0}], 1, "not_ready"),
        ([{**GOOD, "accuracy_score": None}], 3, "inconclusive"),
        ([], 3, "no_data"),
    ],
)
def test_the_exit_code_is_the_verdict(samples: Any, code: int, verdict: str, score: Callable[..., Result]) -> None:
    """0 ready, 1 not ready, 3 inconclusive or no data; the table and the JSON say the same."""
    table, document = score(samples), score(samples, "--json")
    assert (table.exit_code, document.exit_code) == (code, code)
    assert json.loads(document.stdout)["verdict"] == verdict
    assert table.stdout.startswith(f"release readiness: {verdict.replace('_', ' ')}")


def test_an_invalid_sample_rejects_the_run(score: Callable[..., Result]) -> None:
    """2.0 is no score, and no other sample makes up for it."""
    done = score([GOOD, {**GOOD, "accuracy_score": 2.0}])
    assert isinstance(done.exception, BadInput)
    assert done.exception.exit_code == 2
    assert done.stdout == ""


def test_repeated_runs_are_told_apart(score: Callable[..., Result]) -> None:
    """With --repeats each run has its own verdict; without it, several runs are refused."""
    samples = [{**GOOD, "run_id": run} for run in ("a", "b", "c")]
    done = score(samples, "--repeats")
    assert done.exit_code == 0
    assert done.stdout.startswith("release readiness over 3 runs: ready")
    assert json.loads(score(samples, "--repeats", "--json").stdout)["n_runs"] == 3
    assert isinstance(score(samples).exception, BadInput)


@pytest.mark.parametrize("words", [(), ("--repeats",), ("--repeats", "--json")])
def test_no_sample_is_no_data(words: tuple[str, ...], score: Callable[..., Result]) -> None:
    """Nothing was measured, whichever way it is asked: that is neither ready nor an invalid file."""
    done = score([], *words)
    assert done.exit_code == 3
    assert "no data" in done.output or json.loads(done.output)["verdict"] == "no_data"


def test_the_table_shows_what_it_decides_by(score: Callable[..., Result]) -> None:
    """Every gate with its limit and both bounds; every sample that does not pass, and why."""
    done = score([GOOD, {**GOOD, "accuracy_score": None, "id": "RET-01"}, {**GOOD, "crashed": True, "id": "##[x]"}])
    assert done.stdout == (
        "release readiness: not ready (aggregate, pass_rate, faithfulness_failure_rate) · 3 samples, 2 scored"
        " · fewer than 20\n"
        "\n"
        "  gate                       limit     at worst  at best\n"
        "  aggregate_score            ≥ 0.80      0.5166   0.6666  fails\n"
        "  pass_rate                  ≥ 0.85      0.3333   0.6666  fails\n"
        "  faithfulness_failure_rate  ≤ 0.05      0.3334   0.3334  fails\n"
        "  latency_e2e_p95_ms         ≤ 10,000     3,000    3,000  holds\n"
        "\n"
        "  aggregate_score                  0.5000\n"
        "  accuracy_mean                    1.0000\n"
        "  accuracy_full_credit_rate        0.3333\n"
        "  faithfulness_mean                1.3333\n"
        "  token_efficiency_ratio_mean      0.3334\n"
        "  tokens_per_correct_answer    6,000.0000\n"
        "  latency_e2e_p50_ms                3,000\n"
        "  latency_model_p50_ms                  –\n"
        "  latency_model_p95_ms                  –\n"
        "  total_input_tokens                4,500\n"
        "  total_output_tokens               1,500\n"
        "  total_tokens                      6,000\n"
        "  without accuracy_score                1\n"
        "  without latency_model_ms              3\n"
        "\n"
        "2 samples do not pass:\n"
        "  sample  accuracy  faithfulness  latency ms  tokens   score\n"
        "  ## [x]         2             2       3,000   2,000  0.0000  crashed\n"
        "  RET-01         –             2       3,000   2,000       –  score missing\n"
    ), done.stdout


def test_a_gate_that_missing_scores_could_still_turn_is_open(score: Callable[..., Result]) -> None:
    """Three words for three states: holds, fails, open."""
    lines = score([GOOD] * 6 + [{**GOOD, "accuracy_score": None, "latency_e2e_ms": 10_001}]).stdout.splitlines()
    said = {line.split()[0]: line.split("  ")[-1] for line in lines[3:7]}
    assert said == {
        "aggregate_score": "holds",
        "pass_rate": "holds",
        "faithfulness_failure_rate": "holds",
        "latency_e2e_p95_ms": "fails",
    }
    lines = score([{**GOOD, "faithfulness_score": None}]).stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines[3:7]] == ["open: scores are missing"] * 3 + ["holds"]


def test_what_nobody_counted_is_no_zero(score: Callable[..., Result]) -> None:
    """Without a token count there is no sum of tokens, and none for each correct answer."""
    sample = {"accuracy_score": 2, "faithfulness_score": 2, "latency_e2e_ms": 900}
    table = score(sample).output
    for name in ("tokens_per_correct_answer", "total_input_tokens", "total_output_tokens", "total_tokens"):
        assert re.search(rf"^  {name} +–$", table, re.MULTILINE), name
    assert json.loads(score(sample, "--json").output)["tokens_per_correct_answer"] is None
