"""The evaluator prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapegate.errors import LoadError
from tapegate.grade.judge.template import Inputs, check_pin, fill, template, template_sha256

SPEC = Path(__file__).parents[3].parent / "shared" / "spec" / "evaluation-rubric.md"


@pytest.mark.skipif(not SPEC.is_file(), reason="../shared/spec is not here")
def test_it_is_the_rubrics_byte_for_byte() -> None:
    """What stands between the fences of rubric §2.1, and nothing else."""
    fenced = SPEC.read_bytes().split(b"```text\n", 1)[1].split(b"```", 1)[0]
    assert template().encode() == fenced


def test_it_is_the_one_that_was_pinned() -> None:
    """Its digest is known, so that an edited resource is found where the rubric is not at hand."""
    assert template_sha256() == "473b56416e61e92cf9e670f74ed0f174811a91a24146fb34c49db977d0362a2f"
    check_pin(template_sha256(), "evals/tapegate.yaml", 1)
    with pytest.raises(LoadError) as caught:
        check_pin("a" * 64, "evals/tapegate.yaml", 7)
    assert (caught.value.problems[0].code, caught.value.problems[0].line) == ("template_mismatch", 7)


def test_it_is_filled_in_one_pass() -> None:
    """A candidate that writes a placeholder gets a placeholder, not the reference answer (JUD-12)."""
    said = fill(Inputs("T", "R {{provided_context}}", "C", "{{reference_answer}} \\1 {{task}}"))
    assert "- task: T\n" in said
    assert "- reference_answer: R {{provided_context}}\n" in said
    assert "- provided_context: C\n" in said
    assert "- candidate_answer: {{reference_answer}} \\1 {{task}}\n" in said
    assert template().count("{{") == 4
