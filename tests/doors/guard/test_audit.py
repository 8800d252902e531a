"""The in-process guard. It cannot be taken off a process, so that each test runs a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PATIENCE_S = 20.0

ARMED = """
import json, os, socket, sys
port = int(sys.argv[1])
attempts = []
if sys.argv[2] == "armed":
    from tapegate.doors.guard import audit
    audit.arm([], attempts.append)
try:
{code}
finally:
    print("\\n" + json.dumps(attempts))
"""


@pytest.fixture
def python(tmp_path: Path):
    """Runs code that is guarded, or not: what it tried, and what it wrote."""

    def python(code, port=9, *, armed=True):
        program = ARMED.format(code=textwrap.indent(textwrap.dedent(code), "    "))
        command = [sys.executable, "-c", program, str(port), "armed" if armed else "free"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, cwd=tmp_path, env={}, check=False
        )
        *said, attempts = done.stdout.strip().splitlines() or ["", "[]"]
        return json.loads(attempts), [line for line in said if line] + done.stderr.splitlines()[-1:]

    return python


WAYS_TO_THE_LISTENER = {
    "a socket": "socket.create_connection(('127.0.0.1', port)).sendall(b'leak')",
    "a bare socket": "import _socket; s = _socket.socket(); s.connect(('127.0.0.1', port)); s.send(b'leak')",
    "connect_ex": "s = socket.socket(); s.connect_ex(('127.0.0.1', port)); s.sendall(b'leak')",
    "localhost": "socket.create_connection(('localhost', port)).sendall(b'leak')",
    "a datagram": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'leak', ('127.0.0.1', port))",
    "a datagram's parts": "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'leak'], [], 0, ('127.0.0.1', port))",
    "a connected datagram": (
        "s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('127.0.0.1', port)); s.send(b'leak')"
    ),
    "http.client": """
        import http.client
        http.client.HTTPConnection('127.0.0.1', port).request('GET', '/leak')
    """,
    "urllib": "import urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{port}/leak', timeout=0.5)",
    "asyncio": """
        import asyncio
        async def main():
            _, writer = await asyncio.open_connection('127.0.0.1', port)
            writer.write(b'leak')
            await writer.drain()
        asyncio.run(main())
    """,
    "a thread": """
        import threading
        def reach():
            try: socket.create_connection(('127.0.0.1', port)).sendall(b'leak')
            except ConnectionRefusedError: pass
        thread = threading.Thread(target=reach)
        thread.start()
        thread.join()
    """,
    "a fork": """
        import os, json
        read, write = os.pipe()
        if os.fork() == 0:
            try: socket.create_connection(('127.0.0.1', port)).sendall(b'leak')
            except OSError: os.write(write, json.dumps(attempts).encode())
            os._exit(0)
        os.wait()
        os.close(write)
        attempts += json.loads(os.read(read, 100) or b'[]')
    """,
}


@pytest.mark.parametrize("way", WAYS_TO_THE_LISTENER)
def test_no_way_leads_to_the_host(python, listener, way):
    """Whatever a client is built on, nothing arrives and the attempt is told; unguarded, the same code arrives."""
    attempts, _ = python(WAYS_TO_THE_LISTENER[way], listener.port)
    assert (attempts, listener.heard) == ([f"127.0.0.1:{listener.port}"], [])
    python(WAYS_TO_THE_LISTENER[way], listener.port, armed=False)
    assert listener.came.wait(PATIENCE_S)
    assert b"leak" in listener.heard[0]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("socket.create_connection(('API.openai.com.', 443))", "api.openai.com:443"),
        ("socket.socket().connect(('api.openai.com', 443))", "api.openai.com:443"),
        ("socket.getaddrinfo('api.openai.com', 'https')", "api.openai.com:443"),
        ("socket.getaddrinfo(b'api.openai.com', None)", "dns:api.openai.com"),
        ("socket.gethostbyname('api.openai.com')", "dns:api.openai.com"),
        ("socket.gethostbyname_ex('api.openai.com')", "dns:api.openai.com"),
        ("socket.gethostbyaddr('203.0.113.7')", "dns:7.113.0.203.in-addr.arpa"),
        ("socket.getnameinfo(('203.0.113.7', 80), 0)", "dns:7.113.0.203.in-addr.arpa"),
        ("socket.socket().bind(('api.openai.com', 0))", "dns:api.openai.com"),
        ("socket.create_connection(('203.0.113.7', 80))", "203.0.113.7:80"),
        ("socket.create_connection(('bücher.example', 80))", "xn--bcher-kva.example:80"),
        ("socket.socket(socket.AF_INET6).connect(('2001:db8::7', 25))", "[2001:db8::7]:25"),
        ("socket.socket(socket.AF_INET6).connect(('::ffff:203.0.113.7', 25))", "203.0.113.7:25"),
        (
            "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', 0, ('collector.example', 8125))",
            "collector.example:8125",
        ),
        ("import urllib.request; urllib.request.urlopen('https://api.openai.com/v1')", "api.openai.com:443"),
        ("import asyncio; asyncio.run(asyncio.open_connection('api.openai.com', 443))", "api.openai.com:443"),
    ],
)
def test_an_attempt_is_told_by_name_where_there_is_one(python, code, told):
    """Names are told before anybody resolves them, in one spelling; the error names Tapegate and the address."""
    attempts, said = python(code)
    assert attempts == [told]
    assert "tapegate refused" in said[-1]
    assert told in said[-1]


def test_an_attempt_is_told_once(python):
    """A client that tries again and again makes one attempt."""
    attempts, _ = python(
        """
        for _ in range(3):
            for host in ('a.example', '203.0.113.7'):
                try: socket.create_connection((host, 443))
                except OSError as error: last = error
        """
    )
    assert attempts == ["a.example:443", "203.0.113.7:443"]


def test_the_refusal_is_what_a_dead_network_gives(python):
    """Clients that catch connection errors catch the refusal; connect_ex returns it as a number."""
    _, said = python(
        """
        import errno
        for reach, error in ((lambda: socket.create_connection(('203.0.113.7', 80)), ConnectionRefusedError),
                             (lambda: socket.gethostbyname('a.example'), socket.gaierror)):
            try: reach()
            except error as caught:
                print(type(caught).__name__, caught.errno in (errno.ECONNREFUSED, socket.EAI_NONAME))
        print(socket.socket().connect_ex(('203.0.113.7', 80)) == errno.ECONNREFUSED)
        """
    )
    assert said == ["Refused True", "NameRefused True", "True"]


def test_what_is_allowed_is_reached(python, listener):
    """The gateway's address stays open, by number and by `localhost`; another port beside it does not."""
    attempts, said = python(
        """
        audit.arm([('127.0.0.1', port)], attempts.append)
        socket.create_connection(('localhost', port)).sendall(b'asked')
        try: socket.create_connection(('127.0.0.1', port + 1))
        except ConnectionRefusedError: print('refused')
        """,
        listener.port,
    )
    assert said == ["refused"]
    assert attempts == [f"127.0.0.1:{listener.port + 1}"]
    assert listener.came.wait(PATIENCE_S)


def test_what_stays_in_the_process_works(python):
    """Unix sockets, socket pairs, servers of its own, event loops and the machine's own name are no attempts."""
    attempts, said = python(
        """
        import asyncio, http.server, threading, urllib.request
        a, b = socket.socketpair()
        a.sendall(b'pair'); print(b.recv(4))
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind('here'); server.listen(); client.connect('here')
        server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
        server.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=server.handle_request).start()
        print(urllib.request.urlopen(f'http://localhost:{server.server_port}/').status)
        server.server_close()
        async def main():
            served = await asyncio.start_server(lambda r, w: w.close(), '127.0.0.1', 0)
            await asyncio.open_connection(*served.sockets[0].getsockname())
            print(await asyncio.to_thread(lambda: 'thread'))
        asyncio.run(main())
        socket.getaddrinfo('127.0.0.1', 80)
        try: socket.gethostbyname(socket.gethostname())
        except OSError: pass
        """
    )
    assert said == ["b'pair'", "200", "thread"]
    assert attempts == []


def test_a_program_it_starts_gets_dead_proxies(python):
    """A child process is not guarded itself: whatever environment it is given, its proxies are dead."""
    _, said = python(
        """
        import subprocess
        show = ['/bin/sh', '-c', 'echo $HTTPS_PROXY $no_proxy $MINE']
        for env in (None, {'MINE': 'own', 'HTTPS_PROXY': 'http://real'}):
            print(subprocess.run(show, env=env, stdout=-1, text=True).stdout.strip())
        """
    )
    dead = "http://127.0.0.1:9 127.0.0.1,localhost,::1"
    assert said == [dead, f"{dead} own"]


def test_the_harness_may_be_exempt_and_the_guard_disarmed(python, listener):
    """Code that the harness vouches for passes; once disarmed, everything does."""
    attempts, _ = python(
        """
        mine = True
        audit.arm([], attempts.append, exempt=lambda: mine)
        socket.create_connection(('127.0.0.1', port)).sendall(b'harness')
        mine = False
        try: socket.create_connection(('127.0.0.1', port)).sendall(b'leak')
        except ConnectionRefusedError: pass
        audit.disarm()
        socket.create_connection(('127.0.0.1', port)).sendall(b'free')
        """,
        listener.port,
    )
    assert attempts == [f"127.0.0.1:{listener.port}"]
    assert listener.came.wait(PATIENCE_S)
    assert b"leak" not in listener.heard


def test_it_needs_the_standard_library_alone(tmp_path):
    """The guard loads in an interpreter that has none of Tapegate's dependencies."""
    source = Path(__file__).parents[3] / "src"
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r}); from tapegate.doors.guard import audit, launcher, namespace;"
        "print([name for name in ('pydantic', 'httpx', 'yaml', 'dataclasses') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
