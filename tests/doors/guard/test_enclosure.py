"""Subjects in a network of their own: what they reach, what is seen of it, and what is left of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError, Unavailable

PATIENCE_S = 20.0
NOBODY = 65534

ESCAPE = """
import socket, urllib.request
def tell(reach):
    try: reach()
    except OSError as error: pass
    else: print("reached")
tell(lambda: socket.create_connection(("127.0.0.1", {port}), 5).sendall(b"leak"))
tell(lambda: socket.create_connection(("203.0.113.7", 6379), 5))
tell(lambda: socket.create_connection(("2001:db8::7", 25), 5))
tell(lambda: urllib.request.urlopen("https://api.openai.com/v1", timeout=5))
tell(lambda: socket.create_connection(("db.example", 5432), 5))
tell(lambda: socket.gethostbyname("only.looked.up"))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"leak", ("127.0.0.1", {port}))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"leak", ("192.0.2.1", 123))
"""

ESCAPE_ATTEMPTS = {
    "203.0.113.7:6379",
    "[2001:db8::7]:25",
    "api.openai.com:443",
    "db.example:5432",
    "dns:only.looked.up",
    "192.0.2.1:123",
}


def test_nothing_leaves_a_namespace_and_all_of_it_is_seen(enclosure, listener, run):
    """Connections and datagrams to the host, to addresses and to names arrive nowhere, and each is in the account."""
    assert run(enclosure, ESCAPE.format(port=listener.port)) == (0, "reached\n")  # the name lookup
    assert set(enclosure.attempts()) == ESCAPE_ATTEMPTS | {f"127.0.0.1:{listener.port}"}
    assert listener.heard == []


def test_without_a_namespace_the_same_program_gets_out(listener, run):
    """The control: what the namespace stops does arrive without it."""
    reach = f"import socket; socket.create_connection(('127.0.0.1', {listener.port})).sendall(b'leak')"
    with Enclosure.open("none") as open_air:
        assert run(open_air, reach) == (0, "")
        assert open_air.attempts() == ()
    assert listener.came.wait(PATIENCE_S)
    assert listener.heard == [b"leak"]


def test_node_does_not_get_out(enclosure, listener, run):
    """Node's fetch is seen with the name it asked for."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    urls = f"'https://api.anthropic.com/v1','http://192.0.2.9/x','http://127.0.0.1:{listener.port}/'"
    code = f"(async()=>{{for(const u of [{urls}])try{{await fetch(u);console.log('out')}}catch(e){{}}}})()"
    assert run(enclosure, [node, "-e", code]) == (0, "")
    assert enclosure.attempts() == (f"127.0.0.1:{listener.port}", "192.0.2.9:80", "api.anthropic.com:443")
    assert listener.heard == []


def test_uvloop_does_not_get_out(enclosure, run):
    """An event loop that opens its sockets in C is seen like any other."""
    pytest.importorskip("uvloop", reason="uvloop is not installed")
    code = (
        "import asyncio, uvloop\nasync def main():\n    try: await asyncio.open_connection('api.openai.com', 443)\n"
        "    except OSError: pass\nuvloop.run(main())"
    )
    run(enclosure, [sys.executable, "-c", code])
    assert enclosure.attempts() == ("api.openai.com:443",)


def test_a_static_binary_does_not_get_out(enclosure, listener, run, tmp_path):
    """A program without a C library to hook into, connecting by system call, is seen and stopped."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    source = tmp_path / "escape.c"
    source.write_text(
        "#include <arpa/inet.h>\n#include <unistd.h>\n"
        "static int try(const char *host, int port) {\n"
        "  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};\n"
        "  inet_pton(AF_INET, host, &to.sin_addr);\n"
        "  int s = socket(AF_INET, SOCK_STREAM, 0);\n"
        '  return connect(s, (struct sockaddr *)&to, sizeof to) == 0 && write(s, "leak", 4) == 4;\n}\n'
        f'int main(void) {{ return try("127.0.0.1", {listener.port}) | try("198.51.100.4", 8443); }}\n'
    )
    built = subprocess.run([compiler, "-static", "-o", tmp_path / "escape", source], capture_output=True, check=False)
    if built.returncode != 0:
        pytest.skip(f"no static C library here: {built.stderr.decode()[-200:]}")
    assert run(enclosure, [str(tmp_path / "escape")]) == (0, "")
    assert enclosure.attempts() == (f"127.0.0.1:{listener.port}", "198.51.100.4:8443")
    assert listener.heard == []


def test_names_do_not_depend_on_the_machine(enclosure, run):
    """Neither search domains nor the host's own names take part, and a machine's own name is no attempt."""
    code = """
import socket
print(socket.gethostname(), socket.getfqdn(""), socket.gethostbyname("localhost"))
print(socket.gethostbyname("db"))
"""
    assert run(enclosure, code) == (0, "localhost localhost 127.0.0.1\n198.18.0.1\n")
    assert enclosure.attempts() == ("dns:db",)


def test_a_resolver_of_the_subjects_own_is_answered(enclosure, run):
    """A client that brings its own name server, as a container's 127.0.0.53 or 8.8.8.8, gets an answer from it."""
    code = """
import socket, struct
query = struct.pack(">HHHHHH", 1, 256, 1, 0, 0, 0) + b"\\x03api\\x07example\\x00" + struct.pack(">HH", 1, 1)
for server in ("127.0.0.53", "8.8.8.8"):
    client = socket.socket(type=socket.SOCK_DGRAM)
    client.connect((server, 53))
    client.settimeout(5)
    client.send(query)
    print(socket.inet_ntoa(client.recv(512)[-4:]))
"""
    assert run(enclosure, code) == (0, "198.18.0.1\n198.18.0.1\n")
    assert enclosure.attempts() == ("dns:api.example",)


def test_the_gateway_inside_is_served_from_outside(enclosure, run):
    """A connection to the gateway's port inside arrives at the listening socket that the harness holds."""
    heard = []

    def serve():
        connection, _ = enclosure.gateway.accept()
        with connection:
            heard.append(connection.recv(100))
            connection.sendall(b"tape")

    server = threading.Thread(target=serve)
    server.start()
    code = f"""
import socket
with socket.create_connection(("127.0.0.1", {enclosure.gateway_port})) as connection:
    connection.sendall(b"asked")
    print(connection.recv(100))
"""
    assert run(enclosure, code) == (0, "b'tape'\n")
    server.join(PATIENCE_S)
    assert heard == [b"asked"]
    assert enclosure.attempts() == ()


def test_the_harness_dials_a_server_inside(level, tmp_path):
    """A server that the subject starts is reached from outside; before it listens, the dial is refused."""
    code = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
os.write(1, b"up")
connection, _ = server.accept()
connection.sendall(b"answer")
"""
    ready, said = os.pipe()
    with Enclosure.open(level) as made, Path(os.devnull).open("rb") as nothing:
        port = made.port()
        with pytest.raises(ConnectionRefusedError):
            made.dial(port)
        made.start([sys.executable, "-I", "-c", code, str(port)], {}, tmp_path, (nothing.fileno(), said, 2))
        assert os.read(ready, 2) == b"up"
        with made.dial(port) as connection:
            assert connection.recv(100) == b"answer"
        made.stop()
        assert made.attempts() == ()
    os.close(ready)
    os.close(said)


def test_nothing_that_was_started_outlives_a_stop(level, run, tmp_path):
    """Children in the group, children in sessions of their own and orphans are all gone, though they refuse to end."""
    code = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def live(then):
    if os.fork() == 0:
        then()
        os.open(str(os.getpid()), os.O_CREAT)
        time.sleep(100)
def orphan():
    os.setsid()
    if os.fork():
        os._exit(0)
live(lambda: None)
live(os.setsid)
live(orphan)
while len([name for name in os.listdir() if name.isdigit()]) < 3:
    time.sleep(0.01)
if len(sys.argv) == 1:
    os.write(1, b"up")
    time.sleep(100)
"""
    ready, said = os.pipe()
    with Enclosure.open(level) as made, Path(os.devnull).open("rb") as nothing:
        made.start([sys.executable, "-I", "-c", code], {}, tmp_path, (nothing.fileno(), said, 2))
        os.close(said)
        assert os.read(ready, 2) == b"up"
        pids = [int(path.name) for path in tmp_path.iterdir()]
        assert len(pids) == 3
        assert all(alive(pid) for pid in pids)
        made.stop(grace_s=0.1)
        assert not any(alive(pid) for pid in pids)
        assert os.read(ready, 1) == b""  # nobody holds its output any more
    os.close(ready)


def test_a_program_may_end_by_itself_when_told(tmp_path):
    """SIGTERM comes first, and within the grace nothing else."""
    code = """
import os, signal, sys, time
def end(*_):
    open("ended", "w").close()
    sys.exit(7)
signal.signal(signal.SIGTERM, end)
os.write(1, b"up")
time.sleep(100)
"""
    ready, said = os.pipe()
    with Enclosure.open("none") as made, Path(os.devnull).open("rb") as nothing:
        made.start([sys.executable, "-I", "-c", code], {}, tmp_path, (nothing.fileno(), said, 2))
        assert os.read(ready, 2) == b"up"
        assert made.ended() is None
        made.stop(grace_s=PATIENCE_S)
        assert made.ended() == 7
    assert (tmp_path / "ended").exists()
    os.close(ready)
    os.close(said)


def test_a_killed_harness_takes_its_subjects_along(level, tmp_path):
    """When the harness is ended by SIGKILL, nothing of what it started stays."""
    harness = f"""
import os, sys, time
from pathlib import Path
from tapegate.doors.guard.enclosure import Enclosure
made = Enclosure.open({level!r})
code = "import os, time; os.fork(); print(os.getpid(), os.getppid(), flush=True); time.sleep(100)"
made.start([sys.executable, "-I", "-c", code], {{}}, Path("/"), (0, 1, 2))
time.sleep(100)
"""
    killed = subprocess.Popen([sys.executable, "-c", harness], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    pids = {int(word) for _ in range(2) for word in killed.stdout.readline().split()}
    assert len(pids) == 3  # the program, its child, the launcher
    killed.kill()
    killed.communicate()
    end = time.monotonic() + PATIENCE_S
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(alive(pid) for pid in pids)


def test_twenty_subjects_leave_nothing_behind(level, tmp_path):
    """No descriptor, thread or process of this process is left after twenty subjects have come and gone."""
    with Path(os.devnull).open("rb") as nothing:
        stdio = (nothing.fileno(),) * 3
        before = (len(list(Path("/dev/fd").iterdir())), threading.active_count(), children())
        for _ in range(20):
            with Enclosure.open(level) as made:
                made.start(["sleep", "100"], {"PATH": os.environ["PATH"]}, tmp_path, stdio)
                made.stop()
        assert (len(list(Path("/dev/fd").iterdir())), threading.active_count(), children()) == before


def test_a_subject_is_who_the_harness_is(enclosure, run, tmp_path):
    """The namespace changes nobody's identity: files keep their owner, and sudo is no way out."""
    code = "import os; open('made', 'w'); print(os.getuid(), os.getgid(), open('/proc/self/status').read())"
    status, said = run(enclosure, code)
    assert status == 0
    assert said.startswith(f"{os.getuid()} {os.getgid()} ")
    assert "NoNewPrivs:\t1" in said
    assert ((tmp_path / "made").stat().st_uid, tmp_path.stat().st_uid) == (os.getuid(), os.getuid())


def test_a_subject_sees_only_the_environment_it_is_given(run, monkeypatch, tmp_path):
    """Nothing of the harness's environment passes through the launcher."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    with Enclosure.open("none") as made:
        _, said = run(made, ["env"])
    assert {line.split("=")[0] for line in said.splitlines()} <= {"PATH", "HOME"}


def test_signals_are_as_a_program_expects_them(run):
    """What the launcher does with signals for itself does not pass on: a broken pipe ends a program."""
    with Enclosure.open("none") as made:
        assert run(made, ["sh", "-c", "kill -PIPE $$"])[0] == -13
        assert run(made, ["sh", "-c", "kill -SEGV $$"])[0] == -11
        assert run(made, ["sh", "-c", "exit 3"])[0] == 3


def test_a_command_that_is_none_says_which(tmp_path):
    """A program, working directory or argument that cannot be used is named."""
    with Enclosure.open("none") as made:
        with pytest.raises(SubjectError, match="No such file or directory: no-such-program"):
            made.start(["no-such-program", "x"], {}, tmp_path, (0, 1, 2))
        with pytest.raises(SubjectError, match="No such file or directory: /no/such/folder"):
            made.start(["true"], {}, Path("/no/such/folder"), (0, 1, 2))
        with pytest.raises(SubjectError, match="Invalid argument: true"):
            made.start(["true", "\0"], {"PATH": os.environ["PATH"]}, tmp_path, (0, 1, 2))
        with pytest.raises(SubjectError, match="Permission denied: /"):
            made.start([str(tmp_path)], {}, tmp_path, (0, 1, 2))


def test_a_lost_launcher_is_no_silence(tmp_path):
    """When the launcher is killed, the next thing asked of it is an error, and its subject is dead."""
    said = tmp_path / "said"
    with Enclosure.open("none") as made, said.open("wb") as output, Path(os.devnull).open("rb") as nothing:
        env = {"PATH": os.environ["PATH"]}
        command = "echo $$ $PPID; exec sleep 100"
        made.start(["sh", "-c", command], env, tmp_path, (nothing.fileno(), output.fileno(), 2))
        while not said.read_text().endswith("\n"):
            time.sleep(0.005)
        subject, launcher = map(int, said.read_text().split())
        os.kill(launcher, 9)
        with pytest.raises(SubjectError, match="ended unasked"):
            made.ended(PATIENCE_S)
        end = time.monotonic() + PATIENCE_S
        while alive(subject) and time.monotonic() < end:
            time.sleep(0.01)
        assert not alive(subject)


def test_sudo_builds_the_namespace_and_the_subject_runs_without_root(namespaces, monkeypatch, run, tmp_path, listener):
    """Through `sudo -n` the launcher gives root up for the caller before anything of the subject runs."""
    if not nobody_can_be():
        pytest.skip("only root can stand in for sudo")
    sudo(tmp_path, monkeypatch, 'test "$1 $2" = "-n --" || exit 9\nshift 2\nexec env -i PATH="$PATH" "$@" 3>&- 4>&-\n')
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    monkeypatch.setattr(os, "getegid", lambda: NOBODY)
    monkeypatch.setattr(os, "getgroups", lambda: [NOBODY])
    with Enclosure.open("namespace", "sudo") as made:
        command = f"id -u; id -G; grep CapEff /proc/self/status; exec 3<>/dev/tcp/127.0.0.1/{listener.port}"
        _, said = run(made, ["bash", "-c", command], Path("/"))
        assert said.splitlines()[:3] == [str(NOBODY), str(NOBODY), "CapEff:\t0000000000000000"]
        assert made.attempts() == (f"127.0.0.1:{listener.port}",)
    assert listener.heard == []


def test_a_sudo_that_asks_for_a_password_is_no_guard(monkeypatch, tmp_path):
    """The reason that sudo gives is the reason that the error gives."""
    sudo(tmp_path, monkeypatch, "echo 'sudo: a password is required' >&2; exit 1\n")
    with pytest.raises(Unavailable, match="a password is required"):
        Enclosure.open("namespace", "sudo")


def test_a_user_without_rights_gets_a_namespace(namespaces, tmp_path):
    """Where the kernel allows it, nobody needs root: the same program, seen the same way."""
    interpreter = next((path for path in interpreters() if readable_by_all(path)), None)
    if not nobody_can_be() or interpreter is None:
        pytest.skip("needs root, to become nobody, and an interpreter that nobody may run")
    source = Path(__file__).parents[3] / "src"
    if not readable_by_all(source / "tapegate"):
        pytest.skip("the sources are not readable by others")
    harness = f"""
import sys; sys.path.insert(0, {str(source)!r})
from pathlib import Path
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import facts
if facts().namespace is None: sys.exit(repr(facts().reasons))
with Enclosure.open("namespace") as made:
    command = ["bash", "-c", "id -u; exec 3<>/dev/tcp/192.0.2.1/80"]
    made.start(command, {{"PATH": "/usr/bin:/bin"}}, Path("/"), (0, 1, 2))
    made.ended(20)
    print(made.attempts())
"""
    done = subprocess.run(
        [interpreter, "-I", "-B", "-c", harness],
        check=False,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(f"the kernel allows no namespace to nobody: {done.stderr[-200:]}")
    assert done.stdout == f"{NOBODY}\n('192.0.2.1:80',)\n"


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def nobody_can_be() -> bool:
    """Whether this process may become the user `nobody`."""
    ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return os.geteuid() == 0 and any(int(first) <= NOBODY < int(first) + int(size) for first, _, size in ranges)


def children() -> int:
    """How many processes have this one as their parent."""
    me, found = str(os.getpid()), 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            found += stat.read_text().rpartition(")")[2].split()[1] == me
    return found


def sudo(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a stand-in for sudo first on the PATH."""
    program = folder / "bin" / "sudo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def interpreters() -> list[Path]:
    """Interpreters that may serve somebody else."""
    names = ("python3.14", "python3.13", "python3.12", "python3.11")
    found = (shutil.which(name, path="/usr/bin:/usr/local/bin") for name in names)
    return [Path(path) for path in found if path]


def readable_by_all(path: Path) -> bool:
    """Whether any user may read `path` and pass all folders above it."""
    resolved = path.resolve()
    return all(part.stat().st_mode & 0o005 == 0o005 for part in (resolved, *resolved.parents))
