"""The evaluator prompt of rubric §2.1, byte for byte, and how it is filled."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tapegate.errors import LoadError

ID = "evaluation-rubric-2.1"
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What stands in the template's four slots."""

    task: str
    reference_answer: str
    provided_context: str
    candidate_answer: str


@cache
def template() -> str:
    """The template as it is published, its last line ended."""
    return files("tapegate.grade.judge").joinpath("evaluator_prompt.txt").read_bytes().decode()


@cache
def template_sha256() -> str:
    """Of its bytes: what `judge.template_sha256` pins."""
    return hashlib.sha256(template().encode()).hexdigest()


def check_pin(pinned: str, file: str, line: int) -> None:
    """Raises LoadError `template_mismatch` where the config pins another template than the one that would be used."""
    if pinned != template_sha256():
        raise LoadError.of(
            "template_mismatch",
            f"'judge.template_sha256' is {pinned!r}; the evaluator prompt of this Tapegate is {template_sha256()!r}",
            file=file,
            line=line,
            fix="scores of another prompt do not compare: pin this one, and record the audit anew",
        )


def fill(inputs: Inputs) -> str:
    """The prompt. Filled in one pass: a placeholder in a candidate's text stays the text that it is."""
    return _SLOT.sub(lambda slot: str(getattr(inputs, slot[1])), template())
