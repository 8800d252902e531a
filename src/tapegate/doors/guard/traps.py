"""What was tried inside a namespace, as the addresses that a report names."""

from __future__ import annotations

import select
import socket
from threading import Lock, Thread

from tapegate.doors.guard.capture import SNAP, lost
from tapegate.doors.guard.namespace import SUBJECT_PORT
from tapegate.doors.guard.packet import read
from tapegate.doors.guard.resolver import Resolver

UNSEEN = "unknown"
"""Reported where the kernel dropped records of packets: something was sent, and nobody can say what."""


class Traps:
    """Answers name lookups of one namespace and keeps what was tried in it, on a thread of its own until closed."""

    def __init__(self, resolver: socket.socket, capture: socket.socket) -> None:
        self._sockets = (resolver, capture)
        self._capture = capture
        self._resolver = Resolver(resolver)
        self._lock = Lock()
        self._reached: set[tuple[str, int | None]] = set()
        self._knocked: set[int] = set()
        self._answered: set[int] = set()
        self._lost = False
        self._stop, self._stopped = socket.socketpair()
        self._thread = Thread(target=self._watch, name="tapegate-traps", daemon=True)
        self._thread.start()

    def attempts(self) -> tuple[str, ...]:
        """What was tried since this was last asked: `name:443`, `203.0.113.7:80`, `dns:name`; sorted, each once.

        A name that was looked up and then connected to is one attempt, `name:port`. A port on the loopback address
        counts where nobody inside ever listened on it: then it was meant for something outside. Ask once the
        subject has ended; what it sent before that is complete.
        """
        with self._lock:
            self._read()
            found = {_address(self._resolver.name(host) or host, port) for host, port in self._reached}
            names = {self._resolver.name(host) for host, _ in self._reached}
            found |= {asked for asked in self._resolver.asked if asked.removeprefix("dns:") not in names}
            # The harness itself knocks at the subject's own port until somebody listens there.
            found |= {_address("127.0.0.1", port) for port in self._knocked - self._answered - {SUBJECT_PORT}}
            if self._lost:
                found.add(UNSEEN)
            # What was answered stays known: a helper of the subject may live longer than one trial of it.
            self._reached.clear()
            self._knocked.clear()
            self._resolver.asked.clear()
            self._lost = False
        return tuple(sorted(found))

    def close(self) -> None:
        """Stop watching."""
        self._stop.close()
        self._thread.join()
        self._stopped.close()
        for end in self._sockets:
            end.close()

    def _watch(self) -> None:
        waiting = select.poll()
        for end in (*self._sockets, self._stopped):
            waiting.register(end, select.POLLIN)
        while all(descriptor != self._stopped.fileno() for descriptor, _ in waiting.poll()):
            with self._lock:
                self._read()

    def _read(self) -> None:
        while self._resolver.serve():
            pass
        while True:
            try:
                data = self._capture.recv(SNAP, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
            packet = read(data)
            if packet is None:
                continue
            if not packet.loopback:
                if packet.kind != "accepted":
                    self._reached.add((packet.host, packet.port))
            elif packet.kind == "connect" and packet.port is not None:
                self._knocked.add(packet.port)
            elif packet.kind == "accepted" and packet.port is not None:
                self._answered.add(packet.port)
        self._lost |= lost(self._capture) > 0


def _address(host: str, port: int | None) -> str:
    if port is None:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
