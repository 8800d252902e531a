"""Which pull request a workflow run was of. The run of a fork does not say, and its artifact is not believed."""

from __future__ import annotations

from tapegate.errors import GitHubError
from tapegate.github.client import Client
from tapegate.github.reply import Pull, WorkflowRun


def source_pull(client: Client, run: WorkflowRun, claimed: int | None = None) -> Pull | None:
    """The open pull request whose newest commit a run judged; None where there is none any more.

    GitHub is asked for those of the run's own branch, and each must have the run's commit at its head and the run's
    repository behind it. Where one branch has several, `claimed`, a number from an artifact, says which of them; it can
    choose among them and never name another.
    """
    if run.head_repository is None or run.head_branch is None:
        return None
    owner = run.head_repository.full_name.partition("/")[0]
    asked = client.pages("/pulls", state="open", head=f"{owner}:{run.head_branch}")
    pulls = [pull for pull in Pull.each(asked, "GET /pulls") if _is_of(pull, run, client.place.name)]
    if len(pulls) > 1 and claimed is not None:
        pulls = [pull for pull in pulls if pull.number == claimed]
    if len(pulls) > 1:
        numbers = ", ".join(f"#{pull.number}" for pull in pulls)
        raise GitHubError.of("ambiguous", f"run {run.id} may be of {numbers}: all have its commit, and it names none")
    return pulls[0] if pulls else None


def _is_of(pull: Pull, run: WorkflowRun, here: str) -> bool:
    head, base, from_there = pull.head.repo, pull.base.repo, run.head_repository
    return (
        pull.state == "open"
        and pull.head.sha == run.head_sha
        and head is not None
        and from_there is not None
        and head.full_name.lower() == from_there.full_name.lower()
        and base is not None
        and base.full_name.lower() == here.lower()
    )
