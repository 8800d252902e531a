"""The web search that Paperdesk may ask: `GET {base}/search?q=…` → `{"results": [{title, url, snippet}]}`."""

from __future__ import annotations

from dataclasses import dataclass

import httpx2

TIMEOUT_S = 10
MAX_RESULTS = 5
MAX_CHARS = 600


class WebSearchError(Exception):
    """The web search gave no usable answer; the message names no host and no port."""


@dataclass(frozen=True, slots=True)
class Page:
    """One result."""

    title: str
    url: str
    snippet: str


async def search(base_url: str, query: str) -> tuple[Page, ...]:
    """The pages found for `query`. Raises `WebSearchError`."""
    try:
        async with httpx2.AsyncClient(timeout=TIMEOUT_S) as client:
            response = await client.get(f"{base_url}/search", params={"q": query})
            response.raise_for_status()
            results = response.json()["results"]
            pages = [Page(*(str(result[key])[:MAX_CHARS] for key in ("title", "url", "snippet"))) for result in results]
    except httpx2.HTTPStatusError as error:
        raise WebSearchError(f"The web search answered with status {error.response.status_code}.") from error
    except httpx2.HTTPError as error:
        raise WebSearchError("The web search could not be reached.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise WebSearchError("The web search sent an answer that Paperdesk does not understand.") from error
    return tuple(page for page in pages if page.url.startswith(("http://", "https://")))[:MAX_RESULTS]
