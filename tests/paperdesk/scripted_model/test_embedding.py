"""Embeddings by rule, over HTTP and with the official SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import openai
import pytest

from paperdesk.scripted_model.embedding import DIMENSIONS, EMBEDDER, vector

if TYPE_CHECKING:
    from tests.paperdesk.conftest import Watched


def test_with_the_sdk(model: Watched) -> None:
    """The official SDK reads vectors, as numbers and packed, in the order of the texts."""
    with openai.OpenAI(base_url=f"{model.address}/v1", api_key="x") as client:
        packed = client.embeddings.create(model=EMBEDDER, input=["Moss walls", "Kelp"])
        plain = client.embeddings.create(model=EMBEDDER, input="Moss walls", encoding_format="float")
    assert plain.data[0].embedding == vector("Moss walls")
    assert packed.data[0].embedding == pytest.approx(vector("Moss walls"), abs=1e-6)
    assert packed.data[1].embedding == pytest.approx(vector("Kelp"), abs=1e-6)
    assert len(plain.data[0].embedding) == DIMENSIONS
    assert plain.usage.prompt_tokens == 3


def test_alike() -> None:
    """The stems that texts share make them alike."""
    assert vector("moss wall") == vector("The walls of moss")
    assert vector("") == [0.0] * DIMENSIONS


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": "other", "input": "x"}, 404),
        ({"model": EMBEDDER}, 400),
        ({"model": EMBEDDER, "input": []}, 400),
        ({"model": EMBEDDER, "input": [1, 2]}, 400),
        ({"model": EMBEDDER, "input": ""}, 400),
        ([], 400),
    ],
)
def test_bad_requests(model: Watched, body: Any, status: int) -> None:
    """Another model is not found, and what is no text is refused, in the shape of the API's errors."""
    response = httpx2.post(f"{model.address}/v1/embeddings", json=body)
    assert response.status_code == status
    assert response.json()["error"]["type"] == "invalid_request_error"
