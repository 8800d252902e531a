"""The slot `lists`: lists that an answer gives, item by item, in any order or in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tapegate.model.trace import Json
from tapegate.oracles.named import entries_of, name_flaws
from tapegate.oracles.pairing import unpaired
from tapegate.oracles.slot import Flaw, SlotKind, bad, choices, kept, text_list
from tapegate.oracles.wording import says

_KEYS = ("name", "items", "order", "others")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•‣▪◦]|\(?\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+(?P<text>\S.*)$", re.MULTILINE)
_TEXTS = text_list("")


def items(text: str) -> list[str]:
    """The items of all bulleted and numbered lists of a text, in order, each with the lines that continue it."""
    found = list(_ITEM.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    spans = [text[match.start("text") : end] for match, end in zip(found, ends, strict=True)]
    return [span.split("\n\n", maxsplit=1)[0].strip() for span in spans]


def missing(entry: Mapping[str, Any], text: str) -> tuple[str, str] | None:
    """What is wrong with the lists of a text and what stands there; None where they are as wanted."""
    given = items(text)
    wanted = [choices(item) for item in entry["items"]]
    got = "; ".join(given) or "no list"

    def meets(one: int, other: int) -> bool:
        return any(says(given[other], wording) for wording in wanted[one])

    left = list(unpaired(len(wanted), len(given), meets))
    if left:
        return f"an item that says {' or '.join(wanted[left[0]])}", got
    if entry.get("others") == "none" and len(given) != len(wanted):
        return f"{len(wanted)} items", f"{len(given)} items: {got}"
    if entry.get("order") == "given" and not _in_order(len(wanted), len(given), meets):
        return "the items in the given order", got
    return None


def _in_order(wanted: int, given: int, meets: Any) -> bool:
    """Whether the items can be found one after another."""
    at = 0
    for one in range(wanted):
        while at < given and not meets(one, at):
            at += 1
        at += 1
    return at <= given


def _flaws(value: Json) -> Iterator[Flaw]:
    for index, entry in entries_of(value, "lists: {name, items, order, others}"):
        if isinstance(entry, Flaw):
            yield entry
            continue
        yield from (flaw.below(index) for flaw in name_flaws(entry, _KEYS))
        yield from (flaw.below(index, "items") for flaw in _TEXTS.flaws(entry.get("items")))
        for key, known in (("order", ("any", "given")), ("others", ("allowed", "none"))):
            if key in entry and entry[key] not in known:
                yield bad(entry[key], " or ".join(known), (index, key))


def wanted(entry: Mapping[str, Any]) -> Sequence[str]:
    """The items in words."""
    return [" or ".join(choices(item)) for item in entry["items"]]


LISTS = SlotKind("Lists that the answer gives: a list of `{name, items, order, others}`.", _flaws, loosens=kept)
