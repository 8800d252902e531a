"""Command subjects, as real processes: how they are asked, what they answer, how they end, and what is left of them."""

from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import facts
from tapegate.doors.guard.spawned import spawn
from tapegate.errors import SubjectError
from tapegate.model.config import CommandSubject
from tapegate.model.trace import Ending
from tapegate.subject.command import CommandRunner
from tapegate.subject.environment import environment
from tapegate.subject.heard import stopwatch
from tapegate.subject.needs import found_all

AGENT = r"""
import ctypes, json, os, signal, subprocess, sys, time

said, _, more = (sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()).partition(" ")
write = lambda data: os.write(1, data)
if said == "seen":
    write(json.dumps([sys.argv[1:], sys.stdin.read(), dict(os.environ), os.getcwd()]).encode())
elif said == "pieces":
    write(b"one")
    sys.stdin.read()
    time.sleep(0.1)
    write(b"two" + more.encode())
elif said == "size":
    for _ in range(int(more) // 65536):
        write(b"x" * 65536)
elif said == "fail":
    write(b"begun")
    print("a word to the log", file=sys.stderr)
    sys.exit(3)
elif said == "segfault":
    write(b"begun")
    ctypes.string_at(0)
elif said == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write(b"begun")
    time.sleep(100)
elif said == "close":
    write(b"all said")
    os.close(1)
    os.close(2)
    time.sleep(100)
elif said in ("leave", "leave-open"):
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(100)"],
        start_new_session=True,
        stdout=None if said == "leave-open" else subprocess.DEVNULL,
    )
    write(b"%d" % child.pid)
elif said == "escape":
    import socket
    try:
        socket.create_connection(("192.0.2.1", 443), 5)
    except OSError:
        write(b"shut")
"""


@pytest.fixture(scope="module", params=[("none", False), ("none", True), ("namespace", False), ("namespace", True)])
def enclosure(request, forking):
    """An enclosure of each level that guards a command subject, for one program after the other; afresh, and forked."""
    level, forked = request.param
    if level == "namespace" and facts().namespace is None:
        pytest.skip(f"no network namespace on this machine: {'; '.join(facts().reasons)}")
    with Enclosure.open(level, launch=forking(level) if forked else spawn) as made:
        yield made


@pytest.fixture
def ask(enclosure, tmp_path):
    """Puts texts to a command subject: the agent above, unless another command is given."""
    program = tmp_path / "agent.py"
    program.write_text(AGENT)

    def ask(*said, then=None, runs=None, **changed):
        declared = {"kind": "command", "command": ("{python}", str(program), "{input}"), "stream": "text"}
        subject = CommandSubject.model_validate({**declared, **changed})
        workspace = tmp_path / "workspace"
        workspace.mkdir(exist_ok=True)
        env = environment(os.environ, workspace=workspace, services={}, urls={}, level=enclosure.level)
        values = [{"input": text, "seed": "42", "workspace": str(workspace), "session": ""} for text in said]
        runner = CommandRunner(subject, **(runs or {}))
        return runner.converse(enclosure, values, env, workspace, clock=stopwatch(), then=then)

    return ask


def test_an_answer_is_what_the_program_writes_to_its_output(ask):
    """Each piece that arrives is one chunk, with the time at which it did; the program's end is the answer's."""
    (heard,) = ask("pieces  ü{seed}")
    assert heard.ending == Ending("completed")
    assert heard.body.decode() == "onetwo ü{seed}"
    assert 0 <= heard.started_us <= heard.at_us[0] <= heard.at_us[-1] <= heard.ended_us


def test_the_input_comes_as_an_argument_or_on_standard_input(ask, tmp_path):
    """Words of the command, standard input and variables are filled; the program runs in its workspace."""
    (heard,) = ask(
        "ü $HOME; {seed}",
        command=("{python}", "-S", str(tmp_path / "agent.py"), "seen", "--message={input}", "{seed}"),
        stdin="{input}\n",
        env={"OWN": "{workspace}/own"},
    )
    argv, stdin, env, cwd = json.loads(heard.body)
    assert argv == ["seen", "--message=ü $HOME; {seed}", "42"]
    assert stdin == "ü $HOME; {seed}\n"
    assert (env["OWN"], cwd) == (f"{tmp_path / 'workspace'}/own", str(tmp_path / "workspace"))


def test_standard_input_that_nobody_reads_holds_nobody_up(ask):
    """More than a pipe holds is put there, and the program never looks."""
    (heard,) = ask("size 65536", stdin="{input}" + "x" * (1 << 20))
    assert (heard.ending, len(heard.body)) == (Ending("completed"), 65536)


@pytest.mark.parametrize(
    ("said", "ending", "body"),
    [
        ("nothing", Ending("empty_output", "the answer is empty"), b""),
        ("fail", Ending("exited", "exit code 3"), b"begun"),
        ("segfault", Ending("crashed", "SIGSEGV"), b"begun"),
    ],
)
def test_whatever_is_no_good_end_is_a_fact(ask, said, ending, body):
    """An exit status other than 0, a signal and an answer of nothing; what was said before stays."""
    (heard,) = ask(said)
    assert (heard.ending, heard.body) == (ending, body)
    assert (b"a word to the log" in heard.log) == (said == "fail")


@pytest.mark.parametrize(("said", "body"), [("hang", b"begun"), ("close", b"all said")])
def test_a_program_that_does_not_end_is_ended(ask, said, body):
    """Also one that has closed its output and stays, and one that will not hear of it."""
    (heard,) = ask(said, timeout_s=1, runs={"grace_s": 0.1})
    assert (heard.ending, heard.body) == (Ending("timed_out", "no complete answer within 1 s"), body)


def test_an_answer_beyond_the_bound_is_none(ask):
    """It is cut off where it passes the bound, and the program is ended."""
    (heard,) = ask(f"size {64 << 20}", runs={"most_bytes": 1 << 20})
    assert heard.ending == Ending("raised", "the answer is larger than 1048576 bytes")
    assert len(heard.body) <= 1 << 20


def alive(pid):
    """Whether a process of this number runs."""
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.parametrize(
    ("said", "ending"),
    [
        ("leave", Ending("completed")),
        ("leave-open", Ending("exited", "it ended and left a process behind that still held its standard output")),
    ],
)
def test_nothing_of_a_run_is_left(ask, enclosure, said, ending):
    """A process left behind ends with the trial; one that could still have answered makes the answer no whole one."""
    (heard,) = ask(said, runs={"grace_s": 0.5})
    assert heard.ending == ending
    assert int(heard.body) > 1
    if enclosure.level == "none":
        assert not alive(int(heard.body))


def test_later_messages_start_it_again(ask, tmp_path):
    """One after the other, in the same workspace, with what was carried over."""
    following = iter([[{"input": "seen", "seed": "42", "workspace": "w", "session": "s7"}], None])
    command = ("{python}", "-S", str(tmp_path / "agent.py"), "{input}", "{session}")
    first, second = ask("seen", command=command, carry={"session": "session_id"}, then=lambda _: next(following))
    assert [json.loads(heard.body)[0] for heard in (first, second)] == [["seen", ""], ["seen", "s7"]]
    assert second.started_us >= first.ended_us


def test_a_program_that_is_not_there_is_no_answer(ask):
    """The error names it and what to do."""
    with pytest.raises(SubjectError, match=r"no-such-program.*cannot be run"):
        ask("hello", command=("no-such-program", "{input}"))


def test_an_argument_that_no_program_can_have_is_no_answer(ask):
    """A NUL byte ends an argument: nothing is started, rather than half of it."""
    with pytest.raises(SubjectError, match="cannot be run"):
        ask("a\0b")


@pytest.mark.parametrize("enclosure", [("namespace", False), ("namespace", True)], indirect=True)
def test_in_a_namespace_the_network_is_shut(ask, enclosure):
    """What it tries to reach is told, and was not reached."""
    (heard,) = ask("escape")
    assert heard.body == b"shut"
    assert enclosure.attempts() == ("192.0.2.1:443",)


def test_a_program_that_a_subject_needs_is_looked_for_first():
    """Its lack is no fault of the subject: the error names it."""
    subject = CommandSubject(kind="command", command=("x",), stream="text", needs=("sh", "no-such-node"))
    with pytest.raises(SubjectError, match="needs the program 'no-such-node', which is not on the PATH"):
        found_all(subject, {"PATH": os.environ["PATH"]})
    found_all(subject.model_copy(update={"needs": ("sh",)}), {"PATH": os.environ["PATH"]})
