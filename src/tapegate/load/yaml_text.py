"""YAML text to a document: YAML 1.2 scalars, composed from parse events so that nothing unsafe is ever built.

PyYAML's parser knows the grammar of YAML 1.1, which differs in what plain scalars mean (resolved here) and in
a few line breaks (refused by `reader`). Its loader is not used: it expands aliases and merge keys and keeps the
last of two equal keys.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import yaml

from tapegate.load.describe import shown
from tapegate.load.document import DEPTH, INTEGERS, Document, Draft, Json, Place, Unreadable
from tapegate.model.source import Path

# The C parser is about ten times faster; both give the same events.
Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_WORDS = dict.fromkeys(("", "~", "null", "Null", "NULL")) | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_INTEGER = 24  # characters of 0o and 64 bits


def compose(text: str, file: str) -> Document:
    """The document that YAML text holds, with every problem that can be seen in it."""
    draft = Draft(file)
    try:
        return draft.done(_Composer(text, draft).document())
    except Unreadable:
        return draft.done(None, whole=False)


class _Composer:
    """One pass over the parse events of one text."""

    def __init__(self, text: str, draft: Draft) -> None:
        self._parser = Parser(text)
        self._next: Callable[[], Any] = self._parser.get_event
        self._draft = draft

    def document(self) -> Json:
        try:
            return self._document()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            start = f" (from line {error.context_mark.line + 1})" if error.context and error.context_mark else ""
            context = f", {error.context}{start}" if error.context else ""
            self._draft.report(
                "yaml_syntax", f"this is not YAML: {error.problem}{context}", place, "correct the syntax"
            )
        except (yaml.YAMLError, ValueError) as error:  # ValueError: numbers and escapes that the pure parser converts
            self._draft.report("yaml_syntax", f"this is not YAML: {error}", (1, 1), "correct the syntax")
        finally:
            self._parser.dispose()
        raise Unreadable

    def _document(self) -> Json:
        self._next()  # the start of the stream
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._draft.report(
                "empty_document", "the file holds no document", (1, 1), "write the document, or remove the file"
            )
            raise Unreadable
        if start.version or start.tags:
            self._draft.report(
                "directive_refused", "a YAML directive is refused", _place(start), "remove the line that starts with %"
            )
        value = self._value(self._next(), ())
        self._next()  # the end of the document
        second = self._next()
        if not isinstance(second, yaml.StreamEndEvent):
            self._draft.report(
                "multi_document", "a second document starts here; one file holds one", _place(second), "split the file"
            )
        return value

    def _value(self, event: Any, path: Path) -> Json:
        self._draft.places[path] = _place(event)
        if isinstance(event, yaml.AliasEvent):
            self._refuse_alias(f"alias *{event.anchor}", event, path)
            return None
        if event.anchor is not None:
            self._refuse_alias(f"anchor &{event.anchor}", event, None)
        if event.tag is not None:
            self._draft.report(
                "tag_refused",
                f"tag {event.tag!r} is refused: types come from the value alone",
                _place(event),
                "remove the tag; quote the value where it is text",
                spoils=path,
            )
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if len(path) >= DEPTH:
            self._draft.report(
                "depth_limit",
                f"more than {DEPTH} lists and mappings stand inside one another",
                _place(event),
                "flatten it",
            )
            raise Unreadable
        return self._list(path) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(path)

    def _list(self, path: Path) -> list[Json]:
        items: list[Json] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Json]:
        entries: dict[str, Json] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event, path)
            if key is None:
                with self._draft.aside():
                    self._value(self._next(), (*path, "?"))
            elif key in entries:
                self._draft.repeated(key, _place(event), self._draft.keys[*path, key])
                with self._draft.aside():
                    self._value(self._next(), (*path, key))
            else:
                at = (*path, key)
                self._draft.keys[at] = _place(event)
                entries[key] = self._value(self._next(), at)
        return entries

    def _key(self, event: Any, path: Path) -> str | None:
        """The text of a key; None where it cannot be one, which is then reported."""
        reported = len(self._draft.problems)
        if not isinstance(event, yaml.ScalarEvent) or event.tag is not None or event.anchor is not None:
            with self._draft.aside():
                key = self._value(event, (*path, "?"))
        elif event.value == "<<" and not event.style:
            fix = "write the keys out; quote the key where << is its name"
            self._draft.report("merge_key", "merge key << is refused", _place(event), fix)
            return None
        else:
            key = self._scalar(event, None)
        if isinstance(key, str):
            return key
        if len(self._draft.problems) == reported:
            message = f"a key must be text, and this is {shown(key)}"
            self._draft.report("non_string_key", message, _place(event), "put the key in quotes")
        return None

    def _scalar(self, event: Any, path: Path | None) -> Json:
        """The value of a scalar; `path` is what is spoiled where it has none."""
        return self._draft.text(event.value, _place(event), path) if event.style else self._plain(event, path)

    def _plain(self, event: Any, path: Path | None) -> Json:
        """A plain scalar by YAML 1.2's core schema: `no`, `off` and `1:30` are text, `012` is twelve."""
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "+-.0123456789":
            return text
        if _INTEGER.fullmatch(text):
            number = int(text, _base(text)) if len(text) <= _LONGEST_INTEGER else None
            if number is not None and number in INTEGERS:
                return number
            self._draft.report(
                "number_limit",
                f"{shown(text)} does not fit 64 bits",
                _place(event),
                "put it in quotes where it is text",
                spoils=path,
            )
            return None
        finite = not _NOT_FINITE.fullmatch(text)
        if finite and not _FLOAT.fullmatch(text):
            return text
        value = float(text) if finite else math.nan
        if not math.isfinite(value):
            self._draft.report(
                "not_finite",
                f"{shown(text)} is no finite number",
                _place(event),
                "put it in quotes where it is text",
                spoils=path,
            )
            return None
        return value

    def _refuse_alias(self, what: str, event: Any, spoils: Path | None) -> None:
        self._draft.report(
            "alias_limit",
            f"{what} is refused: 200 bytes of aliases can stand for gigabytes",
            _place(event),
            "write the value out",
            spoils=spoils,
        )


def _place(event: Any) -> Place:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1)


def _base(text: str) -> int:
    return {"0o": 8, "0x": 16}.get(text[:2], 10)
