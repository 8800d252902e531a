"""A cassette as bytes: vcrpy's version 1, in one fixed layout that reads well in a diff.

The layout is a strict subset of YAML, so that stock vcrpy reads it and `grammar.py` reads it fast:

- keys stand in a fixed order; every string is a JSON string, every number a plain decimal;
- a header takes one line: `"content-type": ["application/json"]`;
- a text body is a literal block; one that no block can hold exactly (CRLF, control characters, a leading
  space) is a JSON string, continued after each newline by `\\` so that a line of the body is a line here;
- a body that is not UTF-8 is `!!binary` in strict base64;
- chunks and their times are one line of JSON.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from itertools import chain

import orjson

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape.cassette import Cassette, Chunks, Headers, Interaction, Provenance

BASE64_WIDTH = 100
LONGEST_SIMPLE_KEY = 1000
"""YAML finds the colon of a key on the same line within 1,024 characters, or not at all."""

_ESCAPED = "\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_NEEDS_ESCAPE = re.compile(f"[{_ESCAPED}]")
"""What JSON leaves as it is and YAML takes for a line break, a byte order mark, or not at all."""
_NO_BLOCK = re.compile(f"[\x00-\x08\x0b-\x1f{_ESCAPED}]")
"""What a literal block cannot hold: YAML would refuse it or read it as something else."""


def emit(cassette: Cassette) -> bytes:
    """The bytes of a cassette file. The same cassette always gives the same bytes.

    Raises `CassetteError` (`not_text`) for a string that UTF-8 cannot hold (a lone surrogate).
    """
    head = (
        b"version: 1\n",
        *_tapegate(cassette),
        b"interactions:\n" if cassette.interactions else b"interactions: []\n",
    )
    return b"".join(chain(head, *map(_interaction, cassette.interactions)))


def _tapegate(cassette: Cassette) -> Iterator[bytes]:
    made = cassette.provenance
    stream = cassette.stream
    yield b"tapegate:\n  format: %d\n  key: %b\n  trial: %d\n" % (
        Cassette.FORMAT,
        _string(cassette.key),
        cassette.trial,
    )
    yield b"  provenance:\n"
    for name in Provenance.__dataclass_fields__:
        yield b"    %b: %b\n" % (name.encode(), _string(getattr(made, name)))
    yield b"  stream:\n    dialect: %b\n    body: " % _string(stream.dialect)
    yield _body(stream.body, 6)
    yield b"    chunks: %b\n" % _chunks(stream.chunks)


def _interaction(interaction: Interaction) -> Iterator[bytes]:
    request, response = interaction.request, interaction.response
    yield b"- request:\n    method: %b\n    uri: %b\n    headers:" % (_string(request.method), _string(request.uri))
    yield _headers(request.headers)
    yield b"    body: "
    yield _body(request.body, 6)
    yield b"  response:\n    status:\n      code: %d\n      message: %b\n    headers:" % (
        response.status,
        _string(response.reason),
    )
    yield _headers(response.headers)
    yield b"    body:\n      string: "
    yield _body(response.body, 8)
    yield b"  service: %b\n  chunks: %b\n  redacted: %b\n" % (
        _string(interaction.service),
        _chunks(interaction.chunks),
        b"true" if interaction.redacted else b"false",
    )


def _string(text: str) -> bytes:
    try:
        encoded = orjson.dumps(text)
    except orjson.JSONEncodeError:
        raise CassetteError(
            Problem(
                "not_text",
                f"{text[:80]!r} holds a lone surrogate, which no UTF-8 file can hold; "
                "expected text, with header bytes decoded as Latin-1",
            )
        ) from None
    if text.isascii() and "\x7f" not in text:
        return encoded
    return _NEEDS_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", encoded.decode()).encode()


def _headers(headers: Headers) -> bytes:
    if not headers:
        return b" {}\n"
    return b"\n" + b"".join(_header(_string(name), values) for name, values in headers.items())


def _header(name: bytes, values: tuple[str, ...]) -> bytes:
    row = b"[%b]" % b", ".join(map(_string, values))
    if len(name) > LONGEST_SIMPLE_KEY:
        return b"      ? %b\n      : %b\n" % (name, row)
    return b"      %b: %b\n" % (name, row)


def _chunks(chunks: Chunks) -> bytes:
    return json.dumps(
        {
            "started_us": chunks.started_us,
            "sizes": chunks.sizes,
            "at_us": chunks.at_us,
            "ended_us": chunks.ended_us,
            "ended": chunks.ended,
        }
    ).encode()


def _body(body: bytes, indent: int) -> bytes:
    margin = b" " * indent
    try:
        text = body.decode()
    except UnicodeDecodeError:
        encoded = b64encode(body)
        rows = (encoded[at : at + BASE64_WIDTH] for at in range(0, len(encoded), BASE64_WIDTH))
        return b"!!binary |\n" + b"".join(b"%b%b\n" % (margin, row) for row in rows)
    if text and text[0] not in " \t\n" and not _NO_BLOCK.search(text):
        return _block(body, margin)
    return _continued(text, margin)


def _block(body: bytes, margin: bytes) -> bytes:
    keep = b"-" if not body.endswith(b"\n") else b"+" if body.endswith(b"\n\n") else b""
    if keep != b"-":
        body = body[:-1]
    rows = margin + body.replace(b"\n", b"\n" + margin)
    if b"\n\n" in body or body.endswith(b"\n"):
        # An empty line carries no margin: editors and git complain about trailing spaces.
        # A line of spaces is content, longer than the margin, and keeps every one of them.
        rows = re.sub(rb"(?m)^%b$" % margin, b"", rows)
    return b"|%b\n%b\n" % (keep, rows)


def _continued(text: str, margin: bytes) -> bytes:
    rows = [_string(row)[1:-1] for row in re.findall(r"[^\n]*\n|[^\n]+", text)]
    # A leading space of a continued line would be swallowed as indentation.
    rows[1:] = [b"\\u0020" + row[1:] if row.startswith(b" ") else row for row in rows[1:]]
    return b'"%b"\n' % (b"\\\n" + margin).join(rows)
