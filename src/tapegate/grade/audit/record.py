"""What is written beside a week's judge recordings, so that the audit replays and its pairs count in later weeks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from tapegate.errors import BadInput
from tapegate.grade.audit.draw import check
from tapegate.model.audit import Audit, Draw, Judgement, JudgePins
from tapegate.model.part import NonEmpty, Part
from tapegate.model.scores import Scores
from tapegate.run.output import write_atomically
from tapegate.tape.place import ROOM

FILE = "audit.json"
SUITE = "audit-"
"""How the suite of a week's judge recordings begins: `cassettes/audit-2026-W47/<KEY>/trial-1.yaml`."""
MOST_BYTES = 10_000_000

Score = Annotated[int, Field(ge=0, le=2)]


class _Draw(Part):
    week: Annotated[str, Field(pattern=r"^\d{4}-W\d{2}$")]
    n: Annotated[int, Field(ge=0)]
    cap: Annotated[int, Field(ge=0)]
    eligible: tuple[NonEmpty, ...]
    sample: tuple[NonEmpty, ...]


class _Judge(Part):
    model: NonEmpty
    model_version: NonEmpty
    template_id: NonEmpty
    template_sha256: NonEmpty
    parameters: dict[str, int | float]
    overridden: tuple[str, ...]

    def pins(self) -> JudgePins:
        """Which judge was asked, and how."""
        return JudgePins(**{name: getattr(self, name) for name in type(self).model_fields})


class _Row(Part):
    """The scores that one answer got from both, as they were when the judge was recorded."""

    key: NonEmpty
    trial: Annotated[int, Field(ge=1)]
    deterministic: dict[str, Score | None]
    judge: dict[str, Score | None]
    evaluator_error: str
    answer_sha256: str | None = None
    """Of the answer; None in a record of an earlier Tapegate."""


class Record(Part):
    """`cassettes/audit-<week>/audit.json`."""

    format: Literal[1]
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day of the recording: ages are counted to it."""
    draw: _Draw
    judge: _Judge
    rows: tuple[_Row, ...]

    def drawn(self) -> Draw:
        """The draw."""
        return Draw(**{name: getattr(self.draw, name) for name in type(self.draw).model_fields})


def suite_of(week: str) -> str:
    """The suite of a week's judge recordings."""
    return f"{SUITE}{week}"


def weeks(project: Path) -> list[str]:
    """The weeks that were recorded, oldest first."""
    found = (project / ROOM).glob(f"{SUITE}*/{FILE}")
    return sorted(path.parent.name.removeprefix(SUITE) for path in found)


def place(week: str) -> str:
    """The file of a week, from the project's root."""
    return f"{ROOM}/{suite_of(week)}/{FILE}"


def read(project: Path, week: str) -> Record:
    """What was recorded in a week. Raises BadInput `bad_audit`, `bad_draw` or `sample_cap` for a file that is none."""
    file = place(week)
    try:
        with (project / file).open("rb") as handle:
            raw = handle.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise _refused(file, f"it has more than {MOST_BYTES:,} bytes")
        record = Record.model_validate_json(raw)
    except OSError as error:
        raise _refused(file, error.strerror or str(error)) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        named = ".".join(map(str, first["loc"])) or "the whole file"
        raise _refused(file, f"{named}: {first['msg']}") from error
    if record.draw.week != week:
        raise _refused(file, f"it is of the week {record.draw.week!r}")
    check(record.drawn(), len({row.key for row in record.rows}), file)
    return record


def write(project: Path, made: Audit) -> None:
    """Write a week's record, canonical."""
    assert made.judge is not None
    rows = [
        {
            "key": one.key,
            "trial": one.trial,
            "deterministic": scores(one.deterministic),
            "judge": scores(one.judge),
            "evaluator_error": one.judge.evaluator_error,
            "answer_sha256": one.answer_sha256,
        }
        for one in made.judged
    ]
    document: Mapping[str, object] = {
        "format": 1,
        "as_of": made.drift.as_of,
        "draw": asdict(made.draw),
        "judge": {**asdict(made.judge), "parameters": dict(made.judge.parameters)},
        "rows": rows,
    }
    raw = (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()
    write_atomically(project / place(made.draw.week), raw)


def scores(scored: Scores | Judgement) -> dict[str, int | None]:
    """Both scores of a rater, by axis."""
    return {"accuracy_score": scored.accuracy_score, "faithfulness_score": scored.faithfulness_score}


def _refused(file: str, why: str) -> BadInput:
    return BadInput.of(
        "bad_audit", f"this is no recorded audit: {why}", file=file, fix=f"restore it: git checkout -- {file}"
    )
