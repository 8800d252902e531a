"""Where on which GitHub a workflow runs: github.com, or an Enterprise Server under an address of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tapegate.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Place:
    """A repository, and the addresses under which its GitHub answers; none ends with a slash."""

    name: str
    """`owner/name`."""
    api: str = "https://api.github.com"
    graphql: str = "https://api.github.com/graphql"
    server: str = "https://github.com"

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Place:
        """As a runner says it. Raises UsageError: `no_repository`, or `bad_address` for one that a token must not go
        to."""
        name = environ.get("GITHUB_REPOSITORY", "")
        if not _NAME.fullmatch(name) or ".." in name:
            raise UsageError.of(
                "no_repository",
                f"GITHUB_REPOSITORY is {name!r}; expected owner/name, as a runner sets it",
                fix="run this in a workflow, or set GITHUB_REPOSITORY",
            )
        named = {"api": "GITHUB_API_URL", "graphql": "GITHUB_GRAPHQL_URL", "server": "GITHUB_SERVER_URL"}
        given = {part: _address(name, environ[name]) for part, name in named.items() if environ.get(name)}
        return cls(name, **given)

    @property
    def loopback(self) -> bool:
        """Whether its API is on this machine."""
        return urlsplit(self.api).hostname in _LOOPBACK

    @property
    def owner(self) -> str:
        """Who the repository belongs to."""
        return self.name.partition("/")[0]


def _address(name: str, value: str) -> str:
    try:
        parts = urlsplit(value)
        fine = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        fine = fine and bool(parts.hostname) and parts.username is None and not parts.query and not parts.fragment
        fine = fine and value.isascii() and value.isprintable() and " " not in value and (parts.port or 1) > 0
    except ValueError:
        fine = False
    if not fine:
        raise UsageError.of(
            "bad_address",
            f"{name} is {value!r}; expected https://HOST[/path], since a token is sent there",
            fix=f"unset {name}: the runner sets it",
        )
    return value.rstrip("/")
