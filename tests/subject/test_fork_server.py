"""Programs that start in a fork of a process with their libraries imported: as fresh ones, in all that they can see."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, facts
from tapegate.doors.guard.spawned import spawn
from tapegate.errors import LoadError, SubjectError, Unavailable
from tapegate.subject import fork_server
from tapegate.subject.environment import environment
from tapegate.subject.fork_server import ForkServer

PATIENCE_S = 20.0
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="libraries are preloaded on Linux only")

DUMP = r"""
import atexit, json, os, signal, sys, time

def openers():
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            yield name, os.readlink("/proc/self/fd/" + name)
        except OSError:
            pass  # the listing's own

import random, threading
def annotated(it: int): ...
flags = zip(sys.flags.__match_args__, sys.flags)
print(json.dumps({
    "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path, "executable": sys.executable,
    "flags": [value for name, value in flags if name != "safe_path"],
    "name": __name__, "file": globals().get("__file__"), "package": __package__,
    "spec": __spec__ and __spec__.name, "globals": sorted(globals()),
    "main": sys.modules["__main__"].__dict__ is globals(),
    "environ": dict(os.environ), "cwd": os.getcwd(), "tz": time.tzname, "seen": sys.stdin.read(),
    "streams": [(one.encoding, one.errors, one.line_buffering, one.write_through, one.isatty(), one.fileno())
                for one in (sys.stdin, sys.stdout, sys.stderr)],
    "signals": {one.name: str(signal.getsignal(one)) for one in signal.valid_signals() if hasattr(one, "name")},
    "annotations": str((lambda: 0).__annotations__) + str(annotated.__annotations__),
    "seekable": (sys.stdin.seekable(), sys.stdin.buffer.seekable()),
    "rights": [line for line in open("/proc/self/status") if line.startswith(("Cap", "NoNewPrivs"))],
    "wakeup": signal.set_wakeup_fd(-1),
    "open": list(openers()), "group": os.getpgid(0) == os.getpid(), "session": os.getsid(0) == os.getpid(),
    "threads": threading.active_count(), "frozen": sys.flags.hash_randomization, "hash": hash("a"),
    "ours": sorted(name for name in sys.modules if name.startswith("tapegate")),
    "hooks": [len(sys.meta_path), len(sys.path_hooks), str(sys.excepthook)], "recursion": sys.getrecursionlimit(),
    "gc": __import__("gc").isenabled(), "umask": os.umask(0), "children": os.path.exists("/proc/self/task"),
}))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project with a program, a module and a package to start."""
    made = tmp_path_factory.mktemp("project")
    (made / "src" / "agent").mkdir(parents=True)
    for name in ("src/program.py", "src/module_of_it.py", "src/agent/__main__.py"):
        (made / name).write_text(DUMP)
    (made / "src/agent/__init__.py").write_text("")
    return made


@pytest.fixture(params=["none", "namespace"])
def level(request) -> Level:
    """Each level that a launcher can give."""
    if request.param == "namespace" and facts().namespace is None:
        pytest.skip(f"no network namespace on this machine: {'; '.join(facts().reasons)}")
    return request.param


@pytest.fixture
def preloading(tmp_path, project):
    """Starts fork servers; they end with the test."""
    with ExitStack() as stack:

        def preloading(*modules: str, level: Level = "none", **environment_too: str) -> ForkServer:
            home = tmp_path / "home"
            home.mkdir(exist_ok=True)
            env = {**replayed(home, level), **environment_too}
            return stack.enter_context(ForkServer(modules, project, env, home, level=level))

        yield preloading


def replayed(home: Path, level: Level) -> dict[str, str]:
    """The replay environment."""
    return environment(os.environ, workspace=home, services={}, urls={}, level=level)


@pytest.fixture
def run(tmp_path, project):
    """Runs a program to its end: exit code, and what it wrote."""

    def run(launch, words, level: Level = "none", said: bytes = b"", **more: str) -> tuple[int | None, bytes]:
        place = tmp_path / "workspace"
        place.mkdir(exist_ok=True)
        env = {**replayed(place, level), "PYTHONPATH": str(project / "src"), **more}
        asked, answered = tmp_path / "asked", tmp_path / "answered"
        asked.write_bytes(said)
        with Enclosure.open(level, launch=launch) as made, asked.open("rb") as stdin, answered.open("wb") as output:
            argv = [sys.executable, *words]
            made.start(argv, {**env}, place, (stdin.fileno(), output.fileno(), output.fileno()))
            code = made.ended(PATIENCE_S)
            made.stop()
        return code, answered.read_bytes()

    return run


WAYS: dict[str, Callable[[Path], list[str]]] = {
    "a module": lambda _: ["-m", "module_of_it", "one", "--two"],
    "a package": lambda _: ["-m", "agent", ""],
    "a script": lambda project: [str(project / "src" / "program.py"), "-m", "three"],
    "a script nearby": lambda project: ["../" * 20 + str(project / "src" / "program.py")[1:]],
    "a text": lambda _: ["-P", "-c", DUMP, "four"],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_fork_sees_what_a_fresh_interpreter_sees(preloading, run, project, level, way):
    """Arguments, path, environment, streams, signals, open files, session and name of the main module are the same."""
    words = WAYS[way](project)
    code, fresh = run(spawn, words, level, b"asked")
    assert (code, json.loads(fresh)["seen"]) == (0, "asked"), fresh
    code, forked = run(preloading("decimal", level=level).launch, words, level, b"asked")
    assert code == 0, forked
    assert json.loads(forked) == json.loads(fresh)


def test_what_is_preloaded_is_there_in_a_fork_and_what_is_not_is_not(preloading, run):
    """A fork has the modules named, and of a fresh interpreter's it lacks none; the control has none of them."""
    probe = ["-P", "-c", "import sys; print([name in sys.modules for name in ('decimal', 'sqlite3')])"]
    assert run(spawn, probe) == (0, b"[False, False]\n")
    assert run(preloading("decimal").launch, probe) == (0, b"[True, False]\n")


def test_what_preloads_needs_no_package_of_ours():
    """It runs in the agent's own environment, which may have another Python and none of Tapegate's dependencies."""
    source = str(Path(fork_server.__file__).parents[2])
    code = f"import sys; sys.path.append({source!r}); import tapegate.subject.preloaded"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


ENDINGS = {
    "by itself": ("pass", 0, b""),
    "with a code": ("import sys; sys.exit(7)", 7, b""),
    "with a word": ("import sys; sys.exit('no')", 1, b"no\n"),
    "by an exception": ("raise ValueError('x')", 1, b"ValueError: x\n"),
    "at once": ("import os; os._exit(5)", 5, b""),
    "by a signal": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, b""),
    "with files open": ("import sys; file = open('/dev/stdout', 'w'); file.write('kept')", 0, b"kept"),
    "with handlers": ("import atexit; atexit.register(print, 'last')", 0, b"last\n"),
    "with a thread": ("import threading, time; threading.Timer(0.05, print, ['later']).start()", 0, b"later\n"),
    "unheard": (
        "import os, sys; r, w = os.pipe(); os.close(r)\ntry: os.write(w, b'x')\nexcept BrokenPipeError: print(1)",
        0,
        b"1\n",
    ),
}


@pytest.mark.parametrize("how", ENDINGS)
def test_a_fork_ends_as_a_fresh_interpreter_does(preloading, run, how):
    """Exit codes, signals, open files, exit handlers and threads at the end of a program are what they always are."""
    program, code, said = ENDINGS[how]
    for launch in (spawn, preloading("decimal").launch):
        ended, wrote = run(launch, ["-P", "-c", program])
        assert (ended, wrote[-len(said) :] if said else wrote) == (code, said)


def test_a_fork_has_the_time_zone_of_its_environment(preloading, run):
    """Not the one that the libraries were imported in."""
    probe = ["-P", "-c", "import time; print(time.tzname[0], time.localtime(0).tm_hour)"]
    for launch in (spawn, preloading("decimal").launch):
        assert run(launch, probe, TZ="ABC-5") == (0, b"ABC 5\n")


def test_each_fork_has_chance_and_state_of_its_own(preloading, run):
    """Random numbers differ from fork to fork, and what one changes no other sees."""
    server = preloading("decimal", "uuid")
    probe = ["-P", "-c", "import decimal, random, uuid; print(random.random(), uuid.uuid4(), decimal.seen if "
             "hasattr(decimal, 'seen') else 'new'); decimal.seen = 1"]  # fmt: skip
    said = [run(server.launch, probe)[1].split() for _ in range(3)]
    assert [last for *_, last in said] == [b"new"] * 3
    assert len({first for first, *_ in said}) == len({second for _, second, _ in said}) == 3


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (["-I", "-c", "PROBE"], {}),
        (["-c", "PROBE"], {}),
        (["-P", "-c", "PROBE"], {"PYTHONHASHSEED": "7"}),
        (["-P", "-c", "PROBE"], {"LC_ALL": "C"}),
        (["-P", "-c", "PROBE"], {"PYTHONPATH": "{shadow}"}),
        (["-P", "-c", "PROBE"], {"PYTHONPATH": "{site}"}),
        (["-P", "-c", "PROBE"], {"PYTHONPATH": "{archive}"}),
        (["{shadow}/script.py"], {}),
        (["{shadow}/no-such-file.py"], {}),
        (["-m"], {}),
        (["-m", "concurrent.futures.thread"], {}),
    ],
)
def test_what_a_fork_could_not_repeat_is_started_afresh(preloading, run, tmp_path, words, more):
    """Flags and variables that an interpreter reads when it starts, and folders that hold another of the same name."""
    probe = "import sys; print('sqlite3' in sys.modules, hash('a'), getattr(sys.modules.get('site'), 'seen', ''))"
    places = {"shadow": tmp_path / "shadow", "site": tmp_path / "site", "archive": tmp_path / "archive"}
    for name, file in (("shadow", "sqlite3.py"), ("site", "sitecustomize.py")):
        places[name].mkdir()
        (places[name] / file).write_text("import site; site.seen = 'customised'")
    (places["shadow"] / "script.py").write_text(probe)
    places["archive"].write_bytes(b"")
    words = [
        word.replace("PROBE", probe).format_map(places) if "{" in word else word.replace("PROBE", probe)
        for word in words
    ]
    more = {name: value.format_map(places) for name, value in more.items()}
    code, said = run(preloading("sqlite3", "concurrent.futures.thread").launch, words, **more)
    assert b"True" not in said
    if words[0] not in ("-I", "-c"):  # there the seed of hashes is chance
        assert (code, said) == run(spawn, words, **more)


@pytest.mark.parametrize(
    ("more", "forked"),
    [
        ({"OTHER": "x"}, True),
        ({"MADE_UP_LEVEL": "high"}, False),
        ({"MADE_UP_OFF": ""}, False),
        ({"PYTHONPATH": "{optional}"}, False),
    ],
)
def test_what_an_import_would_have_seen_is_started_afresh(preloading, run, tmp_path, more, forked):
    """Variables that a library asks for while it is imported, and modules that it looks for and does without."""
    packages, optional = tmp_path / "packages", tmp_path / "optional"
    for place in (packages, optional):
        place.mkdir()
    (optional / "made_up_too.py").write_text("")
    (packages / "made_up.py").write_text(
        "import os\nlevel, off = os.getenv('MADE_UP_LEVEL'), 'MADE_UP_OFF' in os.environ\n_ = [*os.environ.items()]\n"
        "home = os.path.expanduser('~')\ntry: import made_up_too.deep\nexcept ImportError: pass\n"
    )
    server = preloading("made_up", PYTHONPATH=str(packages), MADE_UP_LEVEL="low", OTHER="y")
    more = {"MADE_UP_LEVEL": "low", **{name: value.format(optional=optional) for name, value in more.items()}}
    probe = ["-P", "-c", "import os, sys; print('made_up' in sys.modules, type(os.environ).__name__)"]
    assert run(server.launch, probe, **more) == (0, f"{forked} _Environ\n".encode())


@pytest.mark.parametrize("word", ["x" * 200_000, "a\0b"], ids=["too long", "a NUL"])
def test_words_that_no_program_can_have_are_refused(preloading, run, word):
    """A fork could take them; a trial must not pass because its libraries are preloaded."""
    for launch in (spawn, preloading("decimal").launch):
        with pytest.raises(SubjectError) as refused:
            run(launch, ["-P", "-c", "pass", word])
        assert refused.value.problems[0].code == "subject_not_started"


def test_another_program_is_executed(preloading, run, tmp_path):
    """A launcher that was forked starts what is no Python as any other does, and says what cannot be."""
    with Enclosure.open("none", launch=preloading("decimal").launch) as made, (tmp_path / "said").open("wb") as said:
        stdio = (said.fileno(),) * 3
        made.start(["echo", "heard"], {"PATH": os.defpath}, tmp_path, stdio)
        assert made.ended(PATIENCE_S) == 0
        with pytest.raises(Exception, match=r"'no-such-program'.*cannot be run: No such file or directory"):
            made.start(["no-such-program"], {"PATH": os.defpath}, tmp_path, stdio)
    assert (tmp_path / "said").read_bytes() == b"heard\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, r"'made_up' cannot be imported by \{python\}: ModuleNotFoundError: No module named 'made_up'"),
        ("raise ValueError('no licence')", r"'made_up' cannot be imported by \{python\}: ValueError: no licence"),
        ("raise SystemExit(3)", r"'made_up' cannot be imported by \{python\}: SystemExit: 3"),
        (
            "import threading, time; threading.Thread(target=time.sleep, args=[9], daemon=True).start()",
            "leaves a thread",
        ),
        ("import subprocess; one = subprocess.Popen(['sleep', '9'])", "leaves a thread or a process running"),
        ("print('welcome')", "prints to standard output"),
        ("file = open(__file__)", "leaves a file or shared memory open"),
        ("import multiprocessing; lock = multiprocessing.Lock()", "leaves a file or shared memory open"),
        ("import os; os.environ['MADE_UP'] = '1'", "changes the environment"),
        ("open('settings', 'w').close()", "written below the HOME that it is imported with"),
        ("import os; os._exit(4)", r"the process that imports it ended, saying ''"),
    ],
)
def test_modules_that_cannot_be_preloaded_are_refused(preloading, run, tmp_path, source, message):
    """What cannot be imported, or leaves something running that no fork takes with it, is a fault of the config."""
    place = tmp_path / "packages"
    place.mkdir()
    if source is not None:
        (place / "made_up.py").write_text(source)
    server = preloading("made_up", PYTHONPATH=str(place))
    for _ in range(2):  # whoever asks again hears the same
        with pytest.raises(LoadError, match=message) as refused:
            run(server.launch, ["-m", "agent"])
        assert "fix: name libraries" in str(refused.value)


def test_what_trials_would_share_below_the_home_of_the_import_is_refused(preloading, run, tmp_path):
    """A library may keep its HOME: no trial reads in silence what another has written there."""
    (tmp_path / "made_up.py").write_text("import os; KEPT = os.path.expanduser('~/kept')")
    server = preloading("made_up", PYTHONPATH=str(tmp_path))
    write = ["-P", "-c", "import made_up; open(made_up.KEPT, 'w')"]
    assert run(server.launch, write) == (0, b"")
    with pytest.raises(LoadError, match="written below the HOME that it is imported with"):
        run(server.launch, write)


def test_a_module_of_the_project_is_never_preloaded(preloading, run, project):
    """It is what a change changes: each trial must import it. A library that imports it does not help."""
    server = preloading("agent", PYTHONPATH=str(project / "src"))
    with pytest.raises(LoadError, match="'agent' is of this project"):
        run(server.launch, ["-m", "agent"])


def test_an_import_that_reaches_for_the_network_is_refused(preloading, run, tmp_path):
    """Nothing leaves while libraries are preloaded, and what tries is named."""
    if facts().namespace is None:
        pytest.skip("no network namespace on this machine")
    (tmp_path / "caller.py").write_text(
        "import socket\ntry: socket.create_connection(('192.0.2.1', 443), 1)\nexcept OSError: pass"
    )
    server = preloading("caller", level="namespace", PYTHONPATH=str(tmp_path))
    with pytest.raises(LoadError, match=r"`preload`: what is imported reaches for 192\.0\.2\.1:443"):
        run(server.launch, ["-m", "agent"], "namespace")


def test_a_fork_is_kept_off_the_network(preloading, run):
    """A fork in a namespace of its own reaches nothing, nor what listens in the namespace that it was forked in."""
    if facts().namespace is None:
        pytest.skip("no network namespace on this machine")
    server = preloading("decimal", level="namespace")
    reach = "import socket\ntry: socket.create_connection(('192.0.2.1', 443), 2)\nexcept OSError: print('shut')"
    with Enclosure.open("namespace", launch=server.launch) as made, Enclosure.open("namespace", launch=server.launch):
        assert made.gateway is not None
        assert run(server.launch, ["-P", "-c", reach], "namespace") == (0, b"shut\n")


def test_what_cannot_have_a_namespace_in_a_fork_is_started_afresh(preloading, run, monkeypatch):
    """Where the kernel gives no namespace within a namespace, launchers are started as they are without `preload`."""
    server = preloading("sqlite3")

    def refused(*_):
        raise Unavailable.of("no_namespace", "this kernel gives none")

    monkeypatch.setattr(server, "_fork", refused)
    probe = ["-P", "-c", "import sys; print('sqlite3' in sys.modules)"]
    assert run(server.launch, probe) == (0, b"False\n")


def test_a_server_that_is_gone_before_the_first_trial_is_an_error(preloading, run):
    """It is not mistaken for a kernel that gives no namespaces."""
    server = preloading("decimal")
    server.ready()
    server._process.stop()
    with pytest.raises(Unavailable, match="the process that holds what `preload` names ended"):
        run(server.launch, ["-P", "-c", "pass"])


def test_launchers_that_have_ended_are_collected(preloading):
    """A run of thousands of trials leaves no process behind for each."""
    server, pids = preloading("decimal"), []
    for _ in range(4):
        with Enclosure.open("none", launch=server.launch) as made:
            pids.append(made._launcher._pid)
    assert not Path(f"/proc/{pids[0]}").exists()


def test_a_server_that_is_gone_is_an_error(preloading, run):
    """No trial goes on without it in silence."""
    server = preloading("decimal")
    run(server.launch, ["-P", "-c", "pass"])
    server._process.stop()
    with pytest.raises(Unavailable, match="the process that holds what `preload` names ended or stopped unasked"):
        run(server.launch, ["-P", "-c", "pass"])


def test_a_server_that_does_not_answer_is_an_error(preloading, run, monkeypatch):
    """No wait for it is without an end, and a late answer is never taken for the next."""
    server = preloading("decimal")
    program = "import os; print(open(f'/proc/{os.getppid()}/stat').read().split()[3])"
    _, parent = run(server.launch, ["-P", "-c", program])
    os.kill(int(parent), signal.SIGSTOP)
    monkeypatch.setattr(fork_server, "_FORK_S", 0.01)
    with pytest.raises(Unavailable, match="ended or stopped unasked"):
        run(server.launch, ["-P", "-c", "pass"])
    os.kill(int(parent), signal.SIGCONT)
    with pytest.raises(Unavailable, match="ended or stopped unasked"):
        run(server.launch, ["-P", "-c", "pass"])


def test_a_launcher_that_is_lost_is_the_same_error_in_a_fork(preloading, run):
    """Also where it is heard of again when its enclosure is closed."""
    kill = ["-P", "-c", "import os, signal; os.kill(os.getppid(), signal.SIGKILL); signal.pause()"]
    for launch in (spawn, preloading("decimal").launch):
        with pytest.raises(SubjectError, match="the process that holds the subject ended unasked"):
            run(launch, kill)


def test_a_fork_has_no_rights_in_its_namespace_but_those_of_its_user():
    """Executing a program takes the launcher's capabilities from all users but root; so does going on in a fork."""
    if facts().namespace is None:
        pytest.skip("no network namespace on this machine")
    program = (
        "import ctypes, os, sys\nfrom tapegate.doors.guard import namespace\n"
        "from tapegate.subject.preloaded import Start\n"
        "if os.geteuid() == 0: os.setresuid(65534, 65534, 65534); ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"
        "namespace.enter()\n"
        "def held(): return next(line.split()[1] for line in open('/proc/self/status') if line[:7] == 'CapPrm:')\n"
        "before = held()\nStart([sys.executable, '-P', '-c', ''], {}).prepare()\nprint(before, held())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    before, after = done.stdout.split() or pytest.skip(f"a user has no namespace on this machine: {done.stderr}")
    assert int(before, 16) != 0
    assert int(after, 16) == 0


def test_nothing_is_left_when_the_server_is_closed(project, tmp_path):
    """Launchers that still run, and what they started, end with it."""
    home = tmp_path / "home"
    home.mkdir()
    env: dict[str, Any] = replayed(home, "none")
    with (
        ForkServer(["decimal"], project, env, home, level="none") as server,
        (tmp_path / "said").open("wb") as said,
    ):
        made = Enclosure.open("none", launch=server.launch)
        words = [sys.executable, "-P", "-c", "import os, time; os.write(1, b'%d' % os.getpid()); time.sleep(100)"]
        made.start(words, env, tmp_path, (said.fileno(),) * 3)
        while not (tmp_path / "said").read_bytes():
            assert made.ended(0.01) is None
    pid = int((tmp_path / "said").read_bytes())
    assert not Path(f"/proc/{pid}").exists()
    made.close()
