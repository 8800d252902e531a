"""The Python that `{python}` stands for in a subject's command."""

from __future__ import annotations

import os
import sys

VARIABLE = "TAPEGATE_AGENT_PYTHON"
"""Names the Python of the agent's own environment, where it has one: the action sets it."""


def interpreter() -> str:
    """The agent's, where the environment names one; else the one that runs Tapegate."""
    return os.environ.get(VARIABLE) or sys.executable
