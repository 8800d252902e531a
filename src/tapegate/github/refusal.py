"""What a refusal of GitHub's means, and what to set so that it does not come again."""

from __future__ import annotations

from tapegate.errors import GitHubError
from tapegate.report.inert import visible

_LONGEST = 300

MEANINGS: dict[int, tuple[str, str]] = {
    401: ("bad_token", "the token is not valid or has expired: give the job's own `github.token`, or a fresh one"),
    403: (
        "forbidden",
        "the token has no right to this. Give the job the permission in its workflow; the token of a fork's pull "
        "request cannot write, and for those a workflow on `workflow_run` does: `tapegate init --github` writes it",
    ),
    404: ("not_found", "it is not there, or the token may not see it: check the repository and the job's permissions"),
    410: ("gone", "it was deleted, or is turned off for this repository"),
    422: ("not_valid", "GitHub understood this and does not accept it; what it says names the reason"),
    429: ("rate_limited", "too much was asked in a short time: run it again later"),
}
"""Code and fix by status."""
DOWN = ("github_down", "GitHub had a fault of its own: run it again later; https://www.githubstatus.com tells more")
LIMITED = ("rate_limited", "the token has asked as much as it may for now: run it again later")


def refusal(asked: str, status: int, said: str, *, unsure: bool = False, limited: bool = False) -> GitHubError:
    """The error for an answer to `asked`, a method and a path; `said` is what GitHub wrote of it."""
    known = LIMITED if limited else DOWN if status >= 500 else MEANINGS.get(status, ("unexpected", "run it again"))
    error = GitHubError.of(known[0], f"GitHub answered {asked} with {status}: {clipped(said)!r}", fix=known[1])
    error.status, error.unsure = status, unsure
    return error


def unreachable(asked: str, why: str, *, unsure: bool = False) -> GitHubError:
    """The error for a request that was never answered."""
    error = GitHubError.of("unreachable", f"GitHub did not answer {asked}: {clipped(why)}", fix=DOWN[1])
    error.unsure = unsure
    return error


def garbled(asked: str, why: str) -> GitHubError:
    """The error for an answer that is not what GitHub's API gives."""
    fix = "check GITHUB_API_URL: what answers there is no GitHub"
    return GitHubError.of("garbled", f"the answer to {asked} is not GitHub's: {clipped(why)}", fix=fix)


def clipped(text: str) -> str:
    """What another side wrote, in one short line."""
    line = " ".join(visible(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
