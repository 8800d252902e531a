"""The refresh pull request: one, opened or updated, whose checks run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from tapegate.errors import GitHubError
from tapegate.github.branch import TRAILER, Branch, Change
from tapegate.github.client import Client
from tapegate.github.reply import CommitOf, Pull
from tapegate.github.sticky import DEFAULT_AUTHOR

State = Literal["opened", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of the pull request."""

    state: State
    number: int
    url: str
    checks: str
    """How its checks come about, or what to set so that they do; empty where nothing was pushed."""


class Refresh:
    """One pull request of one branch."""

    def __init__(self, client: Client, branch: Branch, base: str, gate: str = "") -> None:
        self._client = client
        self._branch = branch
        self._base = base
        self._gate = gate
        """Name of the workflow's file that is dispatched where the token's own pushes start nothing."""

    def put(self, change: Change, title: str, body: str) -> Refreshed:
        """Push the change and see that there is one pull request of it. Raises GitHubError where that is refused."""
        pushed = self._pushed(change)
        found = self._found()
        if found is None:
            pull, state = self._opened(title, body)
        else:
            pull, state = found, "updated" if pushed else "unchanged"
        if state != "opened" and _plain(pull.body or "") != _plain(body):
            # Its title stays as somebody may have made it.
            asked = self._client.patch(f"/pulls/{pull.number}", {"body": body})
            pull, state = Pull.of(asked, "PATCH /pulls"), "updated"
        checks = self._checked() if pushed or state == "opened" else ""
        return Refreshed(state, pull.number, pull.html_url, checks)

    def _pushed(self, change: Change) -> bool:
        """Whether the branch had to be moved. A commit of somebody else's on it is never lost."""
        tip = self._branch.tip()
        if tip:
            path = f"/git/commits/{tip}"
            newest = CommitOf.of(self._client.get(path), f"GET {path}")
            if TRAILER not in newest.message.splitlines():
                raise GitHubError.of(
                    "branch_taken",
                    f"the branch {self._branch.name!r} ends with a commit that is not of a refresh: {tip[:12]}",
                    fix="merge or close its pull request and delete the branch, or name another one",
                )
            if newest.tree.sha == change.tree and [one.sha for one in newest.parents] == [change.parent]:
                return False
        self._branch.push(change.sha, tip)
        return True

    def _found(self) -> Pull | None:
        head = f"{self._client.place.owner}:{self._branch.name}"
        pulls = Pull.each(self._client.pages("/pulls", state="open", head=head), "GET /pulls")
        ours = [pull for pull in pulls if pull.head.ref == self._branch.name]
        return min(ours, key=lambda pull: pull.number) if ours else None

    def _opened(self, title: str, body: str) -> tuple[Pull, State]:
        wanted = {"title": title, "head": self._branch.name, "base": self._base, "body": body}
        try:
            return Pull.of(self._client.post("/pulls", wanted), "POST /pulls"), "opened"
        except GitHubError as error:
            if error.unsure or (error.status == 422 and "already exists" in str(error)):
                found = self._found()  # another run was faster, or the answer was lost
                if found is not None:
                    return found, "updated"
            raise self._forbidden(error) from None

    def _forbidden(self, error: GitHubError) -> GitHubError:
        """The same, with what to set, and how to open it by hand: the branch is there."""
        if error.status not in (403, 422):
            return error
        place = self._client.place
        compared = f"{quote(self._base, safe='/')}...{quote(self._branch.name, safe='/')}"
        by_hand = f"The branch is pushed; open it by hand: {place.server}/{place.name}/compare/{compared}?expand=1"
        if "not permitted to create" in str(error):
            code = "pulls_forbidden"
            fix = (
                "tick `Allow GitHub Actions to create and approve pull requests` in Settings, Actions, General of the "
                "repository, and of its organisation where it has one: both must allow it. Or give an App's token"
            )
        elif error.status == 403:
            code, fix = "pulls_forbidden", "give the job `pull-requests: write`, or an App's token that has it"
        else:
            code, fix = "pulls_refused", "what GitHub says names the reason"
        made = GitHubError.of(code, error.problems[0].message, fix=f"{fix}. {by_hand}")
        made.status = error.status
        return made

    def _checked(self) -> str:
        """See that checks run: what a workflow's own token pushes or opens starts none, but what it dispatches does."""
        try:
            own = self._client.login() == DEFAULT_AUTHOR
        except GitHubError:
            own = True
        if not own:
            return "its checks start by themselves, since an App opened it"
        if not self._gate:
            return "no check starts on it: give an App's token, or name the gate's workflow so that it is dispatched"
        path = f"/actions/workflows/{quote(self._gate, safe='')}/dispatches"
        try:
            self._client.post(path, {"ref": self._branch.name})
        except GitHubError as error:
            return (
                f"no check starts on it: {self._gate!r} could not be dispatched, {error.problems[0].message}. "
                "It needs `on: workflow_dispatch`, and the job `actions: write`"
            )
        return f"its checks were started: {self._gate} was dispatched on the branch"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
