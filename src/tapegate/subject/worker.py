"""The process that a Python subject runs in: imports the agent once, then forks a child for each trial.

Started by the harness with one inherited socket. The agent's modules are imported before the first fork and each
trial runs in a child of its own, so that importing costs once and no state is carried from trial to trial.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import random
import re
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from inspect import isasyncgen, isawaitable
from typing import Any

from tapegate.subject.frames import FrameWriter

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}")
SIZE = struct.Struct(">i")


def main() -> None:
    """Serve the harness at standard input until it hangs up."""
    control = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    hello = json.loads(_exactly(control, SIZE.unpack(_exactly(control, SIZE.size))[0]))
    sys.path[:0] = hello["pythonpath"]
    doors = _Doors(hello)
    try:
        module, _, names = hello["entry"].partition(":")
        entry: Any = importlib.import_module(module)
        for name in names.split("."):
            entry = getattr(entry, name)
    except BaseException as error:  # noqa: BLE001 - whatever the agent's import raises is the harness's to report
        traceback.print_exc()
        _say(control, {"error": describe(error)})
        return
    _say(control, {"ready": True, "threads": threading.active_count()})
    gc.collect()
    gc.freeze()
    while True:
        go, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not go:
            return
        trial = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            control.close()
            os.setsid()
            _trial(trial, entry, doors)
        trial.close()
        # The child's pid goes out first, so that the harness can end a child that hangs.
        control.sendall(SIZE.pack(pid))
        _, status = os.waitpid(pid, 0)
        control.sendall(SIZE.pack(os.waitstatus_to_exitcode(status)))


class _Doors:
    """The doors of this process: which way its traffic goes, and what shuts all others."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self._replay = hello["door"] == "in_process"
        self._allow = [(host, port) for host, port in hello["allow"]]
        if self._replay:
            from tapegate.doors import in_process

            in_process.install()

    def enter(self, job: dict[str, Any], cassette: bytes, tell: Callable[[Mapping[str, Any]], None]) -> None:
        """Shut the network for this child, and let it hear its tape."""
        from tapegate.doors.guard import audit
        from tapegate.tape.ledger import Ledger

        ledger = Ledger(tell)
        if self._replay:
            from tapegate.doors import in_process

            in_process.hear(job["tape"], cassette, ledger)
        audit.arm(self._allow, ledger.attempted)


def _trial(out: socket.socket, entry: Callable[..., Any], doors: _Doors) -> None:
    """Run one trial and end this process."""
    code = 1
    try:
        size = SIZE.unpack(_exactly(out, SIZE.size))[0]
        job = json.loads(_exactly(out, size))
        cassette = _exactly(out, job["cassette_bytes"])
        frames = FrameWriter(out)
        os.environ.clear()
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        random.seed(job["seed"])
        doors.enter(job, cassette, lambda fact: frames.document(b"F", fact))
        start = time.monotonic_ns()
        try:
            answer(entry(**job["arguments"]), lambda data: frames.chunk((time.monotonic_ns() - start) // 1000, data))
            ending = {"kind": "completed", "detail": ""}
        except SystemExit as error:
            ending = {"kind": "exited", "detail": f"SystemExit: {error.code}"}
        except BaseException as error:  # noqa: BLE001 - whatever the agent raises is a fact of its trial
            traceback.print_exc()
            ending = {"kind": "raised", "detail": describe(error).replace(job["cwd"], "{workspace}")}
        frames.document(b"E", {**ending, "at_us": (time.monotonic_ns() - start) // 1000})
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    finally:
        # No handler, thread or buffer of the agent's gets another word after its trial.
        os._exit(code)


def answer(result: Any, give: Callable[[bytes], None]) -> None:
    """Hand over what an entry returned: text or bytes, or an iterable of either, sync or async, awaited or not.

    Raises TypeError for anything else.
    """
    if isawaitable(result) or isasyncgen(result) or hasattr(result, "__aiter__"):
        asyncio.run(_answer_async(result, give))
        return
    _answer_sync(result, give)


async def _answer_async(result: Any, give: Callable[[bytes], None]) -> None:
    if isawaitable(result):
        result = await result
    if hasattr(result, "__aiter__"):
        async for piece in result:
            give(_bytes(piece))
    else:
        _answer_sync(result, give)


def _answer_sync(result: Any, give: Callable[[bytes], None]) -> None:
    if isinstance(result, str | bytes | bytearray):
        give(_bytes(result))
    elif hasattr(result, "__iter__"):
        for piece in result:
            give(_bytes(piece))
    else:
        raise TypeError(f"the entry returned {type(result).__name__}; expected text, bytes, or an iterable of either")


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8")
    if isinstance(piece, bytes | bytearray):
        return bytes(piece)
    raise TypeError(f"the entry yielded {type(piece).__name__}; expected text or bytes")


def describe(error: BaseException) -> str:
    """Type and message of an exception, without what differs between two runs."""
    text = _ADDRESS.sub("0x…", f"{type(error).__name__}: {error}".strip())
    return text if len(text) <= 500 else text[:499] + "…"


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
