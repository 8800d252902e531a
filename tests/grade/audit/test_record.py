"""What is written beside a week's judge recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import BadInput
from tapegate.grade.audit.record import read, weeks

WEEK = "2026-W47"
SOUND: dict[str, Any] = {
    "format": 1,
    "as_of": "2026-11-20",
    "draw": {"week": WEEK, "n": 7, "cap": 1, "eligible": ["A@A1"], "sample": ["A@A1"]},
    "judge": {
        "model": "m",
        "model_version": "1",
        "template_id": "t",
        "template_sha256": "a",
        "parameters": {"temperature": 0},
        "overridden": [],
    },
    "rows": [
        {
            "key": "A@A1",
            "trial": 1,
            "deterministic": {"accuracy_score": 2, "faithfulness_score": None},
            "judge": {"accuracy_score": 0, "faithfulness_score": None},
            "evaluator_error": "",
        }
    ],
}


def _write(project: Path, document: Any) -> None:
    folder = project / "cassettes" / f"audit-{WEEK}"
    folder.mkdir(parents=True)
    folder.joinpath("audit.json").write_text(document if isinstance(document, str) else json.dumps(document))


def test_a_recorded_week_reads_back(tmp_path: Path) -> None:
    """Its draw, its pins and its scores."""
    _write(tmp_path, SOUND)
    assert weeks(tmp_path) == [WEEK]
    found = read(tmp_path, WEEK)
    assert found.drawn().sample == ("A@A1",)
    assert found.rows[0].deterministic == {"accuracy_score": 2, "faithfulness_score": None}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ("", "bad_audit"),
        ("[]", "bad_audit"),
        ({**SOUND, "format": 2}, "bad_audit"),
        ({**SOUND, "more": 1}, "bad_audit"),
        ({**SOUND, "draw": {**SOUND["draw"], "week": "2026-W46"}}, "bad_audit"),
        ({**SOUND, "draw": {**SOUND["draw"], "cap": 2}}, "bad_draw"),
        ({**SOUND, "draw": {**SOUND["draw"], "n": 6, "cap": 0}}, "bad_draw"),
        ({**SOUND, "draw": {**SOUND["draw"], "sample": []}}, "bad_draw"),
        ({**SOUND, "rows": [SOUND["rows"][0], {**SOUND["rows"][0], "key": "B@A1"}]}, "sample_cap"),
        ({**SOUND, "rows": [{**SOUND["rows"][0], "judge": {"accuracy_score": 3}}]}, "bad_audit"),
        ({**SOUND, "rows": [{**SOUND["rows"][0], "judge": {"accuracy_score": True}}]}, "bad_audit"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(changed: Any, code: str, tmp_path: Path) -> None:
    """Damaged, widened or of another week: bad input, named."""
    _write(tmp_path, changed)
    with pytest.raises(BadInput) as caught:
        read(tmp_path, WEEK)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].file == f"cassettes/audit-{WEEK}/audit.json"
