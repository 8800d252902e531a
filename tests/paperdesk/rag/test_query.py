"""Queries of the graph: four modes, one shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paperdesk.provider import Provider as ModelProvider
from paperdesk.rag import embedder, query
from paperdesk.rag.modes import CONTEXTS, MODES
from paperdesk.rag.response import Response
from paperdesk.scripted_model.embedding import EMBEDDER

if TYPE_CHECKING:
    from tests.paperdesk.conftest import Ask, Heard, Provider, Serve, Watched

COOLER = "How much cooler are moss shelters than bare ones between 20:00 and 23:00?"
KEYS = set(Response("naive", "x").shown())


def shape(response: dict[str, Any]) -> None:
    """Holds a response to the one shape, whatever else is in it."""
    assert set(response) - {"type"} == KEYS
    assert isinstance(response["answer"], str)
    assert all(set(one) == {"id", "title", "url"} for one in response["citations"])
    assert all(set(one) == {"id", "paper_id", "title", "text", "score"} for one in response["contexts"])
    assert all(isinstance(topic, str) for topic in response["topics"])
    assert set(response["embedding"]) == {"model", "fallback"}
    assert response["error"] is None or set(response["error"]) == {"code", "message"}
    scores = [one["score"] for one in response["contexts"]]
    assert scores == sorted(scores, reverse=True) or response["mode"] == "global"
    assert {one["id"] for one in response["citations"]} <= {one["paper_id"] for one in response["contexts"]}


@pytest.mark.parametrize("seed", [42, 43])
@pytest.mark.parametrize("mode", MODES)
def test_modes(as_json: Callable[..., dict[str, Any]], mode: str, seed: int) -> None:
    """Every mode answers in the same shape, from passages of the library, with links to their papers."""
    response = as_json(query.respond, f"{mode}: {COOLER}", seed=seed)
    shape(response)
    assert (response["mode"], response["query"], response["error"]) == (mode, COOLER, None)
    assert 0 < len(response["contexts"]) <= CONTEXTS
    assert response["topics"]
    assert response["citations"] == [
        {"id": "p-moss-02", "title": "Moss Walls as Night Coolers for Bus Shelters", "url": "/paper/p-moss-02"}
    ]
    if mode != "global":
        assert "3.6 degrees" in response["answer"]


def test_modes_look_in_different_places(as_json: Callable[..., dict[str, Any]]) -> None:
    """`local` keeps to the papers that the question leads to, `global` looks into several themes."""
    found = {mode: as_json(query.respond, COOLER, mode)["contexts"] for mode in MODES}
    papers = {mode: {one["paper_id"] for one in contexts} for mode, contexts in found.items()}
    assert papers["local"] < papers["global"]
    ids = {mode: {one["id"] for one in contexts} for mode, contexts in found.items()}
    assert ids["hybrid"] <= ids["naive"] | ids["local"] | ids["global"]
    assert ids["hybrid"] != ids["global"] != ids["naive"]


def test_the_stream(ask: Ask, hear: Callable[[Iterable[str]], Heard]) -> None:
    """As a stream: retrieval first, the answer piece by piece, the whole response before the finish."""
    heard = hear(query.ask(COOLER))
    assert heard.tools == ["retrieve"]
    assert len(heard.frames("0")) > 3
    response = heard.frames("data")[-2]
    shape(response)
    assert response["type"] == "response"
    assert response["answer"] == heard.text
    assert [one["id"] for one in response["contexts"]] == heard.results[0]["content"]["contexts"]
    assert heard.finish == {"type": "finish", "reason": "stop"}


def test_with_an_embedding_model(
    as_json: Callable[..., dict[str, Any]], model: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an embedding model the vectors are its; asked again, only the new question is embedded."""
    monkeypatch.setenv("PAPERDESK_EMBEDDING_MODEL", EMBEDDER)
    assert as_json(query.respond, COOLER)["embedding"] == {"model": EMBEDDER, "fallback": None}
    model.requests.clear()
    as_json(query.respond, "What do moths do?")
    assert [request["input"] for request in model.requests if "input" in request] == [["What do moths do?"]]


def test_an_embedding_model_that_is_not_there(
    as_json: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing embedding model costs nothing but its vectors: the same shape, the same fact, and the reason."""
    monkeypatch.setenv("PAPERDESK_EMBEDDING_MODEL", "gone-2026-01-01")
    response = as_json(query.respond, COOLER)
    shape(response)
    assert response["embedding"]["model"] == embedder.MODEL
    assert "status 404" in response["embedding"]["fallback"]
    assert "3.6 degrees" in response["answer"]
    assert response["error"] is None


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_failing_completion_is_told(
    ask: Ask,
    hear: Callable[[Iterable[str]], Heard],
    serve: Serve,
    provider: type[Provider],
    monkeypatch: pytest.MonkeyPatch,
    status: int,
) -> None:
    """A completion that fails is an error in the same shape, with the papers that fit best; nothing is raised."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider(provider.refusal(status)).app)}/v1")
    heard = hear(query.ask(COOLER))
    response = heard.frames("data")[-3]
    shape(response)
    assert response["error"]["code"] == "completion_failed"
    assert f"status {status}" in response["error"]["message"] == heard.error
    assert "(/paper/p-moss-02)" in heard.text == response["answer"]
    assert response["contexts"]
    assert heard.finish == {"type": "finish", "reason": "error"}


def test_any_exception_is_told(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exceptions of any kind in both models still end in the one shape."""

    async def embed(*_: Any) -> Any:
        raise OSError("model file")

    async def complete(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret detail")
        yield

    monkeypatch.setattr(ModelProvider, "embed", embed)
    monkeypatch.setattr(ModelProvider, "complete", complete)
    monkeypatch.setenv("PAPERDESK_EMBEDDING_MODEL", EMBEDDER)
    heard = hear(query.respond(COOLER))
    response = heard.frames("data")[-3]
    shape(response)
    assert response["embedding"]["fallback"] == "The embedding model failed (OSError)."
    assert response["error"]["message"] == "The model failed (RuntimeError). Please try again."
    assert "secret detail" not in "".join(heard.lines)


@pytest.mark.parametrize(
    ("message", "mode", "code"),
    [(COOLER, "deep", "unknown_mode"), ("", "", "empty_query"), ("local: ", "", "empty_query")],
)
def test_what_cannot_be_asked(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], model: Watched, message: str, mode: str, code: str
) -> None:
    """An unknown mode and an empty question are errors in the same shape, without any request."""
    heard = hear(query.ask(message, mode))
    response = heard.frames("data")[0]
    shape(response)
    assert response["error"]["code"] == code
    assert model.requests == []
    assert heard.finish["reason"] == "error"


def test_nothing_found(as_json: Callable[..., dict[str, Any]], model: Watched) -> None:
    """Where no passage is near nothing is made up, and no model is asked."""
    response = as_json(query.respond, "zzyzx qwert", "local")
    shape(response)
    assert response["answer"] == "I found nothing about that in your library."
    assert model.requests == []


def test_a_colon_is_no_mode(as_json: Callable[..., dict[str, Any]]) -> None:
    """Only the four words before a colon name a mode."""
    response = as_json(query.respond, "Moss: how much cooler are shelters?")
    assert (response["mode"], response["query"]) == ("hybrid", "Moss: how much cooler are shelters?")


def test_no_library(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that cannot be used is told in the stream."""
    (tmp_path / "x.sqlite3").write_text("no database")
    monkeypatch.setenv("PAPERDESK_DB", str(tmp_path / "x.sqlite3"))
    assert "cannot be used" in (hear(query.ask(COOLER)).error or "")
