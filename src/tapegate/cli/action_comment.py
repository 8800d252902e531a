"""The action's comment step. It has the token and runs no code of the repository; the verdict never hangs on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from tapegate.cli.action_inputs import Inputs
from tapegate.errors import TapegateError
from tapegate.github.event import Event


def step(environ: Mapping[str, str]) -> int:
    """Put the comment where there is a pull request and a right to; always 0."""
    try:
        inputs = Inputs.of(environ)
    except TapegateError:
        return 0  # the gate step told it
    event, report = Event.of(environ), environ.get("TAPEGATE_REPORT", "")
    if inputs.comment == "off" or inputs.shard is not None or event.number is None:
        return 0
    if inputs.comment == "auto" and event.from_fork:
        # Its token may only read; that is no news, and a workflow on `workflow_run` may write the comment.
        return 0
    from tapegate.cli.commenting import Commenting, comment_on
    from tapegate.github.pull_comment import Mode

    code = environ.get("TAPEGATE_EXIT_CODE", "3")
    unjudged = "" if report else f"Nothing was judged: exit code {code}. The summary of the run says why."
    words = Commenting(Path(report) if report else None, inputs.suite, None, cast("Mode", inputs.comment), unjudged)
    return comment_on(words, {**environ, "GITHUB_TOKEN": environ.get("INPUT_TOKEN", "")})
