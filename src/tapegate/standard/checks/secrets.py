"""Keys and other credentials in what a project's evals are made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.files import walked
from tapegate.standard.ground import Ground
from tapegate.tape.scan import scan_bytes
from tapegate.tape.secrets.detector import KNOWN

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
        with suppress(OSError), path.open("rb") as file:
            block.append((name, file.read(LARGEST)))
            size += len(block[-1][1])
        if size >= BLOCK:
            yield from _searched(block)
            block, size = [], 0
    yield from _searched(block)


def _searched(block: list[tuple[str, bytes]]) -> Iterator[Problem]:
    # A NUL between two files: a line break would make the second look like the rest of base64 that was wrapped.
    if KNOWN.suspects(b"\0".join(data for _, data in block)):
        for name, data in block:
            yield from (replace(problem, fix=FIX) for problem in scan_bytes(data, name))


def _files(ground: Ground) -> Iterator[tuple[str, Path]]:
    evals, project = ground.survey.evals, ground.survey.project
    if evals.is_relative_to(project):
        inside = f"{evals.relative_to(project).as_posix()}/"
        found = ((name, project / name) for name in ground.files if name.startswith(inside))
    else:
        found = ((f"{evals.as_posix()}/{name}", evals / name) for name in walked(evals))
    yield from ((name, path) for name, path in found if not path.is_symlink())


CHECKS = (
    Check(
        "evals_secrets",
        "No file of the evals holds a key or another credential.",
        "finding",
        _held,
        {
            "secret_found": "A task, the config, a fixture or a snapshot holds a key.",
            "size_limit": "Packed data of a file is too large to be searched.",
        },
        sound=False,
    ),
)
