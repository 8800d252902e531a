"""The web-search stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2
import pytest

from paperdesk.paper import bundled
from paperdesk.scripted_search import LIMIT, PAGES, find

if TYPE_CHECKING:
    from conftest import Watched


def test_finds_the_page() -> None:
    """The page that shares most words with the query comes first."""
    assert find("how long do saffron threads keep")[0].title == "How Long Saffron Keeps"


def test_always_the_same() -> None:
    """The same query gives the same pages in the same order, never more than the limit."""
    assert find("water and sand on summer roads") == find("water and sand on summer roads")
    assert len(find(" ".join(page.snippet for page in PAGES))) == LIMIT


@pytest.mark.parametrize("query", ["zymurgy", "a of in", "!?", "%00"])
def test_finds_nothing(query: str) -> None:
    """Words that no page holds find nothing."""
    assert find(query) == ()


def test_over_http(search: Watched) -> None:
    """Results come as JSON; a query without words is a 400."""
    response = httpx2.get(f"{search.address}/search", params={"q": "saffron"})
    assert set(response.json()["results"][0]) == {"title", "url", "snippet"}
    assert httpx2.get(f"{search.address}/search").status_code == 400
    assert httpx2.get(f"{search.address}/health").status_code == 200


def test_pages_are_invented() -> None:
    """Every URL is under a reserved name, and no page is a copy of a paper."""
    assert all(page.url.split("/")[2].endswith(".example") for page in PAGES)
    assert len({page.url for page in PAGES}) == len(PAGES)
    sentences = {sentence for paper in bundled() for sentence in paper.prose.split(". ")}
    assert not any(sentence in page.snippet for page in PAGES for sentence in sentences)
