"""Slots that are lists of named entries, so that a finding and a tolerance can say which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tapegate.load.suggest import did_you_mean
from tapegate.model.trace import Json
from tapegate.oracles.slot import Flaw, bad, listed

Entry = Mapping[str, Any]


def entries_of(value: Json, of: str) -> Iterator[tuple[int, Entry | Flaw]]:
    """Each entry of a list with its place, or what is wrong with the list and with entries that are no mappings."""
    for flaw in listed(value, of):
        yield 0, flaw
    names: list[str] = []
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        if not isinstance(entry, dict):
            yield index, bad(entry, f"one of {of}", (index,))
            continue
        name = entry.get("name")
        if isinstance(name, str) and name in names:
            yield index, Flaw("duplicate_entry", f"two entries are named {name!r}", (index, "name"))
        names.append(str(name))
        yield index, entry


def name_flaws(entry: Entry, keys: Sequence[str]) -> Iterator[Flaw]:
    """What is wrong with the keys of an entry and with its name."""
    for key in entry:
        if key not in keys:
            yield Flaw("bad_slot_value", f"an entry has no key {key!r} ({did_you_mean(key, keys)})", (key,))
    if not isinstance(entry.get("name"), str) or not entry["name"]:
        yield Flaw("bad_slot_value", "an entry has a name: a text that is not empty")


def widened_entry(value: Sequence[Entry], name: str, wider: Callable[[Entry], Entry]) -> Json:
    """The list with its entry of that name made wider. Raises KeyError where there is none."""
    if not any(entry["name"] == name for entry in value):
        raise KeyError(name)
    return [wider(entry) if entry["name"] == name else entry for entry in value]
