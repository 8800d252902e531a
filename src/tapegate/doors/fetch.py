"""Recording for a client that waits: the provider's answer is read when the client reads it, and told to the take."""

from __future__ import annotations

import http.client
import ssl
from functools import cache
from urllib.parse import urlsplit

from tapegate.doors.current import Heard, outside
from tapegate.doors.forward import Forward
from tapegate.doors.relay import Passing
from tapegate.doors.switchboard import Received
from tapegate.tape.recorder import Take

_AT_ONCE = 1 << 16


class Fetch:
    """One answer on its way, in pieces as they are written to the client: its head, then what arrives, then its end."""

    def __init__(self, heard: Heard, take: Take, received: Received, timeout_s: float | None) -> None:
        """Send the request. Raises OSError or ValueError where that is not possible: then the take is abandoned."""
        self._take = take
        self._received = received
        self._response: http.client.HTTPResponse | None = None
        self._passing: Passing | None = None
        self._over = False
        self._whole = False
        try:
            with outside():
                self._connection = _send(heard, take, timeout_s)
        except Exception as error:
            take.abandon(f"its provider could not be reached ({type(error).__name__}: {error})")
            raise

    def read(self) -> bytes:
        """The next piece; empty at the end. Raises OSError where the connection breaks, TimeoutError included."""
        if self._over:
            self.close()
            return b""
        return self._begin() if self._response is None or self._passing is None else self._go_on(self._passing)

    @property
    def over(self) -> bool:
        """Whether it came to its end, and the client may ask again on the same connection."""
        return self._whole

    def close(self) -> None:
        """The client reads no further."""
        if not self._over and self._passing is None:
            self._take.unanswered()
        elif not self._over:
            self._take.end("client_closed")
        self._over = True
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def _begin(self) -> bytes:
        try:
            self._response = response = self._connection.getresponse()
            headers = tuple(response.getheaders())
            self._passing = Passing.of(response.status, response.reason, headers, self._received)
        except TimeoutError:
            self._take.unanswered()
            self._over = True
            self._connection.close()
            raise
        except Exception as error:
            self._take.abandon(f"its provider gave no answer ({type(error).__name__}: {error})")
            self._over = True
            self._connection.close()
            if isinstance(error, OSError):
                raise
            raise ConnectionResetError(f"the provider's answer is not HTTP: {error}") from error
        self._take.head(response.status, response.reason, headers)
        if response.length == 0:
            self._end()
        return self._passing.head

    def _go_on(self, passing: Passing) -> bytes:
        assert self._response is not None
        try:
            data = self._response.read1(_AT_ONCE)
        except http.client.HTTPException:
            return self._break_off()
        except OSError:
            self._take.end("error")
            self._over = True
            raise
        if not data and self._response.length:
            return self._break_off()
        if not data:
            self._end()
            return passing.ending or self.read()
        self._take.chunk(data)
        # The client reads no further than the length that was announced.
        if self._response.length == 0:
            self._end()
        return passing.piece(data)

    def _end(self) -> None:
        self._take.end("eof")
        self._over = self._whole = True

    def _break_off(self) -> bytes:
        self._take.end("error")
        self._over = True
        return self.read()


def _send(heard: Heard, take: Take, timeout_s: float | None) -> http.client.HTTPConnection:
    asked = take.asked
    forward = Forward.of(heard, asked)
    parts = urlsplit(forward.origin)
    connection = (
        http.client.HTTPSConnection(parts.netloc, timeout=timeout_s, context=_verifying())
        if parts.scheme == "https"
        else http.client.HTTPConnection(parts.netloc, timeout=timeout_s)
    )
    connection.putrequest(asked.method, forward.target.decode("latin-1"), skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", parts.netloc)
    for name, value in forward.headers:
        connection.putheader(name.decode("latin-1"), value)
    if asked.body or asked.method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", str(len(asked.body)))
    connection.endheaders(asked.body or None)
    return connection


@cache
def _verifying() -> ssl.SSLContext:
    """Loading the system's certificates takes 39 ms (measured), so once."""
    return ssl.create_default_context()
