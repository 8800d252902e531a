"""JSON text to a document: RFC 8259 to the letter, with the place of every value."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import NoReturn

from tapegate.load.document import DEPTH, INTEGERS, Document, Draft, Json, Place, Unreadable
from tapegate.model.source import Path

_SPACE = re.compile(r"[ \t\r\n]*")
_BREAK = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WORDS = {"true": True, "false": False, "null": None}
_LONGEST_INTEGER = 20  # characters of -2^63


def scan(text: str, file: str) -> Document:
    """The document that JSON text holds, with every problem that can be seen in it."""
    draft = Draft(file)
    try:
        return draft.done(_Scanner(text, draft).document())
    except Unreadable:
        return draft.done(None, whole=False)


class _Scanner:
    """One pass over one text; `_at` is the index of the next character."""

    def __init__(self, text: str, draft: Draft) -> None:
        self._text = text
        self._draft = draft
        self._at = 0
        self._lines = [0, *(found.end() for found in _BREAK.finditer(text))]

    def document(self) -> Json:
        if not self._peek():
            self._draft.report(
                "empty_document", "the file holds no document", (1, 1), "write the document, or remove the file"
            )
            raise Unreadable
        value = self._value(())
        if self._peek():
            self._fail("the document ends before this", "remove what follows; one file holds one document")
        return value

    def _place(self, index: int) -> Place:
        line = bisect_right(self._lines, index)
        return (line, index - self._lines[line - 1] + 1)

    def _fail(self, message: str, fix: str, index: int | None = None) -> NoReturn:
        where = self._at if index is None else index
        self._draft.report("json_syntax", f"this is not JSON: {message}", self._place(where), fix)
        raise Unreadable

    def _peek(self) -> str:
        """The next character that is no white space; empty at the end of the text."""
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _take(self, wanted: str) -> None:
        found = self._peek()
        if found != wanted:
            self._fail(
                f"expected {wanted!r}, found {found!r}" if found else f"expected {wanted!r}, and the file ends",
                "correct the syntax",
            )
        self._at += 1

    def _value(self, path: Path) -> Json:
        first = self._peek()
        self._draft.places[path] = self._place(self._at)
        if first == '"':
            return self._string(path)
        if first in ("{", "["):
            if len(path) >= DEPTH:
                self._draft.report(
                    "depth_limit",
                    f"more than {DEPTH} lists and mappings stand inside one another",
                    self._place(self._at),
                    "flatten it",
                )
                raise Unreadable
            return self._mapping(path) if first == "{" else self._list(path)
        return self._bare(path)

    def _list(self, path: Path) -> list[Json]:
        self._take("[")
        items: list[Json] = []
        if self._peek() == "]":
            self._at += 1
            return items
        while True:
            items.append(self._value((*path, len(items))))
            if self._peek() != ",":
                self._take("]")
                return items
            self._at += 1

    def _mapping(self, path: Path) -> dict[str, Json]:
        self._take("{")
        entries: dict[str, Json] = {}
        if self._peek() == "}":
            self._at += 1
            return entries
        while True:
            self._entry(entries, path)
            if self._peek() != ",":
                self._take("}")
                return entries
            self._at += 1

    def _entry(self, entries: dict[str, Json], path: Path) -> None:
        found = self._peek()
        if found != '"':
            self._fail(
                f"expected a key in double quotes, found {found!r}", "put keys in double quotes; no comma before }"
            )
        place = self._place(self._at)
        key = self._string(path)
        self._take(":")
        at = (*path, key)
        if key in entries:
            self._draft.repeated(key, place, self._draft.keys[at])
            with self._draft.aside():
                self._value(at)
        else:
            self._draft.keys[at] = place
            entries[key] = self._value(at)

    def _string(self, path: Path) -> str:
        start = self._at
        text: str
        try:
            text, self._at = scanstring(self._text, start + 1, True)
        except JSONDecodeError as error:
            self._fail(error.msg.lower(), "close the string, and escape what must be escaped", error.pos)
        return self._draft.text(text, self._place(start), path)

    def _bare(self, path: Path) -> Json:
        start = self._at
        if match := _NUMBER.match(self._text, start):
            self._at = match.end()
            return self._number(match, path)
        if match := _WORD.match(self._text, start):
            if match[0] in _WORDS:
                self._at = match.end()
                return _WORDS[match[0]]
            self._fail(f"{match[0]!r} is no value", "put text in double quotes; the words are true, false and null")
        found = self._text[start : start + 1]
        return self._fail(
            f"expected a value, found {found!r}" if found else "expected a value, and the file ends",
            "correct the syntax",
        )

    def _number(self, match: re.Match[str], path: Path) -> Json:
        text = match[0]
        place = self._place(match.start())
        if match["fraction"] or match["exponent"]:
            value = float(text)
            if math.isfinite(value):
                return value
            self._draft.report(
                "not_finite",
                f"{text[:40]!r} is no finite number",
                place,
                "put it in quotes where it is text",
                spoils=path,
            )
            return None
        number = int(text) if len(text) <= _LONGEST_INTEGER else None
        if number is not None and number in INTEGERS:
            return number
        self._draft.report(
            "number_limit",
            f"{text[:40]!r} does not fit 64 bits",
            place,
            "put it in quotes where it is text",
            spoils=path,
        )
        return None
