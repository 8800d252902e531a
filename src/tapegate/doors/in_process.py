"""The in-process doors together: what a Python subject's own process hears its tape through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapegate.doors import armed, httpx_door, threads
from tapegate.doors.current import TAPE, Heard
from tapegate.model.config import Normaliser
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.read import read
from tapegate.tape.routes import Route, Routes


def install() -> None:
    """Put every door in place. Once a process, before the agent is imported."""
    httpx_door.install()
    threads.install()


def hear(tape: Mapping[str, Any], cassette: bytes, ledger: Ledger) -> None:
    """From now on this process hears `cassette`, and nothing else reaches out of it.

    `tape` holds what matching needs, as JSON: `routes` (the address of each service) and `normalisers`.
    """
    routes = Routes({name: Route(name, address, address) for name, address in tape["routes"].items()})
    normalisers = [Normaliser.model_validate(rule) for rule in tape["normalisers"]]
    player = Player(read(cassette, "the recording"), routes, ledger, normalisers=normalisers)
    TAPE.set(Heard(player, routes))
    armed.arm(ledger.attempted)
