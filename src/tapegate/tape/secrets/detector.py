"""Finding keys of known formats in bytes, whatever encoding they wear."""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from tapegate.tape.secrets.base64run import digit_class, forms
from tapegate.tape.secrets.catalog import RULES
from tapegate.tape.secrets.frames import joined
from tapegate.tape.secrets.rule import Rule, Sighting, compile_bytes, fingerprint
from tapegate.tape.secrets.views import ENCODED, View, hides, views

_AFTER = frozenset((string.ascii_letters + string.digits + "_~./+= :-").encode())
"""What may follow an anchor inside a key."""
_SHORT = 6
"""An anchor of fewer characters is looked for in base64 together with the class of the four after it:
alone, `sk-` would be met once in 16 kB of image data, and each meeting costs a decoding."""


class Detector:
    """Searches bytes for keys by a set of rules. Thread-safe; building one costs nothing until it searches."""

    def __init__(self, rules: Iterable[Rule] = RULES) -> None:
        self.rules = tuple(rules)

    def suspects(self, text: bytes) -> bool:
        """Whether `text` may hold a key: quick, never wrong when it says no, seldom when it says yes."""
        return self._any.search(text) is not None or hides(text, self._encoded)

    def find(self, text: bytes, *, frames: bool = False) -> tuple[Sighting, ...]:
        """Every key in `text`, each once at its first place; with `frames` also those cut over the frames of a stream.

        Raises `TooLarge` for gzip members that do not end.
        """
        found: dict[tuple[str, str], Sighting] = {}
        if self.suspects(text):
            for view in views(text, self._any_base64):
                for sighting in self._sightings(view):
                    found.setdefault((sighting.rule, sighting.digest), sighting)
        if frames:
            for sighting in self.find(b"\n".join(joined(text))):
                found.setdefault((sighting.rule, sighting.digest), replace(sighting, span=None, encoding="frames"))
        return tuple(found.values())

    def hide(self, text: bytes) -> bytes:
        """`text` with each key that stands in it unencoded replaced by its rule and fingerprint: for messages."""
        for sighting in sorted(self._sightings(View(text)), key=lambda found: found.span or (0, 0), reverse=True):
            start, end = sighting.span or (0, 0)
            text = text[:start] + f"<{sighting.rule} {sighting.digest}>".encode() + text[end:]
        return text

    def _sightings(self, view: View) -> list[Sighting]:
        if self._any.search(view.data) is None:
            return []
        found: list[Sighting] = []
        taken = bytearray(len(view.data))
        for rule in self.rules:
            for start, end in rule.spans(view.data):
                if any(taken[start:end]):
                    continue
                taken[start:end] = b"\1" * (end - start)
                place = view.span if view.encoding else (start, end)
                found.append(Sighting(rule.id, rule.service, fingerprint(view.data[start:end]), place, view.encoding))
        return found

    @cached_property
    def _any(self) -> Any:
        return compile_bytes("|".join(f"(?:{rule.gist or rule.pattern})" for rule in self.rules))

    @cached_property
    def _encoded(self) -> Any:
        return compile_bytes(f"{ENCODED}|{self._base64}")

    @cached_property
    def _any_base64(self) -> Any:
        return compile_bytes(self._base64)

    @cached_property
    def _base64(self) -> str:
        return "|".join(sorted({shape for rule in self.rules for shape in _shapes(rule)}))


@cache
def _shapes(rule: Rule) -> tuple[str, ...]:
    """Patterns of the base64 that holds an anchor of `rule`."""
    shapes: list[str] = []
    for anchor in rule.anchors:
        sets = [frozenset(map(ord, {char.lower(), char.upper()} if rule.any_case else char)) for char in anchor]
        if len(anchor) < _SHORT:
            sets += [_AFTER] * 4
        shapes += ("".join(map(digit_class, form)) for form in forms(sets))
    return tuple(shapes)


KNOWN = Detector()
"""Knows every format of the catalog."""
