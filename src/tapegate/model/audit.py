"""The weekly audit: what was drawn, what the judge said, what the deterministic graders said beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Metrics
from tapegate.model.scores import Scores

Axis = Literal["accuracy_score", "faithfulness_score"]
AXES: tuple[Axis, Axis] = ("accuracy_score", "faithfulness_score")


@dataclass(frozen=True, slots=True)
class Draw:
    """The tasks that a week's audit may put before the judge."""

    week: str
    """ISO 8601: `2026-W47`."""
    n: int
    """How many tasks the run has."""
    cap: int
    """The most that may be drawn: 15 * n // 100."""
    eligible: tuple[str, ...]
    """Keys of the tasks that allow a judge, sorted."""
    sample: tuple[str, ...]
    """Keys drawn, in the order of the draw."""


@dataclass(frozen=True, slots=True)
class JudgePins:
    """Which judge was asked, and how."""

    model: str
    model_version: str
    template_id: str
    template_sha256: str
    parameters: Mapping[str, int | float]
    """Generation parameters of every request."""
    overridden: tuple[str, ...]
    """Those that are not the rubric's defaults."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge made of one answer (rubric §2)."""

    accuracy_score: int | None
    faithfulness_score: int | None
    rationale: str = ""
    evaluator_error: str = ""
    """`parse_error` after two replies that could not be read, `provider_error` where none came, `not_recorded` where
    no recording answers the request; else empty."""
    faults: tuple[str, ...] = ()
    """Of each attempt that failed, why."""
    attempts: int = 0
    flags: tuple[str, ...] = ()
    """Signs of text that speaks to the judge, in the answer or the rationale."""
    model: str | None = None
    """The model that the provider says it used."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer of the sample: the judge's word, and what the deterministic graders found."""

    key: str
    trial: int
    verdict: Verdict
    deterministic: Scores
    judge: Judgement
    metrics: Metrics
    """What the answer cost, as recorded."""
    fallback: str
    """The task's fallback metric."""
    fallback_findings: tuple[Finding, ...]
    """What it found against the answer; empty: nothing."""
    answer_sha256: str = ""
    """Of the answer that both scored."""

    @property
    def differs(self) -> bool:
        """Whether both scored an axis, and not the same."""
        return any(
            None not in (mine := getattr(self.deterministic, axis), theirs := getattr(self.judge, axis))
            and mine != theirs
            for axis in AXES
        )


@dataclass(frozen=True, slots=True)
class Weekly:
    """One trial of an eval that the standard keeps for the weekly audit; deterministic, and no gate either."""

    key: str
    trial: int
    verdict: Verdict
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two raters' scores of one answer on one axis."""

    deterministic: int
    judge: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far judge and deterministic grader agree on one axis."""

    axis: Axis
    n: int
    """Labelled pairs: answers that both scored."""
    table: tuple[tuple[int, ...], ...]
    """Counts: row is the deterministic score 0, 1, 2; column the judge's."""
    agreed: int
    kappa: Fraction | None
    """Cohen's kappa; None below 30 pairs, and where both raters gave one score only."""
    interval: tuple[Fraction, Fraction] | None
    """95 % interval of kappa, outward at four decimals."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recording, as its pin says it was made."""

    key: str
    trial: int
    age_days: int
    recorded_at: str
    commit: str
    source: str
    source_kind: str
    models: tuple[str, ...]
    """`requested → resolved (build)`, each once."""
    prompt_sha256: str | None


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a fresh recording of one sampled trial changed."""

    key: str
    trial: int
    changes: tuple[str, ...]
    """One sentence each; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How old the recordings are, and what moved since."""

    as_of: str
    """The day that ages are counted to."""
    recordings: tuple[Recorded, ...]
    notes: tuple[str, ...]
    """What moved: versions behind a model's name, prompts of a path, recordings from several sources."""
    fresh: tuple[Fresh, ...] | None
    """None where nothing was recorded to compare with."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A whole audit. It never blocks anything."""

    draw: Draw
    notes: tuple[str, ...]
    """What was not judged, and why: no judge, too few tasks, recordings that are missing."""
    judge: JudgePins | None
    judged: tuple[Judged, ...]
    """In the order of key and trial."""
    agreement: tuple[Agreement, ...]
    """Of this week and of all weeks recorded before it."""
    weeks: tuple[str, ...]
    """The weeks whose pairs the agreement counts."""
    drift: Drift
    weekly: tuple[Weekly, ...] = ()
    """What the evals of the weekly audit alone found; empty: there are none."""
