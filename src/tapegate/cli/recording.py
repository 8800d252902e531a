"""What `tapegate record` does: load, choose, record, say what was recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.errors import CassetteError, LoadError, Stale, UsageError
from tapegate.load.select import select
from tapegate.load.suite import Suite, load_suite, survey
from tapegate.model.task import Task
from tapegate.run.cap import Cap
from tapegate.run.fixture import Fixture
from tapegate.run.plan import Trial, plan
from tapegate.run.record import record
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner
from tapegate.run.source import ready
from tapegate.tape.store import Loaded

PR_EVENTS = frozenset(
    {
        "pull_request",
        "pull_request_target",
        "pull_request_review",
        "pull_request_review_comment",
        "issue_comment",
        "merge_group",
        "workflow_run",
    }
)
"""Events in which code of a stranger may run: nothing is recorded in them, whatever the flags."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The words of one `tapegate record`."""

    select: tuple[str, ...]
    project: Path
    evals: Path
    which: str | None
    source: str | None
    trials: int | None
    cap_usd: str | None
    quiet: bool
    services_of: Path | None = None
    """The project that says where keys may go."""


def record_tasks(words: Recording, environ: Mapping[str, str]) -> int:
    """Record what was asked for; returns 0. Raises TapegateError at the first task that cannot be recorded.

    What was recorded before that stays: each task is written whole.
    """
    event = environ.get("GITHUB_EVENT_NAME", "")
    if event in PR_EVENTS:
        raise UsageError.of(
            "recording_in_pr",
            f"nothing is recorded in a {event!r} event: code of a pull request must not reach a provider",
            fix="record on your own machine with your key, or let a maintainer dispatch the recording workflow",
        )
    if words.which is None:
        raise UsageError.of("no_choice", "what is to be recorded? expected exactly one of --missing, --stale and --all")
    suite = load_suite(words.project, words.project / words.evals)
    if words.services_of is not None:
        _same_services(suite, words.services_of, words.evals)
    tasks = select(suite, words.select, here=Path.cwd()).tasks
    if words.trials is not None:
        tasks = tuple(_with_trials(task, words.trials) for task in tasks)
    trials = plan(suite.project, tasks, "nightly" if words.trials is None else "pr")
    with Runner(suite) as runner:
        runner.ready()
        replayer = Replayer(suite, runner)
        due: dict[str, list[int]] = {}
        for trial in trials:
            if isinstance(trial.recording, Fixture):
                continue  # a file of the project is its recording
            if words.which == "all" or _is_due(trial, replayer, stale=words.which == "stale"):
                numbers = due.setdefault(trial.task.recorded_as, [])
                numbers += [trial.number] if trial.number not in numbers else []
        if not due:
            _say(words, "nothing to record: every trial has a recording" + _that_holds(words))
            return 0
        cap: Cap | None = None
        for name, due_of_it in _by_source(words, suite, tasks, due).items():
            with ready(suite, name) as source:
                # What stands in for a provider sends no bill.
                if words.cap_usd is not None and source.declared.kind == "live":
                    cap = cap or Cap.of(suite.config, words.cap_usd)
                for task in due_of_it:
                    numbers = due[task.recorded_as]
                    count = record(suite, runner, source, task, numbers, replace=words.which == "all", cap=cap)
                    shown = ", ".join(map(str, numbers))
                    _say(words, f"recorded {task.key}, trial {shown}: {count} interactions from {source.name}")
    return 0


def _same_services(suite: Suite, trusted: Path, evals: Path) -> None:
    """Raises UsageError where keys would go, or stand-ins be started, otherwise than the trusted project says."""
    config = survey(trusted, trusted / evals).config
    if config is None:
        raise UsageError.of("no_services", f"{str(trusted / evals)!r} has no config that can be read")
    for part in ("services", "sources"):
        ours, theirs = getattr(suite.config, part), getattr(config, part)
        names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
        if names:
            raise UsageError.of(
                "other_services",
                f"`{part}` is not what {str(trusted)!r} declares, in {', '.join(map(repr, names))}: "
                "nothing is recorded, since a key could go elsewhere",
                fix="merge the change of evals/tapegate.yaml first, in a pull request of its own",
            )


def _by_source(
    words: Recording, suite: Suite, tasks: Iterable[Task], due: Collection[str]
) -> Mapping[str, Sequence[Task]]:
    """The tasks that are recorded, by what from; of the cases that share a recording, the first is asked."""
    found: dict[str, list[Task]] = {}
    seen: set[str] = set()
    for task in tasks:
        if task.recorded_as in due and task.recorded_as not in seen:
            seen.add(task.recorded_as)
            found.setdefault(words.source or suite.config.source_of(task), []).append(task)
    return found


def _is_due(trial: Trial, replayer: Replayer, *, stale: bool) -> bool:
    if isinstance(trial.recording, Stale):
        return True
    if isinstance(trial.recording, CassetteError | LoadError):
        # What cannot be trusted is not written over unasked: somebody may still want to know what happened to it.
        raise trial.recording
    assert isinstance(trial.recording, Loaded)
    return stale and not replayer.replay(trial).account.complete


def _with_trials(task: Task, count: int) -> Task:
    return task.model_copy(update={"trials": count, "flaky_prone": False}).at(task.source)


def _that_holds(words: Recording) -> str:
    return " that the code still follows" if words.which == "stale" else ""


def _say(words: Recording, line: str) -> None:
    if not words.quiet:
        click.echo(line)
