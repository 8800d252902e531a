"""The terms of a judge, in a task and in the config."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.load.config import read_config
from tapegate.load.document import Document
from tapegate.load.task import read_task

Read = Callable[[str], Document]

TERMS = """  runtime_llm_judge: audit
  judge:
    reason: open_ended_synthesis
    justification: A comparison can be written in many ways.
    fallback: tool_trace
"""
JUDGE = f"""judge:
  service: model
  model: gpt-4o-2024-08-06
  model_version: gpt-4o-2024-08-06
  template_sha256: {"a" * 64}
"""


def _graded(task_text: str, grading: str) -> str:
    head, _, tail = task_text.partition("grading:\n")
    return f"{head}grading:\n{grading}{tail}"


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("", "", []),
        (TERMS[TERMS.index("  judge") :], "", ["judge_not_justified"]),
        ("runtime_llm_judge: audit", "runtime_llm_judge: off", ["judge_not_used"]),
        ("fallback: tool_trace", "fallback: tool_trac", ["unknown_fallback"]),
        ("reason: open_ended_synthesis", "reason: convenience", ["unknown_value"]),
        ("    justification: A comparison can be written in many ways.\n", "", ["missing_key"]),
        ("runtime_llm_judge: audit", "runtime_llm_judge: always", ["judge_not_used", "unknown_value"]),
    ],
)
def test_a_judge_has_its_terms(old: str, new: str, codes: list[str], read: Read, task_text: str) -> None:
    """A task that a model may score says why, by one of two reasons, and what stands beside the model's word."""
    assert "tool_trace" in task_text
    _, problems = read_task(read(_graded(task_text, TERMS.replace(old, new) if old else TERMS)))
    assert sorted(problem.code for problem in problems) == codes


def test_a_quality_fact_demands_something(read: Read, task_text: str) -> None:
    """A fact without a wording would be stated by every answer."""
    quality = "  quality:\n    facts:\n      - {name: size}\n      - {name: place, any_of: [Rome]}\n"
    _, problems = read_task(read(_graded(task_text, quality)))
    assert [problem.code for problem in problems] == ["vacuous_fact"]


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("", "", []),
        ("model: gpt-4o-2024-08-06", "model: gpt-4o", ["floating_model"]),
        ("model: gpt-4o-2024-08-06", "model: my-judge:latest", ["floating_model"]),
        ("model_version: gpt-4o-2024-08-06", "model_version: latest", ["floating_model"]),
        ("service: model", "service: modell", ["unknown_service"]),
        ("service: model", "service: search", ["opaque_judge"]),
        ("service: model", "service: model\n  source: nowhere", ["unknown_source"]),
        ("a" * 64, "a" * 63, ["bad_value"]),
    ],
)
def test_the_judge_is_pinned(old: str, new: str, codes: list[str], read: Read) -> None:
    """One version of one model, at a declared service that speaks a provider's protocol, and one prompt."""
    config = (
        "version: 1\n"
        "paths:\n  A1: {title: chat, status: active, files: [a.py], subject: desk}\n"
        "subjects:\n  desk: {kind: python, entry: 'a:b', stream: text}\n"
        "services:\n"
        "  model: {address: 'https://a.invalid/v1', protocol: openai, base_url_env: [A_URL]}\n"
        "  search: {address: 'https://b.invalid', base_url_env: [B_URL]}\n"
    )
    judge = JUDGE.replace(old, new, 1) if old else JUDGE
    if old.startswith("model:"):
        judge = JUDGE.replace(f"  {old}", f"  {new}", 1)
    _, problems = read_config(read(config + judge))
    assert [problem.code for problem in problems] == codes
