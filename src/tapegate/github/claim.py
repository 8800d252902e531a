"""The number of the pull request that a run says it was of, beside its results.

The event of a fork's `workflow_run` does not name it. Whoever reads it there checks it: see `source_pull`.
"""

from __future__ import annotations

from pathlib import Path

import orjson

from tapegate.github.untrusted import Untrusted
from tapegate.run.output import write_atomically

FILE = "pull-request.json"
_MOST_BYTES = 1_000
_LARGEST = 2**31


def leave(out: Path, number: int) -> None:
    """Write it into a folder of results. Raises Unavailable `write_failed`."""
    write_atomically(out / FILE, orjson.dumps({"number": number}) + b"\n")


def claimed(files: Untrusted) -> int | None:
    """What an artifact claims; None where it claims nothing that could be a number. Raises BadInput `bad_artifact`."""
    raw = files.read(FILE, _MOST_BYTES)
    try:
        document = orjson.loads(raw) if raw is not None else None
    except orjson.JSONDecodeError:
        return None
    number = document.get("number") if isinstance(document, dict) else None
    return number if type(number) is int and 0 < number < _LARGEST else None
