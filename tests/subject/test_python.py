"""Python subjects, as real processes: what they return, how they end, what they leave and what they cannot reach."""

from __future__ import annotations

import json
import os
import signal
import sysconfig
import time
from pathlib import Path

import pytest

from tapegate.errors import SubjectError
from tapegate.model.trace import Ending

PATIENCE_S = 20.0

AGENT = r'''
import asyncio, ctypes, json, os, random, signal, socket, subprocess, sys, threading, time, urllib.request

import httpx

count = 0
LEAVE = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(100)"

def generator(more):
    yield "one "
    yield b"two "
    yield more

async def async_generator(more):
    for piece in ("one ", b"two ", more):
        await asyncio.sleep(0)
        yield piece

async def coroutine(more):
    await asyncio.sleep(0)
    return more

async def coroutine_of_iterable(more):
    return ["one ", more]

async def coroutine_of_async_generator(more):
    return async_generator(more)

class Awaited:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return "awaited"

def post(q):
    return httpx.post(os.environ["MODEL_URL"] + "/chat", content=json.dumps({"q": q}).encode())

def leave():
    """Starts a process that leaves the trial's session, and tells its id."""
    child = subprocess.Popen([sys.executable, "-c", LEAVE], stdout=subprocess.PIPE, text=True)
    return child.stdout.readline().strip()

def endless():
    while True:
        yield b"x" * 4096

def half():
    yield "half"
    raise OSError(f"no {object()!r} in {os.getcwd()}/data")

def hang():
    yield "begun"
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    yield leave()
    time.sleep(100)

def late():
    """Answers as soon as it is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: None)
    yield "begun"
    signal.pause()
    yield " and ended"

def forked_and_forgot():
    yield "once"
    os.fork()

def scribble():
    yield "x"
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"no frame at all, of no kind")
        except OSError:
            pass

def closed():
    yield "x"
    os.closerange(3, 64)
    yield "y"

def chat(more):
    answer = post(more)
    return f"{answer.status_code} {answer.text}"

def in_a_thread(more):
    found = []
    thread = threading.Thread(target=lambda: found.append(chat(more)))
    thread.start()
    thread.join()
    return found[0]

def miss_and_die(more):
    post(more)
    os._exit(3)

def reach(port):
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=2).sendall(b"leak")
    except OSError as error:
        return f"refused {type(error).__name__}"
    return "reached"

def urllib_reach(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/x", timeout=2).read()
    except OSError:
        return "refused"

def httpx_reach(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/x", timeout=2).content
    except httpx.HTTPError:
        return "refused"

def child_reach(port):
    code = f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=2).sendall(b'leak')"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    return "refused" if done.returncode else "reached"

def curl_reach(port):
    done = subprocess.run(["curl", "-s", "-m", "2", f"http://127.0.0.1:{port}/x"], stdout=subprocess.DEVNULL)
    return "refused" if done.returncode else "reached"

SAY = {
    "text": lambda more: more,
    "bytes": lambda more: more.encode(),
    "bytearray": lambda more: bytearray(more.encode()),
    "list": lambda more: ["one ", b"two ", bytearray(more.encode())],
    "generator": generator,
    "async generator": async_generator,
    "coroutine": coroutine,
    "coroutine of an iterable": coroutine_of_iterable,
    "coroutine of an async generator": coroutine_of_async_generator,
    "awaitable": lambda more: Awaited(),
    "none": lambda more: None,
    "number": lambda more: 7,
    "mapping": lambda more: {"answer": more},
    "set": lambda more: {"one", "two"},
    "numbers": lambda more: [1, 2],
    "coroutine of none": lambda more: asyncio.sleep(0),
    "surrogate": lambda more: "\ud800",
    "nothing": lambda more: "",
    "empty pieces": lambda more: ["", b""],
    "empty iterable": lambda more: [],
    "raise": lambda more: (_ for _ in ()).throw(ValueError(more)),
    "half": lambda more: half(),
    "exit": lambda more: sys.exit(int(more)),
    "exit hard": lambda more: os._exit(int(more)),
    "segfault": lambda more: ctypes.string_at(0),
    "kill": lambda more: os.kill(os.getpid(), signal.SIGKILL),
    "kill worker": lambda more: os.kill(os.getppid(), signal.SIGKILL),
    "interrupt": lambda more: (_ for _ in ()).throw(KeyboardInterrupt()),
    "hang": lambda more: hang(),
    "late": lambda more: late(),
    "endless": lambda more: endless(),
    "leave": lambda more: leave(),
    "fork": lambda more: forked_and_forgot(),
    "scribble": lambda more: scribble(),
    "closed": lambda more: closed(),
    "flood": lambda more: [os.write(2, b"x" * 65535 + b"\n") for _ in range(int(more))] and "done",
    "print": lambda more: print(more) or "printed",
    "random": lambda more: repr(random.random()),
    "environ": lambda more: json.dumps(dict(os.environ)),
    "where": lambda more: os.getcwd(),
    "stdin": lambda more: f"{sys.stdin.read()!r}",
    "chat": chat,
    "chat in a thread": in_a_thread,
    "miss and die": miss_and_die,
    "miss and go on": lambda more: post(more) and "all is well",
    "socket": reach,
    "urllib": urllib_reach,
    "httpx": httpx_reach,
    "child": child_reach,
    "curl": curl_reach,
}

def ask(input):
    global count
    count += 1
    os.environ["SEEN"] = input
    what, _, more = input.partition(": ")
    return f"{count} {sys.modules.get('count')!r}" if what == "count" else SAY[what](more)
'''


@pytest.fixture(scope="module")
def agent(start):
    """One warm worker for many trials, which is what it is for."""
    with start(AGENT) as made:
        assert made.worker.fit
        yield made


@pytest.fixture(scope="module")
def hasty(start):
    """One that waits for an answer for three seconds only."""
    with start(AGENT, timeout_s=3) as made:
        yield made


@pytest.fixture(scope="module")
def alone(start):
    """A worker that is not warm: each trial imports the agent that stands there then."""
    with start("", warm=False) as made:
        yield made


@pytest.fixture(scope="module")
def enclosed(start, namespace):
    """One warm worker in a network of its own."""
    with start(AGENT, level=namespace) as made:
        yield made


def gone(pid):
    """Whether a process has ended, waiting for it: a zombie counts as ended."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("what", "chunks"),
    [
        ("text", (b"three",)),
        ("bytes", (b"three",)),
        ("bytearray", (b"three",)),
        ("list", (b"one ", b"two ", b"three")),
        ("generator", (b"one ", b"two ", b"three")),
        ("async generator", (b"one ", b"two ", b"three")),
        ("coroutine", (b"three",)),
        ("coroutine of an iterable", (b"one ", b"three")),
        ("coroutine of an async generator", (b"one ", b"two ", b"three")),
        ("awaitable", (b"awaited",)),
    ],
)
def test_whatever_kind_of_answer_an_entry_returns_is_heard(agent, what, chunks):
    """Text, bytes, iterables, generators and coroutines give their pieces as they are made, each with its time."""
    heard = agent.ask(f"{what}: three")
    assert (heard.chunks, heard.ending) == (chunks, Ending("completed"))
    assert 0 <= heard.started_us <= heard.at_us[0] <= heard.at_us[-1] <= heard.ended_us


@pytest.mark.parametrize(
    ("what", "detail"),
    [
        ("none", "TypeError: the entry returned NoneType; expected text, bytes, or an iterable of either"),
        ("number", "TypeError: the entry returned int; expected text, bytes, or an iterable of either"),
        ("mapping", "TypeError: the entry returned dict; expected text, bytes, or an iterable of either"),
        ("set", "TypeError: the entry returned set; expected text, bytes, or an iterable of either"),
        ("numbers", "TypeError: the entry yielded int; expected text or bytes"),
        ("coroutine of none", "TypeError: the entry returned NoneType; expected text, bytes, or an iterable of either"),
    ],
)
def test_what_is_no_answer_is_refused(agent, what, detail):
    """An entry that returns something else fails, and the message says what it returned: nothing is guessed."""
    assert agent.ask(what).ending == Ending("raised", detail)


@pytest.mark.parametrize(
    ("what", "ending"),
    [
        ("raise: no such paper", Ending("raised", "ValueError: no such paper")),
        ("raise: ", Ending("raised", "ValueError")),
        ("half", Ending("raised", "OSError: no <object object at 0x…> in {workspace}/data")),
        ("interrupt", Ending("raised", "KeyboardInterrupt")),
        ("exit: 0", Ending("exited", "SystemExit: 0")),
        ("exit: 3", Ending("exited", "SystemExit: 3")),
        ("exit hard: 0", Ending("exited", "exit code 0")),
        ("exit hard: 7", Ending("exited", "exit code 7")),
        ("segfault", Ending("crashed", "SIGSEGV")),
        ("kill", Ending("crashed", "SIGKILL")),
        ("nothing", Ending("empty_output", "the answer is empty")),
        ("empty pieces", Ending("empty_output", "the answer is empty")),
        ("empty iterable", Ending("empty_output", "the answer is empty")),
    ],
)
def test_every_way_to_end_is_a_fact(agent, what, ending):
    """PRO-07, PRO-08: exceptions, exits, signals and empty answers, in the same words in every run."""
    assert agent.ask(what).ending == ending


def test_what_was_said_before_the_end_is_kept(agent):
    """An answer that broke off is judged as far as it came."""
    heard = agent.ask("half")
    assert (heard.chunks, heard.ending.kind) == ((b"half",), "raised")
    assert b"OSError: no" in heard.log


def test_messages_that_wait_for_nothing_are_put_one_after_the_other(agent):
    """In one process, each with an ending of its own, whatever the one before came to."""
    heard = agent.ask_in_turn("list: three", "half", "nothing", "count")
    assert [one.body for one in heard] == [b"one two three", b"half", b"", b"4 None"]
    assert [one.ending.kind for one in heard] == ["completed", "raised", "empty_output", "completed"]


def test_messages_end_with_the_process_that_they_are_put_to(agent):
    """The one that it died of has its ending; what comes after it was never asked."""
    heard = agent.ask_in_turn("text: one", "exit hard: 7", "text: three")
    assert [one.ending for one in heard] == [Ending("completed"), Ending("exited", "exit code 7")]


def test_text_that_utf8_does_not_have_is_told_in_text_that_it_has(agent):
    """A lone surrogate can be yielded by an agent; the report about it can be written all the same."""
    ending = agent.ask("surrogate").ending
    assert ending.kind == "raised"
    ending.detail.encode()


def test_a_subject_that_hangs_is_ended_with_all_it_started(hasty):
    """PRO-05: told to end, then killed, even if it ignores the first and its child left its session."""
    heard = hasty.ask("hang")
    assert heard.ending == Ending("timed_out", "no complete answer within 3 s")
    assert heard.chunks[0] == b"begun"
    assert gone(int(heard.chunks[1]))


@pytest.mark.parametrize("before", [[], ["text: in time"]])
def test_what_is_said_when_the_time_is_over_is_no_answer(hasty, before):
    """Nor is what it was to be asked next, which it knows and goes on with until it is killed."""
    *answered, last = hasty.ask_in_turn(*before, "late", "text: never heard")
    assert [heard.body for heard in answered] == [b"in time" for _ in before]
    assert (last.body, last.ending) == (b"begun", Ending("timed_out", "no complete answer within 3 s"))


def test_a_subject_that_never_stops_talking_is_ended(hasty):
    """An answer without an end is no answer: its time is over while it still comes."""
    started = time.monotonic()
    heard = hasty.ask("endless")
    assert heard.ending.kind in ("timed_out", "raised")  # or too large before that, on a fast machine
    assert heard.chunks
    assert time.monotonic() - started < PATIENCE_S


def test_a_trial_leaves_no_process_behind(agent):
    """What left the session of its trial is found and ended, before the worker takes the next one."""
    heard = agent.ask("leave")
    assert heard.ending.kind == "completed"
    with pytest.raises(ProcessLookupError):
        os.kill(int(heard.body), 0)


def test_a_process_that_the_agent_forked_says_nothing_for_it(agent):
    """A child that comes out of the entry by mistake ends the trial only once."""
    heard = agent.ask("fork")
    assert (heard.body, heard.ending) == (b"once", Ending("completed"))


def test_a_process_that_the_agent_forked_is_asked_nothing(agent):
    """It shares the channel: it would ask, and answer, the next message a second time."""
    heard = agent.ask_in_turn("fork", "text: two", "text: three")
    assert [one.body for one in heard] == [b"once", b"two", b"three"]


def test_an_agent_that_writes_into_the_channel_is_not_judged(agent):
    """Bytes that are no frames are no facts: neither an answer nor a crash of the harness."""
    with pytest.raises(SubjectError, match="wrote into the harness's own channel"):
        agent.ask("scribble")


def test_an_agent_that_closes_the_channel_fails(agent):
    """What cannot be told any more is not taken for an answer."""
    heard = agent.ask("closed")
    assert heard.ending == Ending("exited", "exit code 1")


def test_output_is_no_answer_and_has_a_bound(agent):
    """What a subject prints is kept apart, only its end, and only of its own trial."""
    assert agent.ask("flood: 300").chunks == (b"done",)
    heard = agent.ask("print: a line")
    assert (heard.body, heard.log) == (b"printed", b"a line\n")


def test_no_state_goes_from_trial_to_trial(agent):
    """A module's global that one trial changed is as it was imported for the next; so are variables and the folder."""
    assert agent.ask("count").body == agent.ask("count").body == b"1 None"
    assert "MINE" in json.loads(agent.ask("environ", MINE="1").body)
    seen = json.loads(agent.ask("environ: x").body)
    assert "MINE" not in seen
    assert seen["SEEN"] == "environ: x"
    first, second = (agent.ask("where").body for _ in range(2))
    assert first != second


def test_a_seed_makes_chance_repeat(agent):
    """The same seed gives the same numbers, another one others."""
    first, again, other = (agent.ask("random", seed=seed).body for seed in (1, 1, 2))
    assert first == again != other


def test_a_subject_reads_nothing_from_the_harness(agent):
    """Standard input is at its end: it is the worker's line to the harness, which no agent gets hold of."""
    assert agent.ask("stdin").body == b"''"


def test_a_key_of_the_harness_is_never_seen(start, monkeypatch):
    """Variables pass by an allow-list, and a declared key's variable holds its mark."""
    monkeypatch.setenv("MODEL_KEY", "sk-the-real-one")
    monkeypatch.setenv("SOME_TOKEN", "another-real-one")
    with start(AGENT + "\nATIMPORT = dict(os.environ)\nSAY['at import'] = lambda more: json.dumps(ATIMPORT)") as agent:
        for what in ("environ", "at import"):
            seen = json.loads(agent.ask(what).body)
            assert seen["MODEL_KEY"] == "REDACTED_MODEL_KEY"
            assert not [value for value in seen.values() if "real-one" in value]


# What an agent hears and reaches.


@pytest.mark.parametrize("what", ["chat", "chat in a thread"])
def test_the_tape_is_heard_in_the_trials_own_process(agent, taped, what):
    """A request that was recorded gets its recorded answer, also in a thread; the ledger has it."""
    heard = agent.ask(f"{what}: hello", tape=taped(("hello", "good day"), ("bye", "good night")))
    assert heard.body == b"200 good day"
    assert agent.ledger.played_places == [0]


def test_a_miss_is_known_even_if_the_agent_dies_of_it(agent, taped):
    """Facts leave the child one by one: an exit right after the refusal cannot take the miss along."""
    heard = agent.ask("miss and die: hullo", tape=taped(("hello", "good day")))
    assert heard.ending == Ending("exited", "exit code 3")
    assert agent.ledger.has_missed


def test_a_miss_is_known_even_if_the_agent_goes_on(agent, taped):
    """An agent that ignores the refusal and answers has missed all the same."""
    heard = agent.ask("miss and go on: hullo", tape=taped(("hello", "good day")))
    assert heard.body == b"all is well"
    assert agent.ledger.has_missed


@pytest.mark.parametrize("what", ["socket", "urllib", "httpx"])
def test_a_python_subject_reaches_nothing(agent, listener, what):
    """Raw sockets and clients without a door are refused and told, and nothing arrives; without a guard it would."""
    heard = agent.ask(f"{what}: {listener.port}")
    assert b"refused" in heard.body
    assert agent.ledger.addresses == [f"127.0.0.1:{listener.port}"]
    assert listener.close() == []


@pytest.mark.parametrize("what", ["socket", "urllib", "httpx", "child", "curl"])
def test_a_subject_in_a_namespace_reaches_nothing_by_any_program(enclosed, listener, what):
    """PRO-13: a program that the subject starts is shut in with it, whatever it honours."""
    heard = enclosed.ask(f"{what}: {listener.port}")
    assert b"refused" in heard.body
    assert enclosed.ledger.addresses == [f"127.0.0.1:{listener.port}"]
    assert listener.close() == []


def test_without_a_guard_it_would_be_reached(start, listener):
    """The control: the same code reaches the same server where nothing shuts it in."""
    unguarded = AGENT + "\nimport tapegate.doors.guard.audit as guard\nguard.arm = guard.disarm = lambda *_: None\n"
    source = unguarded + "guard._guard = None\n"
    with start(source, warm=True) as agent:
        assert agent.ask(f"socket: {listener.port}").body == b"reached"
    assert b"leak" in listener.close()


# Importing.


@pytest.mark.parametrize(
    "source",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n",
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n",
        "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError:\n    pass\n",
        "import httpx\ntry:\n    httpx.get('https://model.example/v1/models')\nexcept httpx.HTTPError:\n    pass\n",
    ],
    ids=["thread", "process", "socket", "request"],
)
def test_an_import_that_leaves_something_is_done_for_each_trial_anew(start, alone, source):
    """A fork would share it or tear it apart: the warm worker says so, and a worker that is not warm asks."""
    source += "def ask(input):\n    return f'heard {input}'\n"
    with start(source) as agent:
        assert not agent.worker.fit
    assert alone.rewrite(source).ask("one").body == b"heard one"
    assert alone.ask("two").body == b"heard two"


def test_what_an_import_reaches_for_is_in_the_ledger(alone, listener):
    """A connection that the import tries is refused and told, like one of the trial itself."""
    source = "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {}), 1)\nexcept OSError:\n    pass\n"
    alone.rewrite(source.format(listener.port) + "def ask(input):\n    return input\n").ask("x")
    assert alone.ledger.addresses == [f"127.0.0.1:{listener.port}"]
    assert listener.close() == []


def test_without_a_warm_worker_a_trial_reaches_the_gateway_alone(start, listener):
    """What is allowed is reached, also while the agent is imported; another port is not."""
    source = AGENT + f"\nAT_IMPORT = urllib_reach({listener.port})\nSAY['at import'] = lambda more: AT_IMPORT\n"
    with start(source, warm=False, allow=[("127.0.0.1", listener.port)]) as agent:
        assert agent.ask("at import").body == b"leaked"
        assert agent.ask(f"urllib: {listener.port}").body == b"leaked"
        assert agent.ledger.addresses == []
        assert b"refused" in agent.ask("socket: 9").body
        assert agent.ledger.addresses == ["127.0.0.1:9"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import no_such_module\n", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("ask = 7\n", "cannot be imported: TypeError: 'agent:ask' is no callable but int"),
        ("\n", "cannot be imported: AttributeError: module 'agent' has no attribute 'ask'"),
        ("from os import nothing\n", r"cannot import name 'nothing' from 'os' \({python}/os.py\)"),
        ("import os\nopen(os.path.dirname(__file__) + '/data')\n", "No such file or directory: '{project}/data'"),
        ("import sys\nsys.exit(4)\n", "cannot be imported: SystemExit: 4"),
        ("import os\nos._exit(4)\n", "ended its process with exit code 4 before it could be asked"),
        ("import ctypes\nctypes.string_at(0)\n", "ended its process with SIGSEGV before it could be asked"),
    ],
)
def test_an_agent_that_cannot_be_imported_says_why(alone, source, says):
    """An import that fails, ends the process or hangs is a SubjectError, and names what it is, not where it ran."""
    with pytest.raises(SubjectError, match=says) as caught:
        alone.rewrite(source).ask("x")
    (problem,) = caught.value.problems
    assert str(alone.folder) not in problem.message
    assert "'agent:ask'" in problem.message


def test_an_import_that_hangs_is_ended(start):
    """Also one that never stops writing."""
    with start("", warm=False, start_timeout_s=1) as agent:
        for source in ("import time\ntime.sleep(100)\n", "while True:\n    print('x' * 9999)\n"):
            with pytest.raises(SubjectError, match="was not imported within 1 s"):
                agent.rewrite(source).ask("x")


@pytest.mark.parametrize(
    "source",
    ["import no_such_module\n", "import os\nos._exit(4)\n", "import time\ntime.sleep(100)\n"],
    ids=["raises", "ends", "hangs"],
)
def test_a_warm_worker_whose_import_fails_asks_nothing(start, source):
    """Importing is then tried again where the trial can tell what happened."""
    with start(source, start_timeout_s=1) as agent:
        assert not agent.worker.fit


def test_the_last_lines_are_told_beside_the_error(alone):
    """What it wrote is in the error's text, quoted, and in none of its problems; its traceback is the agent's part."""
    source = "print('##[error] hidden')\nprint('::warning::x')\nraise ValueError('no data')\n"
    with pytest.raises(SubjectError) as caught:
        alone.rewrite(source).ask("x")
    text = str(caught.value)
    assert "| '#_[error] hidden'" in text
    assert "| '::warning::x'" in text
    assert 'agent.py", line 3' in text
    assert "hidden" not in caught.value.problems[0].message


def test_the_import_sees_the_variables_that_no_trial_changes(start):
    """A module that reads its settings when it is imported finds those that are the same for all trials."""
    source = (
        "import os\nFOUND = [os.environ.get(name) for name in ('FIXED', 'ROOT', 'SEED', 'DB')]\n"
        "def ask(input):\n    return f'{FOUND} {os.environ[\"SEED\"]}'\n"
    )
    env = {"FIXED": "yes", "ROOT": "{project}", "SEED": "{seed}", "DB": "{db}"}
    for warm in (True, False):
        with start(source, warm=warm, env=env) as agent:
            assert agent.ask("x", seed=7).body.decode() == f"['yes', '{agent.folder}/project', None, None] 7"


def test_a_lost_worker_is_a_subject_that_cannot_be_asked(start):
    """Whether it dies during a trial or while it waits for one: an error of that trial, and nothing hangs."""
    with start(AGENT) as agent:
        with pytest.raises(SubjectError, match="lost its worker in the middle of a trial"):
            agent.ask("kill worker")
        with pytest.raises(SubjectError, match="lost its worker"):
            agent.ask("text: x")


def test_an_agents_modules_come_before_the_harness_own(alone):
    """A module of the agent that is called like one of the harness is the agent's, and the harness keeps its own."""
    alone.rewrite("import httptools\ndef ask(input):\n    return httptools.NAME\n")
    for name in ("httptools", "yaml", "pydantic"):
        (alone.folder / "project" / f"{name}.py").write_text("NAME = 'mine'\n")
    assert alone.ask("x").body == b"mine"


def test_signals_are_sent_to_the_trial_only(agent):
    """A trial that is ended leaves its worker able to ask the next one."""
    assert agent.ask("kill").ending.detail == signal.SIGKILL.name
    assert agent.ask("text: still here").body == b"still here"


@pytest.mark.parametrize("warm", [True, False])
def test_packages_of_the_agents_own_environment_are_found_last(start, tmp_path, monkeypatch, warm):
    """Those of `TAPEGATE_AGENT_PYTHON`, after Tapegate's own; where they are another Python's, none."""
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path), "platbase": str(tmp_path)}))
    packages.mkdir(parents=True)
    (tmp_path / "pyvenv.cfg").touch()
    for name in ("brought", "httpx"):
        (packages / f"{name}.py").write_text("NAME = 'brought'\n")
    source = """
def ask(said):
    import httpx
    try:
        import brought
    except ImportError:
        return "nothing"
    return brought.NAME + str(hasattr(httpx, "NAME"))
"""
    monkeypatch.setenv("TAPEGATE_AGENT_PYTHON", str(tmp_path / "bin" / "python"))
    with start(source, warm=warm, arguments={"said": "{input}"}) as agent:
        assert agent.ask("x").body == b"broughtFalse"
    packages.rename(packages.with_name("other"))
    with start(source, warm=warm, arguments={"said": "{input}"}) as agent:
        assert agent.ask("x").body == b"nothing"
