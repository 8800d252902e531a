"""Signs that a text speaks to the judge instead of to the user. They are shown, and change no score."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tapegate.grade.judge.template import template
from tapegate.oracles.folding import foldings

_PLACEHOLDER = re.compile(r"\{\{\s*(?:task|reference_answer|provided_context|candidate_answer)\s*\}\}")
_QUOTE = r"[\\\"'“”]*"
"""As JSON, as JSON within a string, or as a person quotes."""
_VERDICT = re.compile(
    rf"(?i)\b(?:accuracy|faithfulness)[ _-]?score{_QUOTE}"
    rf"(?:\s*(?:[:=]|\b(?:is|of|should be|must be)\b)\s*{_QUOTE}|\s+)(?:[0-9]\b(?!\.[0-9]|\s?%)|(?:zero|one|two)\b)"
)
_FORGED_SLOT = re.compile(r"(?im)^\W{0,6}(?:reference_answer|provided_context|candidate_answer)\W{0,3}:")
"""A slot of the evaluator prompt as it writes one, with another content."""
_INSTRUCTION = re.compile(
    r"(?im)"
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|rubric|prompt|rule|above|previous|prior)"
    r"|\b(?:dear |attention,? |note to (?:the )?)(?:judge|evaluator|grader)\b"
    r"|\b(?:judge|evaluator|grader)s?\b[^.\n]{0,40}\b(?:must|should|please|shall)\b"
    r"|\b(?:give|assign|award|return|output|score)\b[^.\n]{0,40}"
    r"\b(?:full (?:marks|credit|score)|(?:maximum|highest|perfect|top) scores?|score of 2|2 and 2)"
    r"|^\s*(?:system|assistant|user)\s*:"
    r"|\byou are (?:now )?(?:the|a|an) (?:\w+ )?(?:judge|evaluator|grader)\b"
    r"|\bscore\s+(?:this\s+|it\s+)?(?:2\s*/\s*2|two out of two|2 out of 2)\b"
)
_ECHOED = tuple(line.strip() for line in template().splitlines() if len(line.split()) >= 6 and "{{" not in line)
"""Lines of the prompt long enough that nobody writes them by chance."""


def of_candidate(answer: str) -> tuple[str, ...]:
    """What in an answer is meant for a judge, by name, in a fixed order; disguises are folded first."""
    return tuple(f"candidate_{name}" for name in _signs(answer))


def of_rationale(rationale: str) -> tuple[str, ...]:
    """What in a rationale shows that the judge was led, or repeats its prompt."""
    return tuple(f"rationale_{name}" for name in _signs(rationale))


def _signs(text: str) -> Iterator[str]:
    readings = [reading.text for reading in foldings(text)]
    if any(_INSTRUCTION.search(reading) for reading in readings):
        yield "instructs_judge"
    if any(_VERDICT.search(reading) for reading in readings):
        yield "forges_scores"
    if any(_PLACEHOLDER.search(reading) or _FORGED_SLOT.search(reading) for reading in readings):
        yield "holds_placeholder"
    if any(line.casefold() in " ".join(reading.split()).casefold() for reading in readings for line in _ECHOED):
        yield "echoes_rubric"
