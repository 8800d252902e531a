"""What the server knows: a repository, its pull requests, comments, runs and artifacts, and who may do what."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field
from typing import Any

NAME = "octo/library"


@dataclass
class Token:
    """Who a token speaks for, and what it may do."""

    login: str
    permissions: dict[str, str]
    """By the name that a workflow gives it: `pull-requests: write`."""
    default: bool = True
    """Whether it is a workflow's own, whose events start nothing."""

    def may(self, level: str, *names: str) -> bool:
        """Whether one of its permissions reaches a level."""
        enough = {"read": {"read", "write"}, "write": {"write"}}[level]
        return any(self.permissions.get(name) in enough for name in names)


@dataclass
class Pull:
    """A pull request."""

    number: int
    head_sha: str
    head_ref: str = "topic"
    head_repository: str | None = NAME
    base_ref: str = "main"
    base_sha: str = "b" * 40
    title: str = "A change"
    body: str | None = None
    state: str = "open"
    author: str = "octocat"


@dataclass
class Comment:
    """A comment on a pull request."""

    id: int
    number: int
    login: str | None
    body: str


@dataclass
class Run:
    """A run of a workflow."""

    id: int
    head_sha: str
    event: str = "push"
    workflow: str = "gate.yml"
    head_branch: str = "main"
    conclusion: str | None = "success"
    attempt: int = 1
    head_repository: str | None = NAME
    """None where the fork was deleted."""


@dataclass
class Artifact:
    """What a run uploaded."""

    id: int
    run: int
    name: str
    zipped: bytes
    expired: bool = False
    digest: str | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        if self.digest is None:
            self.digest = "sha256:" + hashlib.sha256(self.zipped).hexdigest()


@dataclass
class Repository:
    """One repository."""

    name: str = NAME
    private: bool = False
    may_create_pulls: bool = True
    """The setting "Allow GitHub Actions to create and approve pull requests"."""
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    workflows: dict[str, set[str]] = field(default_factory=lambda: {"gate.yml": {"pull_request", "workflow_dispatch"}})
    """Name of the file → the events that start it."""
    locked: set[int] = field(default_factory=set)
    """Numbers of pull requests whose conversation is locked."""
    started: list[tuple[str, str, str]] = field(default_factory=list)
    """Runs that events started: workflow, event, branch."""
    numbers: Any = field(default_factory=lambda: itertools.count(1001))

    def next(self) -> int:
        """A number that nothing has yet."""
        return next(self.numbers)

    def happened(self, event: str, branch: str, token: Token) -> None:
        """Start what an event starts: nothing, where a workflow's own token made it."""
        if not token.default or event == "workflow_dispatch":
            self.started += [(file, event, branch) for file, on in self.workflows.items() if event in on]
