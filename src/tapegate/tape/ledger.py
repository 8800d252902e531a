"""The facts of one replay, wherever it happens: what was played, what missed, what reached for the network.

The player may live in another process than the harness. Facts therefore leave it one by one, at the moment they
happen, so that an agent which dies over a miss cannot take the miss with it. What a miss means is said at the end:
while calls run side by side, the nearest recording would depend on which of them came first.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapegate.model.trace import Account, Miss, NetworkAttempt, Unplayed
from tapegate.tape.cassette import Interaction
from tapegate.tape.explain import Explainer
from tapegate.tape.wire import Asked

Fact = Mapping[str, Any]
"""One fact as JSON: `{"played": n}`, `{"missed": request}`, `{"fault": n}`, `{"alike": n}`,
`{"stood_in": client}` or `{"network": address}`."""


class Ledger:
    """Facts of one trial. Thread-safe. A client that repeats a refused request has missed once."""

    def __init__(self, tell: Callable[[Fact], None] | None = None) -> None:
        self._tell = tell
        self._played: set[int] = set()
        self._missed: set[Asked] = set()
        self._network: set[str] = set()
        self._faults: set[int] = set()
        self._alike: set[int] = set()
        self._stood_in: set[str] = set()
        # Reentrant: a finalizer that reaches for the network may run while a fact is entered.
        self._lock = threading.RLock()

    def played(self, number: int) -> None:
        """The interaction at this place was served."""
        with self._lock:
            if number in self._played:
                return
            self._played.add(number)
            if self._tell is not None:
                self._tell({"played": number})

    def played_alike(self, number: int) -> None:
        """The interaction at this place was served for its conversation alone."""
        self.enter({"alike": number})

    def missed(self, asked: Asked) -> None:
        """No recording answers `asked`. Its headers take no part: a retry that adds one is the same miss."""
        body = asked.body.decode("latin-1")
        request = {"service": asked.service, "method": asked.method, "path": asked.path, "body": body}
        self.enter({"missed": {**request, **({"lane": asked.lane} if asked.lane else {})}})

    def attempted(self, address: str) -> None:
        """Something other than the tape was reached for."""
        self.enter({"network": address})

    def stood_in(self, client: str) -> None:
        """vcrpy's patchers carried the traffic of `client`, for which there is no door."""
        self.enter({"stood_in": client})

    def faulted(self, place: int) -> None:
        """A request met the fault at this place of the task's."""
        self.enter({"fault": place})

    def enter(self, fact: Fact) -> None:
        """Enter a fact, told here or in another process; one that is known already is not told on.

        Raises KeyError or TypeError for what is no fact.
        """
        with self._lock:
            if self._keep(fact) and self._tell is not None:
                self._tell(fact)

    @property
    def played_places(self) -> list[int]:
        """The places of the interactions served, in the order of the recording."""
        with self._lock:
            return sorted(self._played)

    @property
    def addresses(self) -> list[str]:
        """What was reached for beside the tape, sorted."""
        with self._lock:
            return sorted(self._network)

    @property
    def stand_ins(self) -> list[str]:
        """Clients for which vcrpy's patchers stood in, sorted."""
        with self._lock:
            return sorted(self._stood_in)

    @property
    def has_missed(self) -> bool:
        """Whether any request had no recording."""
        return bool(self._missed)

    def account(self, interactions: Sequence[Interaction], paths: Sequence[str]) -> Account:
        """The whole account, against the recording it was replayed from; in an order that no race can change."""
        with self._lock:
            taken = [number in self._played for number in range(len(interactions))]
            explainer = Explainer(interactions, paths)
            return Account(
                played=len(self._played),
                misses=tuple(sorted((explainer.explain(asked, taken) for asked in self._missed), key=_place)),
                unplayed=tuple(
                    Unplayed(number, interaction.service, interaction.request.method, paths[number])
                    for number, interaction in enumerate(interactions)
                    if not taken[number]
                ),
                network=tuple(NetworkAttempt(address) for address in self.addresses),
                faults=tuple(sorted(self._faults)),
                alike=tuple(sorted(self._alike)),
            )

    def _keep(self, fact: Fact) -> bool:
        """Whether it is new."""
        before = self._count()
        if "played" in fact:
            self._played.add(int(fact["played"]))
        elif "missed" in fact:
            asked = fact["missed"]
            body = asked["body"].encode("latin-1")
            lane = str(asked.get("lane", ""))
            self._missed.add(Asked(asked["service"], asked["method"], asked["path"], (), body, lane))
        elif "alike" in fact:
            self._alike.add(int(fact["alike"]))
        elif "stood_in" in fact:
            self._stood_in.add(str(fact["stood_in"]))
        elif "fault" in fact:
            self._faults.add(int(fact["fault"]))
        else:
            self._network.add(str(fact["network"]))
        return self._count() > before

    def _count(self) -> int:
        numbers = len(self._played) + len(self._faults) + len(self._alike) + len(self._stood_in)
        return numbers + len(self._missed) + len(self._network)


def _place(miss: Miss) -> tuple[int, str, str, str, str]:
    nearest = miss.nearest if miss.nearest is not None else sys.maxsize
    return nearest, miss.service, miss.method, miss.path, miss.explanation
