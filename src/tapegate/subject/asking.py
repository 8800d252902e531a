"""Asking an entry in its own process: one message, or several at the same time, each told as it is answered."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from typing import Any

from tapegate.subject import entry
from tapegate.subject.frames import FrameWriter


class Asker:
    """Puts messages to one entry and writes down what comes of each."""

    def __init__(self, found: Callable[..., Any], frames: FrameWriter, places: Mapping[str, str]) -> None:
        self._found = found
        self._frames = frames
        self._places = places
        self._pid = os.getpid()

    def put(self, first: int, messages: Sequence[Mapping[str, Any]]) -> None:
        """Put messages, counted from `first`, at the same time; returns when each has ended.

        Each of several runs in a thread of its own, which hears the tape that this one hears.
        """
        self._frames.document(b"B", {})
        start = time.monotonic_ns()
        if len(messages) == 1:
            self._one(first, messages[0], start)
            return
        threads = [
            threading.Thread(target=copy_context().run, args=(self._one, number, arguments, start), daemon=True)
            for number, arguments in enumerate(messages, first)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _one(self, number: int, arguments: Mapping[str, Any], start: int) -> None:
        try:
            entry.answer(self._found(**arguments), lambda data: self._frames.chunk(_since(start), data, answer=number))
            ending = {"kind": "completed", "detail": ""}
        except SystemExit as error:
            ending = {"kind": "exited", "detail": entry.describe(error, self._places)}
        except BaseException as error:  # noqa: BLE001  whatever the agent raises is a fact of its trial
            entry.show(error)
            ending = {"kind": "raised", "detail": entry.describe(error, self._places)}
        if os.getpid() == self._pid:  # not a process that the agent forked and let run into here
            self._frames.document(b"E", {**ending, "answer": number, "at_us": _since(start)})


def _since(start: int) -> int:
    return (time.monotonic_ns() - start) // 1000
