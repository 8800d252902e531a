"""What an artifact says of a run, as far as its schema goes: whoever made the run may have made this up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tapegate.errors import BadInput
from tapegate.github.untrusted import Untrusted
from tapegate.model.diff import Diff
from tapegate.model.finding import Verdict
from tapegate.model.run import Run
from tapegate.report import diff_file, results
from tapegate.run.results_folder import DIFF, RESULTS

MOST_BYTES = 100_000_000
"""Of one file: results of 10,000 tasks have about half of that."""
LINT = "lint.json"
UNCOVERED = "eval_unchanged"
"""What lint says of a prompt that changed and whose recordings did not: where its tasks are stale, the run has said so
already, with an exit code of its own."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run, and how it differs from its base."""

    run: Run
    digest: str
    diff: Diff | None
    """None where there was nothing to compare with."""
    lint: int
    """How much lint found that fails the gate, as far as it says."""

    @classmethod
    def of(cls, files: Untrusted) -> Evidence:
        """Read it. Raises BadInput: `bad_artifact`, `bad_results`, `bad_diff`."""
        raw = files.read(RESULTS, MOST_BYTES)
        if raw is None:
            raise _bad(f"there is no {RESULTS}")
        read = results.Results.parse(raw, RESULTS)
        run = read.run()
        counted = results.Results.of(run)
        if read.summary != counted.summary:
            raise _bad(f"{RESULTS} counts what it does not hold")
        if run.gate.passed != (run.gate.exit_code == 0) or run.gate.exit_code not in range(5):
            raise _bad(f"{RESULTS} says that its gate passed and that it did not")
        keys = [task.key for task in run.tasks]
        if keys != sorted(set(keys)):
            raise _bad(f"{RESULTS} does not hold each task once, in order")
        digest = results.digest(raw)
        return cls(run, digest, _diff(files, digest), _lint(files, stale=bool(run.count(Verdict.STALE))))


def _diff(files: Untrusted, digest: str) -> Diff | None:
    raw = files.read(DIFF, MOST_BYTES)
    if raw is None:
        return None
    diff = diff_file.parse(raw, DIFF)
    if diff.head.digest != digest:
        raise _bad(f"{DIFF} compares another run than {RESULTS} holds")
    if diff.gate.passed != (diff.gate.exit_code == 0):
        raise _bad(f"{DIFF} says that its gate passed and that it did not")
    return diff


def _lint(files: Untrusted, *, stale: bool) -> int:
    """How many findings fail the gate, where lint ran; no more is believed of it than a number."""
    raw = files.read(LINT, MOST_BYTES)
    if raw is None:
        return 0
    try:
        document: Any = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise _bad(f"{LINT} is no JSON") from None
    findings = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(findings, Sequence) or isinstance(findings, str):
        raise _bad(f"{LINT} has no findings")
    read = [finding for finding in findings if isinstance(finding, dict) and finding.get("severity") != "note"]
    return sum(not (stale and finding.get("id") == UNCOVERED) for finding in read)


def _bad(why: str) -> BadInput:
    return BadInput.of("bad_artifact", f"the artifact cannot be used: {why}", fix="run the gate again")
