"""The retriever: what the critic lets through, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paperdesk.rag import retriever

if TYPE_CHECKING:
    from tests.paperdesk.conftest import Watched

QUERY = "How much cooler are moss shelters than bare ones in the evening?"


@pytest.mark.parametrize("seed", [42, 45])
def test_find(as_json: Callable[..., dict[str, Any]], seed: int) -> None:
    """The passage that answers comes first, with a link to its paper; all that is kept reaches the threshold."""
    found = as_json(retriever.find, QUERY, seed=seed)
    assert "3.6 degrees" in found["passages"][0]["text"]
    assert found["passages"][0]["url"] == "/paper/p-moss-02"
    scores = [passage["score"] for passage in found["passages"]]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= found["threshold"] == 5
    assert found["dropped"]
    assert max(one["score"] for one in found["dropped"]) < 5


def test_the_threshold_is_inclusive(as_json: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every passage stands on its side of the threshold, whichever it is, and none gets lost."""
    judged = set()
    for threshold in range(11):
        monkeypatch.setenv("PAPERDESK_CRITIC_THRESHOLD", str(threshold))
        found = as_json(retriever.find, QUERY, seed=44)
        assert all(passage["score"] >= threshold for passage in found["passages"])
        assert all(one["score"] < threshold for one in found["dropped"])
        judged.add(tuple((one["id"], one["score"]) for one in found["passages"] + found["dropped"]))
    (scores,) = judged
    assert {5, 8} <= {score for _, score in scores}


def test_nothing_good_enough_is_nothing(as_json: Callable[..., dict[str, Any]]) -> None:
    """Where no passage is good enough none is kept, however few there are."""
    found = as_json(retriever.find, "Which winter cost of the harbour, of saffron and lighthouse gravel balloons?")
    assert found["passages"] == []
    assert found["dropped"]


def test_nothing_found_asks_no_model(as_json: Callable[..., dict[str, Any]], model: Watched) -> None:
    """A query that no paper shares a word with has no passages, and costs no request."""
    assert as_json(retriever.find, "zzz qqq") == {"query": "zzz qqq", "threshold": 5, "passages": [], "dropped": []}
    assert model.requests == []


def test_private_notes_are_no_passages(as_json: Callable[..., dict[str, Any]], library_path: Path) -> None:
    """A reader's note is never a passage."""
    found = as_json(retriever.find, "What is the shelf mark HB-2231 of the reader's note?")
    assert "HB-2231" not in str(found["passages"])
