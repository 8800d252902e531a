"""A run: every task's result, and the gate's answer. Frozen; reports are pure functions of it."""

from __future__ import annotations

from dataclasses import dataclass

from tapegate.model.finding import Finding, Verdict
from tapegate.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Metrics:
    """What one trial cost, as recorded; None where no recording says."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cost_usd: str | None = None
    """An exact decimal; None where the model has no known price."""
    latency_e2e_ms: int | None = None
    latency_model_ms: int | None = None
    model_calls: int = 0
    tool_calls: int = 0
    quality: str | None = None
    """The rubric's weighted sample score (§3.3) as an exact fraction, `39/50`; None where it was not scored."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One judged trial."""

    trial: int
    verdict: Verdict
    outcome: int | None
    """Index of the first accepted outcome that holds; None where none does."""
    tool_path: tuple[str, ...]
    answer_sha256: str
    """Of the answer's UTF-8 bytes."""
    cassette_sha256: str | None
    """Of the recording that was replayed; None where there is none."""
    metrics: Metrics
    findings: tuple[Finding, ...]
    scores: Scores | None = None
    """None where the trial never came to an answer that could be scored."""
    machine: str | None = None
    """Machine class that the recording was made on: latencies compare within one class only."""
    recorded_commit: str | None = None
    """The commit that the recording was made from."""
    recorded_tokens: int | None = None
    """Tokens of every model call in its recording; None where they are not known."""
    recorded_usd: str | None = None
    """What they cost; None where that is not known, or nobody needs to."""
    borderline: bool = False
    """Whether no accepted outcome held and one was missed only inside its borderline band."""
    extra: bool = False
    """Whether it was run only because another trial of its task was borderline."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One judged task."""

    key: str
    id: str
    suite: str
    path_id: str
    file: str
    verdict: Verdict
    outcome: int | None
    """Of its first trial; of its extra one where that decided."""
    outcome_names: tuple[str | None, ...]
    """What the task calls its accepted outcomes, in order; None where it gives no name."""
    blocking: bool
    metrics: Metrics
    """Of its first trial."""
    trials: tuple[TrialResult, ...]
    quarantine: str | None = None
    """Until when it does not block, who mends it, and why; None where it is not quarantined."""
    review_digest: str | None = None
    """Of what a person decides on where the task is borderline still; None where there is nothing to decide."""
    accepted: str | None = None
    """Why a person accepted these very bytes; None where nobody did, or nobody needed to."""
    contract_sha256: str | None = None
    """Of all of the task that the verdict depends on; None where it is not known."""

    @property
    def borderline(self) -> int:
        """How many of its trials were borderline."""
        return sum(trial.borderline for trial in self.trials)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of all its trials, in their order."""
        return tuple(finding for trial in self.trials for finding in trial.findings)


@dataclass(frozen=True, slots=True)
class Gate:
    """The rule that turned the run into an exit code, and why."""

    passed: bool
    exit_code: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run."""

    profile: str
    partial: bool
    """Whether a selection left tasks out."""
    tasks: tuple[TaskResult, ...]
    """Sorted by key."""
    gate: Gate
    prices: str | None = None
    """What calls of models were charged at, `genai-prices 0.2.3`; None where no prices are pinned."""

    def count(self, verdict: Verdict) -> int:
        """How many tasks have this verdict."""
        return sum(task.verdict is verdict for task in self.tasks)
