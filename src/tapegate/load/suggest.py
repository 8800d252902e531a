"""What a misspelt word was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LISTED = 40


def nearest(word: object, choices: Iterable[str]) -> str | None:
    """The choice that `word` looks most like, case ignored; None where none is close."""
    if not isinstance(word, str) or len(word) > 200:  # matching is quadratic, and no name is that long
        return None
    folded = {choice.casefold(): choice for choice in sorted(choices, reverse=True)}
    found = get_close_matches(word.casefold(), folded, n=1)
    return folded[found[0]] if found else None


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """A sentence that names the nearest choice, where one is near, and lists the known ones (40 at most)."""
    names = sorted(set(choices))
    listed = ", ".join(name if name.isprintable() else repr(name) for name in names[:_LISTED]) or "none"
    if len(names) > _LISTED:
        listed += f" and {len(names) - _LISTED} more"
    close = nearest(word, names)
    return f"did you mean {close!r}? (known: {listed})" if close is not None else f"known: {listed}"
