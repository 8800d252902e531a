"""HTTP subjects, as real processes: what they answer, how they end, and what they cannot reach."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import facts
from tapegate.doors.guard.spawned import spawn
from tapegate.errors import SubjectError, Unavailable
from tapegate.model.config import HttpSubject
from tapegate.model.trace import Ending
from tapegate.subject import http as http_module
from tapegate.subject.environment import environment
from tapegate.subject.heard import stopwatch
from tapegate.subject.http import HttpRunner
from tapegate.subject.server import connect

PATIENCE_S = 20.0

AGENT = r"""
import ctypes, json, os, signal, socket, subprocess, sys, threading, time, urllib.request

def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ESCAPE = "import socket; socket.create_connection(('127.0.0.1', int({!r}))).sendall(b'leak')"

def answer(send, head, body):
    said, _, more = json.loads(body)["said"].partition(" ")
    if said == "chunks":
        for piece in (CHUNKED, chunk(b"one"), chunk(b"two\n"), chunk(more.encode()), b"0\r\n\r\n"):
            send(piece)
            time.sleep(0.005)
    elif said == "length":
        send(HEAD + b"Content-Length: 6\r\n\r\nsix by")
    elif said == "old":
        send(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")
    elif said == "request":
        body = json.dumps([head.decode(), json.loads(body), dict(os.environ), os.getcwd()]).encode()
        send(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    elif said == "empty":
        send(HEAD + b"Content-Length: 0\r\n\r\n")
    elif said == "unavailable":
        send(b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy")
    elif said == "moved":
        send(b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n")
    elif said == "hang":
        send(CHUNKED + chunk(b"begun"))
        time.sleep(100)
    elif said == "drip":
        for byte in HEAD * 1000:
            send(bytes([byte]))
            time.sleep(0.02)
    elif said == "segfault":
        send(CHUNKED + chunk(b"begun"))
        ctypes.string_at(0)
    elif said == "segfault-old":
        send(b"HTTP/1.0 200 OK\r\n\r\nbegun")
        ctypes.string_at(0)
    elif said == "exit":
        send(CHUNKED + chunk(b"begun"))
        os._exit(int(more))
    elif said == "cut-length":
        send(HEAD + b"Content-Length: 100\r\n\r\nbegun")
    elif said == "cut-chunks":
        send(CHUNKED + chunk(b"begun"))
    elif said == "no-http":
        send(b"SSH-2.0-OpenSSH\r\n")
    elif said == "flood":
        for _ in range(int(more)):
            os.write(2, b"x" * 65535 + b"\n")
        send(HEAD + b"Content-Length: 2\r\n\r\nok")
    elif said == "leave":
        pid = os.fork()
        if pid == 0:
            os.setsid()
            time.sleep(100)
            os._exit(0)
        send(HEAD + b"Content-Length: %d\r\n\r\n%d" % (len(str(pid)), pid))
    elif said == "ask-gateway":
        body = urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat", b"{}").read()
        send(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    elif said == "escape-by-child":
        done = subprocess.run([sys.executable, "-c", ESCAPE.format(more)], stderr=subprocess.DEVNULL)
        send(HEAD + b"Content-Length: 1\r\n\r\n%d" % (done.returncode != 0))

def serve(connection):
    with connection:
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        if head.startswith(b"GET /health "):
            return connection.sendall(HEAD + b"Content-Length: 2\r\n\r\nok")
        if head.startswith(b"GET "):
            return connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
        size = int(head.lower().split(b"content-length:")[1].split()[0])
        while len(body) < size:
            body += connection.recv(65536)
        answer(connection.sendall, head, body)

if "STUBBORN" in os.environ:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=16)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""


@pytest.fixture
def namespace():
    """The level of that name, where this machine has it."""
    if facts().namespace is None:
        pytest.skip(f"no network namespace on this machine: {'; '.join(facts().reasons)}")
    return "namespace"


@pytest.fixture(params=["none", "namespace"])
def level(request):
    """Each level that guards an HTTP subject."""
    return request.getfixturevalue("namespace") if request.param == "namespace" else "none"


@pytest.fixture
def subject(tmp_path):
    """Declares an HTTP subject: the agent above unless another command is given."""
    program = tmp_path / "agent.py"
    program.write_text(AGENT)

    def subject(**changed):
        ask = {"path": "/api/chat", "json": {"said": "{input}"}}
        command = ("{python}", str(program), "{port}")
        declared = {"kind": "http", "command": command, "health": "/health", "ask": ask, "stream": "text"}
        return HttpSubject.model_validate({**declared, **changed})

    return subject


FORKED = pytest.mark.parametrize("launch", ["afresh", "forked"], indirect=True)
"""The launcher is started as a program, and in a fork of a process with libraries."""


@pytest.fixture
def launch(request, forking):
    """How launchers are started, at each level."""
    return forking if getattr(request, "param", None) == "forked" else lambda _: spawn


@pytest.fixture
def ask(subject, tmp_path, launch):
    """Puts a text to an HTTP subject: what was heard."""

    def ask(said, level="none", at=None, clock=None, grace_s=2.0, **changed):
        workspace = tmp_path / "workspace"
        workspace.mkdir(exist_ok=True)
        env = environment(os.environ, workspace=workspace, services={}, urls={}, level=level)
        runner = HttpRunner(subject(**changed), grace_s=grace_s)
        values = {"input": said, "seed": "42", "db": "d", "workspace": str(workspace), "project": "p"}
        if at is not None:
            return runner.ask(at, values, env, workspace, clock or stopwatch())
        with Enclosure.open(level, launch=launch(level)) as fresh:
            return runner.ask(fresh, values, env, workspace, clock or stopwatch())

    return ask


@FORKED
def test_a_streamed_answer_keeps_its_chunks(ask, level):
    """Each HTTP chunk is one chunk, with the time at which it arrived."""
    heard = ask("chunks {seed} ü", level)
    assert heard.ending == Ending("completed")
    assert heard.chunks == (b"one", b"two\n", "{seed} ü".encode())
    assert 0 <= heard.started_us < heard.at_us[0] < heard.at_us[1] < heard.at_us[2] <= heard.ended_us


@pytest.mark.parametrize(("said", "body"), [("length", b"six by"), ("old", b"until the end")])
def test_an_answer_in_any_framing_is_whole(ask, said, body):
    """A body with a length and a body that ends with the connection are complete answers."""
    heard = ask(said)
    assert (heard.body, heard.ending) == (body, Ending("completed"))


def test_the_request_is_what_the_config_says(ask, tmp_path):
    """Path, headers, body and environment are filled, each as it must be written where it lands."""
    heard = ask(
        "request ä/{seed}?\n",
        ask={
            "method": "PUT",
            "path": "/api chat/{input}?seed={seed}",
            "headers": {"X-Seed": "{seed}"},
            "json": {"said": "{input}", "nested": [{"seed": "{seed}"}, 7, None, '{"a": 1}']},
        },
        env={"OWN": "{workspace}:{port}", "TZ": "Asia/Tokyo"},
    )
    head, body, env, cwd = json.loads(heard.body)
    first, *lines = head.split("\r\n")
    assert first == "PUT /api%20chat/request%20%C3%A4%2F%7Bseed%7D%3F%0A?seed=42 HTTP/1.1"
    assert {"X-Seed: 42", "Content-Type: application/json"} <= set(lines)
    assert body == {"said": "request ä/{seed}?\n", "nested": [{"seed": "42"}, 7, None, '{"a": 1}']}
    host = next(line for line in lines if line.startswith("Host: "))
    assert env["OWN"] == f"{tmp_path / 'workspace'}:{host.rpartition(':')[2]}"
    assert (env["TZ"], env["PYTHONHASHSEED"], cwd) == ("Asia/Tokyo", "0", str(tmp_path / "workspace"))


def test_inside_a_namespace_two_runs_look_the_same_to_the_agent(ask, namespace):
    """The port that a subject is given is the same in every run, so that what it says of itself is too."""
    assert ask("request", namespace).body == ask("request", namespace).body


@pytest.mark.parametrize(
    ("said", "ending", "body"),
    [
        ("empty", Ending("empty_output", "the answer has no body"), b""),
        ("unavailable", Ending("http_error", "status 503"), b"busy"),
        ("moved", Ending("http_error", "status 302"), b""),
        ("segfault", Ending("crashed", "SIGSEGV"), b"begun"),
        ("segfault-old", Ending("crashed", "SIGSEGV"), b"begun"),
        ("exit 3", Ending("exited", "exit code 3"), b"begun"),
        ("exit 0", Ending("exited", "exit code 0"), b"begun"),
    ],
)
def test_how_a_subject_ends_is_a_fact(ask, said, ending, body):
    """Errors, crashes and exits are told in the same words in every run; what was said before is kept."""
    heard = ask(said)
    assert (heard.ending, heard.body) == (ending, body)


def test_a_crash_in_a_namespace_is_a_crash(ask, namespace):
    """The launcher between subject and harness tells the signal as it was."""
    assert ask("segfault", namespace).ending == Ending("crashed", "SIGSEGV")


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("cut-length", "the connection was closed before the answer was complete"),
        ("cut-chunks", "the connection was closed before the answer was complete"),
        ("no-http", "the answer is not HTTP (BadStatusLine)"),
    ],
)
def test_a_broken_answer_of_a_living_server_is_an_http_error(ask, said, detail):
    """A server that goes on running has not crashed, whatever it sends."""
    assert ask(said).ending == Ending("http_error", detail)


@pytest.mark.parametrize(
    ("level", "said", "body"),
    [("none", "hang", b"begun"), ("none", "drip", b""), ("namespace", "hang", b"begun")],
    indirect=["level"],
)
def test_a_subject_that_hangs_is_ended_at_its_limit(ask, level, said, body):
    """The limit holds for the whole answer, also where bytes drip; SIGTERM ignored, SIGKILL ends it."""
    start = time.monotonic()
    heard = ask(said, level, timeout_s=3, grace_s=0.1, env={"STUBBORN": "1"})
    assert (heard.ending, heard.body) == (Ending("timed_out", "no complete answer within 3 s"), body)
    assert time.monotonic() - start < PATIENCE_S


def test_a_flood_of_output_does_not_block(ask):
    """Twenty megabytes on standard error neither stop the subject nor stay in memory."""
    heard = ask("flood 320")
    assert heard.ending == Ending("completed")
    assert 0 < len(heard.log) <= 65536


@FORKED
def test_what_a_subject_leaves_running_is_ended(ask, level):
    """A grandchild in a session of its own is gone with its trial."""
    pid = int(ask("leave", level).body)
    with suppress(OSError):
        assert Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_child_with_a_raw_socket_does_not_get_out(ask, level):
    """A child that ignores proxies is seen and stopped by the namespace; without it, the control, it gets out."""
    came = []
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        outside.setblocking(False)
        with Enclosure.open(level) as made:
            heard = ask(f"escape-by-child {port}", level, at=made)
            attempts = made.attempts()
        with suppress(BlockingIOError):
            connection, _ = outside.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                came.append(connection.recv(10))
    if level == "namespace":
        assert (heard.body, attempts, came) == (b"1", (f"127.0.0.1:{port}",), [])
    else:
        assert (heard.body, attempts, came) == (b"0", (), [b"leak"])


def test_an_enclosed_subject_reaches_the_gateway(ask, namespace):
    """The base URL names the port inside, and the harness serves it from outside; that is no attempt."""
    with Enclosure.open(namespace) as made:

        def serve():
            connection, _ = made.gateway.accept()
            with connection:
                request = connection.recv(65536)
                assert request.startswith(b"POST /lane/openai/chat HTTP/1.1")
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntape")

        server = threading.Thread(target=serve)
        server.start()
        url = f"http://127.0.0.1:{made.gateway_port}/lane/openai"
        heard = ask("ask-gateway", namespace, at=made, env={"OPENAI_BASE_URL": url})
        server.join(PATIENCE_S)
        assert (heard.body, made.attempts()) == (b"tape", ())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"command": ("no-such-program",)}, "No such file or directory: no-such-program"),
        (
            {"command": ("{python}", "-c", "import sys; sys.exit('##[error] no key\\n::x')")},
            r"the subject ended with exit code 1 before it answered GET '/health'\n(.*\n)+ +its last lines:\s+"
            r"\| .*python.*\s+\| '#_\[error\] no key'\s+\| '::x'",
        ),
        ({"command": ("{python}", "-c", "import ctypes; ctypes.string_at(0)")}, "was ended by SIGSEGV before"),
        (
            {"command": ("sleep", "100"), "start_timeout_s": 1},
            r"did not answer within 1 s \(nobody listened on the port\)",
        ),
        ({"health": "/nothing", "start_timeout_s": 1}, "the last answer was 404; the path must answer 200"),
        ({"ask": {"path": "/", "headers": {"X": "{input}"}}}, "header 'X' .* line break"),
    ],
)
def test_a_subject_that_does_not_start_says_why(ask, changed, message):
    """The error names the command, how it ended and its last lines, none of which is a command to a CI runner.

    What differs from machine to machine stands in its text alone: the problem goes into results.json.
    """
    with pytest.raises(SubjectError, match=message) as caught:
        ask("chunks\n", **changed)
    assert caught.value.exit_code == 3
    (problem,) = caught.value.problems
    assert not [word for word in (sys.executable, "127.0.0.1", "last lines") if word in problem.message]


def test_a_taken_port_is_tried_again_with_another(ask, monkeypatch):
    """A server that finds its port taken is started again; one that finds all taken is the machine's fault."""
    with socket.socket() as taken, Enclosure.open("none") as made:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        free = made.port()
        ports = iter([port, free])
        monkeypatch.setattr(made, "port", lambda: next(ports))
        assert ask("length", at=made).body == b"six by"
        monkeypatch.setattr(made, "port", lambda: port)
        with pytest.raises(SubjectError, match="in use"):
            ask("length", at=made)


def test_no_free_port_is_said(ask, monkeypatch):
    """A machine whose ports are exhausted cannot run the trial, and says so."""

    def refuse(*_):
        raise OSError(98, "Address already in use")

    with Enclosure.open("none") as made:
        monkeypatch.setattr(socket.socket, "bind", refuse)
        with pytest.raises(Unavailable, match=r"no port of 127\.0\.0\.1 is free") as caught:
            ask("length", at=made)
    assert caught.value.exit_code == 3


def test_a_clock_that_goes_back_is_rejected(ask):
    """Times that fall are no measurement: the answer is refused rather than kept with a negative duration."""
    ticks = iter([500, 400, 300, 200, 100])
    with pytest.raises(ValueError, match="none before the last"):
        ask("chunks", clock=lambda: next(ticks))


def test_a_node_server_is_a_subject_like_any_other(ask, level, tmp_path):
    """A server in another language streams, and its own requests elsewhere are seen."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    (tmp_path / "agent.js").write_text(
        """
        require('http').createServer(async (request, response) => {
          if (request.url === '/health') return response.end('ok');
          await fetch('https://api.openai.com/v1/models').catch(() => {});
          response.write('one');
          setTimeout(() => response.end('two'), 20);
        }).listen(Number(process.argv[2]), '127.0.0.1');
        """
    )
    with Enclosure.open(level) as made:
        heard = ask("hello", level, at=made, command=(node, str(tmp_path / "agent.js"), "{port}"))
        assert (heard.chunks, heard.ending) == ((b"one", b"two"), Ending("completed"))
        assert made.attempts() == (("api.openai.com:443",) if level == "namespace" else ())


NUMBERING = r"""
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    come = []
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def do_POST(self):
        said = self.rfile.read(int(self.headers["content-length"]))
        self.come.append(said)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%d" % len(self.come))
    def log_message(self, *_): ...

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def put(subject, tmp_path, monkeypatch):
    """Puts messages to that server at once; what is given is called before each connection is made."""
    (tmp_path / "numbering.py").write_text(NUMBERING)

    def put(before, *said):
        def connected(*args):
            before()
            return connect(*args)

        monkeypatch.setattr(http_module, "connect", connected)
        runner = HttpRunner(subject(command=("{python}", str(tmp_path / "numbering.py"), "{port}"), health="/"))
        messages = [{"input": text, "seed": "42", "workspace": str(tmp_path)} for text in said]
        env = environment(os.environ, workspace=tmp_path, services={}, urls={})
        with Enclosure.open("none") as made:
            heard = runner.converse(made, messages, env, tmp_path, clock=stopwatch())
        return [(one.body, one.ending.kind) for one in heard]

    return put


def test_messages_that_are_put_at_once_come_in_their_order(put):
    """A server that numbers what comes does so alike in every run, though one connection takes its time."""
    slow = iter([0.2])
    heard = put(lambda: time.sleep(next(slow, 0.0)), "a", "b", "c", "d")
    assert heard == [(number, "completed") for number in (b"1", b"2", b"3", b"4")]


def test_a_message_that_cannot_be_sent_is_no_answer_and_holds_up_no_other(put):
    """Its ending says so; the others are answered."""
    refuse = iter([False, True])

    def before():
        if next(refuse, False):
            raise ConnectionResetError

    assert put(before, "a", "b", "c") == [(b"1", "completed"), (b"", "http_error"), (b"2", "completed")]
