"""What the model can do: search the library, read a paper, read it through the knowledge skill, search the web.

A tool answers twice: `given` goes to the model, `shown` to the user. The model gets the reader's private notes
and the name of the file with a paper, so that it can weigh them; the tool policy forbids it to repeat them, and
`shown` never holds either.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from openai.types.chat import ChatCompletionToolParam

from paperdesk import web
from paperdesk.library import Library
from paperdesk.paper import Paper
from paperdesk.reading import Reading, sentences

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answered."""

    ok: bool
    given: dict[str, Any]
    shown: dict[str, Any]

    @classmethod
    def failed(cls, message: str) -> Outcome:
        """A failure that model and user may both know of."""
        return cls(False, {"error": message}, {"error": message})


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: it takes a single string."""

    name: str
    """As the user sees it: `Skill:knowledge.paper.read`."""
    description: str
    argument: str
    argument_description: str
    run: Callable[[str], Awaitable[Outcome]]

    @property
    def wire_name(self) -> str:
        """As a provider accepts it: function names there are letters, digits, `_` and `-` only."""
        return self.name.replace(":", "__").replace(".", "__")

    def param(self) -> ChatCompletionToolParam:
        """As the provider is told of it."""
        return {
            "type": "function",
            "function": {
                "name": self.wire_name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {self.argument: {"type": "string", "description": self.argument_description}},
                    "required": [self.argument],
                    "additionalProperties": False,
                },
            },
        }


class Toolbox:
    """The tools of one library; `web_search` is among them only where there is a search service."""

    def __init__(self, library: Library, search_url: str | None) -> None:
        self._library = library
        tools = [
            Tool(
                "search_local",
                "Search the user's own library of papers. Returns ids, titles and snippets, best first.",
                "query",
                "Key words to look for.",
                self._search_local,
            ),
            Tool(
                "read_paper",
                "Read the full text of a paper of the local library.",
                "paper_id",
                "The paper's id.",
                self._read_paper,
            ),
            Tool(
                "Skill:knowledge.paper.read",
                "Read a paper of the local library as a structured reading: sections and key findings.",
                "paper_id",
                "The paper's id.",
                self._read_by_skill,
            ),
        ]
        if search_url is not None:
            tools.append(
                Tool(
                    "web_search",
                    "Search the public web. Returns titles, URLs and snippets.",
                    "query",
                    "Key words to look for.",
                    lambda query: _web_search(search_url, query),
                )
            )
        self._by_wire_name = {tool.wire_name: tool for tool in tools}
        assert len(self._by_wire_name) == len(tools)

    def params(self) -> list[ChatCompletionToolParam]:
        """All tools, as the provider is told of them."""
        return [tool.param() for tool in self._by_wire_name.values()]

    def name(self, wire_name: str) -> str:
        """The tool's name as the user sees it; a name that is no tool's stays as it is."""
        tool = self._by_wire_name.get(wire_name)
        return tool.name if tool else wire_name

    async def run(self, wire_name: str, arguments: Arguments | None) -> Outcome:
        """Run a tool; `arguments` is None where the model sent something that is no JSON object."""
        tool = self._by_wire_name.get(wire_name)
        if tool is None:
            return Outcome.failed(f"There is no tool {wire_name!r}: there are {', '.join(self._by_wire_name)}.")
        value = (arguments or {}).get(tool.argument)
        if not isinstance(value, str) or not value.strip():
            return Outcome.failed(f"{tool.name} needs a JSON object with the string {tool.argument!r}.")
        return await tool.run(value.encode("utf-8", "replace").decode("utf-8").strip())

    async def _search_local(self, query: str) -> Outcome:
        hits = [asdict(hit) for hit in self._library.search(query)]
        shown = [{key: hit[key] for key in ("id", "title", "snippet")} for hit in hits]
        return Outcome(True, {"query": query, "results": hits}, {"results": shown})

    async def _read_paper(self, paper_id: str) -> Outcome:
        paper = self._library.read(paper_id)
        if paper is None:
            return _no_such_paper(paper_id)
        shown = {"id": paper.id, "title": paper.title, "snippet": _opening(paper)}
        return Outcome(True, _head(paper) | {"text": paper.body}, shown)

    async def _read_by_skill(self, paper_id: str) -> Outcome:
        paper = self._library.read(paper_id)
        if paper is None:
            return _no_such_paper(paper_id)
        reading = Reading.of(paper)
        shown = {"id": paper.id, "title": paper.title, "sections": [section.heading for section in reading.sections]}
        return Outcome(True, _head(paper) | asdict(reading), shown)


async def _web_search(base_url: str, query: str) -> Outcome:
    try:
        pages = [asdict(page) for page in await web.search(base_url, query)]
    except web.WebSearchError as error:
        return Outcome.failed(str(error))
    return Outcome(True, {"query": query, "results": pages}, {"results": pages})


def _head(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": paper.authors,
        "year": paper.year,
        "topic": paper.topic,
        "file": paper.source_path,
    }


def _opening(paper: Paper) -> str:
    return next(iter(sentences(paper.prose)), "")


def _no_such_paper(paper_id: str) -> Outcome:
    return Outcome.failed(f"The library has no paper {paper_id!r}; search_local returns the ids there are.")
