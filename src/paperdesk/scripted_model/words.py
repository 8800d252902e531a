"""Words of a question: which ones matter, and when two of them are the same."""

from __future__ import annotations

import re
from importlib.resources import files

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}

_STOP = frozenset(files("paperdesk.scripted_model").joinpath("stop_words.txt").read_text(encoding="utf-8").split())
_CLAUSE_END = re.compile(
    r"[?;]|,? \band\b (?=(?:(?:by|at|to|in|above|below|for|from) )?(?:what|how|which|when|where|who|why)\b)", re.I
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")


_PLURAL = (("ies", "y"), ("es", ""), ("s", ""))
_OTHER = (("ing", ""), ("ied", "y"), ("ed", ""), ("est", ""), ("er", ""))


def stem(word: str) -> str:
    """A word without its commonest English endings; crude, and the same on both sides of a comparison."""
    for endings in (_PLURAL, _OTHER):
        for ending, instead in endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word.removesuffix(ending) + instead
                break
    return word.removesuffix("e") if len(word) > 3 else word


def key_words(text: str) -> tuple[str, ...]:
    """The words that carry a question, as written but in lower case, each once."""
    words = re.findall(r"[^\W_]+", text.lower())
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and word not in _STOP))


def stems(text: str) -> frozenset[str]:
    """Every word of `text`, stemmed."""
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", text.lower()))


def coverage(question: str, text: str) -> float:
    """Which part of the question's key words `text` holds, 0 to 1."""
    wanted = {stem(word) for word in key_words(question)}
    return len(wanted & stems(text)) / len(wanted) if wanted else 0.0


def clauses(question: str) -> tuple[str, ...]:
    """The questions within a question: `how deep is it, and what does it cost?` holds two."""
    parts = [part for part in _CLAUSE_END.split(question) if key_words(part)]
    return tuple(parts) or (question,)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a piece of prose."""
    return tuple(found for found in _SENTENCE_END.split(" ".join(text.split())) if found)
