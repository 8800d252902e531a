"""The description of a pull request, read from the event of a workflow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tapegate.github.description import description


def event(tmp_path: Path, content: object, name: str = "pull_request") -> dict[str, str]:
    """The variables of a runner, with an event."""
    path = tmp_path / "event.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)}


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_is_described(name: str, tmp_path: Path) -> None:
    """As its author wrote it."""
    assert description(event(tmp_path, {"pull_request": {"body": "Why\n"}}, name)) == "Why\n"


@pytest.mark.parametrize(
    "content",
    [{"pull_request": {"body": None}}, {"pull_request": {"body": 3}}, {"pull_request": []}, {}, [], b"{", b"\xff", b""],
)
def test_what_is_no_description_is_none(content: object, tmp_path: Path) -> None:
    """An empty one, another shape, no JSON: the event decides nothing."""
    assert description(event(tmp_path, content)) == ""


def test_other_events_have_none(tmp_path: Path) -> None:
    """A push, a run outside of a workflow, an event that is gone."""
    assert description(event(tmp_path, {"pull_request": {"body": "x"}}, "push")) == ""
    assert description({}) == ""
    assert description({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "gone")}) == ""
