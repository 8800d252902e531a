"""The one comment of a suite on a pull request: found, kept up to date, and never set back.

It is ours where its first line is the suite's marker and its author is who the token speaks for: what anybody else
writes, a marker included, is never touched. The newest commit wins: a run of any other leaves the comment as it is. Two
runs that each made one leave the older of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tapegate.errors import GitHubError
from tapegate.github.client import Client, Outdated
from tapegate.github.marker import Marker
from tapegate.github.reply import Comment, Pull

State = Literal["created", "updated", "unchanged", "outdated", "none"]
DEFAULT_AUTHOR = "github-actions[bot]"
"""Who the token of a workflow speaks for."""
MOST_BYTES = 60_000
"""Of a whole comment; GitHub refuses one over 65,536 characters."""


@dataclass(frozen=True, slots=True)
class Put:
    """What became of the comment."""

    state: State
    """`outdated`: a newer commit or run has the word; `none`: there is none, and none was wanted."""
    url: str = ""
    """Empty where there is no comment."""


@dataclass(frozen=True, slots=True)
class _Ours:
    id: int
    url: str
    marker: Marker
    text: str


class StickyComment:
    """The comment of one suite on one pull request, as one run wants it."""

    def __init__(self, client: Client, number: int, marker: Marker) -> None:
        self._client = client
        self._number = number
        self._marker = marker
        self._author: str | None = None
        self._head: str | None = None
        """The pull request's newest commit, as far as it could be read."""

    def put(self, text: str, *, create: bool = True) -> Put:
        """Let the comment say `text`. Raises GitHubError where GitHub does not let it."""
        try:
            return self._put(text, create=create)
        except Outdated:
            return Put("outdated", self._url())
        except GitHubError as error:
            # A comment that somebody deleted meanwhile: looked for once more, and made again.
            if error.status not in (404, 410):
                raise
        try:
            return self._put(text, create=create)
        except Outdated:
            return Put("outdated", self._url())

    def _put(self, text: str, *, create: bool) -> Put:
        if not self._newest():
            return Put("outdated", self._url())
        ours = self._all()
        if not ours and not create:
            return Put("none")
        if not ours:
            return self._create(text)
        kept, *more = ours
        newest = max(ours, key=lambda one: one.marker.turn)
        if self._behind(newest):
            return Put("outdated", kept.url)
        put = Put("unchanged", kept.url)
        if not self._said_in(kept, text):
            self._client.patch(f"/issues/comments/{kept.id}", self._body(text), self._newest)
            put = Put("updated", kept.url)
        for one in more:
            self._client.delete(f"/issues/comments/{one.id}")
        return put

    def _create(self, text: str) -> Put:
        made: int | None = None
        path = f"/issues/{self._number}/comments"
        try:
            made = Comment.of(self._client.post(path, self._body(text), self._newest), f"POST {path}").id
        except GitHubError as error:
            if not error.unsure:
                raise
        ours = self._all()
        if not ours:
            # It was not made after all, or is gone again.
            made = Comment.of(self._client.post(path, self._body(text), self._newest), f"POST {path}").id
            ours = self._all()
        kept = next(iter(ours), None)
        if kept is None or kept.id == made or made is None:
            return Put("created", kept.url if kept is not None else "")
        # Another run was faster: its comment stays, with what the newer of the two has to say.
        if not self._behind(kept) and not self._said_in(kept, text):
            self._client.patch(f"/issues/comments/{kept.id}", self._body(text), self._newest)
        self._client.delete(f"/issues/comments/{made}")
        return Put("updated", kept.url)

    def _behind(self, other: _Ours) -> bool:
        """Whether the run that wrote `other` has the word. A commit that is no longer the newest has none."""
        if other.marker.head != self._marker.head and self._head is not None:
            return False
        return other.marker.turn > self._marker.turn

    def _said_in(self, comment: _Ours, text: str) -> bool:
        # GitHub may drop white space at the end of what it stores.
        return comment.text.rstrip() == text.rstrip() and comment.marker.head == self._marker.head

    def _newest(self) -> bool:
        """Whether the commit that was judged is still the pull request's newest; yes where that cannot be read."""
        path = f"/pulls/{self._number}"
        try:
            self._head = Pull.of(self._client.get(path), f"GET {path}").head.sha
        except GitHubError as error:
            if error.status != 403:
                raise
            self._head = None
        return self._head in (None, self._marker.head)

    def _all(self) -> list[_Ours]:
        """The comments of this suite that are ours, the oldest first."""
        path = f"/issues/{self._number}/comments"
        found = []
        for comment in Comment.each(self._client.pages(path), f"GET {path}"):
            read = Marker.read(comment.body or "")
            if read is not None and read[0].suite == self._marker.suite and comment.user is not None:
                found.append((comment.user.login, _Ours(comment.id, comment.html_url, *read)))
        return sorted((ours for login, ours in found if login == self._me()), key=lambda ours: ours.id)

    def _me(self) -> str:
        if self._author is None:
            try:
                self._author = self._client.login()
            except GitHubError as error:
                # Out of reach for good, as GraphQL may be where REST is not: then it is most likely a workflow's own.
                # With a fault that passes nothing is known: taking an App's comment for a stranger's would make two.
                if error.status not in (403, 404):
                    raise
                self._author = DEFAULT_AUTHOR
        return self._author

    def _url(self) -> str:
        return next((ours.url for ours in self._all()), "")

    def _body(self, text: str) -> dict[str, str]:
        return {"body": f"{self._marker.line()}\n{text}"}
