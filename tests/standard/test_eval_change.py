"""What became of an eval, whatever its file held before."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.load.reader import parse_document
from tapegate.load.task import read_task
from tapegate.model.task import Task
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.tolerances import slot_kinds
from tapegate.standard.eval_change import dropped, eval_changes
from tapegate.standard.trailers import Trailers

FILE = "evals/s/RET-01@P1.json"
TASK: dict[str, Any] = {
    "id": "RET-01",
    "suite": "s",
    "path_id": "P1",
    "mode": "single_turn",
    "input": "Hi.",
    "expect": {"accepted_outcomes": [{"name": "local", "allowed_first_tools": ["search_local"]}]},
    "grading": {"deterministic_metrics": ["tool_trace"]},
}
NOBODY = Trailers.of((), ())
KINDS = slot_kinds(CATALOG)


def task(**changed: Any) -> Task:
    """The task, changed."""
    found, problems = read_task(parse_document(json.dumps({**TASK, **changed}).encode(), FILE))
    assert found is not None, problems
    return found


def outcomes(*accepted: dict[str, Any]) -> dict[str, Any]:
    """An expectation with these outcomes."""
    return {"expect": {"accepted_outcomes": list(accepted)}}


KEYS = st.sampled_from([*TASK, "migrations", "note", "deprecates", "name", "any_allowed_path"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=5) | st.sampled_from(["RET-01", "P1", "s"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_any_file_was_some_base(changed: dict[str, Any], broken: bool) -> None:
    """The base's file may hold anything: its eval is compared, gone or unreadable, and nothing raises."""
    raw = json.dumps({**TASK, **changed}).encode()
    old = parse_document(raw[: len(raw) // 2] if broken else raw, FILE)
    found = list(eval_changes([task()], {FILE}, [old], NOBODY, KINDS))
    assert len(found) <= 2
    assert all(each.key and each.file for each in found)


def test_what_cannot_be_compared_is_said() -> None:
    """A base that was no task asks for a note of its own, beside those that it had."""
    old = parse_document(json.dumps({**TASK, "mode": "x", "migrations": [{"note": "a"}]}).encode(), FILE)
    (found,) = eval_changes([task(migrations=[{"note": "a"}])], (), [old], NOBODY, KINDS)
    assert (found.kind, found.unreadable, found.notes, found.rewritten) == ("contract", True, (), False)
    (found,) = eval_changes([task(migrations=[{"note": "a"}, {"note": "b"}])], (), [old], NOBODY, KINDS)
    assert [note.note for note in found.notes] == ["b"]
    (found,) = eval_changes([task()], (), [old], NOBODY, KINDS)
    assert found.rewritten


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ([{"allowed_first_tools": ["search_local"]}], []),
        ([{"allowed_first_tools": ["search_local", "read_paper"]}], []),
        ([{"allowed_first_tools": ["read_paper"]}, {"allowed_first_tools": ["search_local"], "name": "x"}], []),
        ([{"allowed_first_tools": ["read_paper"]}], ["local"]),
        ([{"allowed_first_tools": ["search_local"], "forbidden_tools": ["web_search"]}], ["local"]),
        ([{"allowed_first_tools": ["search_local"], "required_slots": {"citations_local_min": 1}}], ["local"]),
    ],
)
def test_an_outcome_is_dropped_where_nothing_accepts_it(new: list[dict[str, Any]], expected: list[str]) -> None:
    """A looser outcome accepts it still, under any name; a tighter or another one does not."""
    assert list(dropped(task(), task(**outcomes(*new)), KINDS)) == expected


def test_outcomes_without_a_name_are_counted_from_one() -> None:
    """As `deprecates` names them."""
    old = task(**outcomes({"required_tools": ["a"]}, {"required_tools": ["b"]}))
    assert list(dropped(old, task(**outcomes({"required_tools": ["a"]})), KINDS)) == ["outcome 2"]


def test_outcomes_of_cases_count_too() -> None:
    """A case keeps what it accepted; one that is gone, and one that accepts something else, is named."""
    own = {"accepted_outcomes": [{"name": "web", "allowed_first_tools": ["web_search"]}]}
    old = task(cases=[{"name": "first", "expect": own}, {"name": "second", "input": "Ho."}])
    assert list(dropped(old, old, KINDS)) == []
    other = {"accepted_outcomes": [{"name": "web", "allowed_first_tools": ["read_paper"]}]}
    new = task(cases=[{"name": "first", "expect": other}])
    assert list(dropped(old, new, KINDS)) == ["first: web", "second"]
