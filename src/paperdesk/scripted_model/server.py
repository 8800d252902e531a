"""The provider's HTTP side: `/v1/chat/completions`, `/v1/embeddings`, `/v1/models`, `/health`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from paperdesk.scripted_model.embedding import EMBEDDER, NoSuchModel, embeddings
from paperdesk.scripted_model.request import BadRequest
from paperdesk.scripted_model.rules import reply_to
from paperdesk.scripted_model.wire import CREATED, MODEL, Completion


def create_app(pace: float = 1) -> Starlette:
    """The application. `pace` multiplies the pauses between chunks; 0 leaves them out."""

    async def completions(request: Request) -> Response:
        try:
            asked = await _body(request)
            completion = Completion(asked, reply_to(asked))
        except (ValueError, TypeError) as error:
            return _error(400, str(error))
        if not asked.get("stream"):
            return JSONResponse(completion.whole())
        return StreamingResponse(_events(completion, pace), media_type="text/event-stream")

    async def vectors(request: Request) -> Response:
        try:
            return JSONResponse(embeddings(await _body(request)))
        except NoSuchModel as error:
            return _error(404, str(error), code="model_not_found")
        except (ValueError, TypeError) as error:
            return _error(400, str(error))

    async def models(_: Request) -> Response:
        head = {"object": "model", "created": CREATED, "owned_by": "paperdesk (rules, no model)"}
        return JSONResponse({"object": "list", "data": [{"id": name, **head} for name in (MODEL, EMBEDDER)]})

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", completions, methods=["POST"]),
            Route("/v1/embeddings", vectors, methods=["POST"]),
            Route("/v1/models", models),
            Route("/health", health),
        ]
    )


async def _events(completion: Completion, pace: float) -> AsyncIterator[str]:
    for chunk, pause in zip(completion.chunks(), completion.pauses_ms(), strict=False):
        await asyncio.sleep(pause * pace / 1000)
        yield f"data: {json.dumps(chunk, ensure_ascii=False, separators=(',', ':'))}\n\n"
    yield "data: [DONE]\n\n"


async def _body(request: Request) -> dict[str, Any]:
    asked = json.loads(await request.body())
    if not isinstance(asked, dict):
        raise BadRequest("the body is no JSON object")
    return asked


def _error(status: int, message: str, code: str | None = None) -> Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return JSONResponse({"error": error}, status_code=status)
