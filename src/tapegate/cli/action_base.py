"""The action's base step: finds the commit to compare with, fetches it, and the results of its own run.

It has the token and runs no code of the repository. What it cannot find it says, and the gate says it first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tapegate.cli.action_inputs import FILE, Inputs
from tapegate.errors import TapegateError
from tapegate.github.artifact_name import artifact_name
from tapegate.github.base import base_of, bring, bring_messages
from tapegate.github.event import Event
from tapegate.github.install import output
from tapegate.report.inert import log_safe


def step(environ: Mapping[str, str]) -> int:
    """Find the base; always 0: a base that cannot be had is a fact of the comparison, never a verdict."""
    try:
        found = _found(Inputs.of(environ), environ)
    except TapegateError as error:
        # Inputs that cannot be used are the gate step's to tell.
        found = {"why": str(error)}
    except Exception as error:
        # A full disk, or a fault of ours: the comparison is unavailable and says so.
        if environ.get("TAPEGATE_DEBUG"):
            raise
        found = {"why": f"the base could not be looked for: {type(error).__name__}: {log_safe(str(error))}"}
        print(found["why"])
    with suppress(OSError):
        for name, value in found.items():
            output(environ, name, value)
    return 0


def _found(inputs: Inputs, environ: Mapping[str, str]) -> dict[str, str]:
    if inputs.shard is not None:
        return {}  # a part is held against nothing
    event = Event.of(environ)
    base = base_of(inputs.project, event)
    if not base.sha:
        return {"why": base.why_not} if base.why_not else {}
    token = environ.get("INPUT_TOKEN", "")
    why = [bring(inputs.project, base.sha, token, environ)]
    if unread := bring_messages(inputs.project, event, token, environ):
        print(f"lint reads no commit message: {log_safe(unread)}")
    results = ""
    # A selection is compared with nothing; lint looks at the change all the same.
    if inputs.baseline in ("auto", "artifact") and not inputs.select:
        results, reason = _artifact(inputs, base.sha, token, environ)
        why.append(reason)
    elif inputs.baseline.startswith(FILE) or inputs.baseline == "none":
        why = []
    told = "\n".join(log_safe(line) for line in why if line)
    print(f"base {base.sha[:12]}{', from its own run' if results else ''}{f': {told}' if told else ''}")
    return {"sha": base.sha, "results": results, "why": told}


def _artifact(inputs: Inputs, sha: str, token: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """The folder of the results that main's own run of the commit left, or why there is none."""
    from tapegate.github.client import Client
    from tapegate.github.kept_results import kept_results
    from tapegate.github.place import Place

    if not token:
        return "", "no artifact was looked for, since there is no token"
    folder = Path(tempfile.mkdtemp(prefix="tapegate-base-", dir=environ.get("RUNNER_TEMP") or None))
    try:
        with Client(Place.of(environ), token) as client:
            found = kept_results(client, sha, artifact_name(inputs.suite), folder)
    except TapegateError as error:
        return "", f"no artifact of {sha[:12]}: {error.problems[0].message}"
    return (str(folder), "") if found else ("", f"no run of {sha[:12]} has kept its results")
