"""The action's gate step: `tapegate run --github`, with the action's inputs as its words.

Inputs come as `INPUT_*` variables and never pass through a shell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tapegate.cli.main import main


def words(inputs: Mapping[str, str]) -> list[str]:
    """The command line that the inputs stand for."""
    project = Path(inputs.get("GITHUB_WORKSPACE") or ".") / (inputs.get("INPUT_WORKING_DIRECTORY") or ".")
    out = Path(inputs.get("RUNNER_TEMP") or project / ".tapegate") / "tapegate-report"
    line = ["run", "--github", "--project", str(project), "--out", str(out)]
    line += ["--profile", inputs.get("INPUT_PROFILE") or "pr"]
    line += ["--evals", inputs.get("INPUT_EVALS") or "evals"]
    line += ["--cassettes", inputs.get("INPUT_CASSETTES") or "cassettes"]
    if inputs.get("INPUT_JOBS"):
        line += ["--jobs", inputs["INPUT_JOBS"]]
    if inputs.get("INPUT_ANNOTATIONS") == "false":
        line += ["--no-annotations"]
    # Options end here: a selection that looks like one stays a selection.
    return [*line, "--", *inputs.get("INPUT_SELECT", "").split()]


if __name__ == "__main__":
    sys.argv[1:] = words(os.environ)
    main()
