"""The run metadata that rubric §4.3 requires: all of it, or no run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapegate.errors import NotJudged

REQUIRED = (
    "run_id",
    "timestamp_utc",
    "dataset_id",
    "dataset_version_or_hash",
    "model_id",
    "model_version",
    "evaluator_model_id",
    "evaluator_model_version",
    "prompt_template_id",
    "prompt_template_version_or_hash",
    "evaluator_prompt_template_version_or_hash",
    "generation_params",
    "code_version",
    "environment",
)
DEFAULTS: Mapping[str, int] = {"temperature": 0, "top_p": 1, "max_tokens": 1024, "seed": 42}
"""Rubric §4.1."""
GENERATION = tuple(DEFAULTS)
"""What `generation_params` holds."""


def complete(document: Mapping[str, Any]) -> None:
    """Raises NotJudged `incomplete_metadata` where a required field is absent or blank: such a run proves nothing.

    A field that has nothing to tell says so in words: `off` where no judge ran, `none recorded`.
    """
    missing = [name for name in REQUIRED if _blank(document.get(name))]
    generation = document.get("generation_params")
    if isinstance(generation, Mapping):
        missing += [f"generation_params.{name}" for name in GENERATION if _blank(generation.get(name))]
    if missing:
        raise NotJudged.of(
            "incomplete_metadata",
            f"the run metadata lacks {', '.join(missing)}, which rubric §4.3 requires",
            fix="this is a bug in Tapegate, or a subject that hides what it runs on: report it with the command",
        )


def _blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, Mapping | list | tuple) and not value)
