"""The metric `orchestration_contract`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from tapegate.errors import NotJudged
from tapegate.model.database import Row
from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Data, Failure, Finish, Json, Text, ToolCall, ToolResult, Trace
from tapegate.oracles.excerpt import visible
from tapegate.oracles.expectation import mismatch, shown
from tapegate.oracles.expectation_flaws import flaws as expectation_flaws
from tapegate.oracles.oracle import Evidence, Oracle, problem_at, slot_path
from tapegate.oracles.pairing import unpaired
from tapegate.oracles.slot import Flaw, SlotKind, bad, flag, kept, listed

PARTS = ("text", "tool_call", "tool_result", "data", "failure", "finish")
"""What a stream may be asked to hold.

`data:session` is a data frame whose `type` is `session`, `finish:error` a finish whose reason is `error`.
"""

_NAMED = ("data:", "finish:")
_KINDS = {
    Text: "text",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
    Data: "data",
    Failure: "failure",
    Finish: "finish",
}


def _parts_flaws(value: Json) -> Iterator[Flaw]:
    yield from listed(value, "parts of a stream")
    for index, part in enumerate(value if isinstance(value, list | tuple) else ()):
        if part not in PARTS and not (isinstance(part, str) and part.startswith(_NAMED) and part not in _NAMED):
            yield bad(part, f"one of {', '.join(PARTS)}, data:TYPE or finish:REASON", (index,))


def _sessions_flaws(value: Json) -> Iterator[Flaw]:
    if value not in ("distinct", "same"):
        yield bad(value, "distinct or same")


def _field_flaws(value: Json) -> Iterator[Flaw]:
    if not isinstance(value, str) or not value:
        yield bad(value, "the name of a field")


def _persisted_flaws(value: Json) -> Iterator[Flaw]:
    if not isinstance(value, Mapping):
        yield bad(value, "{table, column, where, session}")
        return
    for key in value:
        if key not in ("table", "column", "where", "session"):
            yield Flaw("bad_slot_value", f"{key!r} is none of table, column, where, session", (key,))
    for key in ("table", "column"):
        if not isinstance(value.get(key), str) or not value[key]:
            yield Flaw("bad_slot_value", f"{key!r} is missing: the {key} that holds the answers", ())
    if "session" in value and (not isinstance(value["session"], str) or not value["session"]):
        yield bad(value["session"], "the column that holds the session", ("session",))
    if "where" in value:
        if isinstance(value["where"], Mapping):
            yield from (flaw.below("where") for flaw in expectation_flaws(value["where"]))
        else:
            yield bad(value["where"], "expectations by column", ("where",))


class OrchestrationContract(Oracle):
    """That answers of one application keep apart: whole streams, sessions of their own, each kept as shown (`AGT-16`).

    What it checks
    --------------
    Every answer of the trial, one for each message put: in a row (`multi_turn`) or at the same time (`concurrent`).
    Each is held against its own stream, and against the rows that the trial adds to the database.

    Parameters
    ----------
    - `answers_complete` (true or false): every answer has a finish, reports no failure and is not empty.
    - `stream_parts` (list of `text`, `tool_call`, `tool_result`, `data`, `failure`, `finish`, `data:TYPE`,
      `finish:REASON`): each answer's stream holds each of them; the last two are a data frame whose `type` is TYPE,
      and a finish whose reason is REASON.
    - `sessions` (`distinct` or `same`): the sessions that the streams name are all different, or all one.
    - `session_field` (name, default `session_id`): the field of a data frame that names the session.
    - `persisted_in` (`table`, `column`, `where`: column → expectation, `session`: column): among the added rows that
      `where` picks there is one for each answer, whose `column` is what was streamed, character for character, and
      whose `session` is the session that the stream names; there is no other.

    Why it is deterministic
    -----------------------
    Answers are taken in the order of the task, not in that of their arrival, rows are compared as sets, and sessions
    by whether they are equal: which request got which session id makes no difference.

    False positives and how they are kept low
    -----------------------------------------
    Two answers of the same words are two rows, in whichever order. Rows that the snapshot held before are not looked
    at. An application that keeps more than the text in one column is judged by `db_state` instead.

    False negatives and how they are kept low
    -----------------------------------------
    A race that did not happen in this replay is not seen; nightly runs repeat trials in other orders. That nothing
    else was written is for `db_state` with `state_elsewhere: unchanged`.

    Example task
    ------------
    ```yaml
    mode: concurrent
    input: Who wrote about moss?
    beside: ["Who wrote about kelp?", "Who wrote about snow?"]
    setup:
      db_snapshot: baseline_v1
    expect:
      accepted_outcomes:
        - required_slots:
            answers_complete: true
            stream_parts: ["data:session", text, finish]
            sessions: distinct
            persisted_in: {table: messages, column: content, where: {role: assistant}, session: session_id}
    grading:
      deterministic_metrics: [orchestration_contract]
    ```

    Example finding
    ---------------
    ```text
    orchestration_contract answer_altered: answer 2 is kept otherwise than it was streamed
      expected: Moss cools the shelter by 3.6 degrees.
      got: Moss cools the shelter by
    ```
    """

    name = "orchestration_contract"
    version = 1
    codes: ClassVar[Mapping[str, str]] = {
        "answer_incomplete": "An answer has no finish, reports a failure or is empty.",
        "part_missing": "A stream lacks a part that each must hold.",
        "session_missing": "A stream names no session.",
        "sessions_shared": "Two answers name the same session, where each has its own.",
        "sessions_split": "Two answers name different sessions, where all share one.",
        "answer_not_persisted": "An answer that was streamed is not kept.",
        "answer_altered": "An answer is kept otherwise than it was streamed.",
        "answer_in_other_session": "An answer is kept under another session than its stream names.",
        "surplus_answer": "More answers are kept than were streamed.",
    }
    invariants: ClassVar[Mapping[str, str]] = {}

    slots: ClassVar[Mapping[str, SlotKind]] = {
        "answers_complete": flag("True: every answer has a finish, reports no failure and is not empty."),
        "stream_parts": SlotKind("What each stream holds: a list of parts.", _parts_flaws, loosens=kept),
        "sessions": SlotKind("Whether the answers' sessions are `distinct` or the `same`.", _sessions_flaws),
        "session_field": SlotKind(
            "The field of a data frame that names the session.", _field_flaws, demands=lambda _: False
        ),
        "persisted_in": SlotKind("Where each answer is kept: `{table, column, where, session}`.", _persisted_flaws),
    }

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The conditions that some answer does not meet."""
        slots = outcome.required_slots
        if slots.get("answers_complete"):
            yield from _incomplete(trace, slot_path(index, "answers_complete"))
        for place, part in enumerate(slots.get("stream_parts", ())):
            for number, turn in enumerate(trace.turns, 1):
                if part not in (held := _parts(turn)):
                    message = f"the stream of answer {number} holds no {part!r}"
                    path = slot_path(index, "stream_parts", place)
                    yield Unmet("part_missing", message, path, part, visible(", ".join(held)) or "nothing", final=False)
        field = slots.get("session_field", "session_id")
        if "sessions" in slots:
            yield from _sessions(trace, field, slots["sessions"], slot_path(index, "sessions"))
        if "persisted_in" in slots:
            yield from _persisted(trace, field, slots["persisted_in"], slot_path(index, "persisted_in"))

    def needs(self, task: Task) -> Iterator[Evidence]:
        """The database, where it says in which answers are kept."""
        if any("persisted_in" in outcome.required_slots for outcome in task.expect.accepted_outcomes):
            yield "database"

    def problems(self, task: Task) -> Iterator[Problem]:
        """Sessions of a single message, and answers kept in no database."""
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            slots = outcome.required_slots
            if "sessions" in slots and task.mode not in ("multi_turn", "concurrent"):
                message = f"'sessions' compares answers, and mode {task.mode!r} has one"
                yield problem_at(task, slot_path(index, "sessions"), "vacuous_slot", message)
            if "persisted_in" in slots and task.setup.db_snapshot is None and not task.setup.fixtures:
                message = "'persisted_in' names a table, and the task is set up with no database"
                path = slot_path(index, "persisted_in")
                yield problem_at(task, path, "unreachable_outcome", message, "name it in setup.db_snapshot")
            if "session_field" in slots and not {"sessions", "persisted_in"} & set(slots):
                message = "'session_field' does nothing without 'sessions' or 'persisted_in'"
                yield problem_at(task, slot_path(index, "session_field"), "vacuous_slot", message)


def _incomplete(trace: Trace, path: Path) -> Iterator[Unmet]:
    for number, turn in enumerate(trace.turns, 1):
        failures = [event.message for event in turn.events if isinstance(event, Failure)]
        if failures:
            got = visible(failures[0][:96])
            message = f"answer {number} reports a failure"
            yield Unmet("answer_incomplete", message, path, "a whole answer", got, final=False)
        elif not turn.text.strip() or not any(isinstance(event, Finish) for event in turn.events):
            got = "an empty answer" if not turn.text.strip() else "no finish"
            yield Unmet("answer_incomplete", f"answer {number} is not whole", path, "a whole answer", got, final=False)


def _parts(turn: Trace) -> list[str]:
    held = dict.fromkeys(kind for event in turn.events if (kind := _KINDS.get(type(event))) is not None)
    payloads = [event.payload for event in turn.events if isinstance(event, Data)]
    types = [payload["type"] for payload in payloads if isinstance(payload, Mapping) and "type" in payload]
    named = [f"data:{kind}" for kind in types if isinstance(kind, str)]
    named += [f"finish:{event.reason}" for event in turn.events if isinstance(event, Finish) and event.reason]
    return [*held, *dict.fromkeys(named)]


def _session(turn: Trace, field: str) -> Json | None:
    for event in turn.events:
        if isinstance(event, Data) and isinstance(event.payload, Mapping) and event.payload.get(field) is not None:
            return event.payload[field]
    return None


def _sessions(trace: Trace, field: str, wanted: str, path: Path) -> Iterator[Unmet]:
    first: dict[str, int] = {}
    for number, turn in enumerate(trace.turns, 1):
        session = _session(turn, field)
        if session is None:
            message = f"the stream of answer {number} names no session"
            yield Unmet("session_missing", message, path, f"a data frame with {field!r}", "none", final=False)
            continue
        name = shown(session)
        if wanted == "distinct" and name in first:
            message = f"answers {first[name]} and {number} name the same session"
            yield Unmet("sessions_shared", message, path, "a session of its own for each answer", "one for both")
        if wanted == "same" and first and name not in first:
            message = f"answers {min(first.values())} and {number} name different sessions"
            yield Unmet("sessions_split", message, path, "one session for all answers", "one for each")
        first.setdefault(name, number)


def _persisted(trace: Trace, field: str, where: Mapping[str, Any], path: Path) -> Iterator[Unmet]:
    if trace.database is None:
        raise NotJudged.of(
            "no_evidence", "the trace holds no database, though the task says where answers are kept in it"
        )
    column, session = where["column"], where.get("session")
    added = trace.database.added(where["table"])
    rows = [row for row in added if mismatch(where.get("where", {}), row) is None]
    answers = trace.turns

    def keeps(answer: Trace, row: Row) -> bool:
        return row.get(column) == answer.text and (session is None or row.get(session) == _session(answer, field))

    lost = list(unpaired(len(answers), len(rows), lambda one, other: keeps(answers[one], rows[other])))
    for one in lost:
        own = [row for row in rows if session is not None and row.get(session) == _session(answers[one], field)]
        kept = [str(row.get(column)) for row in rows]
        yield _lost(one + 1, answers[one].text, kept, [str(row.get(column)) for row in own], path)
    if len(rows) > len(answers):
        message = f"{len(rows)} answers are kept, and {len(answers)} {'was' if len(answers) == 1 else 'were'} streamed"
        yield Unmet("surplus_answer", message, path, str(len(answers)), str(len(rows)), final=False)


def _lost(number: int, answer: str, kept: Sequence[str], own: Sequence[str], path: Path) -> Unmet:
    """What became of an answer that no row keeps as it should; `own` is what is kept of it in its session."""
    expected = visible(answer[:160])
    if answer in kept:
        message = f"answer {number} is kept under another session than its stream names, or less often than streamed"
        wanted = "a row of its own, in its session"
        return Unmet("answer_in_other_session", message, path, wanted, expected, final=False)
    part = next(
        (one for one in own or kept if one.strip() and (answer.startswith(one) or one.startswith(answer))), None
    )
    if part is not None or own:
        message = f"answer {number} is kept otherwise than it was streamed"
        got = visible((part if part is not None else own[0])[:160])
        return Unmet("answer_altered", message, path, expected, got, final=False)
    got = "; ".join(visible(one[:60]) for one in kept[:3]) or "no such row"
    return Unmet("answer_not_persisted", f"answer {number} is not kept", path, expected, got, final=False)
