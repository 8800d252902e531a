"""action.yml and the workflows, as they are written: this repository's own, and those that `tapegate init` writes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tapegate.cli.starting import STARTER

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SETUP = yaml.safe_load((ROOT / "setup" / "action.yml").read_text("utf-8"))
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STARTERS = sorted((STARTER / "workflows").glob("*.yml"))
WORKFLOWS = [*OWN, *STARTERS]
READERS = sorted((ROOT / "src" / "tapegate").glob("github/*.py")) + sorted(
    (ROOT / "src" / "tapegate" / "cli").glob("*.py")
)

WRITES: Mapping[str, Mapping[str, set[str]]] = {
    "comment": {"comment": {"pull-requests"}},
    "weekly": {"publish": {"actions", "contents", "pull-requests"}},
    "record": {"publish": {"actions", "contents", "pull-requests"}},
}
"""By workflow and job, what it may write; every other job reads."""
SECRETS: Mapping[str, Mapping[str, set[str]]] = {
    "weekly": {"record": {"OPENAI_API_KEY"}, "publish": {"TAPEGATE_APP_KEY"}},
    "record": {"record": {"OPENAI_API_KEY"}},
}
"""Likewise, which secrets it sees; every other job sees none."""


def name_of(path: Path) -> str:
    """`weekly`, whoever the workflow is written for."""
    return path.stem.removeprefix("tapegate-")


def read(path: Path) -> dict[str, Any]:
    """A workflow. (YAML 1.1 takes its `on` for true.)"""
    return dict(yaml.safe_load(path.read_text("utf-8")))


def steps() -> list[dict[str, Any]]:
    """Every step that runs something, of the actions and of the workflows."""
    jobs = [job for path in WORKFLOWS for job in read(path)["jobs"].values()]
    return [*ACTION["runs"]["steps"], *SETUP["runs"]["steps"], *(step for job in jobs for step in job["steps"])]


@pytest.mark.parametrize("name", ACTION["inputs"])
def test_every_input_reaches_what_reads_it(name: str) -> None:
    """An input is passed as a variable of its name, under which the code asks for it."""
    variable = f"INPUT_{name.upper().replace('-', '_')}"
    passed = [step["env"][variable] for step in ACTION["runs"]["steps"] if variable in step.get("env", {})]
    assert passed
    assert set(passed) == {f"${{{{ inputs.{name} }}}}"}
    read = "\n".join(path.read_text("utf-8") for path in READERS)
    assert variable in read or re.search(rf'environ, "{name}"\)|"{name}"[\],:]', read)


def test_nothing_is_read_that_is_no_input() -> None:
    """The code asks for no input that action.yml does not have."""
    asked = {name for path in READERS for name in re.findall(r"INPUT_[A-Z_]*[A-Z]", path.read_text("utf-8"))}
    assert asked <= {f"INPUT_{name.upper().replace('-', '_')}" for name in ACTION["inputs"]}


def test_every_input_and_output_says_what_it_is() -> None:
    """Each has a description; each input has a default that serves."""
    for value in [*ACTION["inputs"].values(), *ACTION["outputs"].values(), *SETUP["inputs"].values()]:
        assert value["description"].endswith(".")
    assert not [name for name, value in {**ACTION["inputs"], **SETUP["inputs"]}.items() if "default" not in value]


def test_the_setup_says_of_its_inputs_what_the_action_says() -> None:
    """The same input means the same in both."""
    assert {name: ACTION["inputs"][name] for name in SETUP["inputs"]} == SETUP["inputs"]


def test_the_token_is_away_while_code_of_the_repository_runs() -> None:
    """Finding the base has it, before anything of the repository's is installed, and commenting, after the gate."""
    ids = [step.get("id") for step in ACTION["runs"]["steps"]]
    assert ids == ["install", "base", "agent", "gate", None, "comment"]
    having = {step["id"] for step in ACTION["runs"]["steps"] if "INPUT_TOKEN" in step.get("env", {})}
    assert having == {"base", "comment"}
    installing = {step["id"] for step in ACTION["runs"]["steps"] if "INPUT_INSTALL" in step.get("env", {})}
    assert installing == {"agent", "gate"}


def test_no_expression_stands_in_a_script() -> None:
    """A branch name or a title in an expression would be run by the shell."""
    assert [step["run"] for step in steps() if "${{" in step.get("run", "")] == []


def test_every_script_of_the_actions_quotes_what_it_names() -> None:
    """A path with a blank in it stays one word."""
    for step in [*ACTION["runs"]["steps"], *SETUP["runs"]["steps"]]:
        if "run" in step:
            assert not re.search(r'(?<!")\$[A-Z_]', step["run"]), step["run"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_no_more_rights_than_it_needs(path: Path) -> None:
    """No right by default, the least in a job, secrets in an environment alone, a limit of time, and actions of others
    by their whole SHA. What writes has no provider's key; what has one writes nothing."""
    text = path.read_text("utf-8")
    workflow = read(path)
    assert workflow["permissions"] == {}
    assert "pull_request_target" not in text
    for name, job in workflow["jobs"].items():
        written = {right for right, level in job["permissions"].items() if level != "read"}
        assert written == WRITES.get(name_of(path), {}).get(name, set()), name
        assert set(job["permissions"].values()) <= {"read", "write"}
        assert job["timeout-minutes"] <= 120
        seen = set(re.findall(r"secrets\.(\w+)", yaml.safe_dump(job)))
        assert seen == SECRETS.get(name_of(path), {}).get(name, set()), name
        assert not seen or job["environment"]
        assert not (written and "OPENAI_API_KEY" in seen)
    for line in re.findall(r"uses: (.+)", text):
        known = r"\./.*|[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+|TAPEGATE_ACTION(/setup)?@TAPEGATE_SHA"
        assert re.fullmatch(known, line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_only_two_workflows_record(path: Path) -> None:
    """The weekly one, and the one that a maintainer starts; neither starts with a pull request."""
    workflow = read(path)
    records = bool(re.search(r"tapegate record|tapegate audit --record|audit-record", path.read_text("utf-8")))
    assert records == (name_of(path) in ("weekly", "record"))
    if records:
        assert set(workflow[True]) <= {"schedule", "workflow_dispatch"}


def test_a_recording_of_a_pull_request_is_capped_and_of_a_commit_that_was_reviewed() -> None:
    """It is dispatched, in an environment that asks for approval, on the commit that was named and is the newest."""
    for path in (path for path in WORKFLOWS if name_of(path) == "record"):
        workflow = read(path)
        assert set(workflow[True]) == {"workflow_dispatch"}
        assert workflow["jobs"]["record"]["environment"] == "tapegate-recording"
        assert workflow["jobs"]["record"]["needs"] == "check"
        assert '= "$COMMIT"' in yaml.safe_dump(workflow["jobs"]["check"], width=1000)
        assert "--max-cost" in yaml.safe_dump(workflow["jobs"]["record"], width=1000)
        refs = [
            step["with"]["ref"]
            for job in workflow["jobs"].values()
            for step in job["steps"]
            if "ref" in step.get("with", {})
        ]
        assert set(refs) == {"${{ inputs.commit }}"}
        # What the key goes to is the default branch's to say.
        (recording,) = [step for step in workflow["jobs"]["record"]["steps"] if step.get("id") == "record"]
        trusted = re.search(r"--services-of (\S+)$", recording["run"])
        assert trusted is not None
        places = [
            step.get("with", {}).get("path", ".")
            for step in workflow["jobs"]["record"]["steps"]
            if step.get("uses", "").startswith("actions/checkout@") and "ref" not in step["with"]
        ]
        assert places == [trusted[1]]


def test_what_a_cap_left_recorded_is_offered() -> None:
    """The job that recorded may have failed: what it kept is published, and nothing where it kept nothing."""
    for path in (path for path in WORKFLOWS if name_of(path) == "record"):
        jobs = read(path)["jobs"]
        assert jobs["record"]["outputs"] == {"kept": "${{ steps.keep.outcome }}"}
        assert jobs["publish"]["if"].startswith("${{ !cancelled() && needs.record.outputs.kept == 'success' && ")


def test_the_checks_of_the_answers_are_never_skipped() -> None:
    """A check that is skipped counts as one that passed."""
    answers = [
        job for path in WORKFLOWS for name, job in read(path)["jobs"].items() if name in ("behaviour", "recordings")
    ]
    assert len(answers) == 4
    assert {job["if"] for job in answers} == {"${{ always() }}"}


def test_the_gate_runs_again_for_another_description_or_another_base() -> None:
    """What GitHub starts a workflow for where nothing is said has no `edited`, and a run that is repeated has the old
    event."""
    gates = [read(path)[True] for path in WORKFLOWS if "merge_group" in read(path)[True] and path.name != "ci.yml"]
    assert len(gates) == 2
    assert {frozenset(on["pull_request"]["types"]) for on in gates} == {
        frozenset({"opened", "synchronize", "reopened", "edited"})
    }


def test_the_starters_use_the_actions_that_this_repository_uses() -> None:
    """One version of each, everywhere: an update is made in all of them."""
    texts = [path.read_text("utf-8") for path in [*WORKFLOWS, ROOT / "action.yml"]]
    pins = {found for text in texts for found in re.findall(r"uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40})", text)}
    assert len({name for name, _ in pins}) == len(pins)


def test_the_agent_under_test_is_installed_from_what_it_declares() -> None:
    """requirements/paperdesk.in names the packages of the extra, and its lock has no other version than the gate's."""
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["paperdesk"]
    named = (ROOT / "requirements" / "paperdesk.in").read_text("utf-8").splitlines()
    assert {line for line in named if line and line[0] != "#"} == {re.split("[<>=]", one)[0] for one in extra}
    alone, gate = (
        set(re.findall(r"(?m)^([\w.-]+==\S+)", (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")))
        for name in ("paperdesk", "gate")
    )
    assert alone <= gate
