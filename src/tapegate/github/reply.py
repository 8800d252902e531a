"""What is read of GitHub's answers: these fields, of these types, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tapegate.github.refusal import garbled


class Reply(BaseModel):
    """A part of an answer. GitHub adds fields whenever it likes; those that are read here are what they should be."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    @classmethod
    def of(cls, document: Any, asked: str) -> Self:
        """Read one. Raises GitHubError `garbled`."""
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "all of it"
            raise garbled(asked, f"{place}: {first['msg']}") from None

    @classmethod
    def each(cls, documents: Iterable[Any], asked: str) -> list[Self]:
        """Read a list of them. Raises GitHubError `garbled`."""
        return [cls.of(document, asked) for document in documents]


class Account(Reply):
    """A user, an organisation or a bot."""

    login: str


class Comment(Reply):
    """A comment on an issue or a pull request."""

    id: int
    body: str | None = None
    user: Account | None = None
    """None where the account was deleted."""
    html_url: str = ""


class Repository(Reply):
    """A repository, by its name."""

    full_name: str


class End(Reply):
    """One end of a pull request."""

    sha: str
    ref: str
    repo: Repository | None = None
    """None where the fork was deleted."""


class Pull(Reply):
    """A pull request."""

    number: int
    state: str
    head: End
    base: End
    title: str = ""
    body: str | None = None
    html_url: str = ""


class WorkflowRun(Reply):
    """A run of a workflow."""

    id: int
    head_sha: str
    event: str
    run_attempt: int = 1
    head_branch: str | None = None
    conclusion: str | None = None
    head_repository: Repository | None = None
    path: str = ""
    """Of its workflow's file."""
    html_url: str = ""


class Maker(Reply):
    """The run that an artifact is from."""

    id: int | None = None
    head_sha: str | None = None


class Artifact(Reply):
    """Files that a run uploaded."""

    id: int
    name: str
    size_in_bytes: int = Field(ge=0)
    expired: bool
    digest: str | None = None
    """`sha256:…` of the zip; None where an older GitHub does not tell."""
    workflow_run: Maker | None = None


class Sha(Reply):
    """An object of git's, by its name."""

    sha: str


class CommitOf(Reply):
    """A commit, as git has it."""

    message: str
    tree: Sha
    parents: list[Sha]
