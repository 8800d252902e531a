"""A task: the standard's test-case schema (agent-evaluation-standard.md, "Required Test Case Schema").

The field names are the standard's. Types are strict: nothing is coerced, an unknown key is refused.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from tapegate.model.case import Case
from tapegate.model.differential import Differential
from tapegate.model.outcome import Outcome
from tapegate.model.part import Amount, Band, Bounds, Count, Name, NonEmpty, Part, Tool
from tapegate.model.setup import Setup
from tapegate.model.source import Source

__all__ = [
    "Amount",
    "Band",
    "Bounds",
    "Case",
    "Count",
    "Differential",
    "Expect",
    "Grading",
    "Migration",
    "Name",
    "NonEmpty",
    "Outcome",
    "Part",
    "Setup",
    "Task",
    "Tool",
]


class Expect(Part):
    """What must hold."""

    required_invariants: tuple[NonEmpty, ...] = ()
    """Hard gates, by name."""
    accepted_outcomes: tuple[Outcome, ...] = Field(min_length=1)
    """Valid solution shapes: the task passes when any one holds."""
    forbidden_patterns: tuple[NonEmpty, ...] = ()
    """RE2 patterns, multi-line, that match nowhere in what the user sees."""
    borderline: dict[NonEmpty, Band] = Field(default_factory=dict)
    """Bands beyond acceptance, named as in `tolerances`: a result that misses only inside them gets one more trial."""
    differential: Differential | None = None
    """How far a change may move this task against its base."""


class QualityFact(Part):
    """A fact that a complete answer states, in any of several wordings (as in the slot `facts`)."""

    name: NonEmpty
    """What a report calls it."""
    any_of: tuple[NonEmpty, ...] = ()
    """One of these wordings is stated; a wording between slashes is an RE2 pattern."""
    all: tuple[NonEmpty, ...] = ()
    """Every one of these wordings is stated."""


class Quality(Part):
    """What makes an answer good beyond what makes it pass. It is scored, and decides nothing."""

    facts: tuple[QualityFact, ...] = ()
    """What a complete answer states beside the accepted outcome's slots; they count for accuracy."""
    reference_answer: NonEmpty | None = None
    """A fully correct answer, shown to the judge; absent: the wordings of the facts stand for it."""


class JudgeTerms(Part):
    """Why a model may score this task in the weekly audit, and what stands beside its word."""

    reason: Literal["open_ended_synthesis", "rubric_calibration"]
    """One of the standard's two: no stable deterministic oracle exists, or the rubric's health is sampled."""
    justification: NonEmpty
    """Why that reason holds for this task, in words for its reviewer."""
    fallback: NonEmpty
    """The declared metric whose findings stand beside the judge's scores."""


class Grading(Part):
    """How the task is judged."""

    deterministic_metrics: tuple[NonEmpty, ...] = Field(min_length=1)
    """Every metric that an expectation of this task belongs to."""
    runtime_llm_judge: Literal["off", "audit"] = "off"
    """`audit`: the weekly audit may sample this task; never in PR or nightly."""
    judge: JudgeTerms | None = None
    """With `runtime_llm_judge: audit`, and only there: why, and the deterministic fallback."""
    quality: Quality = Quality()
    """What is scored beyond pass and fail."""


class Migration(Part):
    """A note for whoever meets results from before the task asked for something else."""

    note: NonEmpty
    """What changed, why, and what it means for older results."""
    deprecates: tuple[NonEmpty, ...] = ()
    """Accepted outcomes that are given up on purpose: by name, or `outcome 1` for the first one where it has none."""


class Quarantine(Part):
    """Why a task does not block for a while. It runs and is reported all the same, and is counted in every report."""

    reason: NonEmpty
    """What is wrong with it."""
    owner: NonEmpty
    """Who mends it."""
    until: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """The last day on which it is accepted: `tapegate lint` refuses it from the next day on."""


class Review(Part):
    """What a person decided on a result that needed review, bound to the bytes that they looked at."""

    digest: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    """As the report of the run named it; any other result needs review again."""
    reason: NonEmpty
    """Why it is good enough."""


class Task(Part):
    """One eval: an input, a setup, an expectation."""

    id: Name
    """The eval's id in the standard's inventory, `RET-01`."""
    suite: Name
    """The suite it belongs to, and its folder under `evals` and `cassettes`."""
    path_id: Name
    """The path in the scope table that it tests, `A1`."""
    subject: Name | None = None
    """The subject that it asks, where that is not its path's: another entry of the same path."""
    mode: Literal["single_turn", "multi_turn", "concurrent", "stream_fixture"]
    """How the subject is asked: once, message after message, several messages at once, or not at all: a stream fixture
    is parsed, or put through a function."""
    input: NonEmpty
    """What the user says; in a stream fixture, what the fixture is."""
    then: tuple[NonEmpty, ...] = ()
    """What the user says after that, each message when the one before is answered; for `multi_turn`."""
    beside: tuple[NonEmpty, ...] = ()
    """What is asked at the same time as `input`; for `concurrent`."""
    setup: Setup = Setup()
    """What the workspace holds before."""
    expect: Expect
    """What must hold after."""
    grading: Grading
    """How it is judged."""
    trials: Annotated[int, Field(ge=1, le=20)] = 1
    """How many recorded trials are replayed; each must pass."""
    flaky_prone: bool = False
    """Nightly runs three trials."""
    blocking: bool = True
    """Whether a failure fails the gate."""
    cases: tuple[Case, ...] = ()
    """Variants of the task, each judged by itself in its place; none: the task is its only one."""
    quarantine: Quarantine | None = None
    """A failure that is known: it does not fail the gate for a while."""
    reviews: tuple[Review, ...] = ()
    """Results that needed review and that a person accepted; `tapegate accept` writes them."""
    migrations: tuple[Migration, ...] = ()
    """The history of what it asks for: one note for each change of its contract, the newest last. None is removed."""

    _source: Source = PrivateAttr(default_factory=lambda: Source("<memory>"))
    _case: int | None = PrivateAttr(default=None)
    _shares: bool = PrivateAttr(default=False)

    @property
    def key(self) -> str:
        """`<id>@<path_id>`, or `<id>@<path_id>[<case>]`: unique in a project."""
        return self.eval if self.case is None else f"{self.eval}[{self.case}]"

    @property
    def case(self) -> int | None:
        """Which case of its file this is, counted from 1; None where the file has none."""
        return self._case

    @property
    def eval(self) -> str:
        """`<id>@<path_id>`: the name of its file."""
        return f"{self.id}@{self.path_id}"

    @property
    def recorded_as(self) -> str:
        """The key of its recordings: its own, or that of the task whose recordings it shares with other cases."""
        return self.eval if self._shares else self.key

    @property
    def blocks(self) -> bool:
        """Whether a failure fails the gate: no date is looked at, since the same commit gives the same result."""
        return self.blocking and self.quarantine is None

    @property
    def messages(self) -> tuple[str, ...]:
        """All that the user says: in a row, or at the same time where the mode is `concurrent`."""
        return (self.input, *self.then, *self.beside)

    @property
    def source(self) -> Source:
        """The file it came from."""
        return self._source

    def at(self, source: Source) -> Task:
        """This task, knowing the file it came from."""
        self._source = source
        return self

    def as_case(self, number: int | None, *, shares: bool = False) -> Task:
        """This task, knowing which case of its file it is, and whether it shares the recordings of the others."""
        self._case, self._shares = number, shares
        return self
