"""The safe reading of untrusted YAML: events in, plain values out, nothing constructed that a file asks for.

PyYAML's loaders build first and ask later: an alias or merge bomb of a few hundred bytes keeps `CSafeLoader` busy for
minutes, a duplicate key silently wins, a second document is someone else's problem. Here every parse event is
checked before a value exists, and a plain scalar that YAML 1.1 reads as anything unexpected is refused, so that what
is accepted is what PyYAML would have answered.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from tapegate.errors import CassetteError
from tapegate.model.source import Path, Source
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.refusal import refusal

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVERS = yaml.SafeLoader.yaml_implicit_resolvers
_YAML = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_PLAIN = {
    ("bool", "true"): True,
    ("bool", "false"): False,
    ("null", "null"): None,
    ("null", "~"): None,
    ("null", ""): None,
}


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document as plain values (`dict`, `list`, `str`, `bytes`, `int`, `bool`, `None`), and where they stand."""

    root: Any
    source: Source
    raw: bytes

    def refuse(self, path: Path, message: str, code: str = "cassette_corrupt") -> CassetteError:
        """The error that names the place of `path` in this document."""
        line = self.source.line(*path)
        offset = sum(len(row) for row in self.raw.splitlines(keepends=True)[: line - 1])
        return refusal(code, f"at byte {offset}, {message}", self.source.file, line)


def preflight(raw: bytes, file: str, limits: Limits = DEFAULT) -> Document:
    """Reads one YAML document.

    Raises `CassetteError`: `cassette_corrupt`, `forbidden_tag`, `alias_limit`, `merge_key`, `duplicate_key`,
    `multi_document` or `size_limit`, at the line and byte where it stands.
    """
    _check_bytes(raw, file)
    builder = _Builder(raw, file, limits)
    try:
        for event in yaml.parse(raw, Loader=_Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = f"not YAML: {error.problem or error.context}"
        raise builder.refuse(mark, problem) from None
    except yaml.YAMLError as error:
        # A character that YAML forbids: libyaml reports it with its position, in bytes.
        position = getattr(error, "position", 0) or 0
        line = raw.count(b"\n", 0, position) + 1
        reason = getattr(error, "reason", "unreadable")
        raise refusal("cassette_corrupt", f"at byte {position}, not YAML: {reason}", file, line) from None
    if not builder.documents:
        raise refusal("cassette_corrupt", "at byte 0, no YAML document: the file holds nothing", file, 1)
    return Document(builder.root, Source(file, builder.lines), raw)


def _check_bytes(raw: bytes, file: str) -> None:
    def refuse(offset: int, message: str) -> NoReturn:
        raise refusal("cassette_corrupt", f"at byte {offset}, {message}", file, raw.count(b"\n", 0, offset) + 1)

    if not raw.strip():
        refuse(0, f"the file is empty ({len(raw)} bytes)")
    if raw.startswith(b"\xef\xbb\xbf"):
        refuse(0, "a byte order mark; expected plain UTF-8")
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        refuse(error.start, f"invalid UTF-8: {error.reason} (byte 0x{raw[error.start]:02x})")
    if b"\0" in raw:
        refuse(raw.index(b"\0"), "a NUL byte")
    if b"\r" in raw:
        refuse(
            raw.index(b"\r"),
            "a carriage return: the line endings were converted; "
            "expected LF only (.gitattributes: `cassettes/** -text`)",
        )


class _Builder:
    """Takes parse events, and has the document once they end."""

    def __init__(self, raw: bytes, file: str, limits: Limits) -> None:
        self.raw = raw
        self.file = file
        self.limits = limits
        self.root: Any = None
        self.lines: dict[Path, int] = {}
        self.documents = 0
        self._open: list[tuple[dict[str, Any] | list[Any], Path]] = []
        self._key: list[str | None] = []
        self._values = 0

    def refuse(self, mark: Any, message: str, code: str = "cassette_corrupt") -> CassetteError:
        """The error at a parser's mark. libyaml counts characters; files are read by bytes."""
        offset = len(self.raw.decode()[: mark.index].encode())
        return refusal(code, f"at byte {offset}, {message}", self.file, mark.line + 1)

    def take(self, event: yaml.Event) -> None:
        """One event, checked, then built."""
        match event:
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case yaml.AliasEvent():
                raise self.refuse(event.start_mark, "an alias; a cassette holds none", "alias_limit")
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._check_node(event)
                self._start_collection({} if isinstance(event, yaml.MappingStartEvent) else [], event)
            case yaml.ScalarEvent():
                self._check_node(event)
                self._scalar(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._open.pop()
                self._key.pop()

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self.refuse(event.start_mark, "a second YAML document; a cassette is one", "multi_document")
        if event.version or event.tags:
            raise self.refuse(event.start_mark, "a YAML directive; a cassette holds none")

    def _check_node(self, event: Any) -> None:
        self._values += 1
        if self._values > self.limits.values:
            raise self.refuse(event.start_mark, f"more than {self.limits.values:,} values", "size_limit")
        if event.anchor is not None:
            raise self.refuse(event.start_mark, f"the anchor {event.anchor!r}; a cassette holds none", "alias_limit")
        binary = event.tag == _YAML + "binary" and isinstance(event, yaml.ScalarEvent)
        if event.tag is not None and not binary:
            raise self.refuse(
                event.start_mark,
                f"the tag {event.tag!r}; the only tag a cassette may hold is !!binary",
                "forbidden_tag",
            )

    def _start_collection(self, value: dict[str, Any] | list[Any], event: Any) -> None:
        if len(self._open) >= self.limits.depth:
            raise self.refuse(event.start_mark, f"more than {self.limits.depth} collections inside one another")
        path = self._put(value, event)
        self.lines.setdefault(path, event.start_mark.line + 1)
        self._open.append((value, path))
        self._key.append(None)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if self._open and isinstance(self._open[-1][0], dict) and self._key[-1] is None:
            self._name(event)
            return
        self._put(self._read(event), event)

    def _name(self, event: Any) -> None:
        if event.implicit[0] and event.value == "<<":
            raise self.refuse(event.start_mark, "a merge key `<<`; a cassette holds none", "merge_key")
        key = self._read(event)
        mapping, path = self._open[-1]
        if not isinstance(key, str):
            raise self.refuse(event.start_mark, f"the key {event.value!r} is not text; quote it")
        if key in mapping:
            raise self.refuse(
                event.start_mark,
                f"the key {key!r} stands twice in one mapping, first in line {self.lines.get((*path, key), '?')}",
                "duplicate_key",
            )
        self.lines[*path, key] = event.start_mark.line + 1
        self._key[-1] = key

    def _put(self, value: Any, event: Any) -> Path:
        if not self._open:
            self.root = value
            return ()
        parent, path = self._open[-1]
        if isinstance(parent, list):
            parent.append(value)
            return (*path, len(parent) - 1)
        key = self._key[-1]
        if key is None:
            raise self.refuse(event.start_mark, "a mapping or list as a key; expected text")
        parent[key] = value
        self._key[-1] = None
        return (*path, key)

    def _read(self, event: yaml.ScalarEvent) -> Any:
        if event.tag is not None:
            return self._binary(event)
        text: str = event.value
        if not event.implicit[0]:
            return text
        tag = _resolved(text)
        if tag == "str":
            return text
        if tag == "int" and _INTEGER.fullmatch(text):
            return int(text)
        if (tag, text) in _PLAIN:
            return _PLAIN[tag, text]
        raise self.refuse(event.start_mark, f"the plain scalar {text[:80]!r} reads as {tag} in YAML 1.1; quote it")

    def _binary(self, event: yaml.ScalarEvent) -> bytes:
        try:
            return binascii.a2b_base64(re.sub(r"[ \n]", "", event.value), strict_mode=True)
        except ValueError as error:
            raise self.refuse(event.start_mark, f"!!binary is not base64: {error}") from None


def _resolved(text: str) -> str:
    """The tag that YAML 1.1 gives to a plain scalar, without its prefix."""
    for tag, pattern in (*_RESOLVERS.get(text[:1], ()), *_RESOLVERS.get(None, ())):
        if pattern.match(text):
            return str(tag).removeprefix(_YAML)
    return "str"
