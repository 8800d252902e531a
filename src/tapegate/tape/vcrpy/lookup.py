"""Finding an interaction of vcrpy's cassette by hash, where vcrpy compares a request with each recorded one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from vcr.cassette import Cassette

from tapegate.tape.vcrpy.matcher import Key, Matcher


def by_hash(vcr: Any, matcher: Matcher) -> None:
    """Let cassettes of `vcr` be of a class that finds by hash, for those that match by `matcher` alone."""
    kind = type("Cassette", (_Indexed,), {"matcher": matcher})
    use = vcr._use_cassette

    def _use_cassette(*args: Any, **kwargs: Any) -> Any:
        opened = use(*args, **kwargs)
        opened.cls = kind
        return opened

    vcr._use_cassette = _use_cassette


class _Indexed(Cassette):  # type: ignore[misc]
    """vcrpy's cassette with another search: the same bytes first, then the same meaning, each in recorded order."""

    matcher: Matcher

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._raw: dict[Key, list[int]] = defaultdict(list)
        self._canonical: dict[Key, list[int]] = defaultdict(list)
        self._indexed = self._understood = 0

    def _responses(self, request: Any) -> Iterator[tuple[int, Any]]:
        if list(self._match_on) != [self.matcher]:
            yield from super()._responses(request)
            return
        request = self._before_record_request(request)
        if not request:
            return
        key = self.matcher.key(request)
        seen = self._places(key)
        yield from ((place, self.data[place][1]) for place in list(seen))
        same = self._alike(self.matcher.meaning(key))
        yield from ((place, self.data[place][1]) for place in list(same) if place not in seen)

    def _places(self, key: Key) -> list[int]:
        for place in range(self._indexed, len(self.data)):
            self._raw[self.matcher.key(self.data[place][0])].append(place)
        self._indexed = len(self.data)
        return self._raw.get(key, [])

    def _alike(self, key: Key) -> list[int]:
        for place in range(self._understood, len(self.data)):
            self._canonical[self.matcher.meaning(self.matcher.key(self.data[place][0]))].append(place)
        self._understood = len(self.data)
        return self._canonical.get(key, [])
