"""The action's gate step: lint, the run, the comparison with the base, and everything that the workflow is told."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from tapegate.cli import options
from tapegate.cli.action_inputs import Inputs
from tapegate.cli.baseline import Found, base_side
from tapegate.cli.gate import Gating, judged, readable
from tapegate.cli.merging import Merging, joined
from tapegate.cli.rendering import Report, evidence_of, leave
from tapegate.cli.sides import side_of, terms
from tapegate.compare.differential_ab import compare, judged_anew
from tapegate.errors import BadInput, TapegateError, Unavailable
from tapegate.github import annotations as commands
from tapegate.github import claim
from tapegate.github.base import messages
from tapegate.github.culprits import Culprit, added_since, culprits
from tapegate.github.description import description
from tapegate.github.event import Event
from tapegate.github.evidence import LINT, UNCOVERED, Evidence
from tapegate.github.pull_comment import tell
from tapegate.github.step import Step, prefix
from tapegate.grade.gate import PRECEDENCE
from tapegate.model.diff import Diff
from tapegate.model.finding import Verdict
from tapegate.model.problem import Problem
from tapegate.model.run import Run
from tapegate.report import diff_file, results, terminal
from tapegate.report.inert import log_safe
from tapegate.run.output import write_atomically
from tapegate.run.results_folder import DIFF, ResultsFolder
from tapegate.standard import render
from tapegate.standard.base import CommitBase
from tapegate.standard.finding import LintFinding, LintReport
from tapegate.standard.git import Git
from tapegate.standard.lint import lint
from tapegate.tape.place import ROOM

ANSWERABLE = frozenset({UNCOVERED, "eval_removed"})
"""What a line of a pull request's description can answer."""
UNSEEN = "change_not_linted"
"""What stands in for the findings of a change that lint could not look at."""


@dataclass(frozen=True, slots=True)
class Gated:
    """What the gate step came to."""

    exit_code: int
    run: Run | None = None
    digest: str = ""
    diff: Diff | None = None
    findings: tuple[LintFinding, ...] = field(default=())
    """What lint found that fails the gate."""


def gate_step(inputs: Inputs, environ: Mapping[str, str]) -> tuple[Gated, Path]:
    """Run the gate; returns what it came to, and the folder of the report. Raises nothing that stands for a verdict."""
    # One folder a step: two gates in a job leave two reports.
    out = Path(tempfile.mkdtemp(prefix="tapegate-report-", dir=environ.get("RUNNER_TEMP") or None))
    step = Step(inputs.project, environ, click.echo, annotate=inputs.annotations, part=inputs.shard is not None)
    try:
        return _gated(inputs, environ, step, out), out
    except TapegateError as error:
        step.refused(error)
        click.echo(f"tapegate: {log_safe(str(error))}", err=True)
        return Gated(error.exit_code), out


def _gated(inputs: Inputs, environ: Mapping[str, str], step: Step, out: Path) -> Gated:
    found = Found.of(environ)
    jobs = inputs.jobs or options.jobs()
    run, raw = _ran(inputs, jobs, out)
    digest = results.digest(raw)
    # A part is held against nothing: what all parts come to together is.
    report = _linted(inputs, found.sha, environ) if inputs.shard is None else None
    # Nor is a selection: what it leaves out would count as removed.
    whole = inputs.shard is None and not run.partial
    diff = _compared(inputs, found, jobs, environ, out) if whole else None
    findings = _failing(report, run, queued=Event.of(environ).name == "merge_group")
    codes = {run.gate.exit_code, _code(findings)}
    if diff is not None and diff.available and diff.gate.exit_code == 1:
        codes.add(1)
    code = next((code for code in PRECEDENCE if code in codes), 0)
    click.echo(terminal.render(run, digest, width=options.columns(), color=False), nl=False)
    told = tell(Evidence(run, digest, diff, len(findings)))
    write_atomically(out / "comment.md", told.text.encode())
    if (number := Event.of(environ).number) is not None:
        claim.leave(out, number)
    if report is not None:
        click.echo(log_safe(render.summary(report)))
        write_atomically(out / LINT, render.as_json(report).encode())
    where = prefix(inputs.project, environ)
    step.told(
        commands.together(
            commands.all_of_culprits(_culprits(inputs, found.sha, run), where),
            commands.all_of_run(run, where, diff),
            *_annotated(report, findings, where),
        ),
        told.text if diff is not None else "",
        run,
        digest,
    )
    return Gated(code, run, digest, diff, findings)


def _ran(inputs: Inputs, jobs: int, out: Path) -> tuple[Run, bytes]:
    if inputs.merge is not None:
        quiet = {"github": False, "annotations": False, "as_json": False, "quiet": True}
        words = Merging((inputs.merge,), out, inputs.project, inputs.evals, **quiet)
        _from_jobs(inputs.project, inputs.merge)
        try:
            return joined(words)
        except BadInput:
            # A part that could not begin has left nothing: what kept it is told here, where the answer is looked for.
            readable(inputs.project, inputs.evals)
            raise
    gating = Gating(
        select=inputs.select,
        project=inputs.project,
        evals=inputs.evals,
        profile=inputs.profile,
        out=out,
        jobs=jobs,
        order="sorted",
        order_seed=0,
        pace="at_once",
        shard=inputs.shard,
        stale=inputs.stale,
        fail_on=inputs.fail_on,
        github=False,
        annotations=False,
        as_json=False,
        quiet=True,
    )
    run, raw, _ = judged(gating, out)
    return run, raw


def _from_jobs(project: Path, parts: Path) -> None:
    """Raises BadInput for parts that the change itself has brought: it could write any verdict into them."""
    try:
        tracked = Git(project).ask("ls-files", "-z", "--", str(parts.absolute())).split(b"\0")[0]
    except Unavailable:
        return  # outside of the repository
    if tracked:
        raise BadInput.of(
            "parts_committed",
            f"{tracked.decode('utf-8', 'replace')!r} is committed, where the parts of the run are looked for",
            fix="remove it, or let `merge` name a folder that only the workflow writes to",
        )


def _linted(inputs: Inputs, base: str, environ: Mapping[str, str]) -> LintReport:
    """What lint finds, also in the change since the base where its commit is here."""
    folder = inputs.project / inputs.evals
    if not base:
        return lint(inputs.project, folder)
    try:
        against = CommitBase.of(inputs.project, base)
    except TapegateError as error:
        # The commit could not be fetched: that the change was not looked at is said, not passed over.
        said = f"the change was not linted: {error.problems[0].message}"
        report = lint(inputs.project, folder)
        return replace(report, findings=(*report.findings, LintFinding(UNSEEN, UNSEEN, "note", said, None, None, "")))
    # Of a shallow checkout's HEAD git sees no commit but the merge itself.
    commits = messages(inputs.project, base, Event.of(environ).head)
    return lint(inputs.project, folder, base=against, described=[description(environ), *commits])


def _failing(report: LintReport | None, run: Run, *, queued: bool = False) -> tuple[LintFinding, ...]:
    """The findings that fail the gate; not those that the run has told, nor in a merge queue those that a description
    may have answered: it is not in that event, and every pull request of the group was held to them."""
    if report is None:
        return ()
    told = ANSWERABLE if queued else {UNCOVERED} if run.count(Verdict.STALE) else set()
    return tuple(finding for finding in report.findings if finding.severity != "note" and finding.id not in told)


def _code(findings: tuple[LintFinding, ...]) -> int:
    if any(finding.severity == "unreadable" for finding in findings):
        return 2
    return 1 if findings else 0


def _annotated(report: LintReport | None, failing: tuple[LintFinding, ...], where: str) -> list[commands.Commands]:
    kinds: dict[str, list[Problem]] = {"error": [], "warning": [], "notice": []}
    for found in report.findings if report is not None else ():
        note = found.severity == "note" and found.id != UNSEEN
        kind = "error" if found in failing else "notice" if note else "warning"
        kinds[kind].append(Problem(found.id, found.message, found.file, found.line, fix=found.fix or None))
    return [commands.all_of_problems(problems, where, kind) for kind, problems in kinds.items() if problems]


def _culprits(inputs: Inputs, base: str, run: Run) -> tuple[Culprit, ...]:
    """The changed lines that made recordings stale; none where the base is not at hand."""
    if not base or not run.count(Verdict.STALE):
        return ()
    return culprits(run, added_since(inputs.project, base, (inputs.evals.as_posix(), ROOM)))


def _compared(inputs: Inputs, found: Found, jobs: int, environ: Mapping[str, str], out: Path) -> Diff | None:
    """The comparison; one that is unavailable where the base cannot be had, None where there is nothing to compare."""
    # Of the base only the comparison is kept: its report is the one of its own run.
    with tempfile.TemporaryDirectory(prefix="tapegate-base-", ignore_cleanup_errors=True) as name:
        base = base_side(inputs, found, jobs, environ, Path(name))
        if base is None:
            return None
        folder = ResultsFolder(out)
        by = terms(folder)
        assert by is not None
        event = Event.of(environ)
        head = side_of(folder, event.head or event.sha or "head", event.head)
        if base.run is not None:
            try:
                base = judged_anew(base, by.name, by.profile)
            except TapegateError as error:
                base = replace(base, run=None, problem=str(error))
        diff = compare(base, head, by.name, by.profile)
        if head.run is not None:
            told = Report(head.run, head.digest, diff, replace(evidence_of(head, inputs.project), base=base.run))
            leave(told, out, ["report.html", "results.sarif"])
        write_atomically(out / DIFF, diff_file.to_bytes(diff))
        return diff
