"""`results.json`: the public, frozen shape of a run. Same commit and same cassettes give the same bytes.

Nothing here depends on the machine, the clock, the order of work or the number of workers: what may differ
between two runs of one commit lives in `provenance.json`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, ConfigDict, Field, ValidationError, field_validator

from tapegate.errors import BadInput
from tapegate.grade.rubric.run import run_score
from tapegate.model.finding import Finding, Severity, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.model.scores import Scores
from tapegate.report.row import Row
from tapegate.report.rubric import RubricRow

SCHEMA_ID = "tapegate.results/1"


def _counted(index: int | None) -> int | None:
    if index is not None and index < 0:
        raise ValueError("an index counts from 0")
    return index


_EXACT = re.compile(r"-?[0-9]{1,100}(?:\.[0-9]{1,100}|/[0-9]{0,99}[1-9][0-9]{0,99})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_Index = Annotated[int | None, AfterValidator(_counted)]


class MetricsRow(Row):
    """What a trial cost, as recorded; null where no recording says."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: str | None
    """Exact decimal in US dollars."""
    latency_e2e_ms: int | None
    """Request to last byte of the answer, milliseconds, rounded up."""
    latency_model_ms: int | None
    """Union of the played provider calls, milliseconds, rounded up."""
    model_calls: int
    tool_calls: int
    quality: str | None = None
    """The rubric's weighted sample score as an exact fraction, `39/50`; null where it was not scored."""

    @field_validator("cost_usd", "quality")
    @classmethod
    def _exact(cls, value: str | None) -> str | None:
        if value is not None and not _EXACT.fullmatch(value):
            raise ValueError(f"{value!r:.40} is no exact number, such as '0.0012' or '39/50'")
        return value


class FindingRow(Row):
    """One thing found in one trial, at a line of its task file."""

    metric: str
    code: str
    severity: Severity
    message: str
    file: str
    line: int = Field(ge=1)
    trial: int = Field(ge=1)
    outcome: _Index
    """Index of the accepted outcome whose condition this is; null for invariants and replay facts."""
    expected: str
    got: str
    fix: str


class ScoresRow(Row):
    """The deterministic scores of a trial (rubric §1.1 and §1.2); null where one could not be determined."""

    accuracy_score: int | None
    faithfulness_score: int | None
    timed_out: bool
    crashed: bool
    timeout_ms: int | None
    notes: tuple[str, ...]
    """Why a point or a score is missing."""
    sample: bool = True
    """False: a stream fixture, which is no sample of the rubric."""


class TrialRow(Row):
    """One judged trial."""

    trial: int = Field(ge=1)
    verdict: Verdict
    outcome: _Index
    tool_path: tuple[str, ...]
    answer_sha256: str
    cassette_sha256: str | None
    machine: str | None = None
    """Machine class that the recording was made on; null where there is none."""
    recorded_commit: str | None = None
    """The commit that the recording was made from; null where there is none."""
    metrics: MetricsRow
    scores: ScoresRow | None = None
    """Null where the trial came to no answer that could be scored."""
    borderline: bool = False
    """Whether no accepted outcome held and one was missed only inside its borderline band."""
    extra: bool = False
    """Whether it was run only because another trial of its task was borderline."""


class TaskRow(Row):
    """One judged task."""

    key: str
    id: str
    suite: str
    path_id: str
    file: str
    verdict: Verdict
    outcome: _Index
    """Index of the accepted outcome that held; null where none did."""
    outcome_names: tuple[str | None, ...]
    """What the task calls its accepted outcomes, in order; null where it gives no name."""
    blocking: bool
    contract_sha256: str | None = None
    """Of all of the task that the verdict depends on; null where it is not known."""
    quarantine: str | None = None
    """Until when it does not block, who mends it, and why; null where it is not quarantined."""
    borderline: int = 0
    """How many of its trials were borderline."""
    review_digest: str | None = None
    """Of what a person decides on where the task is borderline still; null where there is nothing to decide."""
    accepted: str | None = None
    """Why a person accepted these very bytes, which makes it a pass; null where nobody did."""
    metrics: MetricsRow
    trials: tuple[TrialRow, ...]
    findings: tuple[FindingRow, ...]


class GateRow(Row):
    """The gate's answer."""

    passed: bool
    exit_code: int
    reasons: tuple[str, ...]


class Results(Row):
    """The whole of results.json."""

    model_config = ConfigDict(populate_by_name=True)

    schema_id: Literal["tapegate.results/1"] = Field(alias="schema")
    profile: str
    partial: bool
    """Whether a selection left tasks out."""
    summary: dict[str, int]
    """`total`, and a count for each verdict."""
    gate: GateRow
    prices: str | None = None
    """The price data that costs were reckoned with, by its version; null where none is pinned."""
    rubric: RubricRow | None = None
    """The rubric's aggregates over all trials, and whether the run is ready for release."""
    tasks: tuple[TaskRow, ...]
    """Sorted by key."""

    @classmethod
    def of(cls, run: Run) -> Results:
        """The public shape of `run`."""
        counts = {verdict.value: run.count(verdict) for verdict in Verdict}
        return cls(
            schema_id=SCHEMA_ID,
            profile=run.profile,
            partial=run.partial,
            summary={"total": len(run.tasks), **counts},
            gate=GateRow(**asdict(run.gate)),
            prices=run.prices,
            rubric=RubricRow.of(run_score(run.tasks)),
            tasks=tuple(_task(task) for task in sorted(run.tasks, key=lambda task: task.key)),
        )

    @classmethod
    def parse(cls, raw: bytes, file: str) -> Results:
        """Read results.json back. Raises BadInput `bad_results` when it is no such file."""
        try:
            return cls.model_validate_json(raw)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the whole file"
            raise BadInput.of(
                "bad_results",
                f"this is no {SCHEMA_ID} file: {place}: {first['msg']}",
                file=file,
                fix="render the run again with the Tapegate that made it",
            ) from error

    def run(self) -> Run:
        """The run that this is the public shape of."""
        gate = Gate(self.gate.passed, self.gate.exit_code, self.gate.reasons)
        return Run(self.profile, self.partial, tuple(_of_task(row) for row in self.tasks), gate, self.prices)

    def to_bytes(self) -> bytes:
        """Canonical JSON: sorted keys, two spaces, UTF-8, one newline at the end."""
        document = self.model_dump(mode="json", by_alias=True)
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def digest(raw: bytes) -> str:
    """The run's digest: the sha256 of results.json, as it is printed."""
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of results.json, draft 2020-12."""
    schema = Results.model_json_schema(by_alias=True, mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:tapegate:schema:results:1",
        **schema,
    }


def _task(task: TaskResult) -> TaskRow:
    return TaskRow(
        key=task.key,
        id=task.id,
        suite=task.suite,
        path_id=task.path_id,
        file=task.file,
        verdict=task.verdict,
        outcome=task.outcome,
        outcome_names=task.outcome_names,
        blocking=task.blocking,
        contract_sha256=task.contract_sha256,
        quarantine=task.quarantine,
        borderline=task.borderline,
        review_digest=task.review_digest,
        accepted=task.accepted,
        metrics=MetricsRow(**asdict(task.metrics)),
        trials=tuple(
            TrialRow(
                trial=trial.trial,
                verdict=trial.verdict,
                outcome=trial.outcome,
                tool_path=trial.tool_path,
                answer_sha256=trial.answer_sha256,
                cassette_sha256=trial.cassette_sha256,
                machine=trial.machine,
                recorded_commit=trial.recorded_commit,
                metrics=MetricsRow(**asdict(trial.metrics)),
                scores=ScoresRow(**asdict(trial.scores)) if trial.scores is not None else None,
                borderline=trial.borderline,
                extra=trial.extra,
            )
            for trial in task.trials
        ),
        findings=tuple(FindingRow(**asdict(finding)) for finding in task.findings),
    )


def _of_task(row: TaskRow) -> TaskResult:
    findings = [Finding(**dict(finding)) for finding in row.findings]
    values = {**dict(row), "metrics": Metrics(**dict(row.metrics))}
    del values["findings"], values["borderline"]
    trials = tuple(
        TrialResult(
            **{
                **dict(trial),
                "metrics": Metrics(**dict(trial.metrics)),
                "scores": Scores(**dict(trial.scores)) if trial.scores is not None else None,
                "findings": tuple(finding for finding in findings if finding.trial == trial.trial),
            }
        )
        for trial in row.trials
    )
    return TaskResult(**{**values, "trials": trials})
