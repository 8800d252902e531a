"""The client of the web search."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from paperdesk import web

if TYPE_CHECKING:
    from conftest import Serve, Watched

PAGE = {"title": "T", "url": "https://t.example/", "snippet": "S"}


def service(answer: Response) -> Starlette:
    async def search(_: Request) -> Response:
        return answer

    return Starlette(routes=[Route("/search", search)])


def found(address: str, query: str = "x") -> tuple[web.Page, ...]:
    return asyncio.run(web.search(address, query))


def test_results(search: Watched) -> None:
    """Results come as pages, and the query travels as it is."""
    assert (
        found(search.address, "harpsichord tuning & ear?")[0].url
        == "https://early-keyboards.example/harpsichord-tuning"
    )
    assert search.requests == [{"query": "q=harpsichord+tuning+%26+ear%3F"}]


def test_only_web_addresses(serve: Serve) -> None:
    """A result whose URL is no web address is left out; long texts are cut."""
    results = [PAGE | {"url": "javascript:alert(1)"}, PAGE | {"url": "file:///etc"}, PAGE | {"snippet": "x" * 9999}]
    (page,) = found(serve(service(JSONResponse({"results": results}))))
    assert len(page.snippet) == web.MAX_CHARS


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Response(status_code=503), "answered with status 503"),
        (Response(status_code=424), "answered with status 424"),
        (Response("not JSON"), "does not understand"),
        (JSONResponse([]), "does not understand"),
        (JSONResponse({"results": [{"title": "T"}]}), "does not understand"),
        (JSONResponse({"results": 3}), "does not understand"),
    ],
)
def test_failures(serve: Serve, answer: Response, message: str) -> None:
    """An error of the service is one sentence, without host and port."""
    with pytest.raises(web.WebSearchError, match=message) as caught:
        found(serve(service(answer)))
    assert "127.0.0.1" not in str(caught.value)


def test_unreachable() -> None:
    """A service that is not there is one sentence, too."""
    with pytest.raises(web.WebSearchError, match=r"^The web search could not be reached\.$"):
        found("http://127.0.0.1:9")
