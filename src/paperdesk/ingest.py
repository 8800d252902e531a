"""Putting papers on the desk: a file becomes a paper in the library, its index, and a summary that the model writes."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from pathlib import Path

from paperdesk import database, document, errand, stream
from paperdesk.document import Document, DocumentError
from paperdesk.library import Library, Summary
from paperdesk.paper import Paper
from paperdesk.provider import Provider
from paperdesk.settings import Settings
from paperdesk.summarizer import Form, summarized


def ingest(message: str, find: str = "") -> Iterator[str]:
    """Ingest as the environment says, line by line: `message` holds the names of files, one a line.

    `find` is searched for in the library afterwards; with it alone nothing is ingested.
    """
    files = [Path(line.strip()) for line in message.splitlines() if line.strip()]
    return errand.lines(lambda settings, provider: ingested(settings, provider, files, find))


async def ingested(
    settings: Settings, provider: Provider, files: list[Path], find: str = ""
) -> AsyncGenerator[str, None]:
    """The lines of an ingestion: for each file a call and its result, and what the index now says of it, as JSON.

    A file that cannot be read is told, and does not keep the others back. The status is `stored` for a new paper and
    `unchanged` for a text that is there already, which the model is not asked about. Raises `ProviderError`: what was
    stored before stays, of the paper in question nothing is.
    """
    problems = [] if files or find else ["There is no file to ingest."]
    with closing(database.connect(settings.database)) as connection:
        library = Library(connection)
        for number, file in enumerate(files, 1):
            call_id = f"call_{number}"
            yield stream.tool_call(call_id, "ingest", {"file": file.name})
            try:
                found = document.read(file)
            except DocumentError as error:
                problems.append(str(error))
                yield stream.tool_result(call_id, "ingest", ok=False, content={"error": str(error)})
                continue
            status = "unchanged"
            if library.summary(found.paper_id) is None:
                status = "stored"
                form, origin = await summarized(provider, found)
                library.add([_paper(found, form)], Summary(form.summary, tuple(form.key_findings), origin))
            entry = _entry(library, found.paper_id)
            yield stream.tool_result(call_id, "ingest", ok=True, content={"id": entry["id"], "title": entry["title"]})
            yield stream.text(json.dumps(entry, ensure_ascii=False, indent=1) + "\n")
            yield stream.data("ingested", status=status, **{key: entry[key] for key in ("id", "title", "origin")})
        if find:
            for line in _find(library, find, f"call_{len(files) + 1}"):
                yield line
    if problems:
        yield stream.error("; ".join(problems))
    yield stream.finish("error" if problems else "stop")


def _paper(found: Document, form: Form) -> Paper:
    return Paper(found.paper_id, form.title, form.authors, form.year, form.topic, found.text, found.path)


def _entry(library: Library, paper_id: str) -> dict[str, object]:
    """What the library now says of a paper, read from it again."""
    paper, summary = library.read(paper_id), library.summary(paper_id)
    assert paper is not None
    assert summary is not None
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": paper.authors,
        "year": paper.year,
        "topic": paper.topic,
        "summary": summary.summary,
        "key_findings": list(summary.key_findings),
        "origin": summary.origin,
    }


def _find(library: Library, query: str, call_id: str) -> Iterator[str]:
    yield stream.tool_call(call_id, "search_local", {"query": query})
    hits = library.search(query)
    shown = [{"id": hit.id, "title": hit.title, "snippet": hit.snippet} for hit in hits]
    yield stream.tool_result(call_id, "search_local", ok=True, content={"results": shown})
    yield stream.text(
        "".join(f"- [{hit.title}](/paper/{hit.id}): {hit.snippet}\n" for hit in hits) or "Nothing found.\n"
    )
