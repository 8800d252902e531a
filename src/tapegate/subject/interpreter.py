"""The agent's own Python: what `{python}` stands for in a subject's command, and where its packages are."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

VARIABLE = "TAPEGATE_AGENT_PYTHON"
"""Names the Python of the agent's own environment, where it has one: the action sets it."""


def interpreter() -> str:
    """The agent's, where the environment names one; else the one that runs Tapegate."""
    return os.environ.get(VARIABLE) or sys.executable


def packages() -> list[str]:
    """Where the packages of the agent's environment are, for a worker, which imports the agent by Tapegate's Python.

    Empty where it has no environment of its own, or one of another version of Python, whose packages do not fit. Only
    the worker looks there: on the path of Tapegate itself a `sitecustomize` would see its tokens and keys.
    """
    named = os.environ.get(VARIABLE)
    home = Path(named).parents[1] if named and len(Path(named).parents) > 1 else None
    if home is None or not (home / "pyvenv.cfg").is_file():
        return []
    folder = sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)})
    return [folder] if Path(folder).is_dir() else []
