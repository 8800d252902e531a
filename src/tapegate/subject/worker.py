"""The process that a Python subject runs in, and the children it forks, one for each trial.

Started by the harness with one inherited socket. A *warm* worker imports the agent before the first fork: importing
then costs once, and each trial has a child of its own, so that no state is carried from trial to trial. That is right
only where importing leaves nothing behind that a fork would tear apart or share (threads, processes, connections); the
worker says whether it is so. Otherwise each trial imports the agent in its own child, at the gateway.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tapegate.doors.guard.children import children
from tapegate.subject import entry, faults
from tapegate.subject.asking import Asker
from tapegate.subject.frames import FrameWriter
from tapegate.subject.frozen import frozen

SIZE = struct.Struct(">i")
_ADOPT_ORPHANS = 36
_KILLING_S = 5.0


def main() -> None:
    """Serve the harness at standard input until it hangs up."""
    del sys.argv[1:]  # words for who starts it, not for the agent
    control = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    hello = json.loads(_exactly(control, SIZE.unpack(_exactly(control, SIZE.size))[0]))
    # Before the agent's folders come first on the path: what is imported for the harness is the harness's.
    doors = _Doors(hello["warm"], hello["allow"])
    sys.path[:0] = hello["pythonpath"]
    sys.path += hello["packages"]
    random.seed(0)
    found: dict[str, Callable[..., Any]] = {}
    if hello["warm"]:
        reached: list[str] = []
        doors.shut(reached.append)
        gc.disable()  # an SDK's many classes are all kept: looking through them takes a sixth of the time
        try:
            found = {name: entry.load(name) for name in hello["entries"]}
            doors.catch_up()
        except BaseException as error:  # noqa: BLE001  it is imported again where its trial can tell what happened
            entry.show(error)
        fit = bool(found) and not reached and _threads() == 1 and not _has_children()
        _say(control, {"fit": fit})
        if not fit:
            os._exit(0)  # a thread of the agent's would keep the process
        gc.collect()
        gc.freeze()
        gc.enable()
    while True:
        go, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not go:
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            os.setsid()
            _Child(descriptors, hello, doors).run(found)
        for descriptor in descriptors:
            os.close(descriptor)
        # The child's pid goes out first, so that the harness can end a child that hangs.
        control.sendall(SIZE.pack(pid))
        _, status = os.waitpid(pid, 0)
        _end_all(pid)
        control.sendall(SIZE.pack(os.waitstatus_to_exitcode(status)))


class _Doors:
    """The doors of this process: which way its traffic goes, and what shuts all others."""

    def __init__(self, in_process: bool, allow: list[tuple[str, int]]) -> None:
        from tapegate.doors.guard import audit
        from tapegate.tape import ledger

        self._audit, self._ledger = audit, ledger
        self._allow = [(host, port) for host, port in allow]
        self._in_process = None
        if in_process:
            from tapegate.doors import in_process as doors

            doors.install()
            self._in_process = doors

    def shut(self, attempted: Callable[[str], None]) -> None:
        """Nothing leaves this process; what tries is told."""
        if self._in_process is not None:
            self._in_process.shut(attempted)
        self._audit.arm(self._allow, attempted)

    def catch_up(self) -> None:
        """Do now what the agent's clients would do in every child."""
        from tapegate.doors import httpx_door, late_imports

        late_imports.catch_up()
        httpx_door.catch_up()

    def enter(self, tape: Mapping[str, Any] | None, cassette: bytes, tell: Callable[[Mapping[str, Any]], None]) -> None:
        """Shut the network for this child, and let it hear its tape."""
        ledger = self._ledger.Ledger(tell)
        self.shut(ledger.attempted)
        if self._in_process is not None and tape is not None:
            self._in_process.hear(tape, cassette, ledger)


class _Child:
    """The process of one trial."""

    def __init__(self, descriptors: list[int], hello: Mapping[str, Any], doors: _Doors) -> None:
        self._socket = socket.socket(fileno=descriptors[0])
        os.dup2(descriptors[1], 1)
        os.dup2(descriptors[1], 2)
        os.close(descriptors[1])
        self._hello = hello
        self._doors = doors
        self._frames = FrameWriter(self._socket)
        self._pid = os.getpid()

    def run(self, found: Mapping[str, Callable[..., Any]]) -> None:
        """Run the trial and end this process."""
        code = 1
        try:
            self._trial(found)
            sys.stdout.flush()
            sys.stderr.flush()
            code = 0
        except BaseException:  # noqa: BLE001  the harness hears that it ended without a word, and finds this in its log
            traceback.print_exc()
        finally:
            # No handler, thread or buffer of the agent's gets another word after its trial.
            os._exit(code)

    def _trial(self, imported: Mapping[str, Callable[..., Any]]) -> None:
        job = json.loads(_exactly(self._socket, SIZE.unpack(_exactly(self._socket, SIZE.size))[0]))
        cassette = _exactly(self._socket, job["cassette_bytes"])
        places = {**self._hello["places"], job["cwd"]: "{workspace}"}
        self._doors.enter(job["tape"], cassette, lambda fact: self._frames.document(b"F", fact))
        found = imported.get(job["entry"])
        if found is None:
            try:
                found = entry.load(job["entry"])
            except BaseException as error:  # noqa: BLE001  whatever the agent's import raises is the harness's to report
                entry.show(error)
                self._end(b"X", {"error": entry.describe(error, places)})
                return
        os.environ.clear()
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        random.seed(job["seed"])
        try:
            faults.install(job["raises"], lambda place: self._frames.document(b"F", {"fault": place}))
        except faults.Misplaced as error:
            self._end(b"X", {"error": str(error)})
            return
        asker = Asker(found, self._frames, places)
        with frozen(job["clock"]):
            first, rounds = 0, job["rounds"]
            while rounds:
                for messages in rounds:
                    asker.put(first, entry.arguments(messages))
                    first += len(messages)
                    if os.getpid() != self._pid:  # a process that the agent forked and let run into here
                        return
                rounds = self._next() if job["more"] else ()

    def _next(self) -> list[list[dict[str, Any]]]:
        """What is put when the last messages have been answered; nothing where that was all."""
        said = json.loads(_exactly(self._socket, SIZE.unpack(_exactly(self._socket, SIZE.size))[0]))
        rounds: list[list[dict[str, Any]]] = said["rounds"]
        return rounds

    def _end(self, kind: bytes, said: Mapping[str, Any]) -> None:
        if os.getpid() == self._pid:  # not a process that the agent forked and let run into here
            self._frames.document(kind, said)


def _threads() -> int:
    """All threads of this process: those of libraries in C as well, where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError:
        return threading.active_count()


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    except AttributeError:
        return bool(children())
    return True


def _end_all(pid: int) -> None:
    """What a trial started ends with it: its process group, and the orphans that this process has adopted."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    end = time.monotonic() + _KILLING_S
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for child in children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.001)


def _say(control: socket.socket, message: dict[str, Any]) -> None:
    payload = json.dumps(message).encode()
    control.sendall(SIZE.pack(len(payload)) + payload)


def _exactly(source: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = source.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise EOFError("the harness hung up")
        data += piece
    return bytes(data)


if __name__ == "__main__":
    main()
