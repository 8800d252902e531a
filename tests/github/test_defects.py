"""Defects put in on purpose: what each of them lets happen is what a check of this room is for."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import said

from tapegate.errors import BadInput, GitHubError
from tapegate.github import client as client_module
from tapegate.github import source_pull, untrusted
from tapegate.github.client import Client
from tapegate.github.marker import Marker
from tapegate.github.reply import WorkflowRun
from tapegate.github.sticky import StickyComment
from tapegate.github.untrusted import Untrusted

OLD, HEAD = "a" * 40, "b" * 40
BOT = "github-actions[bot]"
Connect = Callable[..., Client]
Scene = Callable[[GitHubServer, Connect], bool]
"""Plays something that must not happen; returns whether it did."""


def signed(text: str, head: str = HEAD, run: int = 10) -> str:
    """A comment as a run writes it."""
    return f"{Marker('gate', head, run).line()}\n{text}"


def put(connect: Connect, text: str, head: str = HEAD, run: int = 10) -> None:
    """A run comments."""
    StickyComment(connect(pull_requests="write", actions="read"), 7, Marker("gate", head, run)).put(text)


def a_strangers_comment_is_overwritten(server: GitHubServer, connect: Connect) -> bool:
    """It begins as ours do."""
    server.comment(7, "octocat", signed("mine"))
    put(connect, "ours")
    return signed("mine") not in server.bodies


def an_older_commit_has_the_word(server: GitHubServer, connect: Connect) -> bool:
    """Its run was started last, by hand."""
    put(connect, "new")
    put(connect, "old", OLD, 99)
    return server.bodies != [signed("new")]


def an_earlier_run_has_the_word(server: GitHubServer, connect: Connect) -> bool:
    """Of the same commit."""
    put(connect, "later", run=12)
    put(connect, "earlier", run=11)
    return server.bodies != [signed("later", run=12)]


def a_comment_is_made_twice(server: GitHubServer, connect: Connect) -> bool:
    """GitHub made it, and its answer was lost."""
    server.fault("GET", "/issues/7/comments", 0.0, lambda: server.comment(7, BOT, signed("text")) and None)
    server.fault("POST", "/issues/7/comments", said(502, ""))
    put(connect, "text")
    return len(server.bodies) != 1


def the_token_reaches_the_storage(server: GitHubServer, connect: Connect) -> bool:
    """Which GitHub sends a reader on to."""
    artifact = server.artifact(server.run(HEAD), b"zip")
    try:
        connect(actions="read").download(f"/actions/artifacts/{artifact.id}/zip", 100)
    except GitHubError:
        server.problems.clear()
    return any("authorization" in headers for headers in server.headers[1:])


def another_pull_request_is_named(server: GitHubServer, connect: Connect) -> bool:
    """By a run whose commit is at the head of none."""
    values = {"id": 1, "head_sha": OLD, "event": "pull_request", "head_branch": "topic"}
    run = WorkflowRun.of({**values, "head_repository": {"full_name": "octo/library"}}, "the event")
    return source_pull.source_pull(connect(), run) is not None


def zipped(name: str, mode: int = 0) -> bytes:
    """A zip of one entry."""
    into, info = io.BytesIO(), zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    with zipfile.ZipFile(into, "w") as made:
        made.writestr(info, b"/etc/passwd")
    return into.getvalue()


def taken(raw: bytes) -> bool:
    """Whether a zip's files are read."""
    try:
        Untrusted.of_zip(raw)
    except BadInput:
        return False
    return True


def a_file_leads_out_of_its_artifact(server: GitHubServer, connect: Connect) -> bool:
    """By its name."""
    return taken(zipped("../../.bashrc"))


def a_link_is_taken_for_a_file(server: GitHubServer, connect: Connect) -> bool:
    """It would be followed where it is unpacked."""
    return taken(zipped("results.json", stat.S_IFLNK | 0o777))


DEFECTS: list[tuple[Scene, Any, str, Any]] = [
    (a_strangers_comment_is_overwritten, StickyComment, "_me", lambda self: "octocat"),
    (an_older_commit_has_the_word, StickyComment, "_newest", lambda self: True),
    (an_earlier_run_has_the_word, StickyComment, "_behind", lambda self, other: False),
    (a_comment_is_made_twice, client_module, "_IDEMPOTENT", frozenset({"GET", "PATCH", "PUT", "DELETE", "POST"})),
    (the_token_reaches_the_storage, Client, "_ours", lambda self, url: True),
    (another_pull_request_is_named, source_pull, "_is_of", lambda *words: True),
    (a_file_leads_out_of_its_artifact, untrusted, "_checked", lambda name: name),
    (a_link_is_taken_for_a_file, untrusted, "_mode", lambda info: 0),
]


@pytest.mark.parametrize(("scene", "where", "name", "defect"), DEFECTS, ids=[each[0].__name__ for each in DEFECTS])
def test_what_a_check_is_for_happens_without_it(
    scene: Scene, where: Any, name: str, defect: Any, server: GitHubServer, connect: Connect, monkeypatch: Any
) -> None:
    """With the check it does not."""
    server.pull(7, HEAD)
    assert not scene(server, connect)
    server.fresh()
    server.pull(7, HEAD)
    monkeypatch.setattr(where, name, defect)
    assert scene(server, connect)
