"""What a runner hands on as an event, whoever wrote what stands in it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.cli.commenting import Commenting, comment_on
from tapegate.errors import GitHubError
from tapegate.github.claim import claimed, leave
from tapegate.github.event import Event
from tapegate.github.reply import Artifact, Comment, CommitOf, Pull, WorkflowRun
from tapegate.github.untrusted import Untrusted

HEAD = "a" * 40
NAMES = st.sampled_from(
    ["workflow_run", "pull_request", "number", "head", "sha", "id", "event", "head_sha", "head_repository", "full_name"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.just(HEAD)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=6)
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the event stands."""
    return tmp_path_factory.mktemp("event") / "event.json"


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, st.sampled_from(["pull_request", "workflow_run", "merge_group", "push"]))
def test_any_event_is_read(file: Path, payload: Any, name: str) -> None:
    """A field that is not as GitHub writes it is not there; a number is one, and a commit is one."""
    file.write_text(json.dumps({name: payload} if isinstance(payload, dict) else payload))
    event = Event.of({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "GITHUB_SHA": HEAD})
    assert event.number is None or (type(event.number) is int and event.number > 0)
    assert event.head in ("", HEAD)
    assert event.group_base in ("", HEAD)
    assert isinstance(event.from_fork, bool)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, st.sampled_from(["pull_request", "workflow_run"]))
def test_no_event_makes_the_comment_fail_its_step(
    file: Path, capsys: pytest.CaptureFixture[str], payload: Any, name: str
) -> None:
    """It ends with 0, with one line, and no line is a command but our notice."""
    file.write_text(json.dumps({name: payload}))
    environ = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": "octo/library"}
    environ |= {"GITHUB_API_URL": "http://127.0.0.1:9", "GITHUB_TOKEN": ""}
    capsys.readouterr()
    assert comment_on(Commenting(None, "evals", None, "auto"), environ) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) == 1
    assert shown.startswith(("comment: none", "::notice title=Tapegate has no comment to show::"))


@settings(max_examples=150)
@given(JSON)
def test_an_answer_is_what_it_should_be_or_an_error_of_ours(document: Any) -> None:
    """Every kind that is read of GitHub's API, whatever came."""
    for kind in (WorkflowRun, Pull, Comment, Artifact, CommitOf):
        with suppress(GitHubError):
            kind.of(document, "GET /x")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | LEAVES.map(lambda value: json.dumps({"number": value}).encode()))
def test_any_claim_is_a_number_or_none(tmp_path: Path, raw: bytes) -> None:
    """Of a size that a pull request's number may have."""
    (tmp_path / "pull-request.json").write_bytes(raw)
    found = claimed(Untrusted.at(tmp_path))
    assert found is None or (type(found) is int and 0 < found < 2**31)


def test_a_claim_comes_back(tmp_path: Path) -> None:
    """What a gate leaves is what is read."""
    assert claimed(Untrusted.at(tmp_path)) is None
    leave(tmp_path, 7)
    assert claimed(Untrusted.at(tmp_path)) == 7
