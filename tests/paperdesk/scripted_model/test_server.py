"""The provider over HTTP, asked with the official SDK and without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import openai
import pytest

from paperdesk.scripted_model.embedding import EMBEDDER
from paperdesk.scripted_model.wire import FINGERPRINT, MODEL

if TYPE_CHECKING:
    from conftest import Watched

HELLO: list[Any] = [{"role": "user", "content": "Hello!"}]


def test_with_the_sdk(model: Watched) -> None:
    """The official SDK reads models, whole answers and streams with usage."""
    with openai.OpenAI(base_url=f"{model.address}/v1", api_key="x") as client:
        assert [found.id for found in client.models.list()] == [MODEL, EMBEDDER]
        whole = client.chat.completions.create(model=MODEL, messages=HELLO)
        stream = client.chat.completions.create(
            model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert text == whole.choices[0].message.content
    assert text.startswith("Hello!")
    assert chunks[-1].usage is not None
    assert {chunk.system_fingerprint for chunk in chunks} == {FINGERPRINT}


def test_bytes_are_deterministic(model: Watched) -> None:
    """Two equal requests get the same bytes."""
    request = {"model": MODEL, "messages": HELLO, "stream": True}
    first, second = (httpx2.post(f"{model.address}/v1/chat/completions", json=request).content for _ in range(2))
    assert first == second
    assert first.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"messages": []}',
        b"\xff",
        b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": [1]}',
        b'{"messages": [{"role": "x"}]}',
    ],
)
def test_bad_requests(model: Watched, body: bytes) -> None:
    """A bad request is a 400 in the shape of the API's errors."""
    response = httpx2.post(f"{model.address}/v1/chat/completions", content=body)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"


def test_health(model: Watched) -> None:
    """The health endpoint answers 200."""
    assert httpx2.get(f"{model.address}/health").status_code == 200


def test_imports_nothing_of_paperdesk_but_its_server() -> None:
    """The rules know nothing of Paperdesk: they share only the code that opens a port."""
    sources = Path(__file__).parents[3] / "src" / "paperdesk" / "scripted_model"
    imports = [
        line
        for source in sources.glob("*.py")
        for line in source.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import paperdesk", "from paperdesk")) and "paperdesk.scripted_model" not in line
    ]
    assert imports == ["from paperdesk.loopback import serve"]
