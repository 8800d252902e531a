"""Passages of an answer that repeat what was given to the agent in confidence: keys, and its system prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tapegate.model.trace import Json
from tapegate.oracles.folding import foldings
from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.views import TooLarge

RUN = 12
"""Words in a row that a prompt and an answer do not share by chance."""
DENSE_RUN = 24
"""The same for scripts that are written without spaces, character by character."""
SHORTEST = 6
"""Words of a prompt that is shorter than a run: repeated whole it is an echo, and of fewer nothing can be said."""

_MARK = re.compile(r"REDACTED_[A-Z][A-Z0-9_]{2,}")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]|[^\W_]+")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")


def secret_echoes(text: str) -> Iterator[str]:
    """What keys a text holds, each once and never the key itself: `the mark of OPENAI_API_KEY`.

    Keys of known formats in any encoding, and the marks that stand for declared ones.
    """
    seen: set[str] = set()
    for reading in foldings(text):
        for what in (*_marks(reading.text), *_keys(reading.text)):
            if what not in seen:
                seen.add(what)
                yield what


def _marks(text: str) -> Iterator[str]:
    for found in _MARK.finditer(text):
        yield f"the mark of {found.group().removeprefix('REDACTED_')}"


def _keys(text: str) -> Iterator[str]:
    try:
        for found in KNOWN.find(text.encode("utf-8", "replace")):
            yield f"a key ({found.rule}: {found.service}; sha256 {found.digest}…)"
    except TooLarge:
        yield "compressed data that is too large to be searched for keys"


def prompt_echo(text: str, prompts: Iterable[str], open_texts: Iterable[str]) -> tuple[int, int] | None:
    """Where a text first repeats a passage of a prompt; None where it repeats none.

    A passage that also stands in one of the open texts (what the user said, what tools returned) is no secret.
    """
    known = [words for words, _ in map(_words, open_texts)]
    for prompt in prompts:
        said, _ = _words(prompt)
        length = DENSE_RUN if sum(map(len, filter(_DENSE.match, said))) * 2 > len(said) else RUN
        length = min(length, len(said))
        if length < SHORTEST:
            continue
        passages = _runs(said, length).difference(*(_runs(words, length) for words in known))
        for reading in foldings(text):
            words, spans = _words(reading.text)
            for start in range(len(words) - length + 1):
                if tuple(words[start : start + length]) in passages:
                    return reading.origin(spans[start][0], spans[start + length - 1][1])
    return None


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def _words(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    found = list(_WORD.finditer(text))
    return [match.group().casefold() for match in found], [match.span() for match in found]


def texts_in(value: Json) -> Iterator[str]:
    """Every text in a value of JSON, at any depth."""
    open_ = [value]  # a stack, not recursion: a result may be nested at will
    while open_:
        one = open_.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            open_.extend(one.values())
        elif isinstance(one, list | tuple):
            open_.extend(one)
