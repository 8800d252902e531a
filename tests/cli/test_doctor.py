"""`tapegate doctor`: what it looks at, and what of it ends in 3."""

from __future__ import annotations

import json
import socket
import subprocess

import pytest
from click.testing import CliRunner

from tapegate.cli.doctor import doctor
from tapegate.doors.guard import levels
from tapegate.doors.guard.levels import Facts

CONFIG = """\
version: 1
paths: {A1: {title: x, status: y, files: [z], subject: desk}}
subjects:
  desk: {kind: http, command: [PROGRAM, "{port}"], ask: {path: /}, stream: text}
services:
  model: {address: "https://m.example", base_url_env: [MODEL_URL], key_env: DOCTOR_TEST_KEY}
profiles:
  pr: {require_guard: GUARD}
"""


@pytest.fixture
def look(tmp_path, monkeypatch):
    """Looks at this machine and a project; gives the exit code and the findings by name."""
    monkeypatch.delenv("DOCTOR_TEST_KEY", raising=False)

    def run(program="python3", guard="none", config=CONFIG):
        (tmp_path / "evals").mkdir(exist_ok=True)
        if config:
            text = config.replace("PROGRAM", program).replace("GUARD", guard)
            (tmp_path / "evals/tapegate.yaml").write_text(text)
        done = CliRunner().invoke(doctor, ["-C", str(tmp_path), "--json"])
        return done.exit_code, {one["name"]: one for one in json.loads(done.stdout)}

    return run


def without_namespace(monkeypatch):
    monkeypatch.setattr(levels, "facts", lambda: Facts(None, ("namespace: not allowed",), "Linux 6"))


def test_a_machine_that_can_run_is_fine(look):
    """Every look says what it saw; a key that only recording needs is no failure."""
    code, found = look()
    assert code == 0
    assert {"python", "loopback", "workspaces", "guard", "fork", "git", "project"} <= set(found)
    assert found["keys"]["state"] == "weak"
    assert "DOCTOR_TEST_KEY of 'model'" in found["keys"]["message"]
    assert "replaying needs no key" in found["keys"]["message"]


def test_without_a_namespace_the_guard_is_weak_and_says_why(look, monkeypatch):
    """With what the subjects have instead."""
    without_namespace(monkeypatch)
    code, found = look()
    assert (code, found["guard"]["state"]) == (0, "weak")
    assert (
        "not allowed; the guard is 'in_process' for Python subjects and 'none' for all others"
        in found["guard"]["message"]
    )


def test_a_profile_that_wants_more_is_broken(look, monkeypatch):
    """The run would refuse to begin, so this ends in 3 too."""
    without_namespace(monkeypatch)
    code, found = look(guard="namespace")
    assert (code, found["profile pr"]["state"]) == (3, "broken")
    assert "and 'desk' has 'none' here" in found["profile pr"]["message"]


def test_a_program_that_is_not_there_is_broken(look):
    """The subject could not be started."""
    code, found = look(program="no-such-program-anywhere")
    assert (code, found["subject desk"]["state"]) == (3, "broken")


def test_a_program_that_a_subject_starts_itself_is_looked_for(look):
    """`needs` names it: Node for a module of a page, say."""
    config = CONFIG.replace("stream: text", "needs: [sh, no-such-node], stream: text")
    code, found = look(config=config)
    assert (code, found["subject desk"]["state"]) == (3, "broken")
    assert "its program 'no-such-node' is not found on PATH" in found["subject desk"]["message"]
    assert found["subject desk"]["fix"] == "install 'no-such-node', or put the folder that it is in on the PATH"


def test_where_node_comes_from_is_said(look, monkeypatch):
    """Without Node the page's subject cannot be started: the fix names the version, and who brings one."""
    monkeypatch.setenv("PATH", "/nowhere")
    _, found = look(config=CONFIG.replace("stream: text", "needs: [node], stream: text"))
    assert found["subject desk"]["state"] == "broken"
    assert "Node 20 or newer" in found["subject desk"]["fix"]
    assert "`make gate`" in found["subject desk"]["fix"]


def test_a_machine_that_cannot_listen_is_broken(look, monkeypatch):
    """PRO-10: without a port on loopback there is no gateway."""

    def refuse(*_, **__):
        raise PermissionError("no sockets here")

    monkeypatch.setattr(socket, "create_server", refuse)
    levels.facts.cache_clear()
    try:
        code, found = look()
    finally:
        levels.facts.cache_clear()
    assert (code, found["loopback"]["state"]) == (3, "broken")


def test_no_git_is_weak(look, monkeypatch):
    """ENV-01: runs work, and name no commit."""
    monkeypatch.setenv("PATH", "/nonexistent")
    code, found = look(program='"{python}"')
    assert [name for name, one in found.items() if one["state"] == "broken"] == []
    assert (code, found["git"]["state"]) == (0, "weak")


@pytest.mark.parametrize(("config", "state", "code"), [("", "weak", 0), ("version: 2\n", "broken", 3)])
def test_a_project_that_is_not_there_or_not_sound(look, config, state, code):
    """Only the machine is looked at; what is wrong in files is lint's to say."""
    ended, found = look(config=config)
    assert (ended, found["project"]["state"]) == (code, state)


def test_it_is_told_in_lines(tmp_path):
    """State, name and message, with the fix below."""
    done = CliRunner().invoke(doctor, ["-C", str(tmp_path)])
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok      python      CPython")
    assert lines[-1].startswith("weak    project     there is no evals/tapegate.yaml here")


@pytest.mark.parametrize(("attributes", "weak"), [("", True), ("* text\n", True), ("cassettes/** -text\n", False)])
def test_git_must_not_change_the_bytes_of_recordings(look, tmp_path, attributes, weak):
    """Where it may, the fix is one line; outside of a repository there is nothing to change them."""
    _, found = look()
    assert "recordings" not in found
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / ".gitattributes").write_text(attributes)
    code, found = look()
    assert code == 0
    assert ("recordings" in found) == weak


@pytest.mark.parametrize(
    ("ref", "weak"), [("v1", True), ("main", True), ("a" * 40, False), ("a" * 40 + "  # v1.0.0", False)]
)
def test_an_action_that_somebody_can_move_is_weak(look, tmp_path, ref, weak):
    """A workflow runs what its owner puts behind a tag."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "gate.yml").write_text(f"steps:\n  - uses: owner/tapegate/setup@{ref}\n  - uses: other/action@v1\n")
    code, found = look()
    assert code == 0
    assert ("workflows" in found) == weak
