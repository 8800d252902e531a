"""What `tapegate audit` does: load, draw, judge, tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from tapegate.cli.recording import PR_EVENTS
from tapegate.errors import LoadError, UsageError
from tapegate.grade.audit import record as records
from tapegate.grade.audit.draw import parse_week, week_of
from tapegate.grade.audit.session import Wanted, audit
from tapegate.load.suite import load_suite
from tapegate.model.audit import JudgePins
from tapegate.oracles.catalog import check_contract
from tapegate.oracles.plugins import catalog_of
from tapegate.report import audit_html, audit_markdown
from tapegate.report.audit import AuditFile
from tapegate.report.inert import log_safe
from tapegate.report.results import digest
from tapegate.run import check
from tapegate.run.output import write_atomically
from tapegate.run.provenance import Circumstances, provenance, to_bytes


@dataclass(frozen=True, slots=True)
class Auditing:
    """The words of one `tapegate audit`."""

    project: Path
    evals: Path
    week: str | None
    record: bool
    fresh: bool
    out: Path | None
    as_json: bool
    quiet: bool


def run_audit(words: Auditing, environ: Mapping[str, str]) -> int:
    """Make the audit and its reports; returns 0, whatever the judge says.

    Raises TapegateError where it cannot be made.
    """
    event = environ.get("GITHUB_EVENT_NAME", "")
    if (words.record or words.fresh) and event in PR_EVENTS:
        raise UsageError.of(
            "recording_in_pr",
            f"nothing is recorded in a {event!r} event: code of a pull request must not reach a provider",
            fix="let the scheduled audit record, or replay a recorded week",
        )
    suite = load_suite(words.project, words.project / words.evals)
    catalog = catalog_of(suite.project, suite.evals)
    problems = [*check.problems(suite), *(problem for task in suite.tasks for problem in check_contract(task, catalog))]
    if problems:
        raise LoadError.all(problems)
    today = datetime.now(UTC).date()
    known = records.weeks(suite.project)
    this_week = week_of(today)
    week = parse_week(words.week) if words.week else known[-1] if known and not words.record else this_week
    made, trials = audit(suite, Wanted(week, words.record, words.fresh, today), catalog)
    raw = AuditFile.of(made).to_bytes()
    text = audit_markdown.render(made)
    out = words.out or words.project / "out"
    now = Circumstances("weekly", digest(raw), {}, {}, 1, "sorted")
    document = provenance(suite, trials, now) | evaluator(made.judge)
    write_atomically(out / "audit-provenance.json", to_bytes(document))
    write_atomically(out / "audit.md", text.encode())
    write_atomically(out / "audit.html", audit_html.render(made).encode())
    write_atomically(out / "audit.json", raw)
    if words.as_json:
        click.echo(raw.decode(), nl=False)
    elif not words.quiet:
        click.echo(log_safe(text), nl=False)
    return 0


def evaluator(judge: JudgePins | None) -> dict[str, str]:
    """The run metadata of rubric §4.3 that is the judge's; none where none is configured."""
    if judge is None:
        return {}
    return {
        "evaluator_model_id": judge.model,
        "evaluator_model_version": judge.model_version,
        "evaluator_prompt_template_version_or_hash": f"{judge.template_id}@sha256:{judge.template_sha256}",
    }
