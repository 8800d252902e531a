"""YAML as PyYAML writes it, read as plain values: nothing is constructed that a file asks for.

Cassettes of other tools use more of YAML than ours: numbers of any spelling, anchors, a few Python tags. Each tag that
is known stands for plain values here; an alias costs what it expands to, within one bound for the whole file.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from tapegate.errors import CassetteError
from tapegate.tape.limits import Limits
from tapegate.tape.refusal import refusal

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVERS = yaml.SafeLoader.yaml_implicit_resolvers
_TAG = "tag:yaml.org,2002:"
FIX = "record it again with a current vcrpy, or take out what is named here"
_NOTHING = object()


def read_yaml(raw: bytes, file: str, limits: Limits) -> Any:
    """The one document in `raw`: `dict`, `list`, `str`, `bytes`, `int`, `float`, `bool` and `None`.

    Raises `CassetteError`: `cassette_corrupt`, `forbidden_tag`, `alias_limit`, `duplicate_key`, `multi_document`,
    `size_limit`.
    """
    builder = _Builder(file, limits)
    try:
        for event in yaml.parse(raw, Loader=_Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise refusal("cassette_corrupt", f"not YAML: {error.problem or error.context}", file, line, FIX) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise refusal("cassette_corrupt", f"not YAML: {error}", file, None, FIX) from None
    if builder.documents != 1:
        raise refusal("cassette_corrupt", "no YAML document: the file holds nothing", file, 1, FIX)
    return builder.root


@dataclass(slots=True)
class _Open:
    """A collection that has not ended."""

    value: Any
    tag: str | None
    anchor: str | None
    line: int
    before: int
    """How many values the file had given before it."""
    key: Any = field(default=_NOTHING)


class _Builder:
    """Takes parse events, and has the document once they end."""

    def __init__(self, file: str, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self.root: Any = None
        self.documents = 0

    def take(self, event: Any) -> None:
        """One event, checked, then built."""
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise self._refuse(event, "a second YAML document; a cassette is one", "multi_document")
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if len(self._open) >= self._limits.depth:
                    message = f"more than {self._limits.depth} collections inside one another"
                    raise self._refuse(event, message, "size_limit")
                made: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                self._open.append(_Open(made, event.tag, event.anchor, _line(event), self._values))
                self._count(1, event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event)
            case yaml.ScalarEvent():
                self._count(1, event)
                value = self._scalar(event)
                if event.anchor is not None:
                    self._anchors[event.anchor] = value, 1
                self._put(value, event)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            message = f"the alias {event.anchor!r} stands for nothing that ends before it"
            raise self._refuse(event, message, "alias_limit")
        value, size = self._anchors[event.anchor]
        self._count(size, event, "alias_limit")
        self._put(value, event)

    def _close(self, event: Any) -> None:
        ended = self._open.pop()
        value = ended.value
        if ended.tag is not None and ended.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            known = _PYTHON_TAGS.get(ended.tag.removeprefix(f"{_TAG}python/"))
            if known is None or not ended.tag.startswith(_TAG):
                raise self._forbidden(ended.tag, ended.line)
            value = known(value)
        if ended.anchor is not None:
            self._anchors[ended.anchor] = value, self._values - ended.before
        self._put(value, event)

    def _put(self, value: Any, event: Any) -> None:
        if not self._open:
            self.root = value
            return
        parent = self._open[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key is _NOTHING:
            if isinstance(value, list | dict):
                raise self._refuse(event, "a collection as a key; expected text")
            if value in parent.value:
                raise self._refuse(event, f"the key {value!r} stands twice in one mapping", "duplicate_key")
            parent.key = value
        else:
            parent.value[parent.key] = value
            parent.key = _NOTHING

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        text: str = event.value
        tag = event.tag or (_resolved(text) if event.implicit[0] else f"{_TAG}str")
        make = _SCALARS.get(tag.removeprefix(_TAG)) if tag.startswith(_TAG) else None
        if make is None:
            raise self._forbidden(tag, _line(event))
        try:
            return make(text)
        except (ValueError, KeyError) as error:
            what = tag.removeprefix(_TAG)
            raise self._refuse(event, f"{text[:80]!r} is no {what}: {error}") from None

    def _count(self, values: int, event: Any, code: str = "size_limit") -> None:
        self._values += values
        if self._values > self._limits.values:
            raise self._refuse(event, f"more than {self._limits.values:,} values, aliases counted", code)

    def _forbidden(self, tag: str, line: int) -> CassetteError:
        message = f"the tag {tag!r} asks for an object that is not built from a file"
        return refusal("forbidden_tag", message, self._file, line, FIX)

    def _refuse(self, event: Any, message: str, code: str = "cassette_corrupt") -> CassetteError:
        return refusal(code, message, self._file, _line(event), FIX)


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _resolved(text: str) -> str:
    """The tag that YAML 1.1 gives to a plain scalar."""
    for tag, pattern in (*_RESOLVERS.get(text[:1], ()), *_RESOLVERS.get(None, ())):
        if pattern.match(text):
            return str(tag)
    return f"{_TAG}str"


def _constructed(name: str) -> Callable[[str], Any]:
    """PyYAML's own reading of a scalar of one kind: octal, hexadecimal, infinity and all."""
    constructor = SafeConstructor()
    construct = getattr(constructor, f"construct_yaml_{name}")
    return lambda text: construct(yaml.ScalarNode(f"{_TAG}{name}", text))


def _binary(text: str) -> bytes:
    return base64.b64decode("".join(text.split()), validate=True)


_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "python/str": str,
    "python/unicode": str,
    # A date that nobody quoted, and signs that mean something elsewhere in YAML: text to whoever wrote them.
    "timestamp": str,
    "value": str,
    "merge": str,
    "null": lambda _: None,
    "bool": _constructed("bool"),
    "int": _constructed("int"),
    "float": _constructed("float"),
    "binary": _binary,
    "python/bytes": _binary,
}


def _first(value: Any) -> Any:
    """The one argument of a call."""
    arguments = value.get("args") if isinstance(value, dict) else value
    return arguments[0] if isinstance(arguments, list) and arguments else ""


def _buffer(value: Any) -> Any:
    """The content of a pickled `BytesIO`: the first part of its state."""
    state = value.get("state") if isinstance(value, dict) else None
    return state[0] if isinstance(state, list) and state else b""


_PYTHON_TAGS: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda items: items,
    "list": lambda items: items,
    "dict": lambda items: items,
    "object/apply:multidict._multidict.istr": _first,
    "object/apply:multidict._multidict_py.istr": _first,
    "object/apply:multidict.istr": _first,
    "object/new:multidict._multidict.istr": _first,
    "object/new:_io.BytesIO": _buffer,
    "object/apply:builtins.iter": lambda value: tuple(_first(value)),
}
"""Tags that vcrpy and its users' recorders write, and the plain value that each stands for. What an iterator gave one
by one is a tuple, and nothing else is."""
