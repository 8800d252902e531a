"""A metric's page in the docs, read from the docstring of its class."""

from __future__ import annotations

import re
from inspect import cleandoc

from tapegate.oracles.oracle import Oracle

SECTIONS = (
    "What it checks",
    "Parameters",
    "Why it is deterministic",
    "False positives and how they are kept low",
    "False negatives and how they are kept low",
    "Example task",
    "Example finding",
)
"""What every metric's docstring has, in this order, each title underlined with dashes (the standard, "If adding a new
metric": deterministic behaviour, mitigation notes)."""

_TITLE = re.compile(r"^(\S.*)\n-{3,}$", re.MULTILINE)


def manual(oracle: Oracle) -> dict[str, str]:
    """The sections of the metric's docstring by title; the text before the first one under an empty title."""
    parts = _TITLE.split(cleandoc(type(oracle).__doc__ or ""))
    return {"": parts[0].strip(), **{title: text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}}


def shortcomings(oracle: Oracle) -> list[str]:
    """What a metric lacks to be used at all: sections of its docstring, a version, a line on each code and slot."""
    sections = manual(oracle)
    found = [] if sections[""] else ["its docstring does not begin with a summary"]
    found += [f"its docstring has no text under {title!r}" for title in SECTIONS if not sections.get(title)]
    if not found and [title for title in sections if title in SECTIONS] != list(SECTIONS):
        found.append("the sections of its docstring are in another order")
    if not isinstance(oracle.name, str) or re.fullmatch(r"[a-z][a-z0-9_]*", oracle.name) is None:
        found.append(f"its name {oracle.name!r} is not snake_case")
    if type(oracle.version) is not int or oracle.version < 1:
        found.append(f"its version {oracle.version!r} is not a whole number from 1 up")
    if not oracle.codes:
        found.append("it declares no code, so it could never find anything")
    lines = {**oracle.codes, **oracle.invariants, **{slot: kind.doc for slot, kind in oracle.slots.items()}}
    found += [f"{name!r} has no line that says what it means" for name, line in lines.items() if not line.strip()]
    return found
