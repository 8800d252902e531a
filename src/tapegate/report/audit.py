"""`audit.json`: the public shape of an audit. The same recordings and the same code give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any, Literal

import orjson
from pydantic import Field

from tapegate.grade.rubric.aggregate import aggregate
from tapegate.grade.rubric.run import sample_of
from tapegate.grade.rubric.shown import fraction, shown
from tapegate.model.audit import Agreement, Audit, Axis, Judged
from tapegate.model.finding import Finding, Verdict
from tapegate.model.rubric import RunScore
from tapegate.report.row import Row
from tapegate.report.rubric import RubricRow

SCHEMA_ID = "tapegate.audit/1"


class DrawRow(Row):
    """Which tasks were drawn, and from how many."""

    week: str
    n: int
    cap: int
    """15 * n // 100: the most that may be drawn."""
    eligible: tuple[str, ...]
    sample: tuple[str, ...]


class JudgeRow(Row):
    """The pins of the judge."""

    model: str
    model_version: str
    template_id: str
    template_sha256: str
    parameters: dict[str, int | float]
    overridden: tuple[str, ...]
    """Parameters that are not the rubric's defaults."""


class RaterRow(Row):
    """The scores that one rater gave one answer; null where it gave none."""

    accuracy_score: int | None
    faithfulness_score: int | None


class DeterministicRow(RaterRow):
    """The deterministic graders."""

    notes: tuple[str, ...]
    timed_out: bool
    crashed: bool


class JudgementRow(RaterRow):
    """The judge."""

    rationale: str
    evaluator_error: str | None
    """`parse_error`, `provider_error` or `not_recorded`; null where there are scores."""
    faults: tuple[str, ...]
    """Of each attempt that failed."""
    attempts: int
    flags: tuple[str, ...]
    """Signs of text that speaks to the judge."""
    model: str | None
    """The model that the provider says it used."""


class JudgedRow(Row):
    """One answer of the sample."""

    key: str
    trial: int
    verdict: Verdict
    differs: bool
    """Whether both scored an axis, and not the same."""
    deterministic: DeterministicRow
    judge: JudgementRow
    fallback: str
    """The task's deterministic fallback."""
    fallback_findings: tuple[str, ...]
    """What it found against the answer."""


class WeeklyRow(Row):
    """One trial of an eval of the weekly audit alone."""

    key: str
    trial: int
    verdict: Verdict
    findings: tuple[str, ...]


class AgreementRow(Row):
    """Agreement on one axis."""

    axis: Axis
    n: int
    agreed: int
    table: tuple[tuple[int, ...], ...]
    """Row is the deterministic score 0, 1, 2; column the judge's."""
    kappa: float | None
    """Cohen's kappa, rounded down; null below 30 pairs."""
    kappa_exact: str | None
    interval: tuple[float, float] | None
    """95 %, outward."""

    @classmethod
    def of(cls, found: Agreement) -> AgreementRow:
        """The public shape of an agreement."""
        return cls(
            axis=found.axis,
            n=found.n,
            agreed=found.agreed,
            table=found.table,
            kappa=None if found.kappa is None else float(shown(found.kappa)),
            kappa_exact=None if found.kappa is None else fraction(found.kappa),
            interval=None if found.interval is None else (float(found.interval[0]), float(found.interval[1])),
        )


class AuditFile(Row):
    """The whole of audit.json."""

    schema_id: Literal["tapegate.audit/1"] = Field(alias="schema")
    draw: DrawRow
    notes: tuple[str, ...]
    judge: JudgeRow | None
    judged: tuple[JudgedRow, ...]
    rubric: dict[Literal["deterministic", "judge"], RubricRow]
    """The rubric's aggregates over the sampled answers, by rater."""
    agreement: tuple[AgreementRow, ...]
    weeks: tuple[str, ...]
    """The weeks whose pairs the agreement counts."""
    drift: dict[str, Any]
    weekly: tuple[WeeklyRow, ...]
    """Evals of the weekly audit alone."""

    @classmethod
    def of(cls, audit: Audit) -> AuditFile:
        """The public shape of `audit`."""
        return cls(
            schema=SCHEMA_ID,
            draw=DrawRow(**asdict(audit.draw)),
            notes=audit.notes,
            judge=None if audit.judge is None else JudgeRow(**asdict(audit.judge)),
            judged=tuple(_row(one) for one in audit.judged),
            rubric={
                "deterministic": RubricRow.of(deterministic(audit.judged)),
                "judge": RubricRow.of(judge(audit.judged)),
            },
            agreement=tuple(AgreementRow.of(one) for one in audit.agreement),
            weeks=audit.weeks,
            drift=asdict(audit.drift),
            weekly=tuple(
                WeeklyRow(key=one.key, trial=one.trial, verdict=one.verdict, findings=said(one.findings))
                for one in audit.weekly
            ),
        )

    def to_bytes(self) -> bytes:
        """Canonical JSON."""
        document = self.model_dump(mode="json", by_alias=True)
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def deterministic(judged: Iterable[Judged]) -> RunScore:
    """The rubric's aggregates by the deterministic scores."""
    return aggregate(sample_of(f"{one.key}[{one.trial}]", one.metrics, one.deterministic) for one in judged)


def judge(judged: Iterable[Judged]) -> RunScore:
    """The rubric's aggregates by the judge's scores; where it gave none, they are missing."""
    return aggregate(
        replace(
            sample_of(f"{one.key}[{one.trial}]", one.metrics, one.deterministic),
            accuracy_score=one.judge.accuracy_score,
            faithfulness_score=one.judge.faithfulness_score,
            evaluator_error=one.judge.evaluator_error,
        )
        for one in judged
    )


def _row(one: Judged) -> JudgedRow:
    mine, theirs = one.deterministic, one.judge
    return JudgedRow(
        key=one.key,
        trial=one.trial,
        verdict=one.verdict,
        differs=one.differs,
        deterministic=DeterministicRow(
            accuracy_score=mine.accuracy_score,
            faithfulness_score=mine.faithfulness_score,
            notes=mine.notes,
            timed_out=mine.timed_out,
            crashed=mine.crashed,
        ),
        judge=JudgementRow(**{**asdict(theirs), "evaluator_error": theirs.evaluator_error or None}),
        fallback=one.fallback,
        fallback_findings=said(one.fallback_findings),
    )


def said(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Each finding in a line."""
    return tuple(f"{found.code}: {found.message}" for found in findings)
