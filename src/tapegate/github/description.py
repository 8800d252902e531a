"""What the authors of a pull request say of it, as the event that started the workflow tells it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

LARGEST = 25_000_000
"""Bytes of an event that are read; GitHub caps its webhook payloads there."""


def description(environ: Mapping[str, str]) -> str:
    """The description of the pull request that a workflow runs for; empty in any other event, and where the event
    cannot be read."""
    path = environ.get("GITHUB_EVENT_PATH")
    if not path or not environ.get("GITHUB_EVENT_NAME", "").startswith("pull_request"):
        return ""
    try:
        with Path(path).open("rb") as file:
            event = orjson.loads(file.read(LARGEST))
    except (OSError, orjson.JSONDecodeError):
        return ""
    request = event.get("pull_request") if isinstance(event, dict) else None
    body = request.get("body") if isinstance(request, dict) else None
    return body if isinstance(body, str) else ""
