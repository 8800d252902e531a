"""`traces/<KEY>/trial-<n>.jsonl`: the raw events of a trial, for audit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tapegate.model.trace import Trace
from tapegate.run.output import write_atomically
from tapegate.run.typed_json import TAG, encode


def write(trace: Trace, folder: Path) -> Path:
    """Write one trial's events below `folder`; returns the file. Raises Unavailable `write_failed`."""
    path = place(folder, trace.key, trace.trial)
    lines = (json.dumps(line, ensure_ascii=False, sort_keys=True) for line in rows(trace))
    # A lone surrogate can come out of a JSON escape of the agent's; UTF-8 does not have it, and it stays an escape.
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
    write_atomically(path, data, lasting=False)
    return path


def remove(folder: Path, key: str, trial: int) -> None:
    """Remove what an earlier run wrote of a trial that came to no trace in this one."""
    with suppress(OSError):
        place(folder, key, trial).unlink()


def place(folder: Path, key: str, trial: int) -> Path:
    """The file of one trial."""
    return folder / key / f"trial-{trial}.jsonl"


PARTS = {
    "exchange": (None, "exchanges"),
    "miss": ("account", "misses"),
    "unplayed": ("account", "unplayed"),
    "network_attempt": ("account", "network"),
    "ending": (None, "ending"),
}
"""Parts of a trace that have rows of their own, by the name of the row: in the trace, or in its account."""
SINGLE = frozenset({"ending"})
"""Those that a trace has exactly once."""


def rows(trace: Trace) -> Iterator[dict[str, Any]]:
    """What the trial was, the events in the agent's order, what the tape played, the account and the end."""
    document = encode(trace, Trace)
    events, account = document.pop("events"), document["account"]
    parts = {name: (document if holder is None else account).pop(part) for name, (holder, part) in PARTS.items()}
    yield {TAG: "trial", **document}
    yield from events
    for name, found in parts.items():
        yield from ({TAG: name, **one} for one in ([found] if name in SINGLE else found))
