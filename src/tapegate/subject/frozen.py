"""Time as a task sets it, in the process of a Python subject."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frozen(second: int | None) -> Iterator[None]:
    """Wall time stands still at this second since 1970, whoever asks for it; None leaves it alone.

    Clocks that measure (`time.monotonic`, `time.perf_counter`) go on: timeouts and event loops need them.
    """
    if second is None:
        yield
        return
    import time_machine

    with time_machine.travel(second, tick=False):
        yield
