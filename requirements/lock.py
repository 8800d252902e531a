"""Write the lock files anew: every package with its hashes, for every platform and Python from 3.11 on."""

from __future__ import annotations

import subprocess
import sys

COMPILE = [
    "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate",
    "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--quiet", "--upgrade",
]  # fmt: skip
LOCKS = {
    "requirements/runtime.txt": ["pyproject.toml"],
    "requirements/gate.txt": ["pyproject.toml", "--extra", "paperdesk", "requirements/gate.in"],
    "requirements/dev.txt": ["pyproject.toml", "--extra", "paperdesk", "requirements/gate.in", "requirements/dev.in"],
}


ALONE = {
    # The same versions as `make gate` has.
    "requirements/paperdesk.txt": ["requirements/paperdesk.in", "-c", "requirements/gate.txt"],
    "requirements/local-model.txt": ["requirements/local-model.in", "--no-deps"],
    "requirements/clients.txt": ["requirements/clients.in"],
    "requirements/node.txt": ["requirements/node.in", "--no-deps"],
    "requirements/bench.txt": [
        "pyproject.toml", "--extra", "paperdesk", "requirements/gate.in", "requirements/bench.in",
        "-c", "requirements/gate.txt",
    ],
}  # fmt: skip
"""Of environments that no other is installed into."""


def main() -> None:
    """Each lock holds to the one before it, so that all of one environment agree on every version."""
    before: list[str] = []
    for lock, sources in LOCKS.items():
        subprocess.run([*COMPILE, *sources, *before, "-o", lock], check=True)  # noqa: S603 - every word stands here
        before = ["-c", lock]
    for lock, sources in ALONE.items():
        subprocess.run([*COMPILE, *sources, "-o", lock], check=True)  # noqa: S603 - every word stands here


if __name__ == "__main__":
    sys.exit(main())
