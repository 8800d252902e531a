"""Between vcrpy's plain values and our format: safe to read, redacted before it is written."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tapegate import __version__
from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape import grammar
from tapegate.tape.cassette import Cassette, Headers, Interaction
from tapegate.tape.emit import emit
from tapegate.tape.importing.exchange import Unreadable, read_exchange
from tapegate.tape.importing.imported import to_cassette
from tapegate.tape.importing.yaml_values import read_yaml
from tapegate.tape.limits import DEFAULT
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes

KEY = "recording@vcrpy"
"""What such a recording is called inside: it belongs to a test, and to no task."""
FILE = "the cassette"


class Serializer:
    """What vcrpy calls a serializer. Reads any cassette of vcrpy's kind, and writes ours, which stock vcrpy reads."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def deserialize(self, text: str) -> Any:
        """The values of a cassette. Nothing is constructed that it asks for. Raises `CassetteError`."""
        raw = text.encode("utf-8", "surrogateescape")
        ours = grammar.parse(raw)
        if ours is not None:
            return {"version": 1, "interactions": [_plain(one) for one in ours.interactions]}
        found = read_yaml(raw, FILE, DEFAULT)
        if not isinstance(found, dict) or not isinstance(found.get("interactions"), list):
            raise CassetteError(Problem("cassette_corrupt", "no cassette of vcrpy: it has no list `interactions`"))
        return found

    def serialize(self, values: dict[str, Any]) -> str:
        """The bytes that may be written. Raises `CassetteError` for a secret that no declaration names."""
        try:
            exchanges = [read_exchange(one) for one in values["interactions"]]
        except Unreadable as error:
            raise CassetteError(Problem("unknown_dialect", f"an interaction cannot be written: {error}")) from None
        made = to_cassette(exchanges, KEY, "vcrpy", routes=Routes({}), redactor=self._redactor)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        recorder = f"vcrpy with tapegate {__version__}"
        return emit(_dated(made, recorder, now)).decode()


def _dated(made: Cassette, recorder: str, now: str) -> Cassette:
    said = "recorded by vcrpy; no chunks and no times were recorded"
    return replace(
        made,
        provenance=replace(
            made.provenance, recorder=recorder, recorded_at=now, source="vcrpy", source_description=said
        ),
    )


def _plain(interaction: Interaction) -> dict[str, Any]:
    request, response = interaction.request, interaction.response
    return {
        "request": {
            "method": request.method,
            "uri": request.uri,
            "headers": _lists(request.headers),
            "body": request.body,
        },
        "response": {
            "status": {"code": response.status, "message": response.reason},
            "headers": _lists(response.headers),
            "body": {"string": response.body},
        },
    }


def _lists(headers: Headers) -> dict[str, list[str]]:
    return {name: list(values) for name, values in headers.items()}
