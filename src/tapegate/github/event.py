"""The event that started a workflow, as the runner tells it. A stranger may have written any text in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

LARGEST = 25_000_000
"""Bytes of an event that are read; GitHub caps its webhook payloads there."""
SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Event:
    """What is asked of an event; a field that is not as GitHub writes it counts as not there."""

    name: str
    """`pull_request`, `push`, `schedule`, …"""
    sha: str
    """The commit that the workflow runs for; empty where the runner names none."""
    payload: Mapping[str, Any]

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Event:
        """The event of this workflow run; an empty one outside of a workflow, or where it cannot be read."""
        sha = environ.get("GITHUB_SHA", "")
        return cls(
            environ.get("GITHUB_EVENT_NAME", ""),
            sha if SHA.fullmatch(sha) else "",
            _payload(environ.get("GITHUB_EVENT_PATH", "")),
        )

    @property
    def of_pull_request(self) -> bool:
        """Whether it is about a pull request whose code is at hand."""
        return self.name == "pull_request"

    @property
    def number(self) -> int | None:
        """The pull request's."""
        found = self.at("pull_request", "number")
        return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None

    @property
    def head(self) -> str:
        """The pull request's own newest commit; empty in any other event."""
        return self._sha("pull_request", "head", "sha")

    @property
    def target(self) -> str:
        """The branch that the pull request is for; empty in any other event."""
        found = self.at("pull_request", "base", "ref")
        return found if isinstance(found, str) else ""

    @property
    def group_base(self) -> str:
        """The commit that a merge group is built on; empty in any other event."""
        return self._sha("merge_group", "base_sha")

    @property
    def from_fork(self) -> bool:
        """Whether the pull request comes from another repository, or from one that is gone."""
        head, base = self.at("pull_request", "head", "repo", "id"), self.at("pull_request", "base", "repo", "id")
        return self.of_pull_request and (head is None or head != base)

    def at(self, *names: str) -> Any:
        """What stands at a place of the payload; None where there is no such place."""
        found: Any = self.payload
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    def _sha(self, *names: str) -> str:
        found = self.at(*names)
        return found if isinstance(found, str) and SHA.fullmatch(found) else ""


def _payload(path: str) -> Mapping[str, Any]:
    try:
        with Path(path).open("rb") as file:
            read = orjson.loads(file.read(LARGEST))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return read if isinstance(read, dict) else {}
