"""How strongly a subject is kept off the network, and what this machine can do."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tapegate.errors import Unavailable

Level = Literal["none", "in_process", "namespace"]

ORDER: tuple[Level, ...] = ("none", "in_process", "namespace")
"""Weakest first."""

Means = Literal["namespace", "sudo"]
"""How a launcher gets its namespace: as it is, or started through `sudo -n`."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What this machine can do, for `tapegate doctor` and the provenance."""

    namespace: Means | None
    """None where no namespace can be had."""
    reasons: tuple[str, ...]
    """Why what was tried first does not work, one sentence each."""
    kernel: str

    def described(self) -> dict[str, object]:
        """The same as JSON."""
        return {
            "levels": [level for level in ORDER if level != "namespace" or self.namespace],
            "namespace": self.namespace or "unavailable",
            "reasons": list(self.reasons),
            "kernel": self.kernel,
        }


def best(kind: str) -> Level:
    """The strongest level for a subject of this kind (`http`, `python`, `command`) on this machine."""
    if facts().namespace:
        return "namespace"
    return "in_process" if kind == "python" else "none"


def weaker(level: Level, required: Level) -> bool:
    """Whether `level` guards less than `required`."""
    return ORDER.index(level) < ORDER.index(required)


def describe() -> dict[str, object]:
    """What this machine can do, as JSON for `tapegate doctor` and the provenance."""
    return facts().described()


@cache
def facts() -> Facts:
    """What this machine can do; tried once in a process, in about 30 ms."""
    from tapegate.doors.guard.enclosure import Enclosure

    kernel = f"{platform.system()} {platform.release()}"
    if sys.platform != "linux":
        return Facts(None, (f"{platform.system()} has no network namespaces",), kernel)
    reasons: list[str] = []
    tries: tuple[Means, ...] = ("namespace", "sudo") if os.geteuid() != 0 and shutil.which("sudo") else ("namespace",)
    for means in tries:
        try:
            with Enclosure.open("namespace", means):
                return Facts(means, tuple(reasons), kernel)
        except Unavailable as error:
            reasons.append(f"{means}: {error.problems[0].message}")
    return Facts(None, tuple(reasons), kernel)
