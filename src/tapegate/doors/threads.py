"""Threads that an agent starts hear the tape of the code that started them.

Asyncio hands a copy of its context to every task; threads start with an empty one. Only our variable is carried:
carrying the whole context would change what the agent's own variables mean.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tapegate.doors.current import TAPE

_installed = False


def install() -> None:
    """Make new threads, executor jobs and raw threads inherit the tape. Once a process; again is no-op."""
    global _installed  # noqa: PLW0603  the patches are the process's, whoever asks for them
    if _installed:
        return
    _installed = True
    threading.Thread.start = _start(threading.Thread.start)  # type: ignore[method-assign,assignment]
    ThreadPoolExecutor.submit = _submit(ThreadPoolExecutor.submit)  # type: ignore[method-assign]
    _thread.start_new_thread = _start_new_thread(_thread.start_new_thread)
    _thread.start_new = _thread.start_new_thread


def _start(original: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    def start(self: threading.Thread) -> None:
        heard = TAPE.get()
        if heard is None:
            original(self)
            return
        run = self.run

        def run_hearing() -> None:
            del self.run  # the thread's own again: without this it would hold itself in a cycle
            TAPE.set(heard)
            run()

        self.run = run_hearing  # type: ignore[method-assign]
        try:
            original(self)
        except BaseException:
            self.__dict__.pop("run", None)
            raise

    return start


def _submit(original: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    def submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Also when it is None: a pool's thread is older than most of its jobs, and keeps nothing of the last one.
        heard = TAPE.get()

        def job(*args: Any, **kwargs: Any) -> Any:
            token = TAPE.set(heard)
            try:
                return fn(*args, **kwargs)
            finally:
                TAPE.reset(token)

        return original(self, job, *args, **kwargs)

    return submit


def _start_new_thread(original: Callable[..., int]) -> Callable[..., int]:
    def start_new_thread(function: Callable[..., object], args: tuple[Any, ...], kwargs: Any = None, /) -> int:
        heard = TAPE.get()

        def run(*args: Any, **kwargs: Any) -> object:
            TAPE.set(heard)
            return function(*args, **kwargs)

        return original(run, args, kwargs or {})

    return start_new_thread
