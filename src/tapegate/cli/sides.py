"""The sides of a comparison: results that are there, or a project or revision that is run for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tapegate.compare.side import Side
from tapegate.errors import TapegateError, Unavailable
from tapegate.grade import contract
from tapegate.load.folder import CONFIG
from tapegate.model.config import Profile
from tapegate.model.diff import PROFILE_CHANGED, Diff
from tapegate.report import results
from tapegate.run import worktree
from tapegate.run.commit import NONE, commit_of
from tapegate.run.results_folder import CONTRACTS, RESULTS, ResultsFolder
from tapegate.subject.interpreter import VARIABLE as AGENT

LAST_LINES = 12
"""Of what a run that could not begin said."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a word of the command line names."""

    name: str
    results: ResultsFolder | None = None
    """Results that are there."""
    project: Path | None = None
    """A project that is run where it stands."""
    revision: str = ""
    """A commit of the repository, run in a worktree of its own."""


def place(word: str, project: Path, evals: Path) -> Place:
    """What `word` names: a folder of results or a results.json, a project's folder, or else a git revision.

    Raises Unavailable where only git could tell and it is not there, BadInput for a word that names nothing.
    """
    path = Path(word)
    found = ResultsFolder.at(path)
    if found is not None:
        return Place(word, results=found)
    if (path / evals / CONFIG).is_file():
        return Place(word, project=path)
    return Place(word, revision=worktree.commit(project, word))


def side_of(found: ResultsFolder, name: str, commit: str = "") -> Side:
    """A side from results that are there. Raises BadInput where they are not what they should be."""
    raw = found.bytes_of(found.file)
    run = results.Results.parse(raw, str(found.file)).run()
    read = _contracts(found)
    tasks = read.tasks if read is not None else {}
    return Side(name, run, results.digest(raw), commit or found.commit(), tasks, found.trace)


@dataclass(frozen=True, slots=True)
class Terms:
    """By which profile a side was judged, where that is at hand."""

    name: str
    profile: Profile


def terms(found: ResultsFolder) -> Terms | None:
    """The profile that a folder of results was judged by; None for a single file."""
    read = _contracts(found)
    return Terms(read.profile_name, read.profile) if read is not None else None


def with_terms(diff: Diff, base: Terms | None, head: Terms) -> Diff:
    """The comparison, with a note where base was judged by another profile: head's decides, and may ask for less."""
    if not diff.available or base is None or base.profile == head.profile:
        return diff
    changed = [name for name in Profile.model_fields if getattr(base.profile, name) != getattr(head.profile, name)]
    said = f"{PROFILE_CHANGED} {head.name!r} says something else in base ({', '.join(changed)}); head's was used"
    return replace(diff, notes=(*diff.notes, said))


def _contracts(found: ResultsFolder) -> contract.Contracts | None:
    written = found.beside(CONTRACTS)
    return contract.parse(written, str(found.path / CONTRACTS)) if written is not None else None


@dataclass(frozen=True, slots=True)
class Running:
    """How a side that has no results yet is run."""

    project: Path
    evals: Path
    profile: str
    jobs: int
    python: str = sys.executable
    """Imports Tapegate."""
    agent: str = ""
    """The Python of the agent's environment; empty where it has none of its own."""

    def side(self, where: Place, out: Path) -> Side:
        """Run a place into `out`: its own code, evals and recordings, judged by this Tapegate. A run that cannot begin
        is a side with a problem, never an error and never a guess: what an earlier one left in `out` is none of it."""
        (out / RESULTS).unlink(missing_ok=True)
        with self._folder(where) as folder:
            command = [self.python, "-P", "-m", "tapegate", "run", "--project", str(folder), "--quiet"]
            command += ["--evals", str(self.evals), "--profile", self.profile, "--jobs", str(self.jobs)]
            done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
                [*command, "--out", str(out)],
                env=_environment(self.agent),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            commit = where.revision or commit_of(folder)
            # Where the worktree stood says nothing to anyone, and differs from run to run.
            said = done.stderr.decode("utf-8", "replace").replace(str(folder), where.name).strip()
        found = ResultsFolder.at(out)
        if found is None:
            last = "\n".join(said.removeprefix("tapegate: ").splitlines()[-LAST_LINES:])
            problem = last or f"it ended with {done.returncode} and said nothing"
            code = done.returncode if done.returncode in (1, 2, 3, 4) else Unavailable.exit_code
            return Side(where.name, None, commit=where.revision, problem=problem, exit_code=code)
        return replace(side_of(found, where.name), commit="" if commit == NONE else commit)

    @contextmanager
    def _folder(self, where: Place) -> Iterator[Path]:
        if where.project is not None:
            yield where.project
        else:
            with worktree.checked_out(self.project, where.revision) as folder:
                yield folder


def unavailable(where: Place, error: TapegateError) -> Side:
    """A side that could not even be checked out."""
    return Side(where.name, None, commit=where.revision, problem=str(error), exit_code=error.exit_code)


def _environment(agent: str) -> dict[str, str]:
    """Without what a workflow step tells its own commands: the step's summary and outputs are not the sides'."""
    made = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "INPUT_"))}
    if agent:
        made |= {AGENT: agent, "PATH": f"{Path(agent).parent}{os.pathsep}{made.get('PATH', os.defpath)}"}
    return made
