"""A request as it leaves for the provider while recording: real address, real key, a body that can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from tapegate.doors.current import Heard
from tapegate.doors.framing import announced
from tapegate.tape.lanes import HEADER as LANE
from tapegate.tape.wire import Asked, HeaderPairs

_URL = re.compile(r"(https?://[^/?#]+)([^#]*)")
_WORD = re.compile(r"[A-Za-z0-9_]+")
_SET_ANEW = frozenset({"host", "accept-encoding", "expect", LANE})


@dataclass(frozen=True, slots=True)
class Forward:
    """Where a recorded request really goes. It holds real keys: never kept, never shown."""

    origin: str
    """Scheme, host and port."""
    target: bytes
    """Path and query, byte for byte as the client wrote them."""
    headers: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, heard: Heard, asked: Asked) -> Forward:
        """What `asked` becomes. Raises ValueError when its service's upstream is no URL."""
        url = heard.routes.upstream(asked.service, asked.path)
        found = _URL.fullmatch(url)
        if found is None:
            raise ValueError(f"{url!r} is no http or https URL")
        origin, target = found.groups()
        if not target.startswith("/"):
            target = "/" + target
        keys = heard.keys.get(asked.service, {})
        return cls(origin, _with_keys_in_query(target, keys).encode("latin-1"), _headers(asked.headers, keys))


def _headers(headers: HeaderPairs, keys: Mapping[str, str]) -> tuple[tuple[bytes, bytes], ...]:
    kept = [
        (name.encode("latin-1"), _with_keys(value, keys).encode("latin-1"))
        for name, value in announced(headers).end_to_end
        if name.lower() not in _SET_ANEW
    ]
    # A compressed body could be replayed, but neither redacted nor reviewed.
    return (*kept, (b"accept-encoding", b"identity"))


def _with_keys(text: str, keys: Mapping[str, str]) -> str:
    """`text` with each mark that stands in it as a whole word replaced, once and in one pass."""
    return _WORD.sub(lambda word: keys.get(word[0], word[0]), text)


def _with_keys_in_query(target: str, keys: Mapping[str, str]) -> str:
    path, question, query = target.partition("?")
    return path + question + _with_keys(query, {mark: quote(value, safe="") for mark, value in keys.items()})
