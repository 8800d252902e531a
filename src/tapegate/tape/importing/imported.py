"""Exchanges of another tool as a cassette of ours, with all that is not known of them said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from tapegate import __version__
from tapegate.tape.cassette import UNTIMED, AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.importing.exchange import Exchange, Fidelity
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes

NO_STREAM = "none"
"""The dialect of an agent's answer that nobody recorded."""
UNDATED = "1970-01-01T00:00:00Z"
"""When no response says when it was given."""


def to_cassette(
    exchanges: Sequence[Exchange], key: str, origin: str, *, routes: Routes, redactor: Redactor
) -> Cassette:
    """The recording that `exchanges` are, redacted, as trial 1 of `key`; `origin` is the file they come from.

    Raises `CassetteError` for what may not be written: a secret, or a body that cannot be searched for one.
    """
    return Cassette(
        key=key,
        trial=1,
        provenance=Provenance(
            recorder=f"another tool; imported by tapegate {__version__}",
            recorded_at=_recorded_at(exchanges),
            commit="none",
            machine=UNTIMED,
            source="imported",
            source_kind="live",
            source_description=f"imported from {origin}: {_said(exchanges)}",
        ),
        stream=AgentStream(NO_STREAM, b"", Chunks(0, (), (), 0)),
        interactions=tuple(
            redactor.redact(interaction, place) for place, interaction in enumerate(interactions(exchanges, routes))
        ),
    )


def interactions(exchanges: Sequence[Exchange], routes: Routes) -> list[Interaction]:
    """The exchanges as interactions, before redaction.

    Each body is one chunk. Their times are those of their places: in order, and no measure of anything.
    """
    return [_interaction(exchange, place, routes) for place, exchange in enumerate(exchanges)]


def fidelities(exchanges: Sequence[Exchange]) -> Counter[Fidelity]:
    """How many bodies that are not empty relate how to what was sent."""
    bodies = [body for exchange in exchanges for body in (exchange.request, exchange.response)]
    return Counter(body.fidelity for body in bodies if body.data)


def service_of(uri: str, routes: Routes) -> str:
    """The declared service that an address belongs to; else the host itself."""
    found = routes.resolve(uri)
    return found[0] if found else urlsplit(uri).netloc.rpartition("@")[2].lower() or "unknown"


def _interaction(exchange: Exchange, place: int, routes: Routes) -> Interaction:
    size = len(exchange.response.data)
    return Interaction(
        service=service_of(exchange.uri, routes),
        request=Request(exchange.method, exchange.uri, exchange.request_headers, exchange.request.data),
        response=Response(exchange.status, exchange.reason, exchange.response_headers, exchange.response.data),
        chunks=Chunks(place, (size,) if size else (), (place,) if size else (), place),
        redacted=any(body.fidelity == "rebuilt" for body in (exchange.request, exchange.response) if body.data),
    )


def _recorded_at(exchanges: Sequence[Exchange]) -> str:
    """The latest date that a response names."""
    dates = []
    for exchange in exchanges:
        for name, values in exchange.response_headers.items():
            if name.lower() == "date":
                dates += [date for value in values if (date := _date(value)) is not None]
    return max(dates).strftime("%Y-%m-%dT%H:%M:%SZ") if dates else UNDATED


def _date(value: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _said(exchanges: Sequence[Exchange]) -> str:
    counts = fidelities(exchanges)
    words = ["no chunks and no times were recorded"]
    if counts["decoded"]:
        words.append(f"{counts['decoded']} bodies are as their recorder decoded them")
    if counts["rebuilt"]:
        words.append(f"{counts['rebuilt']} bodies are rebuilt from parsed JSON and not the bytes that were sent")
    return "; ".join(words)
