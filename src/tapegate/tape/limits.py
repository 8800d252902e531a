"""How much of a cassette is read before it is refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for untrusted files; everything beyond them is `size_limit`, before it costs memory."""

    file_bytes: int = 10_000_000
    """Of a cassette on disk."""
    body_bytes: int = 10_000_000
    """Of one recorded body, as it came over the wire."""
    decoded_bytes: int = 100_000_000
    """Of one recorded body after its content encoding is undone: what a gzip bomb meets."""
    pins_bytes: int = 1_000_000
    """Of a pins file."""
    values: int = 1_000_000
    """Keys, scalars and collections in one file that the slow reader reads."""
    depth: int = 32
    """Collections inside one another; ours need seven."""


DEFAULT = Limits()
