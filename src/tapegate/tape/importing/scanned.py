"""Searching any file of recorded traffic for secrets, ours or another tool's."""

from __future__ import annotations

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.importing.dialect import read_foreign
from tapegate.tape.importing.imported import NO_STREAM, UNDATED, interactions
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.read import read
from tapegate.tape.routes import Routes
from tapegate.tape.scan import scan, scan_bytes


def scan_file(raw: bytes, file: str, limits: Limits = DEFAULT) -> list[Problem]:
    """Every secret in a cassette of any dialect, its bodies decoded; in anything else, every key of a known format.

    Raises `CassetteError` for a cassette of ours, or for YAML or JSON, that cannot be read, after nothing was found in
    its bytes either.
    """
    try:
        return scan(_cassette(raw, file, limits), file)
    except CassetteError:
        found = scan_bytes(raw, file)
        if found:
            return found
        raise


def _cassette(raw: bytes, file: str, limits: Limits) -> Cassette:
    if b"\ntapegate:" in b"\n" + raw[:200]:
        return read(raw, file, limits)
    exchanges = read_foreign(raw, file, limits).exchanges
    nothing = Chunks(0, (), (), 0)
    return Cassette(
        key="scan@file",
        trial=1,
        provenance=Provenance("", UNDATED, "none", "none", "", "live", ""),
        stream=AgentStream(NO_STREAM, b"" if exchanges else raw, nothing),
        interactions=tuple(interactions(exchanges, Routes({}))),
    )
