"""A program that runs for one trial: its output kept within bounds, its end a fact, nothing of it left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.model.trace import Ending

KEPT_BYTES = 64 << 10
"""Of the output, the last: enough for any traceback, and no more whatever a subject writes."""

_AT_ONCE = 1 << 16
_DRAIN_S = 2.0
"""The pipe ends with the last process that holds it; only a setuid program could outlive `Enclosure.stop`."""


class Process:
    """One program in an enclosure. Use it as a context manager: it is stopped at the end of the block."""

    def __init__(self, enclosure: Enclosure, output: int) -> None:
        """`output` is the end of a pipe at which what it writes arrives; this object closes it."""
        self._enclosure = enclosure
        self._output = output
        self._kept = bytearray()
        self._lock = Lock()
        self._drain = Thread(target=self._read, name="tapegate-output", daemon=True)

    @classmethod
    def start(
        cls,
        enclosure: Enclosure,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
    ) -> Process:
        """Run `argv` in `enclosure`, its standard input a descriptor of the caller's or nothing.

        What it writes is kept here; its standard output goes to the caller where that gives a descriptor. Raises
        SubjectError when it cannot be executed.
        """
        arriving, output = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            out = output if stdout is None else stdout
            enclosure.start(argv, env, cwd, (nothing if stdin is None else stdin, out, output))
        except BaseException:
            os.close(arriving)
            raise
        finally:
            os.close(output)
            os.close(nothing)
        process = cls(enclosure, arriving)
        process._drain.start()
        return process

    def ended(self, timeout_s: float = 0.0) -> Ending | None:
        """How it ended, waiting up to `timeout_s` for it; None while it runs."""
        code = self._enclosure.ended(timeout_s)
        return None if code is None else ending(code)

    def stop(self, grace_s: float = 2.0) -> None:
        """End it with all it started: SIGTERM to its process group, after `grace_s` SIGKILL to everything."""
        self._enclosure.stop(grace_s)
        self._drain.join(_DRAIN_S)

    def log(self) -> bytes:
        """The end of what it wrote to standard output and error."""
        with self._lock:
            return bytes(self._kept)

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _read(self) -> None:
        while data := os.read(self._output, _AT_ONCE):
            with self._lock:
                self._kept += data
                del self._kept[:-KEPT_BYTES]
        os.close(self._output)


def ending(code: int) -> Ending:
    """What an exit code means; negative: the number of the signal that ended it."""
    if code >= 0:
        return Ending("exited", f"exit code {code}")
    try:
        return Ending("crashed", signal.Signals(-code).name)
    except ValueError:
        return Ending("crashed", f"signal {-code}")
