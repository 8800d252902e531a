"""The system prompt, as the rules read it: policy, preferences, and the papers that it lists."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperdesk.scripted_model.words import NUMBERS

_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_LISTED = re.compile(r"\[(?P<title>[^\]]+)\]\(/paper/(?P<id>[A-Za-z0-9._-]+)\)(?P<rest>.*)")
_QUOTED = r"[\"“](?P<words>[^\"”]+)[\"”]"


@dataclass(frozen=True, slots=True)
class Policy:
    """Which rules the prompt lays down; a rule that is not there is not kept."""

    local_first: bool
    read_before_citing: bool
    cite_local: bool
    web_last: bool
    honest: bool
    private: bool

    @classmethod
    def of(cls, text: str) -> Policy:
        """The rules in a policy section, one a line, recognised by what they speak of."""
        rules = [line.lower() for line in text.splitlines() if line.strip()]

        def rule(*patterns: str) -> bool:
            return any(all(re.search(pattern, line) for pattern in patterns) for line in rules)

        return cls(
            local_first=rule(r"\b(local|library)\b", r"\b(first|before)\b", r"\b(other|web|elsewhere)\b"),
            read_before_citing=rule(r"\bread", r"\b(before|after)\b", r"\bcit"),
            cite_local=rule(r"\bpaper\b", r"/paper/"),
            web_last=rule(r"\bweb\b", r"\b(only|last|unless)\b"),
            honest=rule(r"\bnothing\b|\bnot found\b", r"\bsay|\badmit"),
            private=rule(r"\b(never|not)\b", r"\b(path|private|hidden)"),
        )


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the prompt says of the user's taste."""

    opening: str = ""
    closing: str = ""
    bullets: bool = False
    limit: int = 2
    """The most sentences to quote from one source."""

    @classmethod
    def of(cls, text: str) -> Preferences:
        """The preferences in a section of that name."""
        opening = re.search(rf"\b(?:start|begin|open)\w* (?:every|each|all|your) [\w ]*?with {_QUOTED}", text, re.I)
        closing = re.search(rf"\b(?:end|close|finish)\w* (?:every|each|all|your) [\w ]*?with {_QUOTED}", text, re.I)
        most = re.search(r"\bat most (\w+)", text, re.I)
        number = NUMBERS.get(most[1].lower()) or (int(most[1]) if most[1].isdigit() else 0) if most else 0
        return cls(
            opening=opening["words"] if opening else "",
            closing=closing["words"] if closing else "",
            bullets=bool(re.search(r"\bbullet", text, re.I)),
            limit=number or cls().limit,
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """A paper that the prompt names."""

    id: str
    title: str
    line: str
    """Title and whatever stands behind it."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A system prompt."""

    policy: Policy
    preferences: Preferences
    shelf: tuple[Listed, ...]

    @classmethod
    def of(cls, system_prompt: str) -> Brief:
        """The prompt's sections, told apart by their headings; a missing section is an empty one."""
        parts = _HEADING.split(system_prompt)
        sections = {heading.lower(): text for heading, text in zip(parts[1::2], parts[2::2], strict=True)}

        def section(word: str) -> str:
            return "\n".join(text for heading, text in sections.items() if word in heading)

        shelf = tuple(
            Listed(found["id"], found["title"], found["title"] + found["rest"])
            for found in _LISTED.finditer(section("library"))
        )
        return cls(Policy.of(section("policy") + section("rules")), Preferences.of(section("preference")), shelf)
