"""The system prompt: role, the user's preferences, the library, the tool policy, each under its heading.

Nothing in it changes from day to day or from machine to machine: no date, no path, no count of messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paperdesk.library import Entry
from paperdesk.paper import dated

OVERVIEW_LIMIT = 60

ROLE = """You are Paperdesk, a research assistant that works from the user's own library of papers.
Answer from what the tools return, briefly and precisely."""


def get_system_prompt(preferences: Mapping[str, str], library: Sequence[Entry], policy: Iterable[str]) -> str:
    """The system prompt for a user with these preferences and papers, under this tool policy."""
    sections = {
        "Role": ROLE,
        "User preferences": _preferences(preferences),
        "Library": _overview(library),
        "Tool policy": "\n".join(f"- {rule}" for rule in policy),
    }
    return "\n\n".join(f"## {heading}\n\n{body}" for heading, body in sections.items()) + "\n"


def _preferences(preferences: Mapping[str, str]) -> str:
    if not preferences:
        return "The user has stated none."
    return "\n".join(f"- {key.replace('_', ' ')}: {_one_line(preferences[key])}" for key in sorted(preferences))


def _overview(library: Sequence[Entry]) -> str:
    if not library:
        return "The library is empty."
    lines = [
        f"- [{_one_line(entry.title)}](/paper/{entry.id}) ({_one_line(entry.authors)}, {dated(entry.year)};"
        f" topic: {_one_line(entry.topic)})"
        for entry in library[:OVERVIEW_LIMIT]
    ]
    if len(library) > OVERVIEW_LIMIT:
        lines.append(f"- and {len(library) - OVERVIEW_LIMIT} more, which search_local finds")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """Stored text must not be able to open a section of its own."""
    return " ".join(text.split())
