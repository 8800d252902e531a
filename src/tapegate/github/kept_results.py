"""The results that the repository's own run of a commit has kept as an artifact: the baseline of a comparison."""

from __future__ import annotations

from pathlib import Path

from tapegate.errors import BadInput, GitHubError
from tapegate.github.client import Client
from tapegate.github.evidence import Evidence
from tapegate.github.reply import WorkflowRun
from tapegate.github.untrusted import Untrusted
from tapegate.github.upload import upload
from tapegate.run.results_folder import ResultsFolder

EVENTS = frozenset({"push", "merge_group", "schedule", "workflow_dispatch"})
"""Events whose run checks out the very commit that it names: that of a pull request runs on a merge with its base."""
_MOST_RUNS = 20


def kept_results(client: Client, sha: str, name: str, folder: Path) -> bool:
    """Put the results of a commit into an empty folder; False where no run of it has kept any under this name.

    Only runs of this repository count, the newest first. Raises GitHubError as the client does, BadInput
    (`bad_artifact`, `bad_results`, `other_commit`, `partial`) for results that must not be compared with; the folder
    then stays empty.
    """
    listed = client.pages("/actions/runs", "workflow_runs", head_sha=sha, exclude_pull_requests="true")
    runs = [run for run in WorkflowRun.each(listed, "GET /actions/runs") if _is_own(run, sha, client.place.name)]
    for run in sorted(runs, key=lambda run: run.id, reverse=True)[:_MOST_RUNS]:
        try:
            files = upload(client, run, name)
        except GitHubError as error:
            if error.problems[0].code != "no_artifact" and error.status not in (404, 410):
                raise
            continue
        _checked(files, sha)
        files.unpack(folder)
        return True
    return False


def _is_own(run: WorkflowRun, sha: str, here: str) -> bool:
    of = run.head_repository
    return run.head_sha == sha and run.event in EVENTS and of is not None and of.full_name.lower() == here.lower()


def _checked(files: Untrusted, sha: str) -> None:
    evidence = Evidence.of(files)
    if evidence.run.partial:
        raise BadInput.of("partial", f"the results kept of {sha[:12]} are of a selection of the tasks")
    commit = ResultsFolder.commit_in(files.read("provenance.json", 1_000_000))
    if commit != sha:
        of = f"of {commit!r:.60}" if commit else "of no commit that they name"
        raise BadInput.of("other_commit", f"the results kept as those of {sha[:12]} are {of}")
