"""What the authors of a change say of its evals, in commit messages and in the pull request's description."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

UNCHANGED = "Tapegate-Eval-Unchanged"
REMOVED = "Tapegate-Eval-Removed"

_LINE = re.compile(rf"^({UNCHANGED}|{REMOVED})[ \t]*:[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE)
_UNSAID = re.compile(
    r"<!--.*?(?:-->|\Z)|^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""What is shown, and was said by nobody: HTML comments and fenced code."""
_SCOPED = re.compile(r"([^:]+):[ \t]*(.+)", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;/&+]+|\band\b")
_NUMBERED = re.compile(r"[A-Za-z]{1,3}-?[0-9]+")
"""What is the id of a path by its looks, though no path has it."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|(?<!\S)\S*?[^\W\d_]\S*")
"""A word, or a character of a script that writes none apart."""
_PLACEHOLDER = re.compile(r"<[^<>]*>")
"""`<why not>`, which a reader of the pull request does not even see."""
_LEAST = 2
"""Words that a reason has: `none` and `-` are none."""
_KEYED = re.compile(r"(\S+?):?[ \t]+(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trailers:
    """The reasons that were given."""

    unchanged: tuple[tuple[frozenset[str], str], ...]
    """Path ids and why none of their evals changed; no ids: all paths."""
    removed: tuple[tuple[str, str], ...]
    """Key of an eval and why it was removed; id of a path and why it is no longer held to its inventory."""

    @classmethod
    def of(cls, messages: Iterable[str], paths: Collection[str]) -> Trailers:
        """The reasons in some messages; `paths` are the path ids that there are.

        A reason is a line of its own, `Tapegate-Eval-Unchanged: reason`, which lines that are indented go on. It may
        begin with the path ids that it is for, `A1, A2: reason`, and has two words or more of its own; one for an id
        that no path has is for none. What stands in
        an HTML comment, as a template of a pull request has it, or in fenced code was said by nobody.
        """
        unchanged: list[tuple[frozenset[str], str]] = []
        removed: list[tuple[str, str]] = []
        for message in messages:
            for name, said in _LINE.findall(_UNSAID.sub("", message.replace("\r\n", "\n"))):
                reason = " ".join(said.split())
                if name.lower() == UNCHANGED.lower():
                    ids, why = _scoped(reason, paths)
                    if ids is not None and _says(why, paths):
                        unchanged.append((ids, why))
                elif (found := _KEYED.fullmatch(reason)) and _says(found[2], paths):
                    removed.append((found[1], found[2]))
        return cls(tuple(unchanged), tuple(removed))

    def why_unchanged(self, path_id: str) -> str:
        """Why no eval of a path changed; empty where nobody said."""
        return next((reason for ids, reason in self.unchanged if not ids or path_id in ids), "")

    def why_removed(self, key: str) -> str:
        """Why an eval, or a path's row of the inventory, was removed; empty where nobody said."""
        return next((reason for named, reason in self.removed if named == key), "")


def _scoped(reason: str, paths: Collection[str]) -> tuple[frozenset[str] | None, str]:
    """The paths that a reason is for, and its words; no ids: all paths. None: for paths that there are not."""
    found = _SCOPED.fullmatch(reason)
    if found is None:
        return frozenset(), reason
    named = [part for part in _BETWEEN.split(found[1]) if part]
    known = {path_id.casefold(): path_id for path_id in paths}
    meant = [name for name in named if name.casefold() in known or _NUMBERED.fullmatch(name)]
    if not meant or len(meant) < len(named):
        return frozenset(), reason
    ids = frozenset(known[name.casefold()] for name in named if name.casefold() in known)
    return ids or None, found[2]


def _says(reason: str, paths: Collection[str]) -> bool:
    """Whether a reason says something: the ids of paths aside, it has words."""
    own = [part for part in _PLACEHOLDER.sub("", reason).split() if part.strip(",:;.") not in paths]
    return len(_WORD.findall(" ".join(own))) >= _LEAST
