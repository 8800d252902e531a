"""The small process beside a subject: builds its network, starts it, and lets nothing of it outlive its trial.

Started as `python -I -S` (`spawned`), or forked by a process that has libraries imported already (`subject.preloaded`),
with a Unix socket as standard input; the harness is at the other end. It says what to do, one message at a time:

    {"do": "enclose", "namespace": bool, "become": [uid, gid, [groups]] | None}   answered with "ready" and descriptors
    {"do": "start", "argv", "env", "cwd"} and descriptors for stdin, stdout, stderr     answered with "started"
    {"do": "dial", "port"}              answered with "dialled" and a connected descriptor
    {"do": "stop", "grace_s"}           answered with "stopped" once nothing of the subject is left

Unasked, it says {"ended": code} once the program it started has ended. {"failed": text, "number": errno} answers what
could not be done. When the harness hangs up, for whatever reason, everything started here is killed: orphans too, as
this process adopts them (PR_SET_CHILD_SUBREAPER).
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

from tapegate.doors.guard.children import children
from tapegate.doors.guard.messages import Messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from tapegate.doors.guard.messages import Message

    Become = Callable[[list[str], dict[str, str]], Callable[[], None]]

_ADOPT_ORPHANS, _DIE_WITH_PARENT = 36, 1
_CANNOT_EXECUTE = 127
_DIAL_S = 1.0


class Became(BaseException):
    """A child of a launcher goes on as the program, without executing one: this takes it off the launcher's stack."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.run = run


class Launcher:
    """Serves one harness."""

    def __init__(self, messages: Messages, become: Become) -> None:
        self._messages = messages
        self._become = become
        self._pid = os.getpid()
        self._child: int | None = None
        self._wake, wakes = socket.socketpair()
        self._wake.setblocking(False)
        wakes.setblocking(False)
        self._wakes = wakes  # kept open: the handler writes to its descriptor
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Do what the harness says until it hangs up, then leave nothing behind. Raises Became in a child."""
        try:
            while True:
                heard = self._wait()
                self._reap()
                if heard and not self._obey():
                    return
        finally:
            if os.getpid() == self._pid:
                self._kill()

    def _wait(self, timeout_s: float | None = None) -> bool:
        """Until the harness says something or a process ends; whether it was the harness."""
        harness, process = self._messages.fileno(), self._wake.fileno()
        ready, _, _ = select.select([harness, process], [], [], timeout_s)
        return harness in ready

    def _obey(self) -> bool:
        received = self._messages.receive()
        if received is None:
            return False
        order, descriptors = received
        try:
            getattr(self, f"_do_{order['do']}")(order, descriptors)
        except OSError as error:
            where = f": {error.filename}" if error.filename else ""
            self._say({"failed": f"{error.strerror or error}{where}", "number": error.errno})
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _do_enclose(self, order: Message, _: list[int]) -> None:
        if not order["namespace"]:
            self._say({"ready": True})
            return
        from tapegate.doors.guard import namespace

        inside = namespace.enter(order["become"])
        self._say({"ready": True}, tuple(end.fileno() for end in inside))
        for end in inside:
            end.close()

    def _do_start(self, order: Message, descriptors: list[int]) -> None:
        failure, fails = os.pipe()
        child = os.fork()
        if child == 0:
            run = _become(self._become, order, descriptors, fails)
            os.close(failure)
            self._leave()
            raise Became(run)
        os.close(fails)
        with os.fdopen(failure, "rb") as pipe:
            number, _, where = pipe.read().decode("utf-8", "surrogateescape").partition(" ")
        if number:
            os.waitpid(child, 0)
            raise OSError(int(number), os.strerror(int(number)), where)
        self._child = child
        self._say({"started": True})

    def _do_dial(self, order: Message, _: list[int]) -> None:
        address = ("127.0.0.1", order["port"])
        with socket.create_connection(address, _DIAL_S) as connection:
            connection.setblocking(True)
            self._say({"dialled": True}, (connection.fileno(),))

    def _do_stop(self, order: Message, _: list[int]) -> None:
        end = time.monotonic() + float(order["grace_s"])
        self._signal(signal.SIGTERM)
        while self._child is not None and (left := end - time.monotonic()) > 0:
            # A harness that hangs up while it waits is answered at once, by killing.
            if self._wait(left):
                break
            self._reap()
        self._kill()
        self._say({"stopped": True})

    def _signal(self, number: int) -> None:
        if self._child is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, number)

    def _reap(self) -> bool:
        """Collect who has ended; whether anybody is left."""
        with suppress(BlockingIOError):
            self._wake.recv(4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._child:
                # What it left in its group dies before anybody may think that all is over.
                self._signal(signal.SIGKILL)
                self._child = None
                self._say({"ended": os.waitstatus_to_exitcode(status)})

    def _leave(self) -> None:
        """Give up what is the launcher's, in a child that does not execute a program: that would close it."""
        signal.set_wakeup_fd(-1)
        for end in (self._messages.channel, self._wake, self._wakes):
            end.close()

    def _say(self, message: Message, descriptors: tuple[int, ...] = ()) -> None:
        try:
            self._messages.send(message, descriptors)
        except ConnectionError:
            return  # the harness is gone: the next thing heard of it is its end

    def _kill(self) -> None:
        """End every process that was started here, also those that left the group; five seconds at the most."""
        end = time.monotonic() + 5
        self._signal(signal.SIGKILL)
        while self._reap() and time.monotonic() < end:
            for process in children():
                try:
                    os.kill(process, signal.SIGKILL)
                except OSError:
                    continue  # a setuid program: not ours to end
            select.select([self._wake], [], [], 0.05)


def _become(become: Become, order: Message, descriptors: list[int], fails: int) -> Callable[[], None]:
    """Become the subject: returns what runs it, where no program is executed."""
    where = ""
    try:
        argv, env, where = order["argv"], order["env"], str(order["cwd"])
        os.setsid()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        for target, descriptor in enumerate(descriptors):
            os.dup2(descriptor, target)
        # What Python changed for itself; a program expects the defaults.
        for changed in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(changed, signal.SIG_DFL)
        os.chdir(where)
        where = argv[0]
        run = become(argv, env)
    except Exception as error:  # noqa: BLE001  a NUL in an argument is a ValueError; nothing may pass in silence here
        number = error.errno if isinstance(error, OSError) else errno.EINVAL
        os.write(fails, f"{number} {where}".encode("utf-8", "surrogateescape"))
        os._exit(_CANNOT_EXECUTE)
    os.close(fails)
    return run


def execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Execute a program, looked for as a shell would. (`os.execvpe` imports, which the user may have no right to.)"""
    program = argv[0]
    folders = [""] if "/" in program else [f"{folder}/" for folder in env.get("PATH", os.defpath).split(":") if folder]
    error = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for folder in folders:
        try:
            os.execve(folder + program, argv, env)  # noqa: S606  the command of the config, as it stands there
        except OSError as refused:
            if refused.errno not in (errno.ENOENT, errno.ENOTDIR):
                error = refused
    raise error


def main(become: Become = execute) -> None:
    """Serve the harness at standard input; what it has started is started by `become`."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    Launcher(Messages(channel), become).serve()
    os._exit(0)  # nothing is left to tidy, and tidying takes 10 ms


if __name__ == "__main__":
    main()
