"""What `tapegate accept` does: hold a decision against the results it was taken on, and write it down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import BadInput, UsageError
from tapegate.load.suggest import did_you_mean
from tapegate.load.suite import load_suite
from tapegate.model.finding import Verdict
from tapegate.model.run import TaskResult
from tapegate.report.results import Results
from tapegate.run.results_folder import ResultsFolder
from tapegate.standard.decide import write_decision


@dataclass(frozen=True, slots=True)
class Accepting:
    """The words of one `tapegate accept`."""

    key: str
    digest: str
    reason: str
    project: Path
    evals: Path
    out: Path


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of it."""

    key: str
    digest: str
    file: str
    written: bool
    """False where the decision was there already."""


def accept(words: Accepting) -> Accepted:
    """Write the decision into the task's file. Raises BadInput or UsageError where it is not one that can be taken."""
    reason = " ".join(words.reason.split())
    if not reason:
        raise UsageError.of("no_reason", "the reason is empty", fix="say why what the task did is good enough")
    digest = words.digest if words.digest.startswith("sha256:") else f"sha256:{words.digest}"
    suite = load_suite(words.project, words.project / words.evals)
    keys = [task.key for task in suite.tasks]
    if words.key not in keys:
        raise UsageError.of("unknown_task", f"there is no task {words.key!r}", fix=did_you_mean(words.key, keys))
    task = suite.task(words.key)
    if any(review.digest == digest for review in task.reviews):
        return Accepted(task.key, digest, task.source.file, written=False)
    _decidable(_result(words), words.out, digest)
    write_decision(suite.project / task.source.file, task.source.file, digest, reason)
    return Accepted(task.key, digest, task.source.file, written=True)


def _result(words: Accepting) -> TaskResult:
    found = ResultsFolder.at(words.out)
    run = f"tapegate run {words.key}, or name the results you looked at with --out"
    if found is None:
        raise UsageError.of("no_results", f"{str(words.out)!r} holds no results.json", fix=run)
    for task in Results.parse(found.bytes_of(found.file), str(found.file)).run().tasks:
        if task.key == words.key:
            return task
    raise BadInput.of("task_not_run", f"{words.key!r} is not in {str(found.file)!r}", fix=run)


def _decidable(result: TaskResult, out: Path, digest: str) -> None:
    """Whether the result is one that a person decides on, and the one whose digest was given."""
    if result.verdict is not Verdict.NEEDS_REVIEW:
        message = f"{result.key} is {result.verdict.value!r} in {str(out)!r}: there is nothing to decide"
        raise BadInput.of("nothing_to_decide", message, fix="only what needs review is accepted; mend the rest")
    if result.review_digest is None:
        message = f"{result.key} needs review because it was matched by its conversation alone"
        raise BadInput.of("not_decidable", message, fix=f"tapegate record {result.key} --stale")
    if result.review_digest != digest:
        raise BadInput.of(
            "other_digest",
            f"{result.key} in {str(out)!r} is {result.review_digest}, and the decision was taken on {digest}",
            fix="look at what it does now, and decide on that",
        )
