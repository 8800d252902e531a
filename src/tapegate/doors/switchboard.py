"""Which lane, service and path a request to the gateway means."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from tapegate.doors.lane import Lane
from tapegate.doors.refusal import refusal
from tapegate.tape.wire import Answer, Asked, HeaderPairs

_TARGET = re.compile(r"/([^/?]+)/([^/?]+)([^#]*)")
_ORIGIN = re.compile(r"http://127\.0\.0\.1:\d+(?=/)")


class Received(NamedTuple):
    """A request as it came off the wire."""

    method: str
    target: str
    raw: tuple[tuple[bytes, bytes], ...]
    """Names and values of its headers."""
    body: bytes
    keep_alive: bool
    old: bool
    """Whether the client speaks HTTP/1.0."""
    too_large: bool = False
    """Whether its body was over the limit and was not kept."""

    @property
    def headers(self) -> HeaderPairs:
        """Names and values as text."""
        return tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in self.raw])


class Connected(NamedTuple):
    """A request that found its tape."""

    lane: Lane
    service: str
    path: str
    received: Received

    @property
    def asked(self) -> Asked:
        """The request as the tape knows it."""
        return Asked(self.service, self.received.method, self.path, self.received.headers, self.received.body)


def connect(lanes: Mapping[str, Lane], received: Received) -> Connected | Answer:
    """Find the tape that `received` is meant for, or say what is wrong with its target."""
    target, found = _parsed(received.target)
    if found is None and "://" in target:
        return refuse_proxy(lanes, target, received.headers)
    if found is None:
        return refusal(
            404,
            "tapegate_no_lane",
            f"{received.target!r} names no lane of this gateway: requests read /<lane>/<service>/<path>, as the "
            "base-URL variables do that the harness sets",
        )
    name, service, path = found
    lane = lanes.get(name)
    if lane is None:
        return refusal(
            404,
            "tapegate_no_lane",
            f"no lane {name!r} is open at this gateway: its trial has ended, or the base URL is of another run",
        )
    if service not in lane.heard.routes:
        lane.heard.tape.attempted(service)
        return refusal(
            404,
            "tapegate_no_service",
            f"no service {service!r} is declared in evals/tapegate.yaml; declare it under `services`",
        )
    return Connected(lane, service, path, received)


@lru_cache(maxsize=1024)
def _parsed(target: str) -> tuple[str, tuple[str, str, str] | None]:
    """The target without this server's own origin; its lane, service and path."""
    target = _ORIGIN.sub("", target, count=1)
    found = _TARGET.fullmatch(target)
    return target, (found[1], found[2], found[3]) if found is not None else None


def refuse_proxy(lanes: Mapping[str, Lane], target: str, headers: HeaderPairs) -> Answer:
    """Refuse to be a proxy to `target`, on the account of the lane that the proxy's own URL names (`Lane.proxy`)."""
    address = _address(target)
    for name, value in headers:
        lane = lanes.get(_user(value)) if name.lower() == "proxy-authorization" else None
        if lane is not None:
            lane.heard.tape.attempted(address)
    return refusal(
        403,
        "tapegate_network",
        f"the gateway connects to nothing: {address!r} is no service that evals/tapegate.yaml declares, or the agent "
        "does not use the base-URL variable of the one it means",
    )


def _address(target: str) -> str:
    """`host:port` of a URL, or of the target of CONNECT, which is just that."""
    if "://" not in target:
        return target
    parts = urlsplit(target)
    host = parts.netloc.rpartition("@")[2]
    return host if host.rpartition(":")[2].isdigit() else f"{host}:{443 if parts.scheme == 'https' else 80}"


def _user(credentials: str) -> str:
    scheme, _, encoded = credentials.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""
