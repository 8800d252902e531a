"""Reads a trial's events file back into the trace that was judged, so that it can be judged again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapegate.errors import BadInput
from tapegate.model.trace import Trace
from tapegate.run.events_file import PARTS, SINGLE
from tapegate.run.typed_json import TAG, Unfit, decode

SIZE = 64_000_000
"""Bytes that an events file may have."""


def read(path: Path, file: str) -> Trace:
    """The trace in an events file, which messages call `file`. Raises BadInput `bad_trace` naming the line."""
    try:
        with path.open("rb") as handle:
            raw = handle.read(SIZE + 1)
    except OSError as error:
        raise _refused(file, None, f"it cannot be read: {error.strerror or error}") from error
    if len(raw) > SIZE:
        raise _refused(file, None, f"it has more than {SIZE:,} bytes")
    return parse(raw, file)


def parse(raw: bytes, file: str) -> Trace:
    """The trace in the bytes of an events file. Raises BadInput `bad_trace` naming the line."""
    rows: dict[str, list[Any]] = defaultdict(list)
    # Only "\n" ends a row: JSON leaves U+2028 and its like as they are.
    lines = raw.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line.decode())
            if not isinstance(row, dict):
                raise Unfit("a row is a JSON object")
            name = row.get(TAG)
            part = name if name in PARTS or name == "trial" else "event"
            if part != "event":
                del row[TAG]
            rows[part].append(row)
        except (ValueError, RecursionError) as error:
            raise _refused(file, number, str(error)) from error
    try:
        trace = decode(_document(rows), Trace)
    except (Unfit, RecursionError) as error:
        raise _refused(file, None, str(error).removeprefix(".")) from error
    assert isinstance(trace, Trace)
    return trace


def _document(rows: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The rows as the one object that a trace is."""
    for name in ("trial", *SINGLE):
        if len(rows[name]) != 1:
            raise Unfit(f"a whole trial has one row {name!r} and this has {len(rows[name])}")
    document: dict[str, Any] = {**rows["trial"][0], "events": rows["event"]}
    account = document.pop("account", None)
    if not isinstance(account, dict):
        raise Unfit("the row 'trial' needs an 'account'")
    document["account"] = account
    for name, (holder, part) in PARTS.items():
        into = document if holder is None else account
        if part in into:
            raise Unfit(f"{part!r} has rows of its own")
        into[part] = rows[name][0] if name in SINGLE else rows[name]
    return document


def _refused(file: str, line: int | None, why: str) -> BadInput:
    return BadInput.of(
        "bad_trace",
        f"this is no events file of a trial: {why}",
        file=file,
        line=line,
        fix="run the gate again; it writes this file",
    )
