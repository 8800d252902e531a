"""Which service a URL belongs to, and the address a recording names for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from tapegate.model.service import Service

REMEMBERED = 1024
"""URLs whose service is not looked for again: an agent asks a few of them, many times."""
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Route:
    """One service: the address that recordings name, and where it is really reached while recording."""

    service: str
    address: str
    upstream: str


class Routes:
    """All services of a run.

    A recorded uri is always the declared address, so that a gateway, a port or a stand-in never shows in a key.
    """

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._routes = dict(routes)
        prefixes: dict[str, Route] = {}
        for route in self._routes.values():
            prefixes[_normal(route.upstream).rstrip("/")] = route
            prefixes[_normal(route.address).rstrip("/")] = route
        # Longest first: `https://host/v1/embed` is found before `https://host/v1`.
        self._prefixes = sorted(prefixes.items(), key=lambda item: -len(item[0]))
        self._found: dict[str, tuple[str, str] | None] = {}

    @classmethod
    def of(cls, services: Mapping[str, Service], upstreams: Mapping[str, str] | None = None) -> Routes:
        """Routes of the declared services; `upstreams` overrides where a service is reached."""
        upstreams = upstreams or {}
        return cls(
            {
                name: Route(name, service.address, upstreams.get(name, service.address))
                for name, service in services.items()
            }
        )

    def __contains__(self, service: str) -> bool:
        return service in self._routes

    def resolve(self, url: str) -> tuple[str, str] | None:
        """The service that `url` belongs to, and the path and query after its address; None: not a service."""
        if url in self._found:
            return self._found[url]
        if len(self._found) >= REMEMBERED:
            self._found.clear()
        self._found[url] = found = self._resolve(url)
        return found

    def _resolve(self, url: str) -> tuple[str, str] | None:
        try:
            normal = _normal(url)
        except ValueError:
            return None  # a port that is no number, a bracket that does not close
        for prefix, route in self._prefixes:
            if normal == prefix or normal.startswith((prefix + "/", prefix + "?")):
                return route.service, normal[len(prefix) :]
        return None

    def uri(self, service: str, path: str) -> str:
        """The uri that a recording names for `path` of `service`."""
        return self._routes[service].address.rstrip("/") + path

    def upstream(self, service: str, path: str) -> str:
        """Where `path` of `service` is really reached while recording."""
        return self._routes[service].upstream.rstrip("/") + path


def _normal(url: str) -> str:
    """Scheme and host in lower case, no default port, no fragment; path and query as they are."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    netloc = host if port is None or port == DEFAULT_PORTS.get(parts.scheme.lower()) else f"{host}:{port}"
    normal = urlunsplit((parts.scheme.lower(), netloc, parts.path, parts.query, ""))
    # An empty query is sent as it was written, and urlsplit forgets it.
    return f"{normal}?" if not parts.query and url.partition("#")[0].endswith("?") else normal
