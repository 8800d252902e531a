"""What a trial starts from: its database and files, its clock and chance, and the faults that it meets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tapegate.model.fault import TapeFault
from tapegate.model.part import Name, Part

Instant = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
"""A moment in UTC, in whole seconds."""

Callee = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]
"""`module:function` or `module:Class.method`."""


class RaiseFault(Part):
    """An exception that is raised inside a Python subject, in place of a call of one of its functions."""

    kind: Literal["raise"]
    at: Callee
    """The function that raises: the name under which the subject looks it up when it calls."""
    exception: Callee = "builtins:RuntimeError"
    """The exception's class."""
    message: str = "injected by the task"
    """Its one argument."""
    calls: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Which calls of the function raise, counted from 1 in each trial; empty: all of them."""


Fault = Annotated[RaiseFault | TapeFault, Field(discriminator="kind")]


class Reply(Part):
    """What a call of a model is answered in place of what was recorded: a reply that no model gave yet."""

    call: Annotated[int, Field(ge=1)] = 1
    """Which of the recorded calls of models, in their order, counted from 1."""
    content: str | None = None
    """The text that the model answers; all else of the recorded response stays."""
    body: str | None = None
    """The whole body of the response; for what no model would say, such as JSON that breaks off."""


Match = Literal["exact", "conversation"]
"""When a recorded request is the one that is asked."""


class Setup(Part):
    """What the workspace holds and how the world is before the subject is asked."""

    db_snapshot: Name | None = None
    """A database in `evals/snapshots`: `<name>.sql` is built, `<name>.sqlite3` is copied."""
    fixtures: tuple[Name, ...] = ()
    """Files of `evals/fixtures`: a `.sql` one is applied to the database, any other is copied in."""
    seed: int = 42
    """Given to the subject as `{seed}`; trial n gets `seed + n - 1`, so that recorded trials differ."""
    clock: Instant | None = None
    """The moment at which the trial starts for the subject: frozen in a Python subject, `{clock}` in a template."""
    stream: Name | None = None
    """In a stream fixture: the file of `evals/fixtures` that is the stream."""
    chunking: Literal["whole", "all_splits"] = "whole"
    """In a stream fixture: `all_splits` cuts it into up to three pieces at every byte, or at a sample of them."""
    replies: tuple[Reply, ...] = ()
    """Answers of models in place of the recorded ones; the recording itself is made without them."""
    match: Match = "exact"
    """`conversation`: a request that no recording answers gets the answer to the same conversation, whatever its
    prompt, tools and parameters. It tests the plumbing under a changed prompt, no more: the result needs review."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong for the subject: exceptions inside it, and what its services answer."""

    @property
    def on_tape(self) -> tuple[tuple[int, TapeFault], ...]:
        """The faults that the subject's services show, each with its place in `faults`."""
        return tuple((place, fault) for place, fault in enumerate(self.faults) if not isinstance(fault, RaiseFault))
