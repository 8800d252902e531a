"""Paperdesk over HTTP.

GET  /                              the chat page; its files are under /page
POST /api/chat                      {"message": "…", "session_id": "s1"?} → lines of the dialect `mixed`
GET  /api/health
GET  /api/papers                    the library, one line a paper
GET  /api/sessions                  every conversation
GET  /api/sessions/{id}/messages    what was said in one
GET  /paper/{id}                    a paper; JSON for `Accept: application/json`
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from paperdesk import database, stream
from paperdesk.library import Library
from paperdesk.pages import HEADERS, page_file, paper_page
from paperdesk.sessions import NAME, Sessions
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from paperdesk.chat import Desk

MAX_BODY = 64 * 1024
MAX_MESSAGE = 8000


class Refused(Exception):
    """A request that cannot be served, with what to tell the client."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def create_app(settings: Settings) -> Starlette:
    """The application on one library."""
    desks: list[asyncio.Task[Desk]] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # The provider's SDK takes half a second to import: meanwhile the page is there already.
        desks.append(asyncio.create_task(asyncio.to_thread(_desk, settings)))
        yield
        await (await desks[0]).close()

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        found = page_file(name)
        if found is None:
            raise Refused(404, "unknown_file", f"The page has no file {name!r}.")
        return Response(found[0], media_type=found[1], headers=HEADERS)

    async def chat(request: Request) -> Response:
        message, session_id = _question(await _body(request))
        desk = await desks[0]
        reply = desk.reply(message, session_id)
        return StreamingResponse(reply, media_type=stream.MEDIA_TYPE, background=BackgroundTask(desk.sync_when_due))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def papers(_: Request) -> Response:
        with closing(database.connect(settings.database)) as connection:
            return JSONResponse({"papers": [asdict(entry) for entry in Library(connection).overview()]})

    async def sessions(_: Request) -> Response:
        with closing(database.connect(settings.database)) as connection:
            return JSONResponse({"sessions": [asdict(session) for session in Sessions(connection).all()]})

    async def messages(request: Request) -> Response:
        session_id = request.path_params["session_id"]
        with closing(database.connect(settings.database)) as connection:
            known = Sessions(connection)
            if not known.exists(session_id):
                raise Refused(404, "unknown_session", f"There is no session {session_id!r}.")
            return JSONResponse({"messages": [asdict(message) for message in known.messages(session_id)]})

    async def paper(request: Request) -> Response:
        paper_id = request.path_params["paper_id"]
        with closing(database.connect(settings.database)) as connection:
            library = Library(connection)
            found, summary = library.read(paper_id), library.summary(paper_id)
        if found is None:
            raise Refused(404, "unknown_paper", f"There is no paper {paper_id!r}.")
        if "application/json" in request.headers.get("accept", ""):
            shown = {key: getattr(found, key) for key in ("id", "title", "authors", "year", "topic")}
            return JSONResponse(shown | {"body": found.public_body})
        return HTMLResponse(paper_page(found, summary), headers=HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/page/{name}", page),
            Route("/api/chat", chat, methods=["POST"]),
            Route("/api/health", health),
            Route("/api/papers", papers),
            Route("/api/sessions", sessions),
            Route("/api/sessions/{session_id}/messages", messages),
            Route("/paper/{paper_id}", paper),
        ],
        exception_handlers={
            Refused: _refused,
            HTTPException: _http_error,
            database.DatabaseError: _no_library,
            sqlite3.Error: _no_library,
        },
        lifespan=lifespan,
    )


def _desk(settings: Settings) -> Desk:
    from paperdesk.chat import Desk

    return Desk(settings)


async def _body(request: Request) -> Any:
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BODY:
            raise Refused(413, "too_large", f"The request has more than {MAX_BODY} bytes.")
    try:
        return json.loads(bytes(raw).decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(400, "invalid_json", "The request's body is not JSON in UTF-8.") from None


def _question(body: Any) -> tuple[str, str | None]:
    expected = 'expected {"message": "…"} and optionally "session_id"'
    if not isinstance(body, dict):
        raise Refused(400, "invalid_request", f"The body is no JSON object: {expected}.")
    if unknown := sorted(set(body) - {"message", "session_id"}):
        raise Refused(400, "invalid_request", f"The body has {', '.join(map(repr, unknown))}: {expected}.")
    message, session_id = body.get("message"), body.get("session_id")
    if not isinstance(message, str) or not message.strip():
        raise Refused(400, "invalid_request", "'message' must be a text that is not empty.")
    if len(message) > MAX_MESSAGE:
        raise Refused(400, "invalid_request", f"'message' has {len(message)} characters: {MAX_MESSAGE} are allowed.")
    if message.encode("utf-8", "replace").decode("utf-8") != message:
        raise Refused(400, "invalid_request", "'message' holds half a character (a lone surrogate).")
    if session_id is not None and not (isinstance(session_id, str) and NAME.fullmatch(session_id)):
        raise Refused(400, "invalid_request", "'session_id' must be 1 to 64 letters, digits, '_' or '-'.")
    return message, session_id


def _error(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _error(error.status, error.code, error.message)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, "http_error", f"{error.detail}.")


async def _no_library(_: Request, error: Exception) -> Response:
    return _error(503, "library_unavailable", f"The library cannot be used: {error}.")
