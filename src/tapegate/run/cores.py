"""How many cores this process may use."""

from __future__ import annotations

import os


def cores() -> int:
    """Those that the system lets this process run on, where it says; else all of the machine. At least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
