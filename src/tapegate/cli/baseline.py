"""The run of the base that the action compares with: from an artifact, a folder or a worktree, or unavailable."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tapegate.cli.action_inputs import FILE, Inputs
from tapegate.cli.sides import LAST_LINES, Place, Running, side_of
from tapegate.compare.side import Side
from tapegate.errors import TapegateError
from tapegate.github import install
from tapegate.run import worktree
from tapegate.run.results_folder import ResultsFolder


@dataclass(frozen=True, slots=True)
class Found:
    """What the step before has found of the base."""

    sha: str
    """Its commit; empty where it is not known."""
    results: Path | None
    """The results of its own run; None where there are none."""
    why_not: tuple[str, ...]
    """Why something of it could not be had."""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Found:
        """As the step before tells it."""
        results = environ.get("TAPEGATE_BASE_RESULTS")
        why_not = tuple(line for line in environ.get("TAPEGATE_BASE_WHY", "").splitlines() if line)
        return cls(environ.get("TAPEGATE_BASE", ""), Path(results) if results else None, why_not)


def base_side(inputs: Inputs, found: Found, jobs: int, environ: Mapping[str, str], out: Path) -> Side | None:
    """The base of a comparison; one with a problem where it cannot be had, None where there is nothing to compare with.

    A folder that is named is taken and nothing else. Else comes the base's own run, then a worktree.
    """
    if inputs.baseline.startswith(FILE):
        return _of_folder(inputs.project / inputs.baseline.removeprefix(FILE).strip())
    if inputs.baseline == "none" or not (found.sha or found.why_not):
        return None
    why_not = list(found.why_not)
    if found.results is not None:
        side = _of_folder(found.results, found.sha)
        if not side.problem:
            return side
        why_not.append(side.problem)
    if inputs.baseline != "artifact" and found.sha:
        side = _of_worktree(inputs, found.sha, jobs, environ, out)
        if not side.problem:
            return side
        why_not.append(side.problem)
    problem = "; ".join(why_not) or "nothing of it is at hand"
    return Side(found.sha or "base", None, commit=found.sha, problem=problem)


def _of_folder(path: Path, sha: str = "") -> Side:
    name = sha or path.name
    found = ResultsFolder.at(path)
    if found is None:
        return Side(name, None, commit=sha, problem=f"{str(path)!r} holds no results.json")
    try:
        return side_of(found, name, sha)
    except TapegateError as error:
        return Side(name, None, commit=sha, problem=str(error))


def _of_worktree(inputs: Inputs, sha: str, jobs: int, environ: Mapping[str, str], out: Path) -> Side:
    """The base's own code, evals and recordings, with what its agent needs installed in an environment of its own."""
    try:
        with worktree.checked_out(inputs.project, sha) as folder:
            if not (folder / inputs.evals).is_dir():
                # As where a change brings the first ones: nothing of it is to be mended.
                first = f"it has no evals yet: {str(inputs.evals)!r} is no folder there"
                return Side(sha, None, commit=sha, problem=first)
            running = Running(folder, inputs.evals, inputs.profile, jobs, agent=_installed(environ, folder))
            side = running.side(Place(sha, project=folder), out)
    except TapegateError as error:
        return Side(sha, None, commit=sha, problem=str(error))
    return side


def _installed(environ: Mapping[str, str], folder: Path) -> str:
    """The Python of the agent's environment for a worktree. What its installation prints does not reach the log."""
    if not environ.get("INPUT_INSTALL", "").strip():
        return ""
    with tempfile.TemporaryDirectory(prefix="tapegate-") as name:
        output = Path(name) / "output"
        output.touch()
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own file
            [sys.executable, "-I", str(Path(install.__file__)), "--agent"],
            env={**environ, "GITHUB_OUTPUT": str(output), "INPUT_WORKING_DIRECTORY": str(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        outputs = install.read_outputs(output.read_text("utf-8", "surrogateescape"))
    if done.returncode != 0 or not outputs.get("agent"):
        lines = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()[-LAST_LINES:]
        told = [line.removeprefix("::error title=Tapegate::") for line in lines]
        said = [line for line in told if line and not line.startswith("::")]
        raise TapegateError.of(
            "not_installed", f"what the base's agent needs could not be installed: {' / '.join(said)}"
        )
    return outputs["agent"]
