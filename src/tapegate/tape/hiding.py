"""Whether a normaliser hides from matching what a model is told: then another prompt is played the old answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from tapegate.model.normaliser import Normaliser
from tapegate.tape.canonical import DuplicateKeyError, load, places, rules_of
from tapegate.tape.cassette import Cassette
from tapegate.tape.conversation import CONVERSATION_KEYS, PROMPT_KEYS, TOOL_KEYS

_TEXTS = frozenset({*CONVERSATION_KEYS, *PROMPT_KEYS, "prompt", "content", "text", "parts", "output", "arguments"})
"""Keys whose strings a model reads; ids, signatures and marks for caches stand under others."""


def hiding(cassette: Cassette, normalisers: Sequence[Normaliser]) -> frozenset[int]:
    """The places in `normalisers` of those that take the model's name, a prompt, a message or a tool out of a recorded
    request."""
    found = set()
    for number, rule in enumerate(normalisers):
        for interaction in cassette.interactions:
            if interaction.service == rule.service and _hides(interaction.request.body, rule):
                found.add(number)
                break
    return frozenset(found)


def _hides(body: bytes, rule: Normaliser) -> bool:
    try:
        document = load(body)
    except DuplicateKeyError:
        return False
    if not isinstance(document, dict) or ("model" not in document and not _TEXTS & document.keys()):
        return False
    left = deepcopy(document)
    for steps in rules_of([rule], rule.service):
        for holder, key in list(places(left, steps)):
            holder[key] = None
    return _told(left) != _told(document)


def _told(document: dict[str, Any]) -> tuple[Any, ...]:
    texts = [text for key in sorted(_TEXTS & document.keys()) for text in _texts(key, document[key])]
    return document.get("model"), [document.get(key) for key in TOOL_KEYS], texts


def _texts(key: str, value: Any) -> Iterator[str]:
    """The strings that stand under a key of a text; a list has the key that it stands under."""
    if isinstance(value, str):
        yield from [value] if key in _TEXTS else ()
    elif isinstance(value, list):
        for item in value:
            yield from _texts(key, item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(name, item)
