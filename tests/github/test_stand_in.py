"""The server's own rules are those that its table gives."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from github_server import GitHubServer

HEAD = "a" * 40
HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
COMMENT, PULL = {"body": "x"}, {"head": "topic", "base": "main", "title": "t"}
DISPATCH = {"ref": "topic"}


@pytest.fixture(autouse=True)
def state(server: GitHubServer) -> None:
    """A pull request, a comment, an artifact, and what has gone."""
    server.pull(7, HEAD)
    server.comment(7, "octocat", "hello")
    server.artifact(server.run(HEAD), b"zip")


def ask(server: GitHubServer, method: str, path: str, body: Any = None, token: str = "ghs_default") -> httpx.Response:
    """One request."""
    url = f"{server.url}/api/v3/repos/octo/library{path}"
    headers = {**HEADERS, "authorization": f"Bearer {token}"}
    return httpx.request(method, url, headers=headers, json=body, timeout=30, trust_env=False)


@pytest.mark.parametrize(
    ("method", "path", "body", "rights", "status"),
    [
        ("GET", "/pulls/7", None, {}, 200),
        ("GET", "/pulls/8", None, {}, 404),
        ("GET", "/issues/7/comments", None, {}, 200),
        ("GET", "/issues/8/comments", None, {}, 404),
        ("POST", "/issues/7/comments", COMMENT, {"pull_requests": "write"}, 201),
        ("POST", "/issues/7/comments", COMMENT, {"issues": "write"}, 201),
        ("POST", "/issues/7/comments", COMMENT, {"pull_requests": "read", "contents": "write"}, 403),
        ("POST", "/issues/7/comments", {"body": "x" * 65_537}, {"issues": "write"}, 422),
        ("PATCH", "/issues/comments/1001", COMMENT, {"pull_requests": "write"}, 200),
        ("PATCH", "/issues/comments/1001", COMMENT, {"pull_requests": "read"}, 403),
        ("PATCH", "/issues/comments/9", COMMENT, {"pull_requests": "write"}, 404),
        ("DELETE", "/issues/comments/1001", None, {"pull_requests": "write"}, 204),
        ("DELETE", "/issues/comments/1001", None, {}, 403),
        ("POST", "/pulls", PULL, {"pull_requests": "write"}, 422),
        ("POST", "/pulls", {**PULL, "head": "other"}, {"pull_requests": "write"}, 201),
        ("POST", "/pulls", PULL, {"contents": "write"}, 403),
        ("PATCH", "/pulls/7", {"body": "x"}, {"pull_requests": "write"}, 200),
        ("PATCH", "/pulls/7", {"body": "x"}, {}, 403),
        ("GET", "/actions/artifacts/1003/zip", None, {"actions": "read"}, 302),
        ("GET", "/actions/artifacts/1003/zip", None, {}, 403),
        ("GET", "/actions/runs/1002/artifacts", None, {}, 200),
        ("GET", "/actions/runs/9/artifacts", None, {}, 404),
        ("POST", "/actions/workflows/gate.yml/dispatches", DISPATCH, {"actions": "write"}, 204),
        ("POST", "/actions/workflows/gate.yml/dispatches", DISPATCH, {"actions": "read"}, 403),
        ("POST", "/actions/workflows/none.yml/dispatches", DISPATCH, {"actions": "write"}, 404),
    ],
)
def test_a_right_decides(
    method: str, path: str, body: Any, rights: dict[str, str], status: int, server: GitHubServer
) -> None:
    """What is public is read by anybody; what is written needs the right to it."""
    server.token(**rights)
    assert ask(server, method, path, body).status_code == status


def test_what_is_no_token_is_nobody(server: GitHubServer) -> None:
    """401, whatever is asked."""
    assert ask(server, "GET", "/pulls/7", token="ghs_other").status_code == 401


def test_what_is_private_is_not_there(server: GitHubServer) -> None:
    """For a token without a right to it."""
    server.repository.private = True
    server.token()
    assert ask(server, "GET", "/pulls/7").status_code == 404
    server.token(pull_requests="read")
    assert ask(server, "GET", "/pulls/7").status_code == 200


def test_settings_and_locks_decide_too(server: GitHubServer) -> None:
    """A workflow's own token may be kept from opening pull requests, and a bot from a locked conversation."""
    server.repository.may_create_pulls = False
    server.repository.locked.add(7)
    server.token(pull_requests="write")
    server.token("ghs_app", login="app[bot]", default=False, pull_requests="write")
    assert ask(server, "POST", "/pulls", {**PULL, "head": "a"}).status_code == 403
    assert ask(server, "POST", "/pulls", {**PULL, "head": "a"}, "ghs_app").status_code == 201
    assert ask(server, "POST", "/issues/7/comments", COMMENT).status_code == 403


def test_events_of_a_workflows_own_token_start_nothing(server: GitHubServer) -> None:
    """But for a dispatch; an App's do."""
    server.token(pull_requests="write", actions="write")
    server.token("ghs_app", login="app[bot]", default=False, pull_requests="write")
    ask(server, "POST", "/pulls", {**PULL, "head": "a"})
    assert server.repository.started == []
    ask(server, "POST", "/pulls", {**PULL, "head": "b"}, "ghs_app")
    ask(server, "POST", "/actions/workflows/gate.yml/dispatches", DISPATCH)
    assert server.repository.started == [("gate.yml", "pull_request", "b"), ("gate.yml", "workflow_dispatch", "topic")]


def test_a_request_that_github_does_not_know_is_told(server: GitHubServer) -> None:
    """The test that made it fails for it."""
    server.token()
    assert ask(server, "GET", "/pulls?sate=open").status_code == 422
    assert server.problems == ["GET /repos/{owner}/{repo}/pulls: there is no query parameter 'sate'"]
    server.problems.clear()


def test_a_list_comes_in_pages(server: GitHubServer) -> None:
    """Thirty unless asked, a hundred at most, each with where the next one is."""
    server.token()
    for number in range(249):
        server.comment(7, "octocat", str(number))
    first = ask(server, "GET", "/issues/7/comments")
    assert len(first.json()) == 30
    assert 'rel="next"' in first.headers["link"]
    assert "/repositories/" in first.headers["link"]
    last = ask(server, "GET", "/issues/7/comments?per_page=999&page=3")
    assert [one["body"] for one in last.json()] == [str(number) for number in range(199, 249)]
    assert 'rel="next"' not in last.headers["link"]
