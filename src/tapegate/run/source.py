"""What a recording is made from: the provider itself, or stand-ins that are started for it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tapegate.doors.current import Keys
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import UsageError
from tapegate.load.suite import Suite
from tapegate.model.config import Config, RecordingSource, StandIn
from tapegate.run.workspace import scratch
from tapegate.subject.environment import mark
from tapegate.subject.fill import fill
from tapegate.subject.interpreter import interpreter
from tapegate.subject.server import Server
from tapegate.tape.routes import Routes

LIVE = RecordingSource(kind="live", description="the providers themselves")
_START_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Source:
    """A source that is ready to be recorded from."""

    name: str
    declared: RecordingSource
    routes: Routes
    keys: Keys = field(repr=False)
    """The real keys of services that have one and no stand-in, for these services and those at the same origin."""


def declared(config: Config, name: str) -> RecordingSource:
    """The source called `name`. Raises UsageError for one that is not declared."""
    if name in config.sources:
        return config.sources[name]
    if name == "live":
        return LIVE
    known = ", ".join(sorted({*config.sources, "live"}))
    raise UsageError.of(
        "unknown_source", f"there is no source {name!r}; there are {known}", fix="declare it in evals/tapegate.yaml"
    )


@contextmanager
def ready(suite: Suite, name: str, *, only: Collection[str] | None = None) -> Iterator[Source]:
    """Start the stand-ins of a source and collect the keys of all other services; of `only` those, where it is given.

    The judge's key is not wanted where it is not at hand and the judge is not asked for by name: agents do not call it.
    Raises UsageError `no_key` when a key is wanted that the environment does not hold.
    """
    source = declared(suite.config, name)
    upstreams: dict[str, str] = {}
    keys: dict[str, dict[str, str]] = {}
    with ExitStack() as stack:
        judge = suite.config.judge.service if suite.config.judge is not None and only is None else None
        for service, spec in suite.config.services.items():
            if only is not None and service not in only:
                continue
            if service in source.stand_ins:
                upstreams[service] = stack.enter_context(_standing_in(suite, service, source.stand_ins[service]))
            elif spec.key_env is not None:
                value = os.environ.get(spec.key_env, "")
                if not value and service == judge:
                    continue
                if not value:
                    raise UsageError.of(
                        "no_key",
                        f"service {service!r} is reached at {spec.address} and its key {spec.key_env!r} is not set",
                        fix=f"set {spec.key_env}, or choose a source that stands in for {service!r} (--source NAME)",
                    )
                origin = _origin(spec.address)
                for other, sharing in suite.config.services.items():
                    if other not in source.stand_ins and _origin(sharing.address) == origin:
                        keys.setdefault(other, {})[mark(spec.key_env)] = value
        yield Source(name, source, Routes.of(suite.config.services, upstreams), keys)


def _origin(address: str) -> tuple[str, str]:
    parts = urlsplit(address.lower())
    return parts.scheme, parts.netloc


@contextmanager
def _standing_in(suite: Suite, service: str, spec: StandIn) -> Iterator[str]:
    """The base URL of a stand-in, while it runs."""

    def command(port: int) -> tuple[list[str], dict[str, str]]:
        values = {"port": str(port), "project": str(suite.project), "python": interpreter()}
        # Which are keys says the config; a stand-in asks no provider.
        kept = {name: value for name, value in os.environ.items() if name not in suite.config.secrets}
        env = {**kept, **{name: fill(text, values) for name, text in spec.env.items()}}
        return [fill(word, values) for word in spec.command], env

    server = Server(f"the stand-in of service {service!r}", command, spec.health, _START_TIMEOUT_S)
    with (
        scratch() as place,
        Enclosure.open("none") as enclosure,
        server.running(enclosure, place.folder) as (_, port),
    ):
        yield f"http://127.0.0.1:{port}{spec.path}"
