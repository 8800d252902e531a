"""A program that runs for one trial."""

from __future__ import annotations

import os
import signal

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError
from tapegate.model.trace import Ending
from tapegate.subject.process import KEPT_BYTES, Process, ending

PATIENCE_S = 20.0
ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
def enclosure():
    """An enclosure without a network of its own."""
    with Enclosure.open("none") as made:
        yield made


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, Ending("exited", "exit code 0")),
        (3, Ending("exited", "exit code 3")),
        (-signal.SIGSEGV, Ending("crashed", "SIGSEGV")),
        (-signal.SIGKILL, Ending("crashed", "SIGKILL")),
        (-63, Ending("crashed", "signal 63")),
    ],
)
def test_an_exit_code_is_an_ending(code, expected):
    """Signals are told by name, without anything that differs between two runs."""
    assert ending(code) == expected


def test_an_ending_is_waited_for(enclosure, tmp_path):
    """A program that runs has no ending; one that has ended keeps its own."""
    os.mkfifo(tmp_path / "go")
    with Process.start(enclosure, ["sh", "-c", "read line < go; exit 5"], ENV, tmp_path) as process:
        assert process.ended() is None
        (tmp_path / "go").write_text("go\n")
        assert process.ended(PATIENCE_S) == Ending("exited", "exit code 5")
    assert process.ended() == Ending("exited", "exit code 5")


def test_the_last_of_the_output_is_kept(enclosure, tmp_path):
    """Both streams are kept in the order of their arrival, and never more than the bound."""
    script = "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo out; echo err >&2"
    with Process.start(enclosure, ["sh", "-c", script], ENV, tmp_path) as process:
        assert process.ended(PATIENCE_S) == Ending("exited", "exit code 0")
    assert len(process.log()) == KEPT_BYTES
    assert process.log().endswith(b"x\nout\nerr\n")


def test_a_program_that_cannot_be_run_leaves_no_descriptor(enclosure, tmp_path):
    """A command that does not exist is an error, and nothing stays open for it."""
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    with pytest.raises(SubjectError, match="No such file"):
        Process.start(enclosure, ["no-such-program"], ENV, tmp_path)
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
