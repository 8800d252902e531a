"""The bridge: vectors always come, answers come or are told to have failed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from paperdesk import database
from paperdesk.answer import Answer
from paperdesk.provider import Provider as ModelProvider
from paperdesk.rag import bridge as bridge_module
from paperdesk.rag import embedder
from paperdesk.rag.bridge import AnswerError, Bridge, Vectors
from paperdesk.scripted_model.embedding import DIMENSIONS, EMBEDDER
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from tests.paperdesk.conftest import Ask, Provider, Serve, Watched

TEXTS = ["Moss walls.", "Kelp ropes.", "Moss walls."]
Made = Callable[..., Vectors]


@pytest.fixture
def connection(ask: Ask, library_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(database.connect(library_path)) as opened:
        yield opened


@pytest.fixture
def vectors(connection: sqlite3.Connection) -> Made:
    def make(model: str | None = EMBEDDER, texts: list[str] | None = None, provider: Any = None) -> Vectors:
        async def run() -> Vectors:
            used = provider or ModelProvider(Settings(embedding_model=model))
            try:
                return await Bridge(used, connection, model).vectors(TEXTS if texts is None else texts)
            finally:
                await used.close()

        return asyncio.run(run())

    return make


def embeddings(answer: Any, status: int = 200) -> Starlette:
    """A provider whose embeddings are what a test wants."""

    async def give(request: Request) -> Response:
        given = json.loads(await request.body())["input"]
        return JSONResponse(answer(given) if callable(answer) else answer, status_code=status)

    return Starlette(routes=[Route("/v1/embeddings", give, methods=["POST"])])


def data(*found: list[Any]) -> dict[str, Any]:
    listed = [{"object": "embedding", "index": index, "embedding": one} for index, one in enumerate(found)]
    return {"object": "list", "model": "m", "data": listed, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def test_from_the_model(vectors: Made, model: Watched) -> None:
    """The model's vectors come in the order of the texts, each text asked for once."""
    made = vectors()
    assert (made.model, made.fallback) == (EMBEDDER, None)
    assert made.of[0] == made.of[2] != made.of[1]
    assert len(made.of[0]) == DIMENSIONS
    assert [request["input"] for request in model.requests] == [["Moss walls.", "Kelp ropes."]]


def test_what_is_known_is_not_asked_again(vectors: Made, model: Watched) -> None:
    """Vectors are kept by model and text; only new texts are asked for."""
    first = vectors()
    model.requests.clear()
    again = vectors(texts=[*TEXTS, "Snow fences."])
    assert again.of[:3] == first.of
    assert [request["input"] for request in model.requests] == [["Snow fences."]]


def test_in_batches(vectors: Made, model: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many texts go out in several requests, and come back in their order."""
    monkeypatch.setattr(bridge_module, "BATCH", 2)
    texts = [f"Paper number {number} {word}." for number, word in enumerate(["kelp", "moss", "snow", "ink", "clay"])]
    assert vectors(texts=texts).of == tuple(vectors(texts=[text]).of[0] for text in texts)
    assert [len(request["input"]) for request in model.requests] == [2, 2, 1]


def test_without_a_model_they_are_local(vectors: Made, model: Watched) -> None:
    """Where no model is wanted none is asked, and nothing is a fallback."""
    made = vectors(None)
    assert (made.model, made.fallback) == (embedder.MODEL, None)
    assert made.of[1] == tuple(embedder.embedded("Kelp ropes."))
    assert model.requests == []


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        ({"error": {"message": "no such model"}}, 404, "status 404"),
        ({"error": {"message": "busy"}}, 503, "status 503"),
        ({}, 200, "broke off"),
        (data([1.0]), 200, "cannot be used"),
        (data([1.0], []), 200, "cannot be used"),
        (data([1.0], ["a"]), 200, "cannot be used"),
        (data([1.0], [None]), 200, "cannot be used"),
        (data([1.0], [1.0, 2.0]), 200, "different lengths"),
        ("nonsense", 200, "broke off"),
    ],
)
def test_a_model_of_no_use_falls_back(
    vectors: Made, serve: Serve, monkeypatch: pytest.MonkeyPatch, answer: Any, status: int, says: str
) -> None:
    """Whatever is wrong with the model's vectors, all texts get local ones, the reason is told, nothing bad is kept."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(embeddings(answer, status))}/v1")
    made = vectors("m")
    assert made.model == embedder.MODEL
    assert made.of == tuple(tuple(embedder.embedded(text)) for text in TEXTS)
    assert says in (made.fallback or "")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(embeddings(lambda given: data(*([[1.0, 0.0]] * len(given)))))}/v1")
    assert vectors("m").fallback is None


def test_a_model_that_cannot_be_reached_falls_back(vectors: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """No server at all is a fallback too."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "could not be reached" in (vectors().fallback or "")


class Broken(ModelProvider):
    """A provider whose library dies of something that nobody foresaw."""

    async def embed(self, texts: Any) -> Any:
        raise MemoryError("model file truncated")

    async def complete(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("secret detail")
        yield


def test_any_exception_falls_back(vectors: Made) -> None:
    """An exception of any kind costs the model's vectors only, and its text is not handed on."""
    made = vectors(provider=Broken(Settings()))
    assert made.fallback == "The embedding model failed (MemoryError)."


def answered(connection: sqlite3.Connection, provider: ModelProvider) -> tuple[str, str | None]:
    async def run() -> tuple[str, str | None]:
        into = Answer()
        try:
            async for _ in Bridge(provider, connection, None).answer(into, [{"role": "user", "content": "Hello!"}]):
                pass
        except AnswerError as error:
            return into.text, str(error)
        finally:
            await provider.close()
        return into.text, None

    return asyncio.run(run())


def test_answers(
    connection: sqlite3.Connection, serve: Serve, provider: type[Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hidden tags are taken out of an answer; a failure is one sentence, with what had been answered by then."""
    assert answered(connection, Broken(Settings())) == ("", "The model failed (RuntimeError). Please try again.")
    for completion, finish, expected in (
        ([provider.said("A<thinking>x</thinking>B")], "stop", ("AB", None)),
        ([provider.said("Half")], None, ("Half", "The model's answer broke off. Please try again.")),
        ([provider.said("<thinking>x")], "stop", ("", "The model's answer holds nothing to show.")),
        (provider.refusal(429), "stop", ("", "The model's provider has too much to do")),
    ):
        served = serve(provider(completion, finish=finish).app)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served}/v1")
        text, error = answered(connection, ModelProvider(Settings()))
        assert text == expected[0]
        assert error == expected[1] if expected[1] is None else (error or "").startswith(expected[1])
