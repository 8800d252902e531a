"""The canonical form of a request body: what stays of it when spelling and volatile fields are taken away.

Two JSON bodies are the same request when they differ only in white space, in the order of keys, or in
fields that a declared normaliser names. Such a field is replaced by the number of its value in order of
first appearance, not dropped: two ids that were equal stay equal, two that differed stay different.
Two multipart bodies are the same when they differ only in the boundary, which clients make up anew for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tapegate.model.normaliser import Normaliser
from tapegate.tape.jsonpath import Step, parse_path

DEEPEST = 100
"""Levels of a JSON body that is read; a deeper one matches by its bytes alone."""

_FIRST_BOUNDARY = re.compile(rb"--([0-9A-Za-z'()+_,./:=?-]{1,70})\r\n")
"""How a multipart body begins (RFC 2046 5.1.1)."""

Rules = Sequence[tuple[Step, ...]]


class DuplicateKeyError(ValueError):
    """A JSON object holds a key twice: which value counts is anybody's guess, so only its raw bytes match."""


class Number(str):
    """A JSON number by its spelling: `1`, `1.0` and 2**64+1 stay what they are."""

    __slots__ = ()


def rules_of(normalisers: Sequence[Normaliser], service: str) -> Rules:
    """The parsed paths of the normalisers that apply to `service`."""
    return [parse_path(rule.path) for rule in normalisers if rule.service == service]


def canonical(body: bytes, rules: Rules = ()) -> bytes:
    """The canonical form of `body`; one that is no JSON object or array and not multipart is its own."""
    document = load(body)
    if not isinstance(document, dict | list):
        return _without_boundary(body)
    # One count for all rules: a call and the message with its result name it in different fields.
    seen: dict[str, int] = {}
    for rule in rules:
        for holder, key in list(places(document, rule)):
            value = json.dumps(_plain(holder[key]), sort_keys=True)
            holder[key] = f"\x00volatile-{seen.setdefault(value, len(seen) + 1)}"
    return json.dumps(_plain(document), sort_keys=True, separators=(",", ":")).encode()


def _without_boundary(body: bytes) -> bytes:
    found = _FIRST_BOUNDARY.match(body)
    if found is None or not body.rstrip(b"\r\n").endswith(b"\r\n--%b--" % found[1]):
        return body
    return re.sub(rb"(?:\A|(?<=\r\n))--%b(?=--|\r\n)" % re.escape(found[1]), b"--\0", body)


def load(body: bytes) -> Any:
    """The JSON document in `body`, numbers by their spelling; None when it holds none that is unambiguous, or one
    that is nested too deeply."""
    if body[:1] not in (b"{", b"[") and body.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        document = _DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return document if _is_shallow(document) else None


def _is_shallow(document: Any) -> bool:
    """Whether it can be walked recursively wherever that happens: an agent may be deep in its own calls."""
    level = [document]
    for _ in range(DEEPEST):
        level = [
            part
            for holder in level
            for part in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(part, dict | list)
        ]
        if not level:
            return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DuplicateKeyError
    return found


# One for all: building one costs as much as decoding a kilobyte.
_DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number, object_pairs_hook=_unique)


def _plain(value: Any) -> Any:
    """`value` with each number marked, so that the number 1 and the string "1" differ."""
    if isinstance(value, Number):
        return {"\x00number": str(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def places(document: Any, rule: tuple[Step, ...]) -> Iterator[tuple[Any, Any]]:
    """Each holder and key in `document` that `rule` reaches."""
    if not rule:
        return
    step, rest = rule[0], rule[1:]
    for key in step.keys(document):
        if rest:
            yield from places(document[key], rest)
        else:
            yield document, key
