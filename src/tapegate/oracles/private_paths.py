"""Paths of somebody's machine in what the user sees."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.oracles.folding import foldings
from tapegate.oracles.patterns import compiled

_ROOMS = r"(?:Users|USERS|home|var|tmp|root|private/(?:var|tmp)|mnt/[a-z]/Users)/[^\s\"'`<>()\[\]{}|,;]*"
_PATTERNS = (
    # Preceded by a letter, a dot or a slash it is a part of something else: https://host/home/, ../tmp/, docs/var/.
    rf"(?:^|[^\w/.~%-])(/{_ROOMS})",
    # What Markdown, an option of a program or an ellipsis puts before it is no part of it.
    rf"(?:^|[^\w/.~%-])(?:[_~*]{{1,3}}|-[A-Za-z])(/{_ROOMS})",
    rf"(?:^|[^./])\.{{3,}}(/{_ROOMS})",
    rf"(?:^|[^\w/.~%:-])(/(?:\.?/)+{_ROOMS})",
    # An address without a host names a file of this machine: sqlite:////home/x, vscode://file/Users/x.
    rf"(?:^|\W|_)((?i:[a-z][a-z0-9+.-]*:(?:///+|//file/+)){_ROOMS})",
    # What shells and containers of Windows and macOS put before it.
    r"(?:^|[^\w/.~%-])(/(?:[a-z]|cygdrive/[a-z]|host_mnt(?:/[a-z])?|Volumes/[^/\s]+)/Users/[^\s\"'`<>()\[\]{}|,;]*)",
    r"(?:^|\W|_)((?i:[a-z]:(?:[\\/]+Users|[\\/]+Documents and Settings)[\\/]+)[^\s\"'`<>()\[\]{}|,;]*)",
    r"(?:^|\W)((?i:file:/{1,3})[^\s\"'`<>()\[\]{}|,;]+)",
)


def private_paths(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every private path, in order, each place once however many readings show it."""
    spans: dict[int, int] = {}
    for reading in foldings(text):
        for pattern in _PATTERNS:
            for start, end in compiled(pattern).spans(reading.text, group=1):
                raw_start, raw_end = reading.origin(start, end)
                spans[raw_start] = max(raw_end, spans.get(raw_start, 0))
    done = 0
    for start in sorted(spans):
        if start >= done:
            yield start, spans[start]
            done = spans[start]
