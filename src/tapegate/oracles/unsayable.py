"""What an outcome demands to be said, and the same task forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.model.trace import Json
from tapegate.oracles import patterns
from tapegate.oracles.hidden_tags import hidden_tags
from tapegate.oracles.oracle import slot_path

_AFTER = ("{}", "{}x", "{} x", "{}\nx")
"""What may follow a prefix."""
_AROUND = ("{}", "x {} x", "x\n{}\nx")
"""Where a wording may stand."""


def unsayable(task: Task) -> Iterator[tuple[Path, str]]:
    """Where an outcome cannot be reached, and the text because of which: each prefix that it accepts, or each wording
    of a fact, is a hidden tag or matches a forbidden pattern wherever it stands, in small letters as in capitals.
    Values that do not fit their slots are passed over."""
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        prefix = outcome.required_slots.get("prefix")
        texts = _texts(prefix.get("any_of") if isinstance(prefix, Mapping) else [prefix])
        if texts and all(_forbidden(task, text, _AFTER) for text in texts):
            yield slot_path(index, "prefix"), texts[0]
        facts = outcome.required_slots.get("facts")
        for place, fact in enumerate(facts if isinstance(facts, list | tuple) else ()):
            if not isinstance(fact, Mapping):
                continue
            any_of, every = _texts(fact.get("any_of")), _texts(fact.get("all"))
            banned = [text for text in every if _unsaid(task, text)]
            if any_of and all(_unsaid(task, text) for text in any_of):
                banned.append(any_of[0])
            if banned:
                yield slot_path(index, "facts", place), banned[0]


def _texts(value: Json) -> Sequence[str]:
    return [text for text in value if isinstance(text, str) and text] if isinstance(value, list | tuple) else []


def _unsaid(task: Task, wording: str) -> bool:
    if len(wording) > 2 and wording[0] == wording[-1] == "/":
        return False  # what else such a pattern matches cannot be told
    return all(_forbidden(task, text, _AROUND) for text in {wording, wording.lower(), wording.upper(), wording.title()})


def _forbidden(task: Task, text: str, frames: Sequence[str]) -> bool:
    return all(_matches(task, frame.replace("{}", text)) for frame in frames)


def _matches(task: Task, answer: str) -> bool:
    if "no_hidden_tag_leak" in task.expect.required_invariants and any(not tag.partial for tag in hidden_tags(answer)):
        return True
    usable = (pattern for pattern in task.expect.forbidden_patterns if not any(patterns.flaws(pattern)))
    return any(patterns.compiled(pattern).find(answer) is not None for pattern in usable)
