"""Finding the recorded interaction that answers a request, by hash, each one served once."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Sequence

from tapegate.model.normaliser import Normaliser
from tapegate.tape.canonical import Rules, canonical, load, rules_of
from tapegate.tape.cassette import Interaction
from tapegate.tape.conversation import Conversation
from tapegate.tape.wire import Asked

Key = tuple[str, str, str, bytes]
"""Service, method, path with query, body."""


class Index:
    """Raw bytes first; the canonical form only when they miss. Duplicates are taken in recorded order.

    The raw key holds the body itself: hashing and comparing bytes costs less than any digest, and cannot collide.
    """

    def __init__(
        self, interactions: Sequence[Interaction], paths: Sequence[str], normalisers: Sequence[Normaliser] = ()
    ) -> None:
        self._interactions = interactions
        self._paths = paths
        self._normalisers = normalisers
        self._rules: dict[str, Rules] = {}
        self.taken = [False] * len(interactions)
        self._raw: dict[Key, int] = {}
        self._again: dict[int, int] = {}  # the place of an interaction: that of the next with the same key
        for number in reversed(range(len(interactions))):
            request = interactions[number].request
            key = interactions[number].service, request.method, paths[number], request.body
            if key in self._raw:
                self._again[number] = self._raw[key]
            self._raw[key] = number
        self._canonical: dict[Key, deque[int]] | None = None
        self._alike: dict[Key, deque[int]] | None = None

    def take(self, asked: Asked) -> int | None:
        """The place of the next unused interaction that answers `asked`, now used; None on a miss."""
        found = self.take_raw(asked.service, asked.method, asked.path, asked.body)
        if found is None:
            found = self._next(self._canonical_index().get(self._key(asked)))
            if found is not None:
                self.taken[found] = True
        return found

    def take_raw(self, service: str, method: str, path: str, body: bytes) -> int | None:
        """The next unused interaction that was asked in these very bytes, now used; None where there is none."""
        key = service, method, path, body
        found = self._raw.get(key)
        while found is not None and self.taken[found]:
            found = self._again.get(found)
        if found is not None:
            self.taken[found] = True
            if found in self._again:
                self._raw[key] = self._again[found]
        return found

    def take_alike(self, asked: Asked) -> int | None:
        """The next unused interaction with the same conversation, whatever its prompt, tools and parameters; now used.

        None on a miss, and for a request that is no conversation.
        """
        if self._alike is None:
            self._alike = defaultdict(deque)
            for number, (interaction, path) in enumerate(zip(self._interactions, self._paths, strict=True)):
                key = self._talk(interaction.service, interaction.request.method, path, interaction.request.body)
                if key is not None:
                    self._alike[key].append(number)
        key = self._talk(asked.service, asked.method, asked.path, asked.body)
        found = self._next(self._alike.get(key)) if key is not None else None
        if found is not None:
            self.taken[found] = True
        return found

    def _talk(self, service: str, method: str, path: str, body: bytes) -> Key | None:
        plain = canonical(body, self._for(service))
        talk = Conversation.of(json.loads(plain)) if plain[:1] == b"{" and load(body) is not None else None
        if talk is None:
            return None
        said = json.dumps([message for _, message in talk.messages], sort_keys=True)
        return service, method, path, said.encode()

    def _next(self, places: deque[int] | None) -> int | None:
        while places:
            number = places.popleft()
            if not self.taken[number]:
                return number
        return None

    def _canonical_index(self) -> dict[Key, deque[int]]:
        if self._canonical is None:
            self._canonical = defaultdict(deque)
            for number, (interaction, path) in enumerate(zip(self._interactions, self._paths, strict=True)):
                if not self.taken[number]:
                    self._canonical[self._recorded_key(interaction, path)].append(number)
        return self._canonical

    def _recorded_key(self, interaction: Interaction, path: str) -> Key:
        request = interaction.request
        return interaction.service, request.method, path, canonical(request.body, self._for(interaction.service))

    def _key(self, asked: Asked) -> Key:
        return asked.service, asked.method, asked.path, canonical(asked.body, self._for(asked.service))

    def _for(self, service: str) -> Rules:
        if service not in self._rules:
            self._rules[service] = rules_of(self._normalisers, service)
        return self._rules[service]
