"""Artifacts of workflow runs: found by name, taken within bounds, checked against what GitHub knows of them."""

from __future__ import annotations

import hashlib

from tapegate.errors import BadInput, GitHubError
from tapegate.github.client import Client
from tapegate.github.reply import Artifact, WorkflowRun
from tapegate.github.untrusted import MOST_ZIPPED, Untrusted


def upload(client: Client, run: WorkflowRun, name: str) -> Untrusted:
    """The files of the newest artifact of a run that has this name.

    Raises GitHubError: `no_artifact`, or as the client does; BadInput `bad_artifact`.
    """
    path = f"/actions/runs/{run.id}/artifacts"
    listed = Artifact.each(client.pages(path, "artifacts", name=name), f"GET {path}")
    found = [one for one in listed if one.name == name and _of(one, run)]
    if not found:
        raise GitHubError.of(
            "no_artifact",
            f"run {run.id} has no artifact {name!r}",
            fix="upload the report of every gate, also of one that fails: `if: ${{ !cancelled() }}`. Where evals are "
            "in another folder, name that: `tapegate github comment --suite FOLDER/evals`",
        )
    newest = max(found, key=lambda one: one.id)
    if newest.expired:
        raise GitHubError.of("no_artifact", f"the artifact {name!r} of run {run.id} has expired")
    if newest.size_in_bytes > MOST_ZIPPED:
        raise BadInput.of("bad_artifact", f"the artifact {name!r} has more than {MOST_ZIPPED:,} bytes")
    raw = client.download(f"/actions/artifacts/{newest.id}/zip", MOST_ZIPPED)
    told = newest.digest or ""
    if told.startswith("sha256:") and hashlib.sha256(raw).hexdigest() != told.removeprefix("sha256:"):
        raise BadInput.of("bad_artifact", f"the artifact {name!r} arrived with another digest than {told!r:.90}")
    return Untrusted.of_zip(raw)


def _of(artifact: Artifact, run: WorkflowRun) -> bool:
    made = artifact.workflow_run
    return made is None or (made.id in (None, run.id) and made.head_sha in (None, run.head_sha))
