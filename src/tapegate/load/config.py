"""`evals/tapegate.yaml` as a `Config`.

The rules beyond the model work on the document, so that a type that is wrong in one place hides nothing elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from tapegate.load import template
from tapegate.load.budget import vacuous_budgets
from tapegate.load.conversation import again, carried, conversation_problems
from tapegate.load.describe import dotted, shown
from tapegate.load.document import Document
from tapegate.load.model_name import floating
from tapegate.load.shape import shaped
from tapegate.load.suggest import did_you_mean
from tapegate.model.config import Config
from tapegate.model.problem import Problem


def read_config(document: Document) -> tuple[Config | None, list[Problem]]:
    """The config that a document holds, and all that is wrong with it alone; with a problem there is no config."""
    config, problems = shaped(Config, document)
    for rule in _RULES:
        problems += rule(document)
    return (None if problems else config), problems


def _version(document: Document) -> list[Problem]:
    """For Python, and so for pydantic, `true` and `1.0` equal 1."""
    return [
        document.problem(
            "wrong_type",
            f"'version' must be the whole number 1, and is {value!r}",
            document.place(path),
            "write version: 1",
        )
        for path, value in document.each("version")
        if value == 1 and type(value) is not int
    ]


def _references(document: Document) -> list[Problem]:
    """Subjects and services that are named are declared."""
    subjects, services = _keys(document, "subjects"), _keys(document, "services")
    named = [(path, "subject", name, subjects) for path, name in document.each("paths", "*", "subject")]
    named += [(path, "service", name, services) for path, name in document.each("normalisers", "*", "service")]
    named += [(path, "service", path[-1], services) for path, _ in document.each("sources", "*", "stand_ins", "*")]
    sources = {"live", *_keys(document, "sources")}
    named += [(path, "source", name, sources) for path, name in document.each("default_source")]
    named += [(path, "source", name, sources) for path, name in document.each("subjects", "*", "source")]
    named += [(path, "source", name, sources) for path, name in document.each("judge", "source")]
    named += [(path, "service", name, services) for path, name in document.each("judge", "service")]
    return [
        document.problem(
            f"unknown_{what}",
            f"{dotted(path)} names the {what} {name!r}, which is not declared",
            document.key_place(path) if "stand_ins" in path else document.place(path),
            did_you_mean(name, known),
        )
        for path, what, name, known in named
        if isinstance(name, str) and name not in known
    ]


def _templates(document: Document) -> list[Problem]:
    """Every placeholder is one that is filled where it stands."""
    problems = []
    for pattern, known in (
        (("subjects", "*", "command"), template.SERVER),
        (("subjects", "*", "stdin"), template.PER_TRIAL),
        (("subjects", "*", "ask", "path"), template.SERVER),
        (("subjects", "*", "ask", "headers"), template.SERVER),
        (("subjects", "*", "ask", "json"), template.SERVER),
        (("subjects", "*", "arguments"), template.PER_TRIAL | template.PIECES),
        (("subjects", "*", "ask_again"), template.SERVER),
        (("subjects", "*", "arguments_again"), template.PER_TRIAL),
        (("subjects", "*", "env"), template.SERVER),
        (("sources", "*", "stand_ins", "*", "command"), template.STAND_IN),
        (("sources", "*", "stand_ins", "*", "env"), template.STAND_IN),
    ):
        for start, value in document.each(*pattern):
            kind = document.text(*map(str, start[:2]), "kind")
            filled = known - {"port"} if kind in ("python", "command") else known
            if start[2] in again(kind):
                filled = filled | carried(document, str(start[1]))
            problems += [
                document.problem(
                    "unknown_placeholder",
                    f"{dotted(path)} holds {{{name}}}, which nothing fills here",
                    document.place(path),
                    did_you_mean(name, filled),
                )
                for path, name in template.placeholders(value, start)
                if name not in filled
            ]
    return problems


def _distinct(document: Document) -> list[Problem]:
    """No two services share an address or a base-URL variable: a request would belong to both."""
    claims = [*document.each("services", "*", "address"), *document.each("services", "*", "base_url_env", "*")]
    owners: dict[str, str | int] = {}
    problems = []
    for path, claim in claims:
        if not isinstance(claim, str):
            continue
        owner = owners.setdefault(claim.rstrip("/"), path[1])
        if owner != path[1]:
            problems.append(
                document.problem(
                    "ambiguous_service",
                    f"{dotted(path)} is {claim!r}, which service {owner!r} has already",
                    document.place(path),
                    "give each service an address and base-URL variables of its own",
                )
            )
    return problems


def _addresses(document: Document) -> list[Problem]:
    """Addresses go into every recording, and a base URL is made of them: no credentials, and a path that follows."""
    problems = [
        document.problem(
            "credentials_in_address",
            f"{dotted(path)} holds a user or a password, which every recording would name",
            document.place(path),
            "remove what stands before the @; name the variable of the key in key_env",
        )
        for path, address in document.each("services", "*", "address")
        if isinstance(address, str) and "@" in address.split("//", 1)[-1].split("/", 1)[0]
    ]
    problems += [
        document.problem(
            "bad_value",
            f"{dotted(path)} is {shown(text)}, which does not follow host and port in a URL",
            document.place(path),
            "write /v1 or the like, or leave it out",
        )
        for path, text in document.each("sources", "*", "stand_ins", "*", "path")
        if isinstance(text, str) and text and (not text.startswith("/") or set(text) & set("?# \\"))
    ]
    return problems


def _environments(document: Document) -> list[Problem]:
    """No subject sets a variable that the harness sets: one of the two would lose, in silence."""
    claims = [*document.each("services", "*", "base_url_env", "*"), *document.each("services", "*", "key_env")]
    owners = {variable: path[1] for path, variable in claims if isinstance(variable, str)}
    return [
        document.problem(
            "reserved_variable",
            f"subject {path[1]!r} sets {path[-1]!r}, which the harness sets for service {owners[str(path[-1])]!r}",
            document.key_place(path),
            "remove it: the harness points it at the tape",
        )
        for path, _ in document.each("subjects", "*", "env", "*")
        if path[-1] in owners
    ]


def _judge(document: Document) -> list[Problem]:
    """The judge is one model for good, at a declared service that speaks a model provider's protocol."""
    problems = []
    for path, name in (*document.each("judge", "model"), *document.each("judge", "model_version")):
        why = floating(name) if isinstance(name, str) else None
        if why is not None:
            problems.append(
                document.problem(
                    "floating_model",
                    f"{dotted(path)} is {shown(name)}, which {why}",
                    document.place(path),
                    "name one version of the model, as its provider's documentation lists them",
                )
            )
    for path, service in document.each("judge", "service"):
        if document.text("services", str(service), "protocol") in (None, "http") and service in _keys(
            document, "services"
        ):
            problems.append(
                document.problem(
                    "opaque_judge",
                    f"{dotted(path)} names {service!r}, whose protocol is no model provider's",
                    document.place(path),
                    f"set services.{service}.protocol",
                )
            )
    return problems


def _inside(document: Document) -> list[Problem]:
    """Files and folders are named from the project's root, and lie in it."""
    named = [*document.each("paths", "*", "files", "*"), *document.each("unscoped", "*", "files", "*")]
    named += [*document.each("subjects", "*", "pythonpath", "*")]
    return [
        document.problem(
            "path_escape",
            f"{dotted(path)} is {shown(text)}, which does not stay inside the project",
            document.place(path),
            "name it from the project's root, with / between folders and without ..",
        )
        for path, text in named
        if isinstance(text, str) and _leaves(text)
    ]


def _leaves(text: str) -> bool:
    path = PurePosixPath(text)
    return path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text or text[1:2] == ":"


def _keys(document: Document, *path: str) -> Iterable[str]:
    return [str(found[-1]) for found, _ in document.each(*path, "*")]


_RULES: tuple[Callable[[Document], list[Problem]], ...] = (
    _version,
    vacuous_budgets,
    _references,
    _templates,
    conversation_problems,
    _distinct,
    _addresses,
    _environments,
    _inside,
    _judge,
)
