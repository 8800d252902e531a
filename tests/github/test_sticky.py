"""The one comment of a suite on a pull request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import said

from tapegate.errors import GitHubError
from tapegate.github.client import Client
from tapegate.github.marker import Marker
from tapegate.github.sticky import Put, StickyComment

OLD, HEAD, NEW = "a" * 40, "b" * 40, "c" * 40
BOT = "github-actions[bot]"
Connect = Callable[..., Client]
Sticky = Callable[..., StickyComment]


@pytest.fixture(autouse=True)
def pull(server: GitHubServer) -> None:
    """There is a pull request at HEAD."""
    server.pull(7, HEAD)


@pytest.fixture
def sticky(connect: Connect) -> Sticky:
    """Makes the comment of one run."""

    def made(
        head: str = HEAD, run: int = 10, attempt: int = 1, suite: str = "gate", client: Any = None
    ) -> StickyComment:
        return StickyComment(client or connect(pull_requests="write"), 7, Marker(suite, head, run, attempt))

    return made


def body(text: str, head: str = HEAD, run: int = 10, suite: str = "gate") -> str:
    """A comment as a run writes it."""
    return f"{Marker(suite, head, run).line()}\n{text}"


def together(runs: list[StickyComment]) -> None:
    """All at once, until the last is through."""
    threads = [threading.Thread(target=each.put, args=(f"by {each._marker.run}",)) for each in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def writes(server: GitHubServer) -> int:
    """How often anything was changed."""
    return sum(server.asked(method, "/issues/") for method in ("POST", "PATCH", "DELETE"))


def test_it_is_made_once_and_then_kept_up_to_date(server: GitHubServer, sticky: Sticky) -> None:
    """However often a pull request is pushed to, it has one."""
    made = sticky().put("first")
    assert made.state == "created"
    assert made.url.endswith(f"/pull/7#issuecomment-{min(server.repository.comments)}")
    assert server.bodies == [body("first")]
    server.repository.pulls[7].head_sha = NEW
    assert sticky(NEW, 11).put("second") == Put("updated", made.url)
    assert server.bodies == [body("second", NEW, 11)]


def test_the_same_again_changes_nothing(server: GitHubServer, sticky: Sticky) -> None:
    """A re-run that says the same of the same commit writes nothing, so that nobody is told of it."""
    made = sticky().put("text")
    before = writes(server)
    assert sticky(run=10, attempt=2).put("text") == Put("unchanged", made.url)
    assert sticky(run=11).put("text") == Put("unchanged", made.url)
    assert writes(server) == before


def test_line_ends_and_space_at_the_end_are_no_change(server: GitHubServer, sticky: Sticky) -> None:
    """GitHub's own page stores CRLF and drops what trails."""
    server.comment(7, BOT, body("one\ntwo").replace("\n", "\r\n"))
    assert sticky().put("one\ntwo\n\n").state == "unchanged"


def test_a_new_commit_moves_the_marker(server: GitHubServer, sticky: Sticky) -> None:
    """Also under the same text: an older run could not be told from the newest otherwise."""
    server.comment(7, BOT, body("text", OLD, 9))
    assert sticky().put("text").state == "updated"
    assert server.bodies == [body("text")]


def test_an_older_commits_run_leaves_it(server: GitHubServer, sticky: Sticky) -> None:
    """Whether the newer one has commented yet or not; a re-run of the old one with a new attempt too."""
    assert sticky(OLD, 9).put("old").state == "outdated"
    assert server.bodies == []
    made = sticky().put("new")
    assert sticky(OLD, 9, 2).put("old") == Put("outdated", made.url)
    assert sticky(OLD, 99).put("old") == Put("outdated", made.url)
    assert server.bodies == [body("new")]


def test_of_two_runs_of_a_commit_the_later_has_the_word(server: GitHubServer, sticky: Sticky) -> None:
    """In whatever order they end."""
    made = sticky(run=12).put("later")
    assert sticky(run=11).put("earlier") == Put("outdated", made.url)
    assert sticky(run=12, attempt=2).put("again") == Put("updated", made.url)
    assert server.bodies == [f"{Marker('gate', HEAD, 12, 2).line()}\nagain"]


def test_a_commit_that_was_taken_back_leaves_the_word_to_the_newest(server: GitHubServer, sticky: Sticky) -> None:
    """After a force push to an earlier commit, the earlier commit's run has it."""
    server.comment(7, BOT, body("gone", NEW, 11))
    assert sticky(run=10, attempt=2).put("back").state == "updated"


def test_a_push_while_a_run_waits_makes_it_outdated(server: GitHubServer, sticky: Sticky, connect: Connect) -> None:
    """It looks again before it writes after a pause."""
    comment = server.comment(7, BOT, body("older", OLD, 9))

    def pushed() -> None:
        server.repository.pulls[7].head_sha = NEW
        comment.body = body("newest", NEW, 11)

    server.fault("PATCH", "", said(429, "", retry_after="30"))
    client = connect(pull_requests="write")
    client._patience._sleep = lambda seconds: pushed()
    assert sticky(client=client).put("mine").state == "outdated"
    assert server.bodies == [body("newest", NEW, 11)]


def test_it_is_found_past_250_others(server: GitHubServer, sticky: Sticky) -> None:
    """On any page."""
    for number in range(260):
        server.comment(7, "octocat", f"comment {number}")
    ours = server.comment(7, BOT, body("old", OLD, 9))
    assert sticky().put("new").state == "updated"
    assert server.repository.comments[ours.id].body == body("new")
    assert len(server.bodies) == 261


@pytest.mark.parametrize("login", ["octocat", None, "evil[bot]", "github-actions"])
def test_a_strangers_marker_is_not_ours(login: str | None, server: GitHubServer, sticky: Sticky) -> None:
    """Whoever copies the first line of our comment owns that comment still."""
    theirs = server.comment(7, login, body("mine now", HEAD, 10**17))
    assert sticky().put("text").state == "created"
    assert server.repository.comments[theirs.id].body == body("mine now", HEAD, 10**17)


def test_a_marker_further_down_is_text(server: GitHubServer, sticky: Sticky) -> None:
    """Even in a comment of our own."""
    other = server.comment(7, BOT, f"quoted:\n{body('x')}")
    assert sticky().put("text").state == "created"
    assert server.repository.comments[other.id].body.startswith("quoted:")


def test_each_suite_has_its_own(server: GitHubServer, sticky: Sticky) -> None:
    """Two gates of one repository never write over each other."""
    hostile = "--> @everyone ${{ github.token }} $(id) `id`\n::set-env name=x::y ##[error]"
    for suite in ("gate", "gate 2", hostile):
        assert sticky(suite=suite).put(suite).state == "created"
    for suite in ("gate", "gate 2", hostile):
        assert sticky(suite=suite).put("again").state == "updated"
    assert len(server.bodies) == 3
    assert all(each.partition("\n")[0].count("-->") == 1 for each in server.bodies)
    assert "@everyone" not in server.bodies[2]


def test_a_comment_that_is_not_wanted_is_not_made(server: GitHubServer, sticky: Sticky) -> None:
    """But one that is there says what is true now."""
    assert sticky().put("text", create=False) == Put("none")
    assert server.bodies == []
    server.comment(7, BOT, body("old", OLD, 9))
    assert sticky().put("text", create=False).state == "updated"


def test_duplicates_become_one(server: GitHubServer, sticky: Sticky) -> None:
    """The oldest stays, and a newer run's word in any of them counts."""
    first = server.comment(7, BOT, body("one", OLD, 8))
    server.comment(7, "octocat", "in between")
    server.comment(7, BOT, body("two", OLD, 9))
    assert sticky().put("text").state == "updated"
    assert server.bodies == [body("text"), "in between"]
    server.comment(7, BOT, body("later", HEAD, 20))
    assert sticky().put("text").state == "outdated"
    assert first.id == min(server.repository.comments)


def test_two_runs_that_make_one_at_once_leave_one(server: GitHubServer, connect: Connect) -> None:
    """With what the later run says, whichever of them GitHub heard first."""
    connect(pull_requests="write")
    for first, second in ((10, 11), (11, 10)):
        server.repository.comments.clear()
        both = threading.Barrier(2)
        server._faults.clear()
        server.fault("POST", "/issues/7/comments", both.wait, both.wait)  # type: ignore[arg-type]
        runs = [StickyComment(connect(), 7, Marker("gate", HEAD, run)) for run in (first, second)]
        together(runs)
        assert server.bodies == [body("by 11", HEAD, 11)]


def test_many_runs_at_once_leave_one_comment_of_the_newest_commit(server: GitHubServer, connect: Connect) -> None:
    """Eight runs of four commits, in no order, with answers that take their time. Which of two runs of one commit was
    written last is GitHub's to say; the next word of the later one sets it right."""
    connect(pull_requests="write")
    server.repository.pulls[7].head_sha = f"{3:040x}"
    server.fault("GET", "/comments", *[0.01] * 12)
    runs = [StickyComment(connect(), 7, Marker("gate", f"{run // 2:040x}", run)) for run in (5, 2, 7, 0, 6, 3, 1, 4)]
    together(runs)
    assert server.bodies == [body("by 7", f"{3:040x}", 7)] or server.bodies == [body("by 6", f"{3:040x}", 6)]
    StickyComment(connect(), 7, Marker("gate", f"{3:040x}", 7)).put("by 7")
    assert server.bodies == [body("by 7", f"{3:040x}", 7)]


def test_one_that_somebody_deletes_is_made_again(server: GitHubServer, sticky: Sticky) -> None:
    """Also when it goes between looking and writing."""
    ours = server.comment(7, BOT, body("old", OLD, 9))
    server.fault("PATCH", "", lambda: server.repository.comments.pop(ours.id))  # type: ignore[arg-type, return-value]
    assert sticky().put("text").state == "created"
    assert server.bodies == [body("text")]


def test_one_that_was_made_although_the_answer_was_lost_is_not_made_twice(server: GitHubServer, sticky: Sticky) -> None:
    """A 502 after the work was done, which GitHub has."""

    def done() -> None:
        server.comment(7, BOT, body("text"))

    server.fault("GET", "/issues/7/comments", 0.0, done)
    server.fault("POST", "/issues/7/comments", said(502, ""))
    assert sticky().put("text").state == "created"
    assert server.bodies == [body("text")]
    assert server.asked("POST", "/issues/") == 1


def test_one_that_was_not_made_is_asked_for_again(server: GitHubServer, sticky: Sticky) -> None:
    """A 502 before the work was done."""
    server.fault("POST", "/issues/7/comments", said(502, ""))
    assert sticky().put("text").state == "created"
    assert server.bodies == [body("text")]


@pytest.mark.parametrize(
    ("rights", "status"), [({"pull_requests": "read"}, 403), ({}, 403), ({"issues": "read", "contents": "write"}, 403)]
)
def test_a_token_that_may_only_read_is_told_so(
    rights: dict[str, str], status: int, server: GitHubServer, connect: Connect
) -> None:
    """As a fork's is: once, with what to do, and no second try."""
    with pytest.raises(GitHubError) as error:
        StickyComment(connect(**rights), 7, Marker("gate", HEAD, 10)).put("text")
    assert error.value.status == status
    assert "tapegate init --github" in str(error.value.problems[0].fix)
    assert server.asked("POST", "/issues/") == 1
    assert server.bodies == []


@pytest.mark.parametrize("right", ["issues", "pull_requests"])
def test_either_right_is_enough(right: str, server: GitHubServer, connect: Connect) -> None:
    """A pull request's comments are those of an issue."""
    put = StickyComment(connect(**{right: "write"}), 7, Marker("gate", HEAD, 10)).put("text")
    assert put.state == "created"


@pytest.mark.parametrize("status", [404, 410])
def test_a_pull_request_that_is_gone_is_looked_for_once_more(status: int, server: GitHubServer, sticky: Sticky) -> None:
    """Then it is an error."""
    server.fault("GET", "/comments", said(status, "gone"))
    assert sticky().put("text").state == "created"
    server.fault("GET", "/comments", said(status, "gone"), said(status, "gone"))
    with pytest.raises(GitHubError):
        sticky().put("other")


def test_a_head_that_may_not_be_read_leaves_the_order_of_the_runs(server: GitHubServer, sticky: Sticky) -> None:
    """With `issues: write` alone in a private repository, the later run has the word."""
    server.comment(7, BOT, body("new", NEW, 11))
    server.fault("GET", "/pulls/7", said(403, "Resource not accessible by integration"))
    assert sticky(run=10).put("old").state == "outdated"
    server.fault("GET", "/pulls/7", said(403, "Resource not accessible by integration"))
    assert sticky(run=12).put("newest").state == "updated"


def test_an_app_writes_under_its_own_name(server: GitHubServer, connect: Connect) -> None:
    """And takes no comment of the workflow's for its own."""
    server.comment(7, BOT, body("by the workflow", OLD, 9))
    server.token("ghs_app", login="tapegate[bot]", default=False, pull_requests="write")
    for text in ("one", "two"):
        StickyComment(connect("ghs_app"), 7, Marker("gate", HEAD, 10)).put(text)
    assert server.bodies == [body("by the workflow", OLD, 9), body("two")]


def test_without_an_answer_who_we_are_it_is_the_workflow(server: GitHubServer, sticky: Sticky) -> None:
    """GraphQL may be out of reach where REST is not."""
    server.comment(7, BOT, body("old", OLD, 9))
    server.fault("POST", "/graphql", said(403, "Resource not accessible by integration"))
    assert sticky().put("text").state == "updated"
    server.fault("POST", "/graphql", said(502, ""))
    assert sticky().put("more").state == "updated"
    server.fault("POST", "/graphql", *[said(502, "")] * 3)
    with pytest.raises(GitHubError):
        sticky().put("most")
    assert server.bodies == [body("more")]


def test_an_answer_that_is_not_githubs_is_an_error(server: GitHubServer, sticky: Sticky) -> None:
    """Types are what they should be; more fields are fine."""
    for wrong in (b'[{"id": "7"}]', b'[{"id": 7, "body": 5}]', b"{}", b"[7]", b'[{"id": 7, "user": {"login": true}}]'):
        server.fault("GET", "/comments", (200, {}, wrong))
        with pytest.raises(GitHubError, match="is not GitHub's"):
            sticky().put("text")
