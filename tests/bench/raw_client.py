"""A client that does next to nothing: asks over one connection, reads until each answer is whole. A process of its own.

    python raw_client.py PORT PATH FIRST COUNT SIZE

Says `ready`, waits for a line, and prints the seconds that COUNT requests took.
"""

from __future__ import annotations

import socket
import sys
import time

from question import body

LENGTH = b"content-length: "


def main() -> None:
    """Ask, one request after the other."""
    port, path, first, count, size = int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ".encode()
    bodies = [body(number, size) for number in range(first, first + count)]
    requests = [b"%b%d\r\n\r\n%b" % (head, len(data), data) for data in bodies]
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print("ready", flush=True)
    sys.stdin.readline()
    start = time.perf_counter()
    for request in requests:
        connection.sendall(request)
        _answer(connection)
    print(time.perf_counter() - start)


def _answer(connection: socket.socket) -> None:
    data = connection.recv(1 << 16)
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    end = data.index(b"\r\n\r\n") + 4
    assert data.startswith(b"HTTP/1.1 200"), data[:200]
    at = data.lower().find(LENGTH, 0, end)
    if at >= 0:
        missing = end + int(data[at + len(LENGTH) : data.index(b"\r", at)]) - len(data)
        while missing > 0:
            missing -= len(_more(connection))
    else:
        while not data.endswith(b"\r\n0\r\n\r\n"):
            data = data[-7:] + _more(connection)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    assert data, "the connection was closed"
    return data


if __name__ == "__main__":
    main()
