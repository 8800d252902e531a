"""What differs between two runs. Frozen; reports are pure functions of it.

Where a value is None, nobody measured it or it is not there; it is never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate


class Stratum(StrEnum):
    """What may be concluded from a pair. Strata are never mixed in a statistic (DESIGN §6)."""

    SAME_RECORDINGS = "same_recordings"
    """Both sides replayed the same bytes: a difference is the code's."""
    RE_RECORDED = "re_recorded"
    """The recordings differ: prompt, tools or model changed, and tokens, cost and latency truly differ."""
    CONTRACT_CHANGED = "contract_changed"
    """The task asks for something else, or nobody can tell: its verdicts are not comparable."""


class Kind(StrEnum):
    """What became of a task, the most important first."""

    REGRESSION = "regression"
    """It passed and fails."""
    MOVED = "moved"
    """It passes, and changed more than its contract allows a change to (`expect.differential`)."""
    LOOSENED = "loosened"
    """It passes by its new contract, and what it does now would fail by the old one."""
    UNJUDGED = "unjudged"
    """It was judged, and is now stale, in error or in need of review."""
    FIXED = "fixed"
    """It did not pass, and passes."""
    REMOVED = "removed"
    """It is no longer there."""
    RECONTRACTED = "recontracted"
    """It asks for something else."""
    CHANGED = "changed"
    """Its verdict holds, or turned between verdicts that are no pass; what it does is different."""
    NUMBERS = "numbers"
    """It does the same, and its tokens, cost, latency or quality are different."""
    RENAMED = "renamed"
    """Only its name is another."""
    ADDED = "added"
    """It is new."""


Op = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a text or a step of a path: in both, only in base, only in head."""

    op: Op
    text: str


@dataclass(frozen=True, slots=True)
class Delta:
    """One measure of one pair."""

    measure: str
    """As `metrics` in results.json calls it."""
    base: Fraction | None
    head: Fraction | None
    not_measured: str = ""
    """Why the two cannot be compared; empty where they can."""

    @property
    def increase(self) -> Fraction | None:
        """Head minus base; None where the two cannot be compared."""
        if self.base is None or self.head is None or self.not_measured:
            return None
        return self.head - self.base


@dataclass(frozen=True, slots=True)
class TrialDiff:
    """One trial of a task in base and in head."""

    trial: int
    base_verdict: Verdict | None
    """None where base has no such trial."""
    head_verdict: Verdict | None
    base_outcome: str | None
    """Name of the accepted outcome that held; None where none did."""
    head_outcome: str | None
    same_recording: bool
    tool_path: tuple[Edit, ...]
    """All calls of both, aligned."""
    answer_changed: bool
    answer: tuple[Edit, ...] | None
    """Both answers, aligned by words; None where the texts are not at hand."""
    gained: tuple[Finding, ...]
    """Findings that head has and base has not; lines aside."""
    lost: tuple[Finding, ...]
    deltas: tuple[Delta, ...]
    """Measures that differ or could not be compared."""
    limits: tuple[Finding, ...] = ()
    """Limits of the task to a change that head exceeds, or that could not be held against it."""

    @property
    def behaves_differently(self) -> bool:
        """Whether its verdict, its outcome, what it called, said or was found to do is different."""
        return (
            self.base_verdict != self.head_verdict
            or self.base_outcome != self.head_outcome
            or any(edit.op != "same" for edit in self.tool_path)
            or self.answer_changed
            or bool(self.gained or self.lost)
        )

    @property
    def differs(self) -> bool:
        """Whether anything but the recording's bytes is different."""
        return self.behaves_differently or any(delta.base != delta.head for delta in self.deltas)


@dataclass(frozen=True, slots=True)
class ContractChange:
    """One place at which two contracts differ; values are shown as JSON, empty where there is none."""

    place: str
    base: str
    head: str


@dataclass(frozen=True, slots=True)
class TaskDiff:
    """One task in base and in head."""

    key: str
    """In head; in base where head has none."""
    base_key: str
    """In base; in head where base has none."""
    file: str
    blocking: bool
    """Whether it blocks in head or did in base."""
    stratum: Stratum
    base_verdict: Verdict | None
    """None where base has no such task."""
    head_verdict: Verdict | None
    by_base_contract: Verdict | None
    """Of head's traces, graded under base's contract; None where the contract is the same or is not at hand."""
    by_base_contract_findings: tuple[Finding, ...]
    contract: tuple[ContractChange, ...]
    """What changed of the contract; empty where that is not at hand."""
    dropped_outcomes: tuple[str, ...]
    """Accepted outcomes of base that head no longer accepts, by name."""
    trials: tuple[TrialDiff, ...]
    contract_differs: bool = False
    """Whether both sides name the digest of what they ask for, and not the same; known without the contracts."""

    @property
    def kind(self) -> Kind | None:
        """What became of it; None where nothing did."""
        base, head = self.base_verdict, self.head_verdict
        if head is None:
            return Kind.REMOVED
        if base is None:
            return Kind.ADDED
        if base is Verdict.PASS and head is Verdict.FAIL:
            return Kind.REGRESSION
        if self.moved and head is not Verdict.FAIL:
            return Kind.MOVED
        if self.by_base_contract is Verdict.FAIL and head in (Verdict.PASS, Verdict.NEEDS_REVIEW):
            return Kind.LOOSENED
        if head not in JUDGED and base in JUDGED:
            return Kind.UNJUDGED
        comparable = self.stratum is not Stratum.CONTRACT_CHANGED or self.by_base_contract is Verdict.PASS
        if head is Verdict.PASS and base is not Verdict.PASS and comparable:
            return Kind.FIXED
        if self.stratum is Stratum.CONTRACT_CHANGED and (self.contract_differs or self.contract or self.differs):
            return Kind.RECONTRACTED
        if self.base_verdict != self.head_verdict or any(trial.behaves_differently for trial in self.trials):
            return Kind.CHANGED
        if self.differs:
            return Kind.NUMBERS
        return Kind.RENAMED if self.key != self.base_key else None

    @property
    def moved(self) -> bool:
        """Whether a trial exceeds a limit of the task to a change."""
        return any(finding.severity == "fail" for trial in self.trials for finding in trial.limits)

    @property
    def differs(self) -> bool:
        """Whether its verdict or one of its trials is different."""
        return self.base_verdict != self.head_verdict or any(trial.differs for trial in self.trials)


PROFILE_CHANGED = "profile"
"""How the note begins that says that base was judged by another profile."""
JUDGED = frozenset({Verdict.PASS, Verdict.FAIL})


@dataclass(frozen=True, slots=True)
class Transition:
    """Tasks that went from one verdict to another; None is a task that is not there."""

    base: Verdict | None
    head: Verdict | None
    keys: tuple[str, ...]
    """Sorted."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A pass rate and its 95 % Wilson interval."""

    passed: int
    total: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VerdictStatistic:
    """McNemar's exact test of one stratum's pairs that were judged on both sides."""

    pairs: int
    fixed: int
    broken: int
    p_two_sided: float
    p_regression: float
    low_n: bool
    method: str


@dataclass(frozen=True, slots=True)
class MeasureStatistic:
    """The paired mean difference of one measure in one stratum, a task being one pair."""

    measure: str
    pairs: int
    base_mean: float
    head_mean: float
    difference: float
    """Head minus base, mean of the pairs."""
    low: float
    """Of the 95 % bootstrap interval of the mean difference."""
    high: float
    p_two_sided: float
    p_regression: float
    worse: Literal["lower", "higher"]
    low_n: bool
    interval_method: str
    test_method: str
    base_p50: float
    head_p50: float
    base_p95: float
    head_p95: float


@dataclass(frozen=True, slots=True)
class StratumStatistics:
    """What the pairs of one stratum say together."""

    stratum: Stratum
    tasks: int
    """Pairs in it, judged or not."""
    verdicts: VerdictStatistic | None
    """None where nothing may be concluded from its verdicts."""
    measures: tuple[MeasureStatistic, ...]
    not_measured: tuple[tuple[str, str], ...]
    """Measures that no pair has on both sides, each with the reason."""


@dataclass(frozen=True, slots=True)
class Spent:
    """One budget, and whether head kept it."""

    measure: str
    over: Literal["each_task", "mean"]
    limit: str
    """In words: `at most +500 tokens and +10 % for each task`."""
    state: Literal["kept", "exceeded", "not_measured"]
    block: bool
    pairs: int
    """Pairs that it was held against."""
    exceeded: tuple[tuple[str, Fraction, Fraction], ...]
    """Key (empty for a mean), base and head of what exceeds it, the largest increase first."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the two runs."""

    name: str
    """What the user called it: a folder, a revision."""
    commit: str
    """Its commit, where one is known; else empty."""
    digest: str
    """Of its results.json; empty where it could not be run."""
    tasks: int
    rate: Rate | None
    """None where it has no task."""
    passed: bool | None
    """Whether its own gate passed; None where it could not be run."""
    exit_code: int | None
    problem: str = ""
    """Why it could not be run; empty where it could."""


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between a base and a head."""

    profile: str
    base: Compared
    head: Compared
    transitions: tuple[Transition, ...]
    """The matrix of verdicts, cells with no task left out; in a fixed order."""
    tasks: tuple[TaskDiff, ...]
    """Those that something became of, sorted by key."""
    statistics: tuple[StratumStatistics, ...]
    """One for each stratum that has a pair."""
    budgets: tuple[Spent, ...]
    notes: tuple[str, ...]
    """What a reader must know of how the two were compared."""
    gate: Gate

    @property
    def available(self) -> bool:
        """Whether both sides ran, so that they could be compared."""
        return not self.base.problem and not self.head.problem

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return self.available and not self.tasks

    def of(self, kind: Kind) -> tuple[TaskDiff, ...]:
        """The tasks that this became of, those that block first, then by key."""
        return tuple(sorted((task for task in self.tasks if task.kind is kind), key=lambda task: not task.blocking))
