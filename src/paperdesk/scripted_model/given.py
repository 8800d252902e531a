"""A request, as the rules read it: who asks what, with which tools, and what has happened in this turn so far."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from paperdesk.scripted_model import findings
from paperdesk.scripted_model.brief import Brief
from paperdesk.scripted_model.findings import Source
from paperdesk.scripted_model.question import LINKED, Question
from paperdesk.scripted_model.request import BadRequest, text

Role = Literal["local", "reader", "web"]


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that the request offers, and what it is good for."""

    name: str
    role: Role
    argument: str

    @classmethod
    def of(cls, tool: Mapping[str, Any]) -> Offered | None:
        """The tool, judged by its name and description; None where the rules have no use for it."""
        function = tool["function"]
        name = str(function["name"])
        says = f"{name.replace('_', ' ')} {function.get('description', '')}".lower()
        required = function.get("parameters", {}).get("required") or ["query"]
        for role, sign in (("web", r"\bweb\b"), ("local", r"\bsearch"), ("reader", r"\bread\b")):
            if re.search(sign, says):
                return cls(name, role, str(required[0]))  # type: ignore[arg-type]  # one of the three
        return None


@dataclass(frozen=True, slots=True)
class Step:
    """A tool call of this turn, and what came of it."""

    tool: str
    argument: str
    result: Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """All that the rules may act on."""

    brief: Brief
    question: Question
    earlier: str
    """What the assistant said last, before this question."""
    tools: tuple[Offered, ...]
    """Empty where the request forbids calls."""
    steps: tuple[Step, ...]
    seed: int

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Given:
        """Read a Chat Completions request. Raises `BadRequest`."""
        try:
            messages = [dict(message) for message in request["messages"]]
            last = max(place for place, message in enumerate(messages) if message["role"] == "user")
            system = [text(message) for message in messages if message["role"] in ("system", "developer")]
            said = [text(message) for message in messages[:last] if message["role"] == "assistant"]
            offered = [Offered.of(tool) for tool in request.get("tools") or ()]
            asked, passages = _passages(text(messages[last]))
            return cls(
                brief=Brief.of("\n\n".join(system)),
                question=Question.of(asked),
                earlier=said[-1] if said else "",
                tools=tuple(filter(None, offered)) if request.get("tool_choice") != "none" else (),
                steps=(*passages, *_steps(messages[last + 1 :])),
                seed=int(request.get("seed") or 0),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadRequest(f"no chat completion request: {error!r}") from error

    def tool(self, role: Role) -> Offered | None:
        """The tool for this; for reading, the seed chooses among those there are."""
        fit = [tool for tool in self.tools if tool.role == role]
        return fit[self.seed % len(fit)] if fit else None

    @cached_property
    def roles(self) -> frozenset[str]:
        """What has been done in this turn, by role of the tool."""
        return frozenset(self._role(step) for step in self.steps)

    @cached_property
    def readings(self) -> tuple[Source, ...]:
        """The papers that were read in this turn."""
        found = [findings.paper(dict(step.result)) for step in self.steps if self._role(step) == "reader"]
        return tuple({source.paper_id: source for source in found if source}.values())

    @cached_property
    def apt_readings(self) -> tuple[Source, ...]:
        """The readings that are about the question, or that the question refers to."""
        referred = {*self.named, *(LINKED.findall(self.earlier) if self.question.follows_up else ())}
        return tuple(source for source in self.readings if source.paper_id in referred or self._apt(source))

    @cached_property
    def named(self) -> list[str]:
        """Ids of papers that the question itself holds."""
        listed = (paper.id for paper in self.brief.shelf if self.question.names(paper.id))
        return list(dict.fromkeys([*self.question.linked, *listed]))

    @cached_property
    def attempted(self) -> frozenset[str]:
        """The ids that a reading tool was called with, whatever came of it."""
        return frozenset(step.argument for step in self.steps if self._role(step) == "reader")

    def found(self, role: Role) -> tuple[Source, ...]:
        """What searches of this kind returned that is about the question."""
        listed = [
            source for step in self.steps if self._role(step) == role for source in findings.listed({**step.result})
        ]
        return tuple(source for source in listed if self._apt(source))

    def failed(self, role: Role) -> bool:
        """Whether a tool of this kind answered with an error."""
        return any("error" in step.result for step in self.steps if self._role(step) == role)

    def _apt(self, source: Source) -> bool:
        # Of a question about two papers each need hold its half only; a passage is part of a paper.
        return source.coverage(self.question.text) >= (0.25 if source.passage else 0.5) / self.question.papers

    def _role(self, step: Step) -> str:
        # Judged by the result where calls are forbidden by now, and no tool list says.
        for tool in self.tools:
            if tool.name == step.tool:
                return tool.role
        name = step.tool.lower()
        return "web" if "web" in name else "local" if "search" in name else "reader"


_PASSAGE = re.compile(r"^\[\d+\] \[([^\]\n]+)\]\(/paper/([\w.-]+)\).*\n((?:(?!\[\d+\] \[).*\n?)*)", re.MULTILINE)


def _passages(message: str) -> tuple[str, list[Step]]:
    """The question of a message that brings its passages along, and these as if they had been read."""
    asked, heading, listed = message.partition("## Passages\n")
    if not heading:
        return message, []
    found: dict[str, dict[str, Any]] = {}
    for title, paper_id, said in _PASSAGE.findall(listed):
        paper = found.setdefault(paper_id, {"id": paper_id, "title": title, "text": "", "passage": True})
        paper["text"] += f"{said.strip()}\n\n"
    steps = [Step("read_paper", paper_id, paper) for paper_id, paper in found.items()]
    return asked.removeprefix("## Question").strip(), steps


def _steps(messages: Sequence[Mapping[str, Any]]) -> list[Step]:
    called: dict[str, tuple[str, str]] = {}
    steps = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            arguments = _json(function["arguments"])
            called[call["id"]] = function["name"], str(next(iter(arguments.values()), ""))
        if message["role"] == "tool":
            name, argument = called[message["tool_call_id"]]
            steps.append(Step(name, argument, _json(text(message))))
    return steps


def _json(written: str) -> dict[str, Any]:
    try:
        value = json.loads(written)
    except ValueError:
        return {"error": "not JSON"}
    return value if isinstance(value, dict) else {"results": value}
