"""A task: the standard's test-case schema (agent-evaluation-standard.md, "Required Test Case Schema").

The field names are the standard's. Types are strict: nothing is coerced, an unknown key is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from tapegate.model.source import Source

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
"""A portable name: what may become part of a file name on any system."""

Tool = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0)]
NonEmpty = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A piece of a file: frozen, strict, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class Setup(Part):
    """What the trial's workspace holds before the subject is asked."""

    db_snapshot: Name | None = None
    """A database in `evals/snapshots`: `<name>.sql` is built, `<name>.sqlite3` is copied."""
    fixtures: tuple[Name, ...] = ()
    """Files of `evals/fixtures`: a `.sql` one is applied to the database, any other is copied in."""
    seed: int = 42
    """Given to the subject as `{seed}`; trial n gets `seed + n - 1`, so that recorded trials differ."""


class Bounds(Part):
    """How often something may happen, both ends included."""

    min: Count = 0
    """At least this often."""
    max: Count | None = None
    """At most this often; absent: no upper bound."""


class Outcome(Part):
    """One valid solution shape: all of its conditions must hold together."""

    name: NonEmpty | None = None
    """What a report calls this outcome."""
    tool_path_policy: Literal["any_allowed_path", "fixed_order", "no_tools"] = "any_allowed_path"
    """`fixed_order` needs `order_critical`; `no_tools` accepts no tool call at all."""
    any_allowed_path: tuple[tuple[Tool, ...], ...] = ()
    """Tool paths, each acceptable as a whole; empty: any path that the other conditions admit."""
    allowed_first_tools: tuple[Tool, ...] = ()
    """The first tool call must be one of these; empty: any."""
    required_tools: tuple[Tool, ...] = ()
    """Each is called at least once."""
    allowed_tools: tuple[Tool, ...] = ()
    """No other tool is called; empty: any."""
    forbidden_tools: tuple[Tool, ...] = ()
    """None of these is called."""
    tool_counts: dict[Tool, Bounds] = Field(default_factory=dict)
    """How often each tool may be called."""
    order_critical: NonEmpty | None = None
    """Why the order is critical to correctness; required by `fixed_order`, refused without it."""
    required_slots: dict[NonEmpty, Any] = Field(default_factory=dict)
    """What the answer must hold, slot by slot; each metric declares the slots it owns and their types."""


class Expect(Part):
    """What must hold."""

    required_invariants: tuple[NonEmpty, ...] = ()
    """Hard gates, by name."""
    accepted_outcomes: tuple[Outcome, ...] = Field(min_length=1)
    """Valid solution shapes: the task passes when any one holds."""
    forbidden_patterns: tuple[NonEmpty, ...] = ()
    """RE2 patterns, multi-line, that match nowhere in what the user sees."""


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


class Task(Part):
    """One eval: an input, a setup, an expectation."""

    id: Name
    """The eval's id in the standard's inventory, `RET-01`."""
    suite: Name
    """The suite it belongs to, and its folder under `evals` and `cassettes`."""
    path_id: Name
    """The path in the scope table that it tests, `A1`."""
    mode: Literal["single_turn"]
    """How the subject is asked."""
    input: NonEmpty
    """What the user says."""
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

    _source: Source = PrivateAttr(default_factory=lambda: Source("<memory>"))

    @property
    def key(self) -> str:
        """`<id>@<path_id>`: unique in a project."""
        return f"{self.id}@{self.path_id}"

    @property
    def source(self) -> Source:
        """The file it came from."""
        return self._source

    def at(self, source: Source) -> Task:
        """This task, knowing the file it came from."""
        self._source = source
        return self
