"""The run metadata that rubric §4.3 requires."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.run.metadata import GENERATION, REQUIRED, complete

WHOLE: dict[str, Any] = dict.fromkeys(REQUIRED, "x") | {"generation_params": dict.fromkeys(GENERATION, 0)}


def test_a_whole_document_is_taken() -> None:
    """A temperature of 0 is a value, and `off` is a word."""
    complete(WHOLE)


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("blank", [None, "", " \n", {}, []])
def test_a_run_without_a_required_field_is_refused(name: str, blank: Any) -> None:
    """Blank or absent, every field of the list in turn: the run is refused, and the field named."""
    for broken in ({**WHOLE, name: blank}, {key: value for key, value in WHOLE.items() if key != name}):
        with pytest.raises(NotJudged) as caught:
            complete(broken)
        assert caught.value.exit_code == 3
        assert name in caught.value.problems[0].message


def test_every_generation_parameter_is_told() -> None:
    """Temperature, top_p, max_tokens and seed, each by itself."""
    for name in GENERATION:
        with pytest.raises(NotJudged) as caught:
            complete({**WHOLE, "generation_params": {**WHOLE["generation_params"], name: None}})
        assert f"generation_params.{name}" in caught.value.problems[0].message
