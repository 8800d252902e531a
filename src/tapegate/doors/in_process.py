"""The in-process doors together: what a Python subject's own process hears its tape through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from tapegate.doors import aiohttp_door, armed, http_client_door, httpx_door, stand_in, threads
from tapegate.doors.current import TAPE, Heard
from tapegate.model.fault import TapeFault
from tapegate.model.normaliser import Normaliser
from tapegate.tape.lanes import Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.read import read
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Route, Routes

PORT = 18400
"""The gateway's in a network namespace."""

_FAULT: TypeAdapter[TapeFault] = TypeAdapter(Annotated[TapeFault, Field(discriminator="kind")])


def install() -> None:
    """Put every door in place. Once a process, before the agent is imported."""
    httpx_door.install()
    http_client_door.install()
    aiohttp_door.install()
    stand_in.install()
    threads.install()


def shut(attempted: Callable[[str], None]) -> None:
    """From now on nothing passes the doors of this process but what hears a tape; `attempted` is told of the rest."""
    armed.arm(attempted)


def url(service: str) -> str:
    """The base URL of a service for a subject that hears its tape in its own process.

    Of the gateway's kind, as it was while recording: some libraries ask otherwise where they see a provider's own
    address (measured: litellm 1.106 and openai-agents 0.20, by another field of the request). Nobody listens there.
    """
    return f"http://127.0.0.1:{PORT}/inside/{service}"


def hear(tape: Mapping[str, Any], cassette: bytes, ledger: Ledger) -> None:
    """From now on the running code, and what it starts, hears `cassette`.

    `tape` holds what matching needs, as JSON: `routes` (the address of each service), `normalisers`, `secrets`
    (names of the variables whose marks stand in the recording), `faults` (of the task, each with its place), `lanes`
    (the header that names the session, of each service that has one), `match` and `pace`.
    """
    routes = Routes({name: Route(name, address, url(name)) for name, address in tape["routes"].items()})
    normalisers = [Normaliser.model_validate(rule) for rule in tape["normalisers"]]
    redactor = Redactor(dict.fromkeys(tape["secrets"], ""))
    faults = [(place, _FAULT.validate_python(fault, strict=False)) for place, fault in tape["faults"]]
    player = Player(
        read(cassette, "the recording"),
        routes,
        ledger,
        normalisers=normalisers,
        redactor=redactor,
        faults=faults,
        lanes=Lanes(tape["lanes"]),
        match=tape["match"],
    )
    TAPE.set(Heard(player, routes, pace=tape["pace"]))
