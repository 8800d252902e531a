"""The words of a text that carry it, in one spelling each."""

from __future__ import annotations

import re

_COMMONEST = """
a about after all an and any are as at be been before between but by can could did do does for from had has have how i
if in into is it its many me more most much my no nor not of off on one only or other our out over paper per said same
should so some such than that the their them then there these they this those through to too under up very was we were
what when where which while who whose why will with without would you your
"""
_STOP = frozenset(_COMMONEST.split())


def terms(text: str) -> tuple[str, ...]:
    """Words and numbers in their order, as often as they stand there, without the commonest; plurals as singulars."""
    words = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.lower())
    found = (_singular(word) for word in words if word not in _STOP and (len(word) > 1 or word.isdigit()))
    return tuple(word for word in found if word not in _STOP)


def coverage(query: str, text: str) -> float:
    """Which part of the terms of `query` is in `text`, 0 to 1; 0 for a query without any."""
    wanted = set(terms(query))
    return len(wanted.intersection(terms(text))) / len(wanted) if wanted else 0.0


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
