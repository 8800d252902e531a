"""docs/how-a-score-is-made.md: its digits are those that the code makes."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from tapegate.grade.rubric.aggregate import aggregate
from tapegate.grade.rubric.score import score
from tapegate.grade.rubric.shown import fraction, shown
from tapegate.grade.scores.faithfulness import faithfulness
from tapegate.load.samples import read_samples
from tapegate.model.rubric import RunScore
from tapegate.model.trace import Account, Ending, Exchange, Text, ToolResult, Trace
from tapegate.report.rubric import side

PAGE = (Path(__file__).parents[2] / "docs" / "how-a-score-is-made.md").read_text("utf-8")


def _block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def run(tmp_path: Path) -> RunScore:
    """The page's four samples, scored."""
    path = tmp_path / "samples.csv"
    path.write_text(_block("csv"))
    return aggregate(read_samples(path, path.name))


def test_the_walk_ends_at_its_digits(run: RunScore) -> None:
    """The sample score as a fraction and as it is shown, and each component of it."""
    walked = score(run.samples[0].sample)
    assert walked.sample.id == "a"
    assert walked.sample_score == Fraction("9012601/11148710")
    for number in (walked.sample_score, walked.latency_norm, walked.token_efficiency_norm):
        assert fraction(number) in PAGE
    assert f"**{shown(walked.sample_score)}**" in PAGE
    assert walked.passes


def test_the_gates_of_the_page_are_the_codes(run: RunScore) -> None:
    """Every number of the run's table, at worst and at best."""
    bounds = {
        "aggregate_score": (run.aggregate_gate_lower, run.aggregate_upper),
        "pass_rate": (run.pass_rate, run.pass_rate_upper),
        "faithfulness_failure_rate": (run.faithfulness_failure_rate_upper, run.faithfulness_failure_rate),
    }
    for name, (worst, best) in bounds.items():
        assert worst is not None
        assert best is not None
        row = next(
            line for line in PAGE.splitlines() if line.startswith(f"| `{name}` | {'≤' if side(name) == 'up' else '≥'}")
        )
        assert f"| {shown(worst, side(name))} | {shown(best, side(name))} | open |" in row
    assert run.latency_e2e_p95_ms == 3412
    assert run.verdict == "inconclusive"
    assert run.aggregate_score is not None
    assert f"({shown(run.aggregate_score)})" in PAGE


def test_the_answer_of_the_page_scores_as_it_says() -> None:
    """One number without support and without a citation: faithfulness 1."""
    paper = {
        "id": "p-tidal-01",
        "title": "Salinity Pulses and the Wear of Estuary Turbines",
        "text": "Halite-9 kept its surface through 2,300 pulses, while plain epoxy pitted after 540.",
    }
    model = Exchange(0, "model", "POST", "/chat/completions", 200, 0, 1, 1, model="m")
    trace = Trace(
        key="AUD-02@A1",
        trial=1,
        events=(ToolResult("1", "read_paper", True, paper), Text(_block("text"))),
        exchanges=(model,),
        account=Account(played=1),
        ending=Ending("completed"),
    )
    question = "How many salinity pulses did the Halite-9 coating survive before the first pit?"
    assert faithfulness(question, trace) == (1, ("faithfulness: '4' stands in nothing that was read",))
