"""GitHub's REST API over httpx: one repository, one token, one budget of time.

The token goes to the API's own address and nowhere else, and stands in no message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
import orjson

from tapegate import __version__
from tapegate.errors import GitHubError, UsageError
from tapegate.github.link import next_page
from tapegate.github.patience import TIMEOUT_S, TRIES, Patience
from tapegate.github.place import Place
from tapegate.github.refusal import garbled, refusal, unreachable

API_VERSION = "2022-11-28"
A_PAGE = 100
"""Entries, the most that GitHub gives."""
MOST_PAGES = 500
MOST_BYTES = 16_000_000
"""Of one answer."""
_TOKEN = re.compile(r"[!-~]{1,4096}")
_IDEMPOTENT = frozenset({"GET", "PATCH", "PUT", "DELETE"})
"""Every PATCH here sets values: asked twice, it does what it does once."""
_MOVED = frozenset({301, 302, 307, 308})
_HOPS = 5

Still = Callable[[], bool]
"""Whether something is still to be done, asked again after every wait."""


class Outdated(Exception):
    """While it was waited for, the request had become pointless."""


class Client:
    """What asks GitHub about one repository. Every method raises GitHubError for an answer that is no success."""

    def __init__(self, place: Place, token: str, patience: Patience | None = None) -> None:
        if not _TOKEN.fullmatch(token):
            raise UsageError.of(
                "no_token",
                "there is no token for GitHub, or it is none: a token is one word of ASCII",
                fix="give the job's own: `GITHUB_TOKEN: ${{ github.token }}`",
            )
        self.place = place
        self._token = token
        self._patience = patience or Patience()
        agent = {"user-agent": f"tapegate/{__version__}", "x-github-api-version": API_VERSION}
        # A proxy of the environment is for other machines.
        self._http = httpx.Client(headers=agent, follow_redirects=False, trust_env=not place.loopback)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def get(self, path: str, **query: str | int) -> Any:
        """The JSON at a path below the repository, `/pulls/7`."""
        return self._json(self._asked("GET", self._url(path), query=query), path)

    def post(self, path: str, body: Mapping[str, Any], still: Still | None = None) -> Any:
        """Make something. A POST that may have worked is not asked again: its error is `unsure`."""
        return self._json(self._asked("POST", self._url(path), body=body, still=still), path)

    def patch(self, path: str, body: Mapping[str, Any], still: Still | None = None) -> Any:
        """Set something. Raises Outdated where `still` says so before it is asked again."""
        return self._json(self._asked("PATCH", self._url(path), body=body, still=still), path)

    def delete(self, path: str) -> None:
        """Remove something; that it is gone already is fine."""
        try:
            self._asked("DELETE", self._url(path))
        except GitHubError as error:
            if error.status not in (404, 410):
                raise

    def pages(self, path: str, key: str | None = None, **query: str | int) -> Iterator[Any]:
        """The entries of a list, of all its pages; `key` is where they stand in an answer that is an object."""
        url: str | None = self._url(path)
        asked: Mapping[str, str | int] = {**query, "per_page": A_PAGE}
        for _ in range(MOST_PAGES):
            if url is None:
                return
            answer = self._asked("GET", url, query=asked)
            document = self._json(answer, path)
            entries = document.get(key) if key is not None and isinstance(document, dict) else document
            if not isinstance(entries, list):
                raise garbled(f"GET {path}", "a list was expected")
            yield from entries
            url, asked = next_page(answer.headers.get("link", "")), {}
            if url is not None and not self._ours(url):
                raise garbled(f"GET {path}", "its next page is said to be on another server")
        raise garbled(f"GET {path}", f"it has more than {MOST_PAGES} pages")

    def download(self, path: str, most_bytes: int) -> bytes:
        """The bytes behind a path; GitHub sends a reader on to its storage, which the token does not go to."""
        return self._asked("GET", self._url(path), most_bytes=most_bytes).content

    def login(self) -> str:
        """Who the token speaks for, as comments name their author. Only GraphQL tells: REST has no answer for the
        tokens of apps."""
        asked = self._asked("POST", self.place.graphql, body={"query": "query{viewer{login}}"}, reads=True)
        document = self._json(asked, "viewer")
        try:
            login = document["data"]["viewer"]["login"]
        except (KeyError, TypeError):
            login = None
        if not isinstance(login, str) or not login:
            raise garbled("POST /graphql", "it names no viewer")
        return login

    def _url(self, path: str) -> str:
        return f"{self.place.api}/repos/{self.place.name}{path}"

    def _ours(self, url: str) -> bool:
        """Whether the token may go there."""
        here = urlsplit(self.place.api)
        try:
            there = urlsplit(url)
            origin = (there.scheme, there.hostname, there.port)
        except ValueError:
            return False
        return origin == (here.scheme, here.hostname, here.port)

    def _asked(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        still: Still | None = None,
        most_bytes: int = MOST_BYTES,
        reads: bool = False,
    ) -> httpx.Response:
        """The successful answer, whatever it takes within the budget; `reads` is a POST that makes nothing."""
        asked = f"{method} {urlsplit(url).path}"
        makes = method not in _IDEMPOTENT and not reads
        for attempt in range(TRIES):
            if attempt and still is not None and not still():
                raise Outdated
            try:
                answer = self._answer(method, url, query, body, most_bytes)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:  # nothing was sent
                refused, pause = unreachable(asked, self._hidden(str(error))), 2.0**attempt
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                said = f"{type(error).__name__} {self._hidden(str(error))}"
                refused = unreachable(asked, said, unsure=makes)
                if makes:
                    raise refused from None
                pause = 2.0**attempt
            else:
                if answer.is_success:
                    return answer
                said = self._said(answer)
                wait = self._patience.pause(answer.status_code, answer.headers, said, attempt)
                unsure = answer.status_code >= 500 and makes
                limited = wait is not None and answer.status_code < 500
                refused = refusal(asked, answer.status_code, said, unsure=unsure, limited=limited)
                if wait is None or unsure:
                    raise refused
                pause = wait
            if attempt == TRIES - 1 or not self._patience.sleep(pause):
                raise refused from None
        raise AssertionError("a request ends with an answer or an error")

    def _answer(
        self,
        method: str,
        url: str,
        query: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
        most_bytes: int,
    ) -> httpx.Response:
        """One answer, with the redirections that lead to it."""
        content = orjson.dumps(body) if body is not None else None
        target = httpx.URL(url, params=query) if query else httpx.URL(url)
        for _ in range(_HOPS):
            headers = {"accept": "application/vnd.github+json"}
            if content is not None:
                headers["content-type"] = "application/json"
            if self._ours(str(target)):
                headers["authorization"] = f"Bearer {self._token}"
            elif method != "GET":
                raise httpx.UnsupportedProtocol("it sends a reader to another server")
            answer = self._read(self._http.build_request(method, target, headers=headers, content=content), most_bytes)
            onward = answer.headers.get("location", "")
            if answer.status_code not in _MOVED or not onward:
                return answer
            target = target.join(onward)
        raise httpx.TooManyRedirects(f"it sends a reader on more than {_HOPS} times")

    def _read(self, request: httpx.Request, most_bytes: int) -> httpx.Response:
        """An answer whose body is within bounds, in bytes and in time."""
        left = self._patience.left
        if left <= 0:
            raise httpx.ConnectTimeout("the time for asking GitHub is spent")
        request.extensions["timeout"] = httpx.Timeout(min(TIMEOUT_S, left)).as_dict()
        answer = self._http.send(request, stream=True)
        try:
            read = bytearray()
            for chunk in answer.iter_bytes():
                read += chunk
                if len(read) > most_bytes:
                    raise httpx.DecodingError(f"it has more than {most_bytes:,} bytes")
                if self._patience.left <= 0:
                    raise httpx.ReadTimeout("the time for asking GitHub is spent")
        finally:
            answer.close()
        headers = [(name, value) for name, value in answer.headers.multi_items() if name != "content-encoding"]
        return httpx.Response(answer.status_code, headers=headers, content=bytes(read), request=request)

    def _said(self, answer: httpx.Response) -> str:
        """What GitHub wrote about a refusal."""
        try:
            document = orjson.loads(answer.content)
        except orjson.JSONDecodeError:
            return ""
        if not isinstance(document, dict):
            return ""
        errors = document.get("errors")
        told = [document.get("message"), *(errors[:5] if isinstance(errors, list) else ())]
        told = [one.get("message") or one.get("code") if isinstance(one, dict) else one for one in told]
        return self._hidden("; ".join(text for text in told if isinstance(text, str)))

    def _hidden(self, text: str) -> str:
        return text.replace(self._token, "***")

    @staticmethod
    def _json(answer: httpx.Response, path: str) -> Any:
        if not answer.content:
            return None
        try:
            return orjson.loads(answer.content)
        except orjson.JSONDecodeError as error:
            raise garbled(f"{answer.request.method} {path}", f"it is no JSON: {error}") from None
