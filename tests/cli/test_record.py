"""`tapegate record` on the command line: where it refuses, and the line of the workflow that `tapegate init` writes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Thread

import pytest
import yaml
from click.testing import CliRunner

from tapegate.cli.init import init
from tapegate.cli.record import record
from tapegate.cli.recording import PR_EVENTS, Recording, record_tasks
from tapegate.cli.starting import STARTER
from tapegate.errors import NotJudged, UsageError

ROOT = Path(__file__).parents[2]
FLAGS = list(product(["missing", "stale", "all", None], [None, "live", "scripted"], [None, "0", "100"]))


@pytest.mark.parametrize("event", sorted(PR_EVENTS))
def test_nothing_is_recorded_in_an_event_of_a_pull_request(event: str) -> None:
    """Whatever the flags, and before anything is read: no code of a stranger's reaches a provider."""
    for which, source, cap in FLAGS:
        words = Recording(("RET-01",), Path("/nowhere"), Path("evals"), which, source, 1, cap, quiet=True)
        with pytest.raises(UsageError, match="nothing is recorded in a") as caught:
            record_tasks(words, {"GITHUB_EVENT_NAME": event})
        assert caught.value.problems[0].code == "recording_in_pr"


@pytest.mark.parametrize(
    "event",
    ["pull_request", "pull_request_target", "pull_request_review", "issue_comment", "merge_group", "workflow_run"],
)
def test_every_event_that_a_stranger_can_bring_about_is_one(event: str) -> None:
    """A merge group holds a pull request's code, and a fork can start a workflow_run."""
    assert event in PR_EVENTS


@pytest.mark.parametrize("flags", [[], ["--missing", "--all"], ["--all", "--stale"], ["--missing", "--stale", "--all"]])
def test_one_thing_is_recorded_at_a_time(flags: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two flags none wins: a recording of everything costs what a recording of what is missing does not."""
    monkeypatch.delenv("GITHUB_EVENT_NAME", raising=False)
    with pytest.raises(UsageError, match="exactly one of --missing, --stale and --all"):
        CliRunner().invoke(record, flags, catch_exceptions=False)


class Provider(BaseHTTPRequestHandler):
    """Answers as a provider would, and bills a dollar and a half."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One completion."""
        self.rfile.read(int(self.headers["content-length"]))
        body = {
            "model": "gpt-4.1-2025-04-14",
            "choices": [{"message": {"role": "assistant", "content": "I answer."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 750_000, "completion_tokens": 10, "total_tokens": 750_010},
        }
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Nothing."""


AGENT = """
import json, os, urllib.request


def answer(input):
    body = {"model": "gpt-4.1-2025-04-14", "messages": [{"role": "user", "content": input}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    asked = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(asked) as response:
        return json.load(response)["choices"][0]["message"]["content"]
"""


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project as `tapegate init` writes it, its provider on this machine, with the default branch's beside it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = Thread(target=server.serve_forever)
    thread.start()
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "trusted").mkdir()
    for project in (tmp_path, tmp_path / "trusted"):
        assert CliRunner().invoke(init, ["--project", str(project)]).exit_code == 0
        config = project / "evals" / "tapegate.yaml"
        address = f"http://127.0.0.1:{server.server_port}/v1"
        config.write_text(config.read_text().replace("https://api.openai.com/v1", address))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-a-provider")
    yield tmp_path
    server.shutdown()
    thread.join()
    server.server_close()


def line() -> list[str]:
    """The words by which the workflow of `tapegate init` records for a pull request."""
    workflow = yaml.safe_load((STARTER / "workflows" / "tapegate-record.yml").read_text("utf-8"))
    (run,) = [step["run"] for step in workflow["jobs"]["record"]["steps"] if step.get("id") == "record"]
    tapegate, command, *words = shlex.split(run)
    assert (tapegate, command) == ("tapegate", "record")
    return ["1.00" if word == "$CAP_USD" else word for word in words]


def test_the_workflow_of_init_records_from_a_provider_under_its_cap(begun: Path) -> None:
    """The prices are pinned from the start; where the cap ends it, what was recorded before stays."""
    second = begun / "evals" / "first" / "FIRST-02@main.yaml"
    second.write_text((begun / "evals" / "first" / "FIRST-01@main.yaml").read_text().replace("FIRST-01", "FIRST-02"))
    done = CliRunner().invoke(record, line())
    assert isinstance(done.exception, NotJudged), done.output
    assert "FIRST-02@main was not recorded: $1.50" in str(done.exception)
    assert "recorded FIRST-01@main, trial 1: 1 interactions from live" in done.output
    assert [path.name for path in (begun / "cassettes" / "first").iterdir()] == ["FIRST-01@main"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("127.0.0.1", "attacker.invalid", "`services` is not what 'trusted' declares, in 'model'"),
        ("OPENAI_API_KEY", "HOME", "`services` is not what 'trusted' declares, in 'model'"),
        (
            "services:",
            "sources: {mine: {kind: scripted, description: x, stand_ins: {model: {command: [mine]}}}}\nservices:",
            "`sources` is not what 'trusted' declares, in 'mine'",
        ),
    ],
)
def test_a_pull_request_does_not_say_where_the_key_goes(begun: Path, old: str, new: str, named: str) -> None:
    """Its services and sources are those of the default branch, or nothing is recorded."""
    config = begun / "evals" / "tapegate.yaml"
    config.write_text(config.read_text().replace(old, new).replace("http://attacker", "https://attacker"))
    done = CliRunner().invoke(record, line())
    assert isinstance(done.exception, UsageError), done.output
    assert named in str(done.exception)
    assert not (begun / "cassettes").exists()
