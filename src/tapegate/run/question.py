"""One trial as it is put to a subject, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tapegate.doors.current import Keys
from tapegate.model.database import Database
from tapegate.model.setup import RaiseFault
from tapegate.model.task import Task
from tapegate.run.conversation import Conversation
from tapegate.run.splits import Cuts
from tapegate.run.workspace import Workspace
from tapegate.subject.heard import Heard, Then
from tapegate.subject.python import PythonTrial, Tape
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.recorder import Recorder
from tapegate.tape.routes import Routes

EPOCH = "2026-01-01T00:00:00Z"
"""`{clock}` where the task sets none: the moment that SOURCE_DATE_EPOCH names."""


@dataclass(frozen=True, slots=True)
class Question:
    """One trial of one task, and the tape it hears."""

    task: Task
    trial: int
    tape: Player | Recorder
    ledger: Ledger
    routes: Routes
    cassette: bytes | None = None
    """The recording's bytes where it may be replayed inside the subject's own process; else the gateway serves it."""
    keys: Keys = field(default_factory=dict, repr=False)
    """While recording: the real values behind the marks of each service."""
    stream: bytes | None = field(default=None, repr=False)
    """The stream fixture that is put to the subject, where it takes one."""
    reads_database: bool = False
    """Whether the database is read before the subject is asked and again when it has ended."""

    @property
    def second(self) -> int | None:
        """The second since 1970 at which the task sets the clock."""
        clock = self.task.setup.clock
        return int(datetime.fromisoformat(clock).timestamp()) if clock is not None else None

    def then(self, talk: Conversation) -> Then | None:
        """What says which messages follow, where any may."""
        return talk.then if self.task.mode == "multi_turn" else None

    def python_trial(self, environment: Mapping[str, str], place: Workspace, tape: Tape | None) -> PythonTrial:
        """What the child of a Python subject runs with."""
        faults = enumerate(self.task.setup.faults)
        raises = [(number, fault.model_dump(mode="json")) for number, fault in faults if isinstance(fault, RaiseFault)]
        return PythonTrial(environment, place.folder, self.ledger, tape, self.second, raises)

    @property
    def lane(self) -> str:
        """What its lane of the gateway is called: the subject sees it, so it is the same in every run."""
        return f"{self.task.id}~{self.task.path_id}~{self.trial}"


@dataclass(frozen=True, slots=True)
class Hearing:
    """What came of one question."""

    answers: tuple[Heard, ...]
    """To each message that was put, in the order of the task; fewer where one before the last did not end well."""
    cuts: tuple[Cuts, ...] = ()
    """Where the stream fixture was cut for each answer; none where there is no fixture."""
    database: Database | None = None
