"""The action's gate step: `tapegate run --github`, with the action's inputs as its words.

Inputs come as `INPUT_*` variables and never pass through a shell.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from tapegate.cli import main as command_line
from tapegate.errors import TapegateError, UsageError
from tapegate.github.install import output
from tapegate.report.inert import log_safe


def words(inputs: Mapping[str, str], out: Path) -> list[str]:
    """The command line that the inputs stand for; an input that is not set has the default of action.yml."""
    project = Path(inputs.get("GITHUB_WORKSPACE") or ".") / (inputs.get("INPUT_WORKING_DIRECTORY") or ".")
    line = ["run", "--github", f"--project={project}", f"--out={out}"]
    line += [f"--profile={inputs.get('INPUT_PROFILE') or 'pr'}"]
    line += [f"--evals={inputs.get('INPUT_EVALS') or 'evals'}"]
    if jobs := inputs.get("INPUT_JOBS"):
        line += [f"--jobs={jobs}"]
    if inputs.get("INPUT_ANNOTATIONS") == "false":
        line += ["--no-annotations"]
    # Options end here: a selection that looks like one stays a selection.
    return [*line, "--", *inputs.get("INPUT_SELECT", "").split()]


def main() -> NoReturn:
    """Run the gate and exit with its code. Whatever way it ended, the outputs name that code too."""
    code = _run(os.environ)
    # A disk that is full costs the outputs; action.yml takes a missing verdict for a failed one.
    with suppress(OSError):
        output(os.environ, "verdict", "passed" if code == 0 else "failed")
        output(os.environ, "exit-code", str(code))
    sys.exit(code)


def _run(inputs: Mapping[str, str]) -> int:
    annotations = inputs.get("INPUT_ANNOTATIONS") or "true"
    if annotations not in ("true", "false"):
        problem = log_safe(f"the input `annotations` is {annotations!r}; expected 'true' or 'false'")
        print(f"tapegate: {problem}", file=sys.stderr)
        return UsageError.exit_code
    # One folder a step: two gates in a job leave two reports.
    out = Path(tempfile.mkdtemp(prefix="tapegate-report-", dir=inputs.get("RUNNER_TEMP") or None))
    sys.argv[1:] = words(inputs, out)
    try:
        command_line.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else TapegateError.exit_code


if __name__ == "__main__":
    main()
