"""The gateway for an agent that somebody starts by hand."""

from __future__ import annotations

import httpx
import pytest

from tapegate.errors import NotJudged, Stale
from tapegate.run.by_hand import keep, recording, replaying
from tapegate.run.source import ready
from tapegate.tape.store import load


def ask(environment, text: str, path: str = "/chat") -> httpx.Response:
    """One request, as an agent would send it that was started with `environment`."""
    with httpx.Client(trust_env=False) as client:
        headers = {"authorization": f"Bearer {environment['MODEL_KEY']}"}
        return client.post(environment["MODEL_URL"] + path, json={"q": text}, headers=headers)


def record(kit, *questions: str, answer: bytes = b"said") -> int:
    """Record what an agent asks that somebody starts by hand."""
    suite = kit.suite()
    task = suite.task("T-1@A1")
    with ready(suite, "live") as source:
        with recording(suite, task, source) as (environment, recorder):
            assert environment["MODEL_KEY"] == "REDACTED_MODEL_KEY"
            for question in questions:
                assert ask(environment, question).status_code == 200
        return keep(suite, task, source, recorder, number=1, answer=answer)


def test_what_is_recorded_by_hand_is_replayed_by_hand(kit, provider, key):
    """The provider gets the real key, the agent a mark; the recording says nothing of times that nobody took."""
    assert record(kit, "hello", "world") == 2
    assert [headers["authorization"] for _, headers, _ in provider.asked] == [f"Bearer {key}"] * 2
    made = load(kit.root, "s", "T-1@A1", 1).cassette
    assert (made.stream.body, made.timed) == (b"said", False)
    assert key.encode() not in b"".join(kit.recordings().values())
    suite = kit.suite()
    with replaying(suite, suite.task("T-1@A1"), 1) as served:
        assert ask(served.environment, "world").json()["a"] == "WORLD"
        assert [one.index for one in served.account().unplayed] == [0]
        assert ask(served.environment, "hello").json()["a"] == "HELLO"
        assert served.account().complete
        assert ask(served.environment, "hello").status_code == 424
    assert len(served.account().misses) == 1


def test_nothing_recorded_is_nothing_written(kit):
    """An agent that used none of the variables is no recording without requests."""
    with pytest.raises(NotJudged, match="no request of the agent came through"):
        record(kit)
    assert kit.recordings() == {}


def test_what_goes_around_the_gateway_is_refused_on_the_account(kit):
    """Proxy variables lead to the gateway, which connects to nothing."""
    record(kit, "hello")
    suite = kit.suite()
    with replaying(suite, suite.task("T-1@A1"), 1) as served:
        with httpx.Client(proxy=served.environment["HTTP_PROXY"], trust_env=False) as client:
            assert client.get("http://api.example.com/x").status_code == 403
        assert [one.address for one in served.account().network] == ["api.example.com:80"]


def test_without_a_recording_nothing_is_served(kit):
    """As in a run: the command that records it is named."""
    suite = kit.suite()
    with pytest.raises(Stale, match="T-1@A1"), replaying(suite, suite.task("T-1@A1"), 1):
        pass
