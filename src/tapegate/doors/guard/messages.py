"""What the harness and a launcher say to each other: JSON lines over a Unix socket, with descriptors beside them."""

from __future__ import annotations

import array
import json
import socket

TYPE_CHECKING = False  # importing `typing` would cost every launcher 5 ms
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

_AT_ONCE = 1 << 16
_DESCRIPTORS = 8
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class Messages:
    """One end of the conversation; not thread-safe."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._bytes = bytearray()
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        """For `select`. What `receive` left buffered does not show here: read until `pending` is False."""
        return self.channel.fileno()

    @property
    def pending(self) -> bool:
        """Whether a whole message is here already."""
        return b"\n" in self._bytes

    def send(self, message: Message, descriptors: tuple[int, ...] = ()) -> None:
        """Say one thing. Raises OSError when the other end is gone."""
        line = json.dumps(message).encode() + b"\n"
        sent = socket.send_fds(self.channel, [line], descriptors) if descriptors else 0
        self.channel.sendall(line[sent:])

    def receive(self) -> tuple[Message, list[int]] | None:
        """The next thing said, and the descriptors that came with it; None when the other end is gone.

        The descriptors are the caller's to close, and do not pass on to programs that it starts.
        """
        while not self.pending:
            room = socket.CMSG_SPACE(_DESCRIPTORS * array.array("i").itemsize)
            try:
                data, ancillary, _, _ = self.channel.recvmsg(_AT_ONCE, room, _CLOSE_ON_EXEC)
            except ConnectionError:
                return None
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    got = array.array("i")
                    got.frombytes(payload[: len(payload) - len(payload) % got.itemsize])
                    self._descriptors.extend(got)
            if not data:
                return None
            self._bytes += data
        line, _, rest = bytes(self._bytes).partition(b"\n")
        self._bytes[:] = rest
        descriptors, self._descriptors = self._descriptors, []
        return json.loads(line), descriptors
