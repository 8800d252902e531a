"""Which pull request a workflow run was of, whatever GitHub's list holds."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import GitHubError
from tapegate.github.place import Place
from tapegate.github.reply import WorkflowRun
from tapegate.github.source_pull import source_pull

HEAD = "b" * 40
FORK, HERE = "mallory/library", "octo/library"


class Listing:
    """A GitHub whose filters filter nothing."""

    place = Place(HERE)

    def __init__(self, *pulls: dict[str, Any]) -> None:
        self.pulls = pulls
        self.asked: dict[str, Any] = {}

    def pages(self, path: str, **query: Any) -> Any:
        """All of them."""
        self.asked = query
        return iter(self.pulls)


def pull(number: int = 7, state: str = "open", sha: str = HEAD, head: Any = FORK, base: Any = HERE) -> dict[str, Any]:
    """One as GitHub lists it."""
    ends = {
        side: {"sha": sha, "ref": "topic", "repo": {"full_name": name} if name else None}
        for side, name in (("head", head), ("base", base))
    }
    return {"number": number, "state": state, **ends}


def run(**changes: Any) -> WorkflowRun:
    """A fork's run."""
    values = {"id": 1, "head_sha": HEAD, "event": "pull_request", "head_branch": "topic"}
    return WorkflowRun.of({**values, "head_repository": {"full_name": FORK}, **changes}, "the event")


def found(*pulls: dict[str, Any], claimed: int | None = None, **changes: Any) -> int | None:
    """The number of the one that is taken."""
    taken = source_pull(Listing(*pulls), run(**changes), claimed)  # type: ignore[arg-type]
    return taken.number if taken is not None else None


def test_it_is_asked_for_by_the_runs_branch() -> None:
    """Of the repository that the run's code came from."""
    listing = Listing(pull())
    taken = source_pull(listing, run())  # type: ignore[arg-type]
    assert taken is not None
    assert listing.asked == {"state": "open", "head": "mallory:topic"}


@pytest.mark.parametrize(
    "other",
    [
        pull(state="closed"),
        pull(sha="c" * 40),
        pull(head="eve/library"),
        pull(head=HERE),
        pull(head=None),
        pull(base="eve/library"),
        pull(base=None),
    ],
)
def test_one_that_differs_in_anything_is_another(other: dict[str, Any]) -> None:
    """Closed, at another commit, of another repository, for another one; also where it is claimed."""
    assert found(other) is None
    assert found(other, claimed=7) is None
    assert found(other, pull(8)) == 8


def test_names_of_repositories_have_no_case() -> None:
    """As on GitHub."""
    assert found(pull(head="Mallory/Library", base="Octo/library")) == 7


def test_a_claim_chooses_among_them_alone() -> None:
    """It is needed where there are several, and believed only as one of them."""
    assert found(pull(7), pull(8), claimed=8) == 8
    assert found(pull(7), claimed=8) == 7
    assert found(pull(7), pull(8), claimed=9) is None
    with pytest.raises(GitHubError, match="may be of #7, #8"):
        found(pull(7), pull(8))


@pytest.mark.parametrize("changes", [{"head_repository": None}, {"head_branch": None}])
def test_a_run_without_a_source_is_of_none(changes: dict[str, Any]) -> None:
    """A fork that was deleted has no branch to ask for."""
    assert found(pull(), **changes) is None
