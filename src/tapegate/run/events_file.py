"""`traces/<KEY>/trial-<n>.jsonl`: the raw events of a trial, for audit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tapegate.model.trace import Trace


def write(trace: Trace, folder: Path) -> Path:
    """Write one trial's events below `folder`; returns the file."""
    path = folder / trace.key / f"trial-{trace.trial}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(line, ensure_ascii=False, sort_keys=True) for line in rows(trace))
    # A lone surrogate can come out of a JSON escape of the agent's; UTF-8 does not have it.
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    return path


def rows(trace: Trace) -> Iterator[dict[str, Any]]:
    """The events in the agent's order, then what the tape played, then the account and the end."""
    for event in trace.events:
        yield {"event": _snake(type(event).__name__), **asdict(event)}
    for exchange in trace.exchanges:
        yield {"event": "exchange", **asdict(exchange)}
    for miss in trace.account.misses:
        yield {"event": "miss", **asdict(miss)}
    for unplayed in trace.account.unplayed:
        yield {"event": "unplayed", **asdict(unplayed)}
    for attempt in trace.account.network:
        yield {"event": "network_attempt", **asdict(attempt)}
    yield {"event": "ending", **asdict(trace.ending)}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
