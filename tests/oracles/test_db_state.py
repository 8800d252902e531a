"""The metric `db_state`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.model.database import Database, Snapshot, Table
from tapegate.model.trace import Turn
from tapegate.oracles.db_state import DbState


def table(columns: str, *rows: tuple[Any, ...]) -> Table:
    """A table whose first column is its key."""
    return Table(tuple(columns.split()), {row[:1]: row for row in rows})


MESSAGES = "id role content status"
HELD = table(MESSAGES, (1, "user", "Hello?", "complete"), (2, "assistant", "Hello.", "complete"))
KEPT = table(
    MESSAGES,
    (1, "user", "Hello?", "complete"),
    (2, "assistant", "Hello.", "complete"),
    (3, "user", "And moss?", "complete"),
    (4, "assistant", "3.6 degrees.", "complete"),
)
PAPERS = table("id title", ("p1", "Moss"), ("p2", "Kelp"))


def trial(after: Table | None = KEPT, before: Table = HELD, papers: Table = PAPERS, fault: str = "") -> Database:
    """A trial that found `before` in its messages and left `after` there."""
    left = {"papers": papers, **({"messages": after} if after is not None else {})}
    return Database(Snapshot({"papers": PAPERS, "messages": before}), Snapshot({} if fault else left, fault))


def state(elsewhere: str = "any", **tables: Any) -> dict[str, Any]:
    """An expectation of one outcome with this state."""
    return {"outcome": {"state": tables, "state_elsewhere": elsewhere}}


ANSWER = {"among": "added", "where": {"role": "assistant"}}
NONE_LEFT = table(MESSAGES, (1, "user", "Hello?", "complete"))
FAILED = table(MESSAGES, *HELD.rows.values(), (3, "user", "And?", "complete"), (4, "assistant", "", "failed"))
TWICE = table(MESSAGES, *KEPT.rows.values(), (5, "assistant", "3.6 degrees.", "complete"))
EDITED = table(MESSAGES, (1, "user", "Hello?", "complete"), (2, "assistant", "Bye.", "complete"))
SPACES = table(MESSAGES, *HELD.rows.values(), (3, "assistant", " \n\t", "complete"))
UNSEEN = table(MESSAGES, *HELD.rows.values(), (3, "assistant", " \u200b\ufeff", "complete"))
NULLED = table(MESSAGES, *HELD.rows.values(), (3, "assistant", None, "complete"))
MOVED = table("id title", ("p1", "Moss"), ("p3", "Kelp"))

IN_JSON = table(MESSAGES, *HELD.rows.values(), (3, "assistant", '{"parts": [{"text": "Moss."}]}', "complete"))
KEPT_AS = {"outcome": {"required_tools": []}, "invariants": ["persisted_answer_equals_streamed"]}

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("added as expected", state(messages={"added": {"min": 2, "max": 2}}), [trial()], []),
    ("added too few", state(messages={"added": {"min": 3}}), [trial()], ["row_count"]),
    ("added too many", state(messages={"added": {"max": 1}}), [trial()], ["row_count"]),
    ("nothing removed", state(messages={"removed": {"max": 0}}), [trial()], []),
    ("removed", state(messages={"removed": {"max": 0}}), [trial(NONE_LEFT)], ["row_count"]),
    ("nothing changed", state(messages={"changed": {"max": 0}}), [trial()], []),
    ("changed", state(messages={"changed": {"max": 0}}), [trial(EDITED)], ["row_count"]),
    ("the columns are there", state(messages={"columns": ["role", "status"]}), [trial()], []),
    ("a column is missing", state(messages={"columns": ["rating"]}), [trial()], ["column_missing"]),
    (
        "a column of a condition is missing",
        state(messages={"rows": [{"where": {"x": 1}}]}),
        [trial()],
        ["column_missing"],
    ),
    ("no such table", state(answers={"added": {"min": 1}}), [trial()], ["table_missing"]),
    ("the table is gone", state(messages={"columns": ["id"]}), [trial(None)], ["table_missing"]),
    ("a row is as described", state(messages={"rows": [ANSWER]}), [trial()], []),
    ("no row is as described", state(messages={"rows": [ANSWER]}), [trial(HELD)], ["rows_picked"]),
    (
        "rows that were there do not count as added",
        state(messages={"rows": [ANSWER]}),
        [trial(EDITED)],
        ["rows_picked"],
    ),
    ("just one", state(messages={"rows": [{**ANSWER, "count": {"max": 1}}]}), [trial(TWICE)], ["rows_picked"]),
    ("a cell as expected", state(messages={"rows": [{**ANSWER, "columns": {"status": "complete"}}]}), [trial()], []),
    (
        "another cell",
        state(messages={"rows": [{**ANSWER, "columns": {"status": "complete"}}]}),
        [trial(FAILED)],
        ["cell_mismatch"],
    ),
    (
        "a cell by rule",
        state(messages={"rows": [{**ANSWER, "columns": {"content": {"$says": "3.6 degrees"}}}]}),
        [trial()],
        [],
    ),
    (
        "1 is 1.0 and no text",
        state(messages={"rows": [{"where": {"id": 4.0}}, {"where": {"id": "4"}}]}),
        [trial()],
        ["rows_picked"],
    ),
    ("not empty", state(messages={"rows": [{**ANSWER, "non_empty": ["content"]}]}), [trial()], []),
    ("blank", state(messages={"rows": [{**ANSWER, "non_empty": ["content"]}]}), [trial(FAILED)], ["cell_empty"]),
    ("unseen", state(messages={"rows": [{**ANSWER, "non_empty": ["content"]}]}), [trial(UNSEEN)], ["cell_empty"]),
    ("NULL", state(messages={"rows": [{**ANSWER, "non_empty": ["content"]}]}), [trial(NULLED)], ["cell_empty"]),
    (
        "white space alone",
        state(messages={"rows": [{**ANSWER, "non_empty": ["content"]}]}),
        [trial(SPACES)],
        ["cell_empty"],
    ),
    (
        "the second row counts as the first",
        state(messages={"rows": [{"columns": {"status": "complete"}, "non_empty": ["content"]}]}),
        [trial(FAILED)],
        ["cell_mismatch", "cell_empty"],
    ),
    ("unique", state(messages={"rows": [{"unique": ["role", "content"]}]}), [trial()], []),
    ("not unique", state(messages={"rows": [{"unique": ["role", "content"]}]}), [trial(TWICE)], ["rows_not_unique"]),
    (
        "removed rows can be looked at",
        state(messages={"rows": [{"among": "removed", "where": {"id": 2}}]}),
        [trial(NONE_LEFT)],
        [],
    ),
    (
        "changed rows too",
        state(messages={"rows": [{"among": "changed", "columns": {"content": "Bye."}}]}),
        [trial(EDITED)],
        [],
    ),
    ("unchanged elsewhere", state("unchanged", messages={"added": {"min": 2}}), [trial()], []),
    (
        "changed elsewhere",
        state("unchanged", messages={"added": {"min": 2}}),
        [trial(papers=MOVED)],
        ["changed_elsewhere"],
    ),
    ("changed elsewhere, which nobody minds", state(messages={"added": {"min": 2}}), [trial(papers=MOVED)], []),
    ("unchanged everywhere", state("unchanged"), [trial(HELD)], []),
    ("changed where nothing may", state("unchanged"), [trial()], ["changed_elsewhere"]),
    (
        "unreadable",
        state(messages={"columns": ["id"]}),
        [trial(fault="file is not a database")],
        ["database_unreadable"],
    ),
    ("the answer is kept", KEPT_AS, ["3.6 ", "degrees.", trial()], []),
    ("the answer is kept in JSON", KEPT_AS, ["Moss.", trial(IN_JSON)], []),
    ("the answer replaces a row", KEPT_AS, ["Bye.", trial(EDITED)], []),
    ("the answer is cut short", KEPT_AS, ["3.6 degrees. That is", trial()], ["persisted_differs"]),
    ("the answer is kept with more", KEPT_AS, ["3.6", trial()], ["persisted_differs"]),
    ("the answer is not kept", KEPT_AS, ["3.6 degrees.", trial(HELD)], ["persisted_differs"]),
    ("an old row is no new one", KEPT_AS, ["Hello.", trial()], ["persisted_differs"]),
    ("no answer, nothing to keep", KEPT_AS, [trial(HELD)], []),
    (
        "two answers, one row",
        KEPT_AS,
        [Turn(0, "a"), "3.6 degrees.", Turn(1, "a"), "3.6 degrees.", trial()],
        ["persisted_differs"],
    ),
    ("two answers, two rows", KEPT_AS, [Turn(0, "a"), "3.6 degrees.", Turn(1, "a"), "3.6 degrees.", trial(TWICE)], []),
    ("nothing asked", {"outcome": {"required_tools": ["a"]}}, ["tool:a"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each condition is met by the databases that it admits and by no others."""
    expectation = {**expectation, "setup": {"db_snapshot": "baseline_v1"}}
    assert judged(DbState(), expectation, events) == codes


def unmet(make_task, make_trace, database, **tables):
    """What does not hold of one outcome's state."""
    task = make_task(state(**tables)["outcome"], setup={"db_snapshot": "b"})
    return list(DbState().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(database=database)))


def test_a_mismatch_names_table_column_and_both_values(make_task, make_trace):
    """The finding points at the column's expectation."""
    rows = [{**ANSWER, "columns": {"status": "complete"}}]
    (found,) = unmet(make_task, make_trace, trial(FAILED), messages={"rows": rows})
    assert found.path[2:] == (0, "state", "messages", "rows", 0, "columns", "status")
    assert found.message == "a row added to 'messages' holds another 'status' than expected"
    assert (found.expected, found.got) == ("'complete'", "'failed'")


def test_what_changed_elsewhere_is_counted(make_task, make_trace):
    """The finding names the table and how many rows came, went or changed."""
    task = make_task(state("unchanged")["outcome"], setup={"db_snapshot": "b"})
    trace = make_trace(database=trial(HELD, papers=MOVED))
    (found,) = DbState().unmet(0, task.expect.accepted_outcomes[0], task, trace)
    assert (found.message, found.got) == ("table 'papers' is not as it was before", "1 row added, 1 row removed")


def test_a_table_built_otherwise_is_changed(make_task, make_trace):
    """Also where every row of it stayed."""
    task = make_task(state("unchanged")["outcome"], setup={"db_snapshot": "b"})
    database = Database(Snapshot({"papers": table("id title")}), Snapshot({"papers": table("id title year")}))
    (found,) = DbState().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(database=database))
    assert found.got == "the table is gone or built otherwise"


def test_what_is_kept_instead_is_shown(make_task, make_trace):
    """The kept text that is most like the streamed one."""
    task = make_task({}, invariants=["persisted_answer_equals_streamed"], setup={"db_snapshot": "b"})
    (found,) = DbState().broken(task, make_trace("3.6 degrees. That is all.", database=trial()))
    assert (found.expected, found.got) == ("3.6 degrees. That is all.", "3.6 degrees.")


def test_a_database_is_read_only_where_it_is_asked_for(make_task):
    """By a condition or the invariant."""
    assert list(DbState().needs(make_task({}))) == []
    for fields in (
        {"invariants": ["persisted_answer_equals_streamed"]},
        {"expect": {"accepted_outcomes": [{"state_elsewhere": "unchanged"}]}},
    ):
        assert list(DbState().needs(make_task({}, setup={"db_snapshot": "b"}, **fields))) == ["database"]


def test_a_trace_without_a_database_is_not_judged(make_task, make_trace):
    """A condition on a database that nobody read must not pass, and is no fault of the agent's."""
    task = make_task(state(messages={"columns": ["id"]})["outcome"], setup={"db_snapshot": "b"})
    with pytest.raises(NotJudged, match="no database"):
        list(DbState().unmet(0, task.expect.accepted_outcomes[0], task, make_trace()))


@pytest.mark.parametrize(
    ("outcome", "setup", "codes"),
    [
        ({"state": {"t": {"columns": ["a"]}}}, {"db_snapshot": "b"}, []),
        ({"required_tools": ["a"]}, {}, []),
        ({"state": {"t": {"columns": ["a"]}}}, {"fixtures": ["f"]}, []),
        ({"state": {"t": {"columns": ["a"]}}}, {}, ["unreachable_outcome"]),
        ({"state_elsewhere": "unchanged"}, {}, ["unreachable_outcome"]),
        ({"state": {"t": {}}}, {"db_snapshot": "b"}, ["vacuous_slot"]),
        ({"state": {"t": {"added": {}}}}, {"db_snapshot": "b"}, ["vacuous_slot"]),
        ({"state": {"t": {"added": {"min": 2, "max": 1}}}}, {"db_snapshot": "b"}, ["unreachable_outcome"]),
        ({"state": {"t": {"rows": [{"count": {"min": 0}}]}}}, {"db_snapshot": "b"}, ["vacuous_slot"]),
        (
            {"state": {"t": {"rows": [{"count": {"max": 0}, "non_empty": ["a"]}]}}},
            {"db_snapshot": "b"},
            ["vacuous_slot"],
        ),
        (
            {"state": {"t": {"rows": [{"count": {"max": 0}, "columns": {"a": 1}}]}}},
            {"db_snapshot": "b"},
            ["vacuous_slot"],
        ),
        ({"state": {"t": {"rows": [{"count": {"max": 0}, "unique": ["a"]}]}}}, {"db_snapshot": "b"}, ["vacuous_slot"]),
        ({"state": {"t": {"rows": [{"count": {"max": 0}, "where": {"a": 1}}]}}}, {"db_snapshot": "b"}, []),
        ({"state": {"t": {"rows": [{"count": {"min": 2, "max": 1}}]}}}, {"db_snapshot": "b"}, ["unreachable_outcome"]),
        ({"state": {"t": {"rows": [{"where": {"a": {"$regex": "("}}}]}}}, {"db_snapshot": "b"}, ["bad_pattern"]),
        ({"state": {"t": {"rows": [{"columns": {"a": {"$is": 1}}}]}}}, {"db_snapshot": "b"}, ["bad_slot_value"]),
    ],
)
def test_conditions_that_no_database_meets_are_found_at_load(make_task, outcome, setup, codes):
    """And so are those that every one meets, and expectations that cannot be used."""
    assert [problem.code for problem in DbState().problems(make_task(outcome, setup=setup))] == codes


def test_an_invariant_on_no_database_is_found_at_load(make_task):
    """What is kept nowhere cannot be what was streamed."""
    task = make_task({"required_tools": ["a"]}, invariants=["persisted_answer_equals_streamed"])
    assert [problem.code for problem in DbState().problems(task)] == ["unreachable_outcome"]
