"""action.yml and the workflows, as they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
READERS = [ROOT / "src" / "tapegate" / place for place in ("github/install.py", "cli/action.py")]


def steps() -> list[dict[str, Any]]:
    """Every step that runs something, of the action and of the workflows."""
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values()]
    return [*ACTION["runs"]["steps"], *(step for job in jobs for step in job["steps"])]


@pytest.mark.parametrize("name", ACTION["inputs"])
def test_every_input_reaches_what_reads_it(name: str) -> None:
    """An input is passed as a variable of its name, under which the code asks for it."""
    variable = f"INPUT_{name.upper().replace('-', '_')}"
    passed = [step["env"][variable] for step in ACTION["runs"]["steps"] if variable in step.get("env", {})]
    assert passed
    assert set(passed) == {f"${{{{ inputs.{name} }}}}"}
    read = [path.read_text("utf-8") for path in READERS] + [step["run"] for step in ACTION["runs"]["steps"]]
    assert any(variable in text for text in read)


def test_nothing_is_read_that_is_no_input() -> None:
    """The code asks for no input that action.yml does not have."""
    asked = {name for path in READERS for name in re.findall(r"INPUT_[A-Z_]+", path.read_text("utf-8"))}
    assert asked <= {f"INPUT_{name.upper().replace('-', '_')}" for name in ACTION["inputs"]}


def test_every_input_and_output_says_what_it_is() -> None:
    """Each has a description; each input has a default that serves."""
    for value in [*ACTION["inputs"].values(), *ACTION["outputs"].values()]:
        assert value["description"].endswith(".")
    assert not [name for name, value in ACTION["inputs"].items() if "default" not in value]


def test_no_expression_stands_in_a_script() -> None:
    """A branch name or a title in an expression would be run by the shell."""
    assert [step["run"] for step in steps() if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_no_more_rights_than_it_says(path: Path) -> None:
    """No right by default, reading alone in a job, a limit of time, and actions of others by their whole SHA."""
    text = path.read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    assert "pull_request_target" not in text
    assert "secrets." not in text
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        assert job["timeout-minutes"] <= 30
    for line in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"\./.*|[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line
