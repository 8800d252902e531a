"""The resolver that a namespace's subject asks."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.doors.guard.namespace import IP_PKTINFO
from tapegate.doors.guard.resolver import Resolver

A, AAAA, HTTPS = 1, 28, 65


@pytest.fixture
def ends() -> Iterator[tuple[Resolver, socket.socket]]:
    """A resolver, and a client that is connected to it."""
    with socket.socket(type=socket.SOCK_DGRAM) as server, socket.socket(type=socket.SOCK_DGRAM) as client:
        server.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
        server.bind(("127.0.0.1", 0))
        client.connect(server.getsockname())
        client.settimeout(5)
        yield Resolver(server), client


def question(name: str, kind: int = A) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">HHHHHH", 4711, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def ask(ends: tuple[Resolver, socket.socket], name: str, kind: int = A) -> str | None:
    resolver, client = ends
    client.send(question(name, kind))
    assert resolver.serve()
    answer = client.recv(512)
    identifier, flags, _, answers = struct.unpack_from(">HHHH", answer)
    assert (identifier, flags & 0x800F) == (4711, 0x8000)
    return socket.inet_ntoa(answer[-4:]) if answers else None


def test_every_name_has_an_address_of_its_own(ends: tuple[Resolver, socket.socket]) -> None:
    """Names get addresses in the order in which they are asked for, and an address gives its name back."""
    addresses = [ask(ends, name) for name in ("api.openai.com", "API.anthropic.com", "api.openai.com")]
    assert addresses == ["198.18.0.1", "198.18.0.2", "198.18.0.1"]
    assert ends[0].name("198.18.0.2") == "api.anthropic.com"
    assert ends[0].asked == {"dns:api.openai.com", "dns:api.anthropic.com"}


@pytest.mark.parametrize("kind", [AAAA, HTTPS])
def test_other_kinds_of_question_are_recorded_without_an_answer(
    ends: tuple[Resolver, socket.socket], kind: int
) -> None:
    """A client that asks for IPv6 or service records learns that there is none, not that the name is unknown."""
    assert ask(ends, "api.openai.com", kind) is None
    assert ends[0].asked == {"dns:api.openai.com"}


def test_the_machine_itself_is_no_attempt(ends: tuple[Resolver, socket.socket]) -> None:
    """`localhost` and names under it are the loopback address and are not recorded."""
    assert (ask(ends, "localhost"), ask(ends, "app.localhost")) == ("127.0.0.1", "127.0.0.1")
    assert ends[0].asked == set()


def test_what_is_no_question_is_recorded_by_its_address(ends: tuple[Resolver, socket.socket]) -> None:
    """Data sent to port 53 that is no DNS question shows where it was to go."""
    resolver, client = ends
    client.send(b"exfiltrated")
    assert resolver.serve()
    assert resolver.asked == {"127.0.0.1:53"}


def test_without_a_question_nothing_happens(ends: tuple[Resolver, socket.socket]) -> None:
    """An idle resolver says so."""
    assert not ends[0].serve()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=1, max_size=64))
def test_no_datagram_breaks_the_resolver(ends: tuple[Resolver, socket.socket], data: bytes) -> None:
    """Any bytes are answered or recorded."""
    resolver, client = ends
    client.send(data)
    assert resolver.serve()
