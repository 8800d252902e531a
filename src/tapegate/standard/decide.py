"""A person's decision, written into the file of the task that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapegate.errors import BadInput
from tapegate.load.document import Document
from tapegate.load.reader import parse_document
from tapegate.run.output import write_atomically

FIELD = "reviews"


def write_decision(path: Path, file: str, digest: str, reason: str) -> None:
    """Add a decision to a task's file, and touch nothing else in it.

    Raises BadInput `not_plain` where the text cannot be added to and read back as what was meant; the message says what
    to write by hand.
    """
    text = path.read_bytes().decode("utf-8")
    document = parse_document(text.encode(), file)
    entry = {"digest": digest, "reason": reason}
    wanted = {**document.value, FIELD: [*document.value.get(FIELD, []), entry]}
    made = _json(wanted) if path.suffix == ".json" else _yaml(text, document, entry)
    again = parse_document(made.encode(), file)
    if again.problems or again.value != wanted:
        raise BadInput.of(
            "not_plain",
            f"the decision cannot be added to {file!r} without touching more of it",
            file=file,
            fix=f"write it by hand, under {FIELD}: {json.dumps(entry, ensure_ascii=False)}",
        )
    write_atomically(path, made.encode())


def _json(wanted: Mapping[str, Any]) -> str:
    return json.dumps(wanted, indent=2, ensure_ascii=False) + "\n"


def _yaml(text: str, document: Document, entry: Mapping[str, str]) -> str:
    lines = text.split("\n")
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    added = [f"digest: {json.dumps(entry['digest'])}", f"reason: {json.dumps(entry['reason'], ensure_ascii=False)}"]
    held = document.value.get(FIELD)
    if not held:
        return "\n".join([*lines[:end], f"{FIELD}:", f"  - {added[0]}", f"    {added[1]}", ""])
    first, column = document.place((FIELD, len(held) - 1))
    head = lines[first - 1][: column - 1]
    last = max(document.place((FIELD, len(held) - 1, name))[0] for name in held[-1])
    return "\n".join([*lines[:last], f"{head}{added[0]}", f"{' ' * len(head)}{added[1]}", *lines[last:]])
