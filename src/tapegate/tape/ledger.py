"""The facts of one replay, wherever it happens: what was played, what missed, what reached for the network.

The player may live in another process than the harness. Facts therefore leave it one by one, at the moment they
happen, so that an agent which dies over a miss cannot take the miss with it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tapegate.model.trace import Account, Miss, NetworkAttempt, Unplayed
from tapegate.tape.cassette import Interaction
from tapegate.tape.wire import Asked

Fact = Mapping[str, Any]
"""One fact as JSON: `{"played": n}`, `{"missed": {…}}` or `{"network": address}`."""


class Ledger:
    """Facts of one trial. Thread-safe. A client that repeats a refused request has missed once."""

    def __init__(self, tell: Callable[[Fact], None] | None = None) -> None:
        self._tell = tell
        self._played: set[int] = set()
        self._misses: dict[Miss, None] = {}
        self._known: dict[Asked, Miss] = {}
        self._network: dict[str, None] = {}
        self._lock = threading.Lock()

    def played(self, number: int) -> None:
        """The interaction at this place was served."""
        self.enter({"played": number})

    def missed(self, miss: Miss, asked: Asked) -> None:
        """No recording answers `asked`."""
        self._known[asked] = miss
        self.enter({"missed": asdict(miss)})

    def known(self, asked: Asked) -> Miss | None:
        """The miss that `asked` was already, if it was."""
        return self._known.get(asked)

    def attempted(self, address: str) -> None:
        """Something other than the tape was reached for."""
        self.enter({"network": address})

    def enter(self, fact: Fact) -> None:
        """Enter a fact, told here or in another process."""
        with self._lock:
            if "played" in fact:
                self._played.add(fact["played"])
            elif "missed" in fact:
                self._misses[Miss(**fact["missed"])] = None
            elif fact["network"] in self._network:
                return
            else:
                self._network[fact["network"]] = None
            if self._tell is not None:
                self._tell(fact)

    @property
    def played_places(self) -> list[int]:
        """The places of the interactions served, in the order of the recording."""
        with self._lock:
            return sorted(self._played)

    def account(self, interactions: Sequence[Interaction], paths: Sequence[str]) -> Account:
        """The whole account, against the recording it was replayed from; in an order that no race can change."""
        with self._lock:
            return Account(
                played=len(self._played),
                misses=tuple(sorted(self._misses, key=_place)),
                unplayed=tuple(
                    Unplayed(number, interaction.service, interaction.request.method, paths[number])
                    for number, interaction in enumerate(interactions)
                    if number not in self._played
                ),
                network=tuple(NetworkAttempt(address) for address in sorted(self._network)),
            )


def _place(miss: Miss) -> tuple[int, str, str, str]:
    nearest = miss.nearest if miss.nearest is not None else sys.maxsize
    return nearest, miss.service, miss.path, miss.explanation
