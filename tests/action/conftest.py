"""The action under `act`, on this machine: a repository, its workflows, and what the runner made of them."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = ("action.yml", "pyproject.toml", "requirements", "src", "evals", "cassettes", ".github")
THIRD_PARTY = re.compile(r"uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40})")

STAND_INS = {
    # `act` copies the repository itself where a workflow checks it out.
    "actions/checkout": None,
    # The Python of these tests is the first on the path, which is what actions/setup-python sees to.
    "actions/setup-python": {
        "inputs": {"python-version": {"required": True}},
        "runs": {"using": "composite", "steps": [{"shell": "bash", "run": "python3 --version"}]},
    },
    "actions/upload-artifact": {
        "inputs": {name: {"required": True} for name in ("name", "path", "if-no-files-found", "retention-days")},
        "runs": {
            "using": "composite",
            "steps": [
                {
                    "shell": "bash",
                    "env": {"FROM": "${{ inputs.path }}", "NAME": "${{ inputs.name }}"},
                    "run": 'cp -R "$FROM" "$KEPT/$NAME"',
                }
            ],
        },
    },
}
"""What stands in for actions that would have to be fetched; no other may be used."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One workflow command that the runner obeyed."""

    kind: str
    file: str
    line: int
    title: str
    text: str


@dataclass(slots=True)
class Ran:
    """What `act` made of one workflow."""

    code: int
    kept: Path
    """The folder that steps leave files in for the test to look at."""
    records: list[dict[str, Any]] = field(default_factory=list)

    def of(self, step: str) -> list[dict[str, Any]]:
        """The runner's records of one step and of the steps within it."""
        found = [record for record in self.records if (record.get("stepID") or [""])[0] == step]
        assert found, f"no step {step!r}: {self.told()}"
        return found

    def annotations(self, step: str) -> list[Annotation]:
        """The annotations that a step made, as the runner read them."""
        return [
            Annotation(
                record["command"],
                place.get("file", ""),
                int(place.get("line", 0)),
                place.get("title", ""),
                record["arg"],
            )
            for record in self.of(step)
            if record.get("command") in ("error", "warning", "notice")
            for place in [record["kvPairs"]]
        ]

    def commands(self, step: str) -> set[str]:
        """The names of all commands in a step's log that the runner obeyed."""
        return {record["command"] for record in self.of(step) if "raw" in record}

    def summary(self, step: str) -> str:
        """The summary of a step; act shows that of an inner step for its outer one too."""
        return next((record["content"] for record in self.of(step) if record.get("command") == "summary"), "")

    def log(self, step: str) -> str:
        """What a step printed, without the commands that were obeyed."""
        return "".join(record["msg"] for record in self.of(step) if record.get("raw_output"))

    def told(self) -> str:
        """Everything, for a failing test's message."""
        return "\n".join(str(record.get("msg")) for record in self.records)


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with a copy of this project."""

    root: Path
    environ: Mapping[str, str]

    def run(self, workflow: str, event: Mapping[str, Any], kept: Path) -> Ran:
        """Run one workflow of the repository for a pull request."""
        for words in (["add", "--all"], ["commit", "--quiet", "--message", "change"]):
            subprocess.run(["git", *words], cwd=self.root, env=self.environ, check=True)
        kept.mkdir()
        payload = kept / "event.json"
        payload.write_text(json.dumps(event))
        file = self.root / ".github" / "workflows" / workflow
        act = Path(sys.executable).parent / "act"
        line = [str(act), "pull_request", "--json", "--workflows", str(file), "--eventpath", str(payload)]
        line += ["--platform", "ubuntu-24.04=-self-hosted", "--no-cache-server", "--action-offline-mode"]
        # Nothing listens unless it is asked to; these say where, should that change.
        line += ["--artifact-server-addr", "127.0.0.1", "--cache-server-addr", "127.0.0.1"]
        line += ["--action-cache-path", str(kept / "act")]
        for name, ref in sorted(set(THIRD_PARTY.findall(file.read_text()))):
            action = STAND_INS[name]
            if action is not None:
                folder = kept / "actions" / name
                folder.mkdir(parents=True)
                (folder / "action.yml").write_text(json.dumps({"name": name, "description": name, **action}))
                line += ["--local-repository", f"{name}@{ref}={folder}"]
        done = subprocess.run(
            line,
            cwd=self.root,
            env={**self.environ, "KEPT": str(kept)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
            check=False,
        )
        records = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
        return Ran(done.returncode, kept, records)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every locked package, fetched once by whichever worker is first: what the action installs it then finds here."""
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    folder, whole = session / "wheels", session / "wheels.whole"
    with (session / "wheels.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
            packages = ["--require-hashes", "-r", str(ROOT / "requirements" / "gate.txt")]
            subprocess.run([*pip, "--dest", str(folder), *packages], check=True, capture_output=True, timeout=240)
            whole.touch()
    return folder


@pytest.fixture
def repository(tmp_path: Path, wheels: Path) -> Repository:
    """A fresh repository with this project in it, on a machine whose only package index is `wheels`."""
    if not (Path(sys.executable).parent / "act").exists():
        pytest.skip("act is not installed")
    root = tmp_path / "repository"
    for part in PROJECT:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            root.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, root / part)
    first = tmp_path / "bin"
    first.mkdir()
    (first / "python3").symlink_to(os.path.realpath(sys.executable))
    ours = ("GITHUB_", "RUNNER_", "ACTIONS_", "INPUT_", "TAPEGATE_", "GIT_", "PYTEST_")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environ |= {
        "PATH": f"{first}{os.pathsep}{environ['PATH']}",
        "NO_COLOR": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "author",
        "GIT_AUTHOR_EMAIL": "author@example.invalid",
        "GIT_COMMITTER_NAME": "author",
        "GIT_COMMITTER_EMAIL": "author@example.invalid",
    }
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=root, env=environ, check=True)
    return Repository(root, environ)
