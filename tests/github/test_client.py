"""The client, against a GitHub of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import gave, said

from tapegate.errors import GitHubError, UsageError
from tapegate.github.client import Client, Outdated
from tapegate.github.place import Place

HEAD = "a" * 40
Connect = Callable[..., Client]
BODY = {"body": "hello"}
COMMENTS = "/issues/7/comments"


@pytest.fixture(autouse=True)
def pull(server: GitHubServer) -> None:
    """There is a pull request."""
    server.pull(7, HEAD)


def code(error: pytest.ExceptionInfo[GitHubError]) -> str:
    """Of its only problem."""
    return error.value.problems[0].code


def test_a_list_is_read_over_all_its_pages(server: GitHubServer, connect: Connect) -> None:
    """Past 250 entries, a hundred at a time, as the answers say where they go on."""
    for number in range(251):
        server.comment(7, "octocat", f"comment {number}")
    found = [one["body"] for one in connect().pages(COMMENTS)]
    assert found == [f"comment {number}" for number in range(251)]
    assert server.asked("GET", COMMENTS) == 3


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/repos/octo/library/issues/7/comments?page=2",
        "//evil.example/",
        "https://127.0.0.1/x",
        "http://[bad/x",
    ],
)
def test_a_next_page_elsewhere_is_refused(onward: str, server: GitHubServer, connect: Connect) -> None:
    """The token follows no address out of the API."""
    server.fault("GET", COMMENTS, gave([], link=f'<{onward}>; rel="next"'))
    with pytest.raises(GitHubError) as error:
        list(connect().pages(COMMENTS))
    assert code(error) == "garbled"


def test_pages_without_an_end_are_refused(server: GitHubServer, connect: Connect, monkeypatch: Any) -> None:
    """A list that leads back to itself is left, never followed for ever."""
    monkeypatch.setattr("tapegate.github.client.MOST_PAGES", 3)
    again = gave([1], link=f'<{server.url}/api/v3/repos/octo/library/issues/7/comments>; rel="next"')
    server.fault("GET", COMMENTS, *[again] * 9)
    with pytest.raises(GitHubError) as error:
        list(connect().pages(COMMENTS))
    assert code(error) == "garbled"
    assert server.asked("GET", COMMENTS) == 3


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (said(401, "Bad credentials"), "bad_token"),
        (said(403, "Resource not accessible by integration"), "forbidden"),
        (said(404, "Not Found"), "not_found"),
        (said(410, "This issue was deleted"), "gone"),
        (said(422, "Validation Failed"), "not_valid"),
        (said(418, "teapot"), "unexpected"),
        ((400, {}, b"<html>"), "unexpected"),
        ((400, {}, b'{"message": 7}'), "unexpected"),
        ((200, {}, b"<html>"), "garbled"),
        ((301, {}, b""), "unexpected"),
    ],
)
def test_a_refusal_is_told_and_not_asked_again(
    answer: Any, expected: str, server: GitHubServer, connect: Connect
) -> None:
    """What GitHub said, its status, and what to do about it."""
    server.fault("POST", COMMENTS, answer)
    with pytest.raises(GitHubError) as error:
        connect().post(COMMENTS, BODY)
    assert code(error) == expected
    assert error.value.problems[0].fix
    assert not error.value.unsure
    assert server.asked("POST") == 1


@pytest.mark.parametrize(
    ("headers", "waited"),
    [({"retry-after": "7"}, 7), ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000042"}, 42), ({}, 60)],
)
@pytest.mark.parametrize("status", [403, 429])
def test_a_limit_is_waited_for(
    status: int, headers: dict[str, str], waited: int, server: GitHubServer, connect: Connect, clock: Any
) -> None:
    """As long as GitHub says; then the request is made, once."""
    server.fault("POST", COMMENTS, said(status, "You have exceeded a secondary rate limit", **headers))
    connect(pull_requests="write").post(COMMENTS, BODY)
    assert clock.slept == [waited]
    assert server.bodies == ["hello"]


@pytest.mark.parametrize(
    "headers", [{"retry-after": "121"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1900000000"}]
)
def test_a_limit_beyond_the_budget_is_not_waited_for(
    headers: dict[str, str], server: GitHubServer, connect: Connect, clock: Any
) -> None:
    """It fails at once, and says that the limit is why."""
    server.fault("GET", COMMENTS, said(429, "slow down", **headers))
    with pytest.raises(GitHubError) as error:
        connect().get(COMMENTS)
    assert code(error) == "rate_limited"
    assert clock.slept == []


def test_three_tries_are_all(server: GitHubServer, connect: Connect, clock: Any) -> None:
    """However short the pauses that are asked for."""
    server.fault("GET", COMMENTS, *[said(429, "slow down", retry_after="1")] * 9)
    with pytest.raises(GitHubError) as error:
        connect().get(COMMENTS)
    assert code(error) == "rate_limited"
    assert clock.slept == [1, 1]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_fault_of_github_is_sat_out(status: int, server: GitHubServer, connect: Connect, clock: Any) -> None:
    """Twice, a little longer each time; what only reads or sets may be asked again."""
    server.fault("GET", COMMENTS, said(status, ""), (status, {}, b"<html>"))
    assert connect().get(COMMENTS) == []
    assert clock.slept == [1, 2]
    server.fault("GET", COMMENTS, *[said(status, "unicorn")] * 3)
    with pytest.raises(GitHubError) as error:
        connect().get(COMMENTS)
    assert code(error) == "github_down"


def test_what_may_have_been_made_is_not_made_again(server: GitHubServer, connect: Connect, clock: Any) -> None:
    """A POST that ended in a fault may have worked: the caller looks before it asks again."""
    server.fault("POST", COMMENTS, said(502, ""))
    with pytest.raises(GitHubError) as error:
        connect(pull_requests="write").post(COMMENTS, BODY)
    assert error.value.unsure
    assert server.asked("POST") == 1
    assert clock.slept == []


def test_what_became_pointless_is_not_asked_again(server: GitHubServer, connect: Connect) -> None:
    """After a wait, and only then, it is asked whether it is still to be done."""
    comment = server.comment(7, "github-actions[bot]", "old")
    server.fault("PATCH", "", said(429, "", retry_after="5"))
    with pytest.raises(Outdated):
        connect(pull_requests="write").patch(f"/issues/comments/{comment.id}", BODY, lambda: False)
    assert server.bodies == ["old"]


def test_a_server_that_is_not_there(clock: Any, connect: Connect, server: GitHubServer) -> None:
    """It is tried again, and then said."""
    client = connect()
    place = Place("octo/library", api="http://127.0.0.1:9", graphql="http://127.0.0.1:9", server="http://127.0.0.1:9")
    object.__setattr__(client, "place", place)
    with pytest.raises(GitHubError) as error:
        client.get("/pulls/7")
    assert code(error) == "unreachable"
    assert len(clock.slept) == 2


def test_an_answer_is_bounded(server: GitHubServer, connect: Connect, monkeypatch: Any) -> None:
    """What never ends is left."""
    monkeypatch.setattr("tapegate.github.client.MOST_BYTES", 1000)
    server.fault("GET", "/pulls/7", gave("x" * 2000), gave("x" * 2000), gave("x" * 2000))
    client = connect()
    with pytest.raises(GitHubError, match="more than 1,000 bytes"):
        client._asked("GET", client._url("/pulls/7"), most_bytes=1000)


def test_the_time_for_asking_ends(server: GitHubServer, connect: Connect, clock: Any) -> None:
    """When the budget is spent, nothing more is asked."""
    client = connect()
    clock.now += 200
    with pytest.raises(GitHubError, match="time for asking GitHub is spent"):
        client.get("/pulls/7")
    assert server.requests == []


def test_a_slow_answer_is_waited_for(server: GitHubServer, connect: Connect) -> None:
    """Latency alone is no fault."""
    server.fault("GET", "/pulls/7", 0.2)
    assert connect().get("/pulls/7")["number"] == 7


def test_the_token_goes_to_the_api_alone(server: GitHubServer, connect: Connect) -> None:
    """An artifact's bytes are on other storage, which must not have it."""
    artifact = server.artifact(server.run(HEAD), b"zip")
    client = connect(actions="read")
    assert client.download(f"/actions/artifacts/{artifact.id}/zip", 1000) == b"zip"
    assert [headers.get("authorization") for headers in server.headers] == ["Bearer ghs_default", None]


def test_redirections_end(server: GitHubServer, connect: Connect) -> None:
    """A circle of them is an error, and nothing that writes is sent to another server."""
    server.fault("GET", "/pulls/7", *[(302, {"location": "/api/v3/repos/octo/library/pulls/7"}, b"")] * 30)
    with pytest.raises(GitHubError, match="more than 5 times"):
        connect().get("/pulls/7")
    server.fault("POST", COMMENTS, (307, {"location": "http://localhost:9/"}, b""))
    with pytest.raises(GitHubError, match="another server"):
        connect().post(COMMENTS, BODY)


def test_the_token_stands_in_no_message(server: GitHubServer, connect: Connect) -> None:
    """Not even where a server sends it back."""
    server.fault("GET", "/pulls/7", said(422, "no ghs_default here\n::error::x \u202e"))
    with pytest.raises(GitHubError) as error:
        connect().get("/pulls/7")
    assert "ghs_default" not in str(error.value) + repr(error.value)
    assert "no *** here ::error::x" in str(error.value)
    assert "\n::error" not in str(error.value)


@pytest.mark.parametrize("token", ["", " ", "two words", "a\r\nX-Evil: 1", "tökén", "\x00"])
def test_what_is_no_token_is_refused_unread(token: str) -> None:
    """It would become a header; the message does not show it."""
    with pytest.raises(UsageError) as error:
        Client(Place("octo/library"), token)
    assert error.value.problems[0].code == "no_token"
    assert not token.strip() or token not in str(error.value)


@pytest.mark.parametrize(
    "address",
    [
        "http://ghe.example",
        "ftp://x",
        "https://u:p@x.example",
        "https://",
        "https://x y",
        "https://x/?q=1",
        "x",
        "https://x:99999",
    ],
)
def test_a_token_is_sent_to_no_such_address(address: str) -> None:
    """Neither in the clear nor where nobody is."""
    with pytest.raises(UsageError) as error:
        Place.of({"GITHUB_REPOSITORY": "octo/library", "GITHUB_API_URL": address})
    assert error.value.problems[0].code == "bad_address"


@pytest.mark.parametrize("name", ["", "octo", "octo/library/x", "../../x", "octo/li brary", "octo/..", "o\n/x"])
def test_a_repository_has_an_owner_and_a_name(name: str) -> None:
    """They become part of an address."""
    with pytest.raises(UsageError) as error:
        Place.of({"GITHUB_REPOSITORY": name})
    assert error.value.problems[0].code == "no_repository"


def test_an_enterprise_server_has_addresses_of_its_own() -> None:
    """As its runner says them; github.com's are the default."""
    named = {
        "GITHUB_REPOSITORY": "octo/library",
        "GITHUB_API_URL": "https://ghe.example/api/v3/",
        "GITHUB_GRAPHQL_URL": "https://ghe.example/api/graphql",
        "GITHUB_SERVER_URL": "https://ghe.example",
    }
    place = Place.of(named)
    assert place.api == "https://ghe.example/api/v3"
    assert place.graphql == "https://ghe.example/api/graphql"
    assert place.server == "https://ghe.example"
    assert Place.of({"GITHUB_REPOSITORY": "octo/library"}).api == "https://api.github.com"


def test_whom_the_token_speaks_for(server: GitHubServer, connect: Connect) -> None:
    """A workflow's own, an App's or a person's."""
    assert connect().login() == "github-actions[bot]"
    server.token("ghs_app", login="tapegate[bot]", default=False)
    assert connect("ghs_app").login() == "tapegate[bot]"
