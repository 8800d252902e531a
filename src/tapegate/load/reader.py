"""Files to documents: what is refused before a parser sees a byte, and the parser by the file's ending."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tapegate.load.document import Document, Draft
from tapegate.model.problem import Problem

SIZE = 1_000_000
"""Bytes that a file may have."""

_BOMS = {b"\xef\xbb\xbf": "UTF-8", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

# YAML 1.2's printable characters without its byte order mark, and without NEL, LS and PS: those three break lines
# for YAML 1.1's parsers and are plain characters in 1.2, so that readers would disagree on the value.
_REFUSED = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def read_document(path: Path, file: str) -> Document:
    """The document in a `.yaml` or `.json` file, which messages call `file`.

    Raises nothing for what the file holds: `Document.problems` says all that is wrong with it.
    """
    draft = Draft(file)
    try:
        with path.open("rb") as handle:
            # By its size first: a buffer for all that may be read costs more than reading what is there.
            size = min(os.fstat(handle.fileno()).st_size, SIZE)
            data = handle.read(size + 1)
            data += handle.read(SIZE + 1 - len(data)) if len(data) > size else b""
    except OSError as error:
        draft.problems.append(Problem("unreadable_file", f"{file!r} cannot be read: {error.strerror}", file))
        return draft.done(None, whole=False)
    return parse_document(data, file)


def parse_document(data: bytes, file: str) -> Document:
    """The document in the bytes of a file: JSON where its name ends in `.json`, else YAML."""
    draft = Draft(file)
    text = _text(data, draft)
    if text is None:
        return draft.done(None, whole=False)
    # Parsers start late: importing them costs more than this whole module.
    if file.endswith(".json"):
        from tapegate.load.json_text import scan

        return scan(text, file)
    if _has_refused(text, draft):
        return draft.done(None, whole=False)
    from tapegate.load.yaml_text import compose

    return compose(text, file)


def _text(data: bytes, draft: Draft) -> str | None:
    if len(data) > SIZE:
        draft.report("size_limit", f"the file has more than {SIZE:,} bytes", (1, 1), "split it")
        return None
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            draft.report(
                "byte_order_mark",
                f"the file starts with a byte order mark ({encoding})",
                (1, 1),
                "save it as UTF-8 without one",
            )
            return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        draft.report(
            "bad_utf8",
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8",
            _place(before, len(before)),
            "save the file as UTF-8",
        )
        return None


def _has_refused(text: str, draft: Draft) -> bool:
    """Whether characters stand in the text that YAML readers refuse or disagree on; each kind is reported once."""
    first: dict[str, int] = {}
    for match in _REFUSED.finditer(text):
        first.setdefault(match[0], match.start())
    for character, index in first.items():
        draft.report(
            "control_character",
            f"U+{ord(character):04X} stands in the file as such ({text.count(character)} times)",
            _place(text, index),
            f'remove it, or write "\\u{ord(character):04x}" in double quotes',
        )
    return bool(first)


def _place(text: str, index: int) -> tuple[int, int]:
    lines = re.split(r"\r\n|\r|\n", text[:index])
    return (len(lines), len(lines[-1]) + 1)
