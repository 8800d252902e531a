"""What `tapegate run` does: load, check, plan, replay, judge, report."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Literal

import click

from tapegate import __version__
from tapegate.cli import options
from tapegate.cli.rendering import leave, report_of
from tapegate.doors.current import Pace
from tapegate.doors.guard.levels import Level, best, weaker
from tapegate.errors import LoadError, TapegateError, Unavailable
from tapegate.github.step import Step
from tapegate.grade import contract
from tapegate.grade.session import Replay, judge
from tapegate.load.profiles import profile_of
from tapegate.load.select import Selection, select
from tapegate.load.suite import Suite, load_suite
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.catalog import check_contract, needs
from tapegate.oracles.oracle import Oracle
from tapegate.oracles.plugins import catalog_of
from tapegate.report import results, terminal
from tapegate.report.inert import log_safe
from tapegate.report.shard_file import NAME as SHARD
from tapegate.report.shard_file import SCHEMA_ID as SHARD_SCHEMA
from tapegate.report.shard_file import ShardFile
from tapegate.run import check, events_file
from tapegate.run.commit import commit_of
from tapegate.run.cost import named
from tapegate.run.output import write_atomically
from tapegate.run.plan import Order, Trial, in_order, of_profile, plan, trial_of
from tapegate.run.provenance import Circumstances, inputs_hash, provenance, to_bytes
from tapegate.run.replay import Replayer
from tapegate.run.results_folder import DIFF
from tapegate.run.runner import Runner
from tapegate.run.shard import Shard
from tapegate.standard.coverage import covered


@dataclass(frozen=True, slots=True)
class Gating:
    """The words of one `tapegate run`."""

    select: tuple[str, ...]
    project: Path
    evals: Path
    profile: str | None
    out: Path | None
    jobs: int
    order: Order
    order_seed: int
    pace: Pace
    shard: str | None
    stale: Literal["fail", "report"] | None
    fail_on: tuple[Literal["needs_review", "not_ready"], ...]
    github: bool
    annotations: bool
    as_json: bool
    quiet: bool


def gate(words: Gating, environ: Mapping[str, str]) -> int:
    """Run the gate; returns its exit code. Raises TapegateError where it cannot begin."""
    step = Step(words.project, environ, click.echo, annotate=words.annotations) if words.github else None
    out = words.out or words.project / "out"
    try:
        run, raw, suite = judged(words, out)
    except TapegateError as error:
        if step is not None:
            step.refused(error)
        raise
    digest = results.digest(raw)
    if words.as_json:
        click.echo(raw.decode(), nl=False)
    elif not words.quiet or not run.gate.passed:
        report = terminal.render(run, digest, width=options.columns(), color=options.colored())
        click.echo(report, nl=False)
        for line in covered(suite.config, suite.tasks, run.tasks) if not run.partial else ():
            click.echo(log_safe(line))
    if step is not None:
        step.judged(run, digest, out)
    return run.gate.exit_code


def readable(project: Path, evals: Path) -> tuple[Suite, tuple[Oracle, ...]]:
    """The suite and the metrics of a project. Raises LoadError with all that keeps a run of it from beginning."""
    suite = load_suite(project, project / evals)
    catalog = catalog_of(suite.project, suite.evals)
    contracts = (problem for task in suite.tasks for problem in check_contract(task, catalog))
    problems = [*check.problems(suite), *contracts]
    if problems:
        raise LoadError.all(dict.fromkeys(problems))  # the cases of a task share what they do not change
    return suite, catalog


def judged(words: Gating, out: Path) -> tuple[Run, bytes, Suite]:
    """Replay and judge; results and reports are in `out` then. Returns the run, the bytes of its results, the suite.

    Raises TapegateError where it cannot begin.
    """
    suite, catalog = readable(words.project, words.evals)
    name = words.profile or ("dev" if words.select else "pr")
    profile = _stricter(profile_of(suite.config, name), words)
    chosen = select(suite, words.select, here=Path.cwd())
    chosen = replace(chosen, tasks=of_profile(chosen.tasks, name))
    shard = Shard.parse(words.shard) if words.shard is not None else None
    tasks = chosen.tasks if shard is None else shard.share(chosen.tasks)
    guards = {task.key: _guard(suite, name, profile, task) for task in tasks}
    with Runner(suite, words.pace) as runner:
        trials = plan(suite.project, tasks, name)  # while the runner's libraries are preloaded
        watch = _Watch(out, len(trials), quiet=words.quiet or words.as_json)
        runner.ready()
        replayer = Replayer(suite, runner, lambda task: needs(task, catalog))
        run = judge(
            in_order(trials, words.order, words.order_seed),
            watch.timed(replayer.replay),
            profile_name=name,
            # What parts come to together is decided where they are joined.
            profile=profile if shard is None else profile.model_copy(update={"partial": True}),
            partial=chosen.partial or shard is not None,
            jobs=words.jobs,
            done=watch.done,
            catalog=catalog,
            extra=lambda task, number: trial_of(suite.project, task, number),
            shared=runner.shared,
        )
    watch.end()
    run = replace(run, prices=named(suite.config.prices))
    raw = results.Results.of(run).to_bytes()
    digest = results.digest(raw)
    now = Circumstances(
        name, digest, guards, watch.durations_ms, words.jobs, words.order, replayer.logs, replayer.stand_ins
    )
    if replayer.logs:
        # Named, not printed: what a subject writes must not reach the log of a workflow.
        click.echo(f"what the subject wrote: {out / 'provenance.json'}, under `logs`", err=True)
    write_atomically(out / "provenance.json", to_bytes(provenance(suite, watch.ran, now)))
    write_atomically(out / "contracts.json", contract.to_bytes(tasks, name, profile))
    leave(report_of(run, digest, watch.ran, watch.traces), out)
    if shard is not None:
        write_atomically(out / SHARD, _part_of(suite, chosen, shard, digest).to_bytes())
    else:
        (out / SHARD).unlink(missing_ok=True)
    # A comparison that lies here is of what lay here before.
    (out / DIFF).unlink(missing_ok=True)
    # Last: whoever finds results.json finds all that belongs to it.
    write_atomically(out / "results.json", raw)
    return run, raw, suite


def _stricter(profile: Profile, words: Gating) -> Profile:
    """The profile, with what the command line says otherwise."""
    changes: dict[str, object] = {"stale": words.stale} if words.stale is not None else {}
    if words.fail_on:
        changes["fail_on"] = tuple(dict.fromkeys([*profile.fail_on, *words.fail_on]))
    return profile.model_copy(update=changes)


def _part_of(suite: Suite, chosen: Selection, shard: Shard, digest: str) -> ShardFile:
    return ShardFile(
        schema=SHARD_SCHEMA,
        shard=shard.number,
        of=shard.of,
        keys=tuple(task.key for task in chosen.tasks),
        partial=chosen.partial,
        commit=commit_of(suite.project),
        inputs=inputs_hash(suite),
        tapegate=__version__,
        results=digest,
    )


def _guard(suite: Suite, name: str, profile: Profile, task: Task) -> Level:
    """The guard that the subject of a task will have. Raises Unavailable where the profile requires a stronger one."""
    level = best(suite.config.subject_of(task).kind)
    if weaker(level, profile.require_guard):
        raise Unavailable.of(
            "weak_guard",
            f"profile {name!r} requires the network guard {profile.require_guard!r}; this machine gives {level!r}",
            fix="run where network namespaces can be made, or lower `require_guard` in evals/tapegate.yaml",
        )
    return level


class _Watch:
    """Sees each trial end: its trace goes to disk, its time into the provenance, its progress to the terminal."""

    def __init__(self, out: Path, total: int, *, quiet: bool) -> None:
        self._out = out
        self._total = total
        self._shown = not quiet and sys.stderr.isatty()
        self._count = 0
        self._lock = Lock()
        self._ran: list[Trial] = []
        self.traces: dict[tuple[str, int], Trace] = {}
        """By task and trial, what reports show of a trace: neither its databases nor its cuts, which may be large."""
        self.durations_ms: dict[str, int] = {}

    def timed(self, replay: Replay) -> Replay:
        """`replay`, with its time taken."""

        def measured(trial: Trial) -> Trace:
            start = time.monotonic_ns()
            try:
                return replay(trial)
            finally:
                self.durations_ms[f"{trial.task.key}[{trial.number}]"] = (time.monotonic_ns() - start) // 1_000_000

        return measured

    def done(self, trial: Trial, result: TrialResult, trace: Trace | None) -> None:
        """A trial was judged."""
        if trace is not None:
            events_file.write(trace, self._out / "traces")
            self.traces[trace.key, trace.trial] = replace(trace, database=None, splits=None)
        else:
            events_file.remove(self._out / "traces", trial.task.key, trial.number)
        with self._lock:
            self._ran.append(trial)
            self._count += 1
            if self._shown:
                mark = "" if result.verdict is Verdict.PASS else f" {result.verdict}"
                line = f"{self._count}/{self._total} {trial.task.key}{mark}"
                click.echo(f"\r\x1b[2K{line}", err=True, nl=False)

    @property
    def ran(self) -> list[Trial]:
        """All trials that were judged, those that a borderline one asked for among them, by key and number."""
        return sorted(self._ran, key=lambda trial: (trial.task.key, trial.number))

    def end(self) -> None:
        """All trials were judged."""
        if self._shown:
            click.echo("\r\x1b[2K", err=True, nl=False)
