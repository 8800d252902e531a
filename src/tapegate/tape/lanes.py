"""Keeping equal requests of concurrent sessions apart, by a header in which the agent names its session.

A recording holds the session's digest in a header of its own (`tapegate-lane`): the session's name may be a secret, and
the header that it came in is dropped like any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tapegate.model.normaliser import Normaliser
from tapegate.tape.canonical import canonical, rules_of
from tapegate.tape.cassette import Cassette, Interaction
from tapegate.tape.wire import Asked

HEADER = "tapegate-lane"


class Lanes:
    """The lanes of the services that have them; `headers` holds the session's header of each."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = {service: header.lower() for service, header in headers.items()}

    def __bool__(self) -> bool:
        return bool(self._headers)

    def tells(self, service: str) -> bool:
        """Whether the sessions of `service` are told apart."""
        return service in self._headers

    def mark(self, asked: Asked) -> Asked:
        """`asked`, in its lane."""
        wanted = self._headers.get(asked.service)
        if wanted is None:
            return asked
        found = [value for name, value in asked.headers if name.lower() == wanted]
        return replace(asked, lane=hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]) if found else asked

    def recorded(self, interaction: Interaction) -> str:
        """The lane of a recorded interaction; empty where its service has none any more."""
        return lane_of(interaction) if interaction.service in self._headers else ""


NO_LANES = Lanes({})


def lane_of(interaction: Interaction) -> str:
    """The lane that an interaction was recorded in; empty for none."""
    return "".join(interaction.request.headers.get(HEADER, ()))


def ambiguous(cassette: Cassette, normalisers: Sequence[Normaliser] = ()) -> list[tuple[int, ...]]:
    """Places of equal requests of one lane that have different answers.

    They are served in recorded order: which of several concurrent sessions hears which is anybody's guess.
    """
    groups: dict[tuple[str, str, str, str, bytes], list[int]] = {}
    for place, interaction in enumerate(cassette.interactions):
        request, service = interaction.request, interaction.service
        body = canonical(request.body, rules_of(normalisers, service))
        groups.setdefault((service, request.method, request.uri, lane_of(interaction), body), []).append(place)
    found = []
    for places in groups.values():
        responses = [cassette.interactions[place].response for place in places]
        if len({(response.status, response.body) for response in responses}) > 1:
            found.append(tuple(places))
    return found
