"""An accepted outcome: one whole shape of a valid solution."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from tapegate.model.part import Band, Bounds, Count, NonEmpty, Part, Tool


class ToolArguments(Part):
    """What calls of one tool are given. Values are expectations, as docs/expectations.md describes them."""

    arguments: dict[NonEmpty, Any] = Field(default_factory=dict)
    """By argument name, what each must be."""
    match: Literal["subset", "exact"] = "subset"
    """`subset`: arguments that are not named here may be anything; `exact`: there are no others."""
    ignore: tuple[NonEmpty, ...] = ()
    """Arguments that `exact` leaves aside: request ids and the like."""
    calls: Literal["any", "all", "first", "last"] = "any"
    """Which calls of the tool must match: one of them, each, the first or the last."""


class RowState(Part):
    """Rows of a table, and what must hold of them."""

    among: Literal["after", "added", "changed", "removed"] = "after"
    """Which rows are looked at: all that are there after the trial, or those that it added, changed or removed."""
    where: dict[NonEmpty, Any] = Field(default_factory=dict)
    """By column, an expectation that picks rows; empty: all of them."""
    count: Bounds = Bounds(min=1)
    """How many are picked."""
    columns: dict[NonEmpty, Any] = Field(default_factory=dict)
    """By column, an expectation that each picked row meets."""
    non_empty: tuple[NonEmpty, ...] = ()
    """Columns that are neither NULL nor blank in any picked row."""
    unique: tuple[NonEmpty, ...] = ()
    """Columns whose values, taken together, no two picked rows share."""


class TableState(Part):
    """What a trial leaves in one table of the database."""

    columns: tuple[NonEmpty, ...] = ()
    """Columns that the table has, others beside them."""
    added: Bounds | None = None
    """How many rows the trial adds."""
    changed: Bounds | None = None
    """How many rows it changes."""
    removed: Bounds | None = None
    """How many rows it removes."""
    rows: tuple[RowState, ...] = ()
    """Conditions on rows; all of them hold."""


class Shape(Part):
    """Conditions that must hold together."""

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
    tool_arguments: dict[Tool, tuple[ToolArguments, ...]] = Field(default_factory=dict)
    """What calls of each tool are given; all entries of a tool hold."""
    parallel_tools: tuple[tuple[Tool, ...], ...] = ()
    """Each group is called in one step, in any order: none of its calls waits for a result of another."""
    parallel_max: Count | None = None
    """At most so many calls in one step; absent: no limit."""
    order_critical: NonEmpty | None = None
    """Why the order is critical to correctness; required by `fixed_order`, refused without it."""
    required_slots: dict[NonEmpty, Any] = Field(default_factory=dict)
    """What the answer must hold, slot by slot; each metric declares the slots it owns and their types."""
    tolerances: dict[NonEmpty, Band] = Field(default_factory=dict)
    """Accepted bands by slot, `latency_e2e_ms_max`, or by named entry of one, `numbers.cooling`."""


class TurnShape(Shape):
    """Conditions on one of several answers, and on the tools called for it."""

    turn: Annotated[int, Field(ge=1)]
    """Which of the task's messages it answers, counted from 1."""


class Outcome(Shape):
    """One valid solution shape: all of its conditions must hold together."""

    name: NonEmpty | None = None
    """What a report calls this outcome."""
    turns: tuple[TurnShape, ...] = ()
    """Conditions on single answers, beside those on all of them together; for `multi_turn` and `concurrent`."""
    state: dict[NonEmpty, TableState] = Field(default_factory=dict)
    """What the trial leaves in the database, by table."""
    state_elsewhere: Literal["any", "unchanged"] = "any"
    """`unchanged`: tables that `state` does not name are as they were, row for row."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Its conditions on the whole, and those on single answers."""
        return (self, *self.turns)
