"""Questions to the library by graph and vectors: `naive`, `local`, `global`, `hybrid`, with one shape of response."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, closing

from openai.types.chat import ChatCompletionMessageParam

from paperdesk import database, errand, stream
from paperdesk.answer import Answer
from paperdesk.library import Library
from paperdesk.provider import Provider
from paperdesk.rag.bridge import AnswerError, Bridge
from paperdesk.rag.chunks import Chunk
from paperdesk.rag.modes import MODES, Finder, Mode
from paperdesk.rag.response import Response
from paperdesk.settings import Settings

DEFAULT: Mode = "hybrid"

PROMPT = """## Role

You are Paperdesk, a research assistant that works from the user's own library of papers.

## Rules

- Answer from the passages alone, briefly and precisely.
- Say plainly when nothing in them answers the question; never fill the gap with a guess.
- Link every paper that you use as [title](/paper/{id}).
- Never reveal file paths, or anything that stands in <private> or <thinking> tags.
"""


def request(query: str, contexts: Sequence[Chunk]) -> list[ChatCompletionMessageParam]:
    """What the model is asked."""
    passages = "\n\n".join(
        f"[{number}] [{chunk.title}](/paper/{chunk.paper_id}), {chunk.heading}\n{chunk.text}"
        for number, chunk in enumerate(contexts, 1)
    )
    asked = f"## Question\n\n{query}\n\n## Passages\n\n{passages}"
    return [{"role": "system", "content": PROMPT}, {"role": "user", "content": asked}]


def ask(message: str, mode: str = "") -> Iterator[str]:
    """The answer to `message` as the environment says, line by line, and the whole `Response` before the finish.

    Without `mode` it is the word before a colon that `message` begins with (`local: …`), or `hybrid`.
    """
    return errand.lines(lambda settings, provider: answered(settings, provider, message, mode))


def respond(message: str, mode: str = "") -> Iterator[str]:
    """As `ask`; the answer's text is the whole `Response` as JSON."""
    return errand.lines(lambda settings, provider: answered(settings, provider, message, mode, as_json=True))


async def answered(
    settings: Settings, provider: Provider, message: str, mode: str = "", *, as_json: bool = False
) -> AsyncGenerator[str, None]:
    """The lines of one query. Raises `DatabaseError` only: what the models do is told in the response."""
    response = _asked(message, mode)
    known = next((one for one in MODES if one == response.mode), None)
    if known is None:
        expected = f"expected {', '.join(MODES[:-1])} or {MODES[-1]}"
        response.error = {"code": "unknown_mode", "message": f"There is no mode {response.mode!r}: {expected}."}
    elif not response.query:
        response.error = {"code": "empty_query", "message": "There is no question."}
    else:
        with closing(database.connect(settings.database)) as connection:
            bridge = Bridge(provider, connection, settings.embedding_model)
            async with aclosing(_found(Library(connection), bridge, known, response)) as lines:
                async for line in lines:
                    if not (as_json and line.startswith("0:")):
                        yield line
    if as_json:
        yield stream.text(json.dumps(response.shown(), ensure_ascii=False, indent=1))
    yield stream.data("response", **response.shown())
    if response.error is not None:
        yield stream.error(response.error["message"])
    yield stream.finish("error" if response.error else "stop")


async def _found(library: Library, bridge: Bridge, mode: Mode, response: Response) -> AsyncGenerator[str, None]:
    yield stream.tool_call("call_1", "retrieve", {"mode": mode, "query": response.query})
    contexts = await Finder(library, bridge).contexts(mode, response)
    shown = {"contexts": [chunk.id for chunk in contexts], "embedding": response.embedding}
    yield stream.tool_result("call_1", "retrieve", ok=True, content=shown)
    answer = Answer()
    if not contexts:
        yield stream.text(answer.add("I found nothing about that in your library."))
    else:
        try:
            async with aclosing(bridge.answer(answer, request(response.query, contexts))) as pieces:
                async for piece in pieces:
                    yield stream.text(piece)
        except AnswerError as error:
            response.error = {"code": "completion_failed", "message": str(error)}
            links = ", ".join(dict.fromkeys(f"[{chunk.title}](/paper/{chunk.paper_id})" for chunk in contexts))
            answer.cut()
            yield stream.text(answer.add(f"These papers of your library fit the question best: {links}."))
    response.answer = answer.text
    titles = {chunk.paper_id: chunk.title for chunk in contexts}
    response.citations = [
        {"id": paper_id, "title": title, "url": f"/paper/{paper_id}"}
        for paper_id, title in titles.items()
        if f"(/paper/{paper_id})" in answer.text
    ]


def _asked(message: str, mode: str) -> Response:
    word, colon, rest = message.partition(":")
    if not mode and colon and word.strip().lower() in MODES:
        mode, message = word.strip().lower(), rest
    return Response(mode or DEFAULT, message.strip())
