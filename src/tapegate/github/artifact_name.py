"""What the report of a gate is called as an artifact of its workflow run."""

from __future__ import annotations

import hashlib
import re

PREFIX = "tapegate-report"
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def artifact_name(suite: str, shard: str | None = None) -> str:
    """`tapegate-report`, `tapegate-report-evals-nightly`, `tapegate-report-shard-1-of-2`: one name for each gate of a
    workflow run, of characters that every file system takes."""
    parts = [] if suite == "evals" else [_slug(suite)]
    if shard is not None:
        parts.append(f"shard-{shard.replace('/', '-of-')}")
    return "-".join([PREFIX, *parts])


def _slug(suite: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", suite.lower()).strip("-")[:60].strip("-")
    if _PLAIN.fullmatch(slug) and slug == suite.replace("/", "-").replace(" ", "-"):
        return slug
    # What had to be changed may have become the name of another.
    return f"{slug}-{hashlib.sha256(suite.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}".strip("-")
