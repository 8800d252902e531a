r"""The fast reader: the strict inverse of `emit.py`, in one pattern an interaction.

It accepts a subset of YAML in which there is one way to write each thing, and answers `None` for everything else, a
malformed file included: the slow reader is the authority on what is wrong. Where JSON and YAML differ, the grammar
takes neither side: no `\/`, no surrogate escapes (YAML reads a pair as two characters), no control characters, no
Unicode line breaks. Mutation tests hold it to PyYAML's answer.
"""

from __future__ import annotations

import binascii
import re

import orjson

from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Headers, Interaction, Provenance, Request, Response
from tapegate.tape.emit import LONGEST_SIMPLE_KEY
from tapegate.tape.shape import KEY, RECORDED_AT, disorder

_ESCAPE = rb'\\(?:["\\bfnrt]|u(?:[0-9a-ce-f][0-9a-f]{3}|d[0-7][0-9a-f]{2}))'
_STRING = rb'"[^"\\\n]*+(?:' + _ESCAPE + rb'[^"\\\n]*+)*+"'
_HEADER = rb"      " + _STRING + rb": \[(?:" + _STRING + rb"(?:, " + _STRING + rb")*+)?+\]\n"
_HEADERS = rb"(?: \{\}\n|\n((?:" + _HEADER + rb")++))"
_CHUNKS = (
    rb'(\{"started_us": [0-9]{1,16}, "sizes": \[[0-9, ]*+\], "at_us": \[[0-9, ]*+\], "ended_us": [0-9]{1,16}, '
    rb'"ended": "(?:eof|client_closed|error)"\})\n'
)
_PROVENANCE = b"".join(
    rb"    " + name.encode() + rb": " + (rb'"(?:live|local|scripted)"' if name == "source_kind" else _STRING) + rb"\n"
    for name in Provenance.__dataclass_fields__
)


def _body(indent: int) -> bytes:
    margin = rb" {%d}" % indent
    continued = rb'"[^"\\\n]*+(?:(?:' + _ESCAPE + rb"|\\\n" + margin + rb'(?=[^ \n"]))[^"\\\n]*+)*+"\n'
    block = rb"(?:!!binary )?+\|[-+]?+\n(?:" + margin + rb"[^\n]++\n|\n)++"
    return rb"(" + continued + rb"|" + block + rb")"


_HEAD = re.compile(
    rb"version: 1\ntapegate:\n  format: 1\n"
    rb"  key: (" + _STRING + rb")\n  trial: ([1-9][0-9]{0,8})\n"
    rb"  provenance:\n(" + _PROVENANCE + rb")"
    rb"  stream:\n    dialect: (" + _STRING + rb")\n    body: " + _body(6) + rb"    chunks: " + _CHUNKS +
    rb"interactions:(?: \[\]\n\Z|\n(?!\Z))"
)  # fmt: skip
_INTERACTION = re.compile(
    rb"- request:\n    method: (" + _STRING + rb")\n    uri: (" + _STRING + rb")\n"
    rb"    headers:" + _HEADERS + rb"    body: " + _body(6) +
    rb"  response:\n    status:\n      code: ([1-9][0-9]{2})\n      message: (" + _STRING + rb")\n"
    rb"    headers:" + _HEADERS + rb"    body:\n      string: " + _body(8) +
    rb"  service: (" + _STRING + rb")\n  chunks: " + _CHUNKS + rb"  redacted: (true|false)\n"
)  # fmt: skip
_FIELD = re.compile(rb"    [a-z_]+: (.+)\n")
_LONGEST_NAME = LONGEST_SIMPLE_KEY // 6
"""Characters; escaped they may take six each."""

_CONTROL = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
"""All but tab and newline. A raw tab stands in blocks only: JSON strings refuse it."""
_FOREIGN = (
    re.compile(rb"\xc2[\x80-\x9f]"),
    re.compile(rb"\xe2\x80[\xa8\xa9]"),
    re.compile(rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])"),
)
"""C1 controls; U+2028 and U+2029; U+FEFF, U+FFFE and U+FFFF. One pattern each: a fixed first byte is searched for
ten times faster than any of three."""


class _NotOurs(Exception):
    """These bytes are not what `emit` writes."""


def parse(raw: bytes) -> Cassette | None:
    """The cassette that `emit` wrote as these bytes; None where it wrote no such thing."""
    try:
        return _parse(raw) if _clean(raw) else None
    except (_NotOurs, ValueError):
        # orjson and base64 refuse with ValueError what the patterns let through.
        return None


def _clean(raw: bytes) -> bool:
    if len(raw.translate(None, _CONTROL)) != len(raw):
        return False
    if raw.isascii():
        return True
    raw.decode()
    return not any(pattern.search(raw) for pattern in _FOREIGN)


def _parse(raw: bytes) -> Cassette:
    head = _HEAD.match(raw)
    if not head:
        raise _NotOurs
    key, trial, provenance, dialect, said, chunks = head.groups()
    made = Provenance(*map(orjson.loads, _FIELD.findall(provenance)))
    name = orjson.loads(key)
    if not KEY.fullmatch(name) or not RECORDED_AT.fullmatch(made.recorded_at):
        raise _NotOurs
    answer = _body_of(said, b"      ")
    stream = AgentStream(orjson.loads(dialect), answer, _timed(chunks, answer))
    interactions = []
    seen: dict[bytes | None, Headers] = {None: {}}
    position, end = head.end(), len(raw)
    while position < end:
        found = _INTERACTION.match(raw, position)
        if not found:
            raise _NotOurs
        interactions.append(_interaction(found, seen))
        position = found.end()
    return Cassette(name, int(trial), made, stream, tuple(interactions))


def _interaction(found: re.Match[bytes], seen: dict[bytes | None, Headers]) -> Interaction:
    method, uri, sent, asked, code, message, got, said, service, chunks, redacted = found.groups()
    body = _body_of(said, b"        ")
    return Interaction(
        orjson.loads(service),
        Request(
            orjson.loads(method),
            orjson.loads(uri),
            seen[sent] if sent in seen else _headers(sent, seen),
            _body_of(asked, b"      "),
        ),
        Response(int(code), orjson.loads(message), seen[got] if got in seen else _headers(got, seen), body),
        _timed(chunks, body),
        redacted == b"true",
    )


def _headers(rows: bytes, seen: dict[bytes | None, Headers]) -> Headers:
    """Rows of `"name": ["value"]` are a JSON object but for its braces and commas."""
    names = orjson.loads(b"{%b}" % rows[:-1].replace(b"\n", b","))
    if len(names) != rows.count(b"\n") or max(map(len, names)) > _LONGEST_NAME:
        raise _NotOurs  # a name stands twice, or YAML would not find its colon
    seen[rows] = headers = {name: tuple(values) for name, values in names.items()}
    return headers


def _body_of(scalar: bytes, margin: bytes) -> bytes:
    if scalar[:1] == b'"':
        text: str = orjson.loads(scalar.replace(b"\\\n" + margin, b""))
        return text.encode()
    style, rows = scalar.split(b"\n", 1)
    start = len(margin)
    if rows[0] == 0x0A or rows[start] in b" \t":
        raise _NotOurs  # YAML would guess another indentation
    if style == b"!!binary |":
        return binascii.a2b_base64(rows[start:-1].replace(b"\n" + margin, b""), strict_mode=True)
    body = rows[start:].replace(b"\n" + margin, b"\n")
    if style not in (b"|", b"|-", b"|+") or (style == b"|+") != body.endswith(b"\n\n"):
        raise _NotOurs
    return body[:-1] if style == b"|-" else body


def _timed(flow: bytes, body: bytes) -> Chunks:
    raw = orjson.loads(flow)
    chunks = Chunks(raw["started_us"], tuple(raw["sizes"]), tuple(raw["at_us"]), raw["ended_us"], raw["ended"])
    if disorder(chunks, len(body)):
        raise _NotOurs
    return chunks
