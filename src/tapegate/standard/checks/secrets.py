"""Keys and other credentials in what a project's evals are made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from os import fstat
from os.path import islink

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.files import walked
from tapegate.standard.ground import Ground
from tapegate.tape.scan import scan_bytes
from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.views import TooLarge

FIXTURES = "fixtures"
"""The folder of `evals` that may hold streams."""
LARGEST = 10_000_000
"""Bytes of a file that are searched."""
BLOCK = 4_000_000
"""Bytes that are searched at once: nearly every file is clean, and thousands of small searches are dear."""
FIX = (
    "revoke the key if this text has left your machine; a task that needs one to plant writes the mark that redaction"
    " writes (`REDACTED_NAME`), which counts as a key wherever an answer holds it"
)


def _held(ground: Ground) -> Iterator[Problem]:
    """Searched are the config, tasks, fixtures, snapshots and metrics under `evals`, for keys of known formats, also in
    base64, gzip and escapes; what a provider's documentation shows as an example is none. No value is ever printed."""
    block: list[tuple[str, bytes]] = []
    size = 0
    for name, path in _files(ground):
        # Not by pathlib, which takes three times as long: thousands of small files are read here.
        with suppress(OSError), open(path, "rb", buffering=0) as file:  # noqa: PTH123
            length = fstat(file.fileno()).st_size
            block.append((name, file.read(min(length, LARGEST))))
            size += len(block[-1][1])
            if length > LARGEST:
                message = f"{name!r} has {length:,} bytes, of which only the first {LARGEST:,} are searched for keys"
                yield Problem("size_limit", message, name, fix="make it smaller, or split it")
        if size >= BLOCK:
            yield from _searched(block)
            block, size = [], 0
    yield from _searched(block)


def _searched(block: list[tuple[str, bytes]]) -> Iterator[Problem]:
    # A NUL between two files: a line break would make the second look like the rest of base64 that was wrapped.
    try:
        clean = not KNOWN.find(b"\0".join(data for _, data in block))
    except TooLarge:
        clean = False
    for name, data in block:
        # A fixture may be a stream, whose frames cut a key: of those each is searched by itself.
        if not clean or f"/{FIXTURES}/" in name:
            yield from (replace(problem, fix=FIX) for problem in scan_bytes(data, name))


def _files(ground: Ground) -> Iterator[tuple[str, str]]:
    """What messages call each file, and where it is; links lead elsewhere, and are left out."""
    evals, project = ground.survey.evals, ground.survey.project
    if evals.is_relative_to(project):
        inside = f"{evals.relative_to(project).as_posix()}/"
        found = ((name, f"{project}/{name}") for name in ground.files if name.startswith(inside))
    else:
        found = ((f"{evals.as_posix()}/{name}", f"{evals}/{name}") for name in walked(evals))
    yield from ((name, path) for name, path in found if not islink(path))  # noqa: PTH114


CHECKS = (
    Check(
        "evals_secrets",
        "No file of the evals holds a key or another credential.",
        "finding",
        _held,
        {
            "secret_found": "A task, the config, a fixture or a snapshot holds a key.",
            "size_limit": "A file, or packed data of one, is too large to be searched.",
        },
        sound=False,
    ),
)
