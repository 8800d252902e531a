"""Replay: answers requests from a cassette, and enters each fact in the ledger that the verdict comes from."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace

from tapegate.model.fault import TapeFault
from tapegate.model.normaliser import Normaliser
from tapegate.model.setup import Match
from tapegate.model.trace import Miss
from tapegate.tape.cassette import Cassette, Interaction
from tapegate.tape.explain import Explainer
from tapegate.tape.faults import Faults
from tapegate.tape.index import Index
from tapegate.tape.lanes import NO_LANES, Lanes
from tapegate.tape.ledger import Ledger
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.wire import SILENCE, Answer, Asked

REFUSAL = 424
"""Failed Dependency: an HTTP status that no provider SDK retries."""


class Player:
    """One cassette in replay. Thread-safe: agents call from several threads and tasks at once."""

    def __init__(
        self,
        cassette: Cassette,
        routes: Routes,
        ledger: Ledger,
        *,
        normalisers: Sequence[Normaliser] = (),
        redactor: Redactor | None = None,
        faults: Sequence[tuple[int, TapeFault]] = (),
        lanes: Lanes = NO_LANES,
        match: Match = "exact",
    ) -> None:
        """`faults` are the task's, each with its place in `setup.faults`."""
        self._match = match
        self.ledger = ledger
        self._faults = Faults(faults, ledger)
        self._interactions = cassette.interactions
        self._redactor = redactor
        paths = recorded_paths(cassette, routes)
        self._lanes = lanes
        laned = [_in_lane(path, lanes.recorded(one)) for one, path in zip(cassette.interactions, paths, strict=True)]
        self._index = Index(cassette.interactions, laned, normalisers)
        self._explainer = Explainer(cassette.interactions, paths)
        self._refusals: dict[Asked, Answer] = {}
        # Reentrant: a finalizer that asks may run while another request is answered.
        self._lock = threading.RLock()

    def play(self, asked: Asked) -> Answer:
        """The recorded answer to `asked`, bent by the faults it meets, or a refusal (424) that the ledger knows of."""
        asked = self._lanes.mark(asked)
        met = self._faults.meet(asked)
        return met.instead or met.bend(self._find(asked))

    def at_hand(self, service: str, method: str, path: str, body: bytes) -> Answer | None:
        """The answer to a request that was recorded in these very bytes; None where more is to be known of it: `play`.

        The way of nearly every request, which needs neither its headers nor an `Asked`.
        """
        if self._faults or self._lanes.tells(service):
            return None
        with self._lock:
            number = self._index.take_raw(service, method, path, body)
            if number is None:
                return None
            self.ledger.played(number)
        return _answer(self._interactions[number])

    def _find(self, asked: Asked) -> Answer:
        with self._lock:
            number = self._take(asked)
            if number is None and self._redactor is not None:
                # A recording holds what redaction left, which is nearly always what was sent.
                asked = self._redactor.redact_asked(asked)
                number = self._take(asked)
            if number is None and self._match == "conversation":
                number = self._take(asked, alike=True)
                if number is not None:
                    self.ledger.played_alike(number)
            if number is not None:
                self.ledger.played(number)
                return _answer(self._interactions[number])
            # Headers take no part in matching, so a retry that adds one is still the same miss.
            return self._refuse(replace(asked, headers=()))

    def _take(self, asked: Asked, *, alike: bool = False) -> int | None:
        if asked.lane:
            asked = replace(asked, path=_in_lane(asked.path, asked.lane))
        return self._index.take_alike(asked) if alike else self._index.take(asked)

    def _refuse(self, asked: Asked) -> Answer:
        self.ledger.missed(asked)
        if asked not in self._refusals:
            # As if nothing had been played: what the agent reads must not depend on which call came first.
            miss = self._explainer.explain(asked, [False] * len(self._interactions))
            self._refusals[asked] = _refusal(miss)
        return self._refusals[asked]

    def attempted(self, address: str) -> None:
        """The agent tried to reach `address`, which is no tape."""
        self.ledger.attempted(address)


def recorded_paths(cassette: Cassette, routes: Routes) -> list[str]:
    """The path of each interaction below its service's address, as requests are matched by it."""
    return [_path(interaction, routes) for interaction in cassette.interactions]


def _path(interaction: Interaction, routes: Routes) -> str:
    """The path of a recorded interaction below its service's address.

    A cassette recorded under another address than the one declared now keeps its whole uri, and so matches nothing.
    """
    found = routes.resolve(interaction.request.uri)
    return found[1] if found and found[0] == interaction.service else interaction.request.uri


def _in_lane(path: str, lane: str) -> str:
    """A path that equals only paths of the same lane: NUL stands in none."""
    return f"{path}\0{lane}" if lane else path


def _answer(interaction: Interaction) -> Answer:
    response, chunks = interaction.response, interaction.chunks
    if not interaction.answered:
        return SILENCE
    headers = tuple([(name, value) for name, values in response.headers.items() for value in values])
    start = chunks.started_us
    if len(chunks.sizes) == 1:
        return Answer(
            response.status, response.reason, headers, (response.body,), (chunks.at_us[0] - start,), chunks.ended
        )
    return Answer(
        status=response.status,
        reason=response.reason,
        headers=headers,
        chunks=tuple(chunks.cut(response.body)),
        at_us=tuple([at - start for at in chunks.at_us]),
        ended=chunks.ended,
    )


def _refusal(miss: Miss) -> Answer:
    error = {"type": "tapegate_miss", "code": "tapegate_miss", "message": miss.explanation}
    body = json.dumps({"error": error}).encode()
    return Answer(
        status=REFUSAL,
        reason="Failed Dependency",
        headers=(("content-type", "application/json"), ("x-should-retry", "false")),
        chunks=(body,),
        at_us=(0,),
        missed=True,
    )
