"""The action's steps after the installation: `base`, `gate` and `comment`, each a process of its own.

The token is in the environment of the first and the last, which run no code of the pull request; the gate runs such
code and has no token.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import orjson

from tapegate.cli.action_inputs import Inputs
from tapegate.errors import TapegateError
from tapegate.github.install import output
from tapegate.report.inert import log_safe

Outputs = Mapping[str, str]


def main(arguments: list[str]) -> NoReturn:
    """Run one step and exit with its code."""
    from tapegate.cli import action_base, action_comment

    steps: Mapping[str, Callable[[Mapping[str, str]], int]] = {
        "base": lambda environ: harmless(action_base.step, environ),
        "gate": gate,
        "comment": lambda environ: harmless(action_comment.step, environ),
    }
    if len(arguments) != 1 or arguments[0] not in steps:
        sys.exit(f"tapegate: expected one step of {', '.join(steps)}, got {arguments!r}")
    sys.exit(steps[arguments[0]](os.environ))


def harmless(step: Callable[[Mapping[str, str]], int], environ: Mapping[str, str]) -> int:
    """A step that decides nothing: a bug of ours in it costs what it is for, and no verdict."""
    try:
        return step(environ)
    except Exception as error:
        if environ.get("TAPEGATE_DEBUG"):
            raise
        print(f"tapegate: internal error: {type(error).__name__}: {log_safe(str(error))}", file=sys.stderr)
        return 0


def gate(environ: Mapping[str, str]) -> int:
    """Whatever way the gate ended, the outputs name its code too."""
    outputs: dict[str, str] = {}
    try:
        code = _gate(environ, outputs)
    except TapegateError as error:
        from tapegate.github.step import Step

        Step(Path(), environ, print).refused(error)
        print(f"tapegate: {log_safe(str(error))}", file=sys.stderr)
        code = error.exit_code
    except Exception as error:
        # An internal error must not look like a failed gate: it has an exit code of its own.
        if environ.get("TAPEGATE_DEBUG"):
            raise
        print(f"tapegate: internal error: {type(error).__name__}: {log_safe(str(error))}", file=sys.stderr)
        code = TapegateError.exit_code
    outputs |= {"verdict": "passed" if code == 0 else "failed", "exit-code": str(code)}
    # A disk that is full costs the outputs; action.yml takes a missing verdict for a failed one.
    with suppress(OSError):
        for name, value in outputs.items():
            output(environ, name, value)
    return code


def _gate(environ: Mapping[str, str], outputs: dict[str, str]) -> int:
    from tapegate.cli.action_gate import gate_step
    from tapegate.github.artifact_name import artifact_name
    from tapegate.model.diff import Kind
    from tapegate.model.finding import Verdict
    from tapegate.report import answers

    inputs = Inputs.of(environ)
    if agent := environ.get("TAPEGATE_AGENT_PYTHON"):
        # Programs that the agent's packages brought are the agent's to find.
        os.environ["PATH"] = f"{Path(agent).parent}{os.pathsep}{environ.get('PATH', os.defpath)}"
    gated, out = gate_step(inputs, environ)
    run, diff = gated.run, gated.diff
    if run is not None:
        counts = {"total": len(run.tasks), **{verdict.value: run.count(verdict) for verdict in Verdict}}
        compared = "none" if diff is None else "available" if diff.available else "unavailable"
        outputs |= {
            "behaviour": answers.behaviour(run, diff).state,
            "recordings": answers.recordings(run).state,
            "digest": gated.digest,
            "counts": orjson.dumps(counts).decode(),
            "comparison": compared,
            "regressions": str(len(diff.of(Kind.REGRESSION))) if diff is not None and diff.available else "",
            "lint": str(len(gated.findings)),
            "report": str(out),
            "artifact": artifact_name(inputs.suite, inputs.shard),
        }
    return gated.exit_code


if __name__ == "__main__":
    main(sys.argv[1:])
