"""Budgets of a profile, as they are read."""

from __future__ import annotations

import pytest

from tapegate.load.config import read_config
from tapegate.load.reader import parse_document
from tapegate.model.budget import Budget

CONFIG = """\
version: 1
paths:
  A1: {title: Chat, status: active, files: ["src/*.py"], subject: desk}
subjects:
  desk: {kind: python, entry: "agent:answer", stream: text}
profiles:
  pr:
    loosened: block
    budgets:
      - BUDGET
"""


def test_a_budget_is_read() -> None:
    """Absolute and relative limits, whole or not, for each task or on average."""
    text = "{measure: cost_usd, over: mean, increase: 0.01, increase_percent: 10, exceeded: all, block: false}"
    config, problems = read_config(parse_document(CONFIG.replace("BUDGET", text).encode(), "evals/tapegate.yaml"))
    assert problems == []
    assert config is not None
    assert config.profiles["pr"].loosened == "block"
    (budget,) = config.profiles["pr"].budgets
    assert budget == Budget(
        measure="cost_usd", over="mean", increase=0.01, increase_percent=10, exceeded="all", block=False
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{measure: total_tokens}", "limits nothing"),
        ("{measure: tokens, increase: 1}", "total_tokens"),
        ("{measure: total_tokens, increase: -1}", "increase"),
        ("{measure: total_tokens, increase: '1'}", "a number"),
        ("{measure: total_tokens, increase: true}", "a number"),
        ("{measure: total_tokens, increase: .inf}", "inf"),
        ("{measure: total_tokens, increases: 1}", "increases"),
    ],
)
def test_a_budget_that_means_nothing_is_refused(text: str, said: str) -> None:
    """At its line, with what it could be."""
    config, problems = read_config(parse_document(CONFIG.replace("BUDGET", text).encode(), "evals/tapegate.yaml"))
    assert config is None
    assert {problem.line for problem in problems} == {10}
    assert any(said in f"{problem.message} {problem.fix}" for problem in problems)
