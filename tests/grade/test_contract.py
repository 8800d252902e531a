"""What a verdict depends on, as one digest, and as a file beside the results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tapegate.errors import BadInput
from tapegate.grade.contract import digest, parse, to_bytes
from tapegate.model.budget import Budget
from tapegate.model.config import Profile

PR = Profile(budgets=(Budget(measure="total_tokens", increase=50),))


def test_the_profile_travels_with_the_contracts(make_task: Any) -> None:
    """Whoever compares two runs later knows what they were allowed to spend."""
    read = parse(to_bytes([make_task()], "pr", PR), "contracts.json")
    assert (read.profile_name, read.profile) == ("pr", PR)


def test_names_and_layout_are_no_part_of_a_contract(make_task: Any) -> None:
    """A task that only moved, or that is asked more often at night, has the same contract."""
    task = make_task()
    for same in ({"id": "RET-09"}, {"suite": "other"}, {"path_id": "A2"}, {"flaky_prone": True}):
        assert digest(make_task(**same)) == digest(task)


@pytest.mark.parametrize(
    "change",
    [
        {"input": "What else?"},
        {"setup": {"seed": 7}},
        {"blocking": False},
        {"trials": 2},
        {"invariants": ["no_hidden_tag_leak"]},
        {"metrics": ["tool_trace", "output_hygiene"]},
    ],
)
def test_all_that_may_change_a_verdict_changes_the_digest(change: dict[str, Any], make_task: Any) -> None:
    """Loosening a task in any field shows, also by asking less or by not blocking."""
    assert digest(make_task(**change)) != digest(make_task())


def test_another_accepted_outcome_changes_the_digest(make_task: Any) -> None:
    """What is accepted is the heart of a contract."""
    assert digest(make_task({"allowed_first_tools": ["find"]})) != digest(make_task())


def test_contracts_are_read_back_with_their_lines(make_task: Any) -> None:
    """The tasks come back equal, and a finding of theirs still stands on its line."""
    task = make_task({"allowed_first_tools": ["search"]}, {"allowed_first_tools": ["read"]})
    read = parse(to_bytes([task], "pr", PR), "contracts.json").tasks[task.key]
    assert read == task
    assert read.source.file == task.source.file
    assert read.source.line("expect", "accepted_outcomes", 1) == 20
    assert digest(read) == digest(task)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "tapegate.contracts/2"}, "schema"),
        ({"contracts": {"RET-01@A1": {}}}, "contracts.RET-01@A1.file"),
        ({"more": 1}, "more"),
    ],
)
def test_another_file_is_refused(change: dict[str, Any], said: str, make_task: Any) -> None:
    """Bad input, with the place at which it is wrong."""
    document = {**json.loads(to_bytes([make_task()], "pr", PR)), **change}
    with pytest.raises(BadInput) as caught:
        parse(json.dumps(document).encode(), "out/contracts.json")
    assert caught.value.problems[0].file == "out/contracts.json"
    assert said in caught.value.problems[0].message


def test_a_task_under_anothers_key_is_refused(make_task: Any) -> None:
    """A file in which keys and tasks do not agree was not written by us."""
    raw = to_bytes([make_task()], "pr", PR).replace(b'"RET-01@A1":', b'"RET-02@A1":')
    with pytest.raises(BadInput, match="the task under 'RET-02@A1' is 'RET-01@A1'"):
        parse(raw, "contracts.json")
