"""A request; alone here because the raw clients, which start often, import nothing else."""

from __future__ import annotations

import json


def body(number: int, size: int = 4_000) -> bytes:
    """A request of about `size` bytes that differs from all others."""
    turns = [{"role": "user", "content": f"question {number} " + "x" * size}]
    return json.dumps({"model": "m", "messages": turns}).encode()
