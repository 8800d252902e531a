"""What `tapegate report` does, and how `run` and `diff` make the reports that they leave."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import click

from tapegate.cli import options
from tapegate.cli.sides import Terms, side_of, terms, with_terms
from tapegate.compare.differential_ab import compare, judged_anew
from tapegate.compare.side import Side
from tapegate.errors import BadInput, TapegateError, UsageError
from tapegate.load.profiles import BUILT_IN
from tapegate.model.diff import Diff
from tapegate.model.run import Run, TaskResult, TrialResult
from tapegate.model.trace import Trace
from tapegate.oracles.plugins import catalog_of
from tapegate.report import comment, diff_file, junit, markdown, sarif, terminal, terminal_diff
from tapegate.report.audit import SCHEMA_ID as AUDIT_SCHEMA
from tapegate.report.audit import AgreementRow
from tapegate.report.page.evidence import Evidence
from tapegate.report.page.render import render as page
from tapegate.run.output import write_atomically
from tapegate.run.plan import Trial
from tapegate.run.results_folder import DIFF, ResultsFolder
from tapegate.tape.cassette import Cassette
from tapegate.tape.store import Loaded, load

AUDIT = "audit.json"


@dataclass(frozen=True, slots=True)
class Rendering:
    """The words of one `tapegate report`."""

    results: Path
    form: str
    base: Path | None
    history: tuple[Path, ...]
    out: Path | None
    project: Path


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a format may show."""

    run: Run
    digest: str
    diff: Diff | None = None
    evidence: Evidence = field(default_factory=Evidence)

    def as_junit(self) -> bytes:
        """For CI systems."""
        return junit.render(self.run)

    def as_sarif(self) -> bytes:
        """For code scanning."""
        return sarif.render(self.run, self.diff)

    def as_html(self) -> bytes:
        """For a person with time."""
        return page(self.run, self.digest, self.diff, self.evidence)

    def as_markdown(self) -> bytes:
        """The step summary."""
        return markdown.render(self.run, self.digest).encode()

    def as_comment(self) -> bytes:
        """The comment on a pull request."""
        return comment.render(self.diff, self.run, digest=self.digest).encode()

    def as_terminal(self) -> bytes:
        """For a person who waits for it."""
        width, color = options.columns(), options.colored()
        text = terminal.render(self.run, self.digest, width=width, color=color)
        if self.diff is not None:
            text += "\n" + terminal_diff.render(self.diff, self.run, width=width, color=color)
        return text.encode()

    def as_github(self) -> bytes:
        """Workflow commands that annotate."""
        from tapegate.github.annotations import of_run

        return "".join(f"{line}\n" for line in of_run(self.run, "", self.diff)).encode()


MAKERS: dict[str, Callable[[Report], bytes]] = {
    "terminal": Report.as_terminal,
    "markdown": Report.as_markdown,
    "comment": Report.as_comment,
    "html": Report.as_html,
    "junit": Report.as_junit,
    "sarif": Report.as_sarif,
    "github": Report.as_github,
}
"""By the format's name; `json` is the results themselves."""

FILES: dict[str, Callable[[Report], bytes]] = {
    "report.md": Report.as_markdown,
    "report.html": Report.as_html,
    "junit.xml": Report.as_junit,
    "results.sarif": Report.as_sarif,
}
"""What a run leaves beside its results."""


def render(words: Rendering) -> int:
    """Render; exit 0 whatever the run came to. Raises BadInput for what cannot be read."""
    found = _there(words.results)
    if words.form == "json":
        raw = found.bytes_of(found.file)
        side_of(found, "")  # refuses what is no results.json
    else:
        raw = _made(words, found)
    if words.out is not None:
        write_atomically(words.out, raw)
    else:
        click.echo(raw, nl=False)
    return 0


def _there(path: Path) -> ResultsFolder:
    found = ResultsFolder.at(path)
    if found is None:
        raise UsageError.of(
            "no_results",
            f"{str(path)!r} holds no results.json",
            fix="name a folder that `tapegate run --out` wrote",
        )
    return found


def _made(words: Rendering, found: ResultsFolder) -> bytes:
    head = side_of(found, str(words.results))
    assert head.run is not None
    base, diff = _comparison(words, found, head)
    history = [side_of(_there(path), path.name) for path in words.history]
    past = tuple((side.name, side.run) for side in history if side.run is not None)
    evidence = replace(
        evidence_of(head, words.project),
        base=base.run if base is not None else None,
        history=past,
        agreement=_agreement(found),
    )
    report = Report(head.run, head.digest, diff, evidence)
    return MAKERS[words.form](report)


def _comparison(words: Rendering, found: ResultsFolder, head: Side) -> tuple[Side | None, Diff | None]:
    """With --base, compared here; else what `tapegate diff` left beside the results."""
    if words.base is not None:
        there = _there(words.base)
        by = terms(found) or Terms("pr", BUILT_IN["pr"])
        catalog = catalog_of(words.project)
        head = replace(head, catalog=catalog)
        base = judged_anew(replace(side_of(there, str(words.base)), catalog=catalog), by.name, by.profile)
        diff = compare(base, judged_anew(head, by.name, by.profile), by.name, by.profile)
        return base, with_terms(diff, terms(there), by)
    written = found.beside(DIFF)
    if written is None:
        return None, None
    file = str(found.path / DIFF)
    diff = diff_file.parse(written, file)
    if diff.head.digest != head.digest:
        raise BadInput.of(
            "other_results",
            f"{file!r} compares {diff.head.digest or 'a run that could not begin'}, and the results beside it are "
            f"{head.digest}",
            fix="compare again with `tapegate diff`, name --base, or remove the file",
        )
    return None, diff


def _agreement(found: ResultsFolder) -> tuple[str, ...]:
    """What the weekly audit left beside the results of how far judge and graders agree."""
    raw = found.beside(AUDIT)
    if raw is None:
        return ()
    try:
        document = json.loads(raw)
        rows = [AgreementRow.model_validate(row) for row in document["agreement"]]
        known = document["schema"] == AUDIT_SCHEMA
    except (ValueError, TypeError, LookupError):  # pydantic's errors are ValueErrors
        known, rows = False, []
    if not known:
        where = str(found.path / AUDIT)
        raise BadInput.of("bad_audit", f"{where!r} is no {AUDIT_SCHEMA} file that this Tapegate reads")
    lines = []
    for row in rows:
        axis = row.axis.removesuffix("_score")
        if not row.n:
            lines.append(f"no answer has a score of {axis} by both judge and graders")
            continue
        kappa = f"kappa {row.kappa}" if row.kappa is not None else "no kappa of so few pairs"
        ends = f" (95 % interval {row.interval[0]} to {row.interval[1]})" if row.interval is not None else ""
        lines.append(f"agrees with the graders on {axis} in {row.agreed} of {row.n} pairs, {kappa}{ends}")
    return tuple(lines)


def evidence_of(side: Side, project: Path | None) -> Evidence:
    """What is at hand of a side: its traces, its tasks, and the project's recordings where they are the very ones."""

    @cache
    def recording(suite: str, key: str, trial: int) -> tuple[str, Cassette] | None:
        if project is None:
            return None
        try:
            loaded = load(project, suite, key, trial)
        except TapegateError:
            return None
        return loaded.sha256, loaded.cassette

    def cassette(task: TaskResult, trial: TrialResult) -> Cassette | None:
        # A case has recordings of its own, or shares those of its task.
        for key in dict.fromkeys((task.key, f"{task.id}@{task.path_id}")):
            found = recording(task.suite, key, trial.trial)
            if found is not None and found[0] == trial.cassette_sha256:
                return found[1]
        return None

    def trace(task: TaskResult, trial: TrialResult) -> Trace | None:
        return side.trace(task.key, trial)

    return Evidence(side.contracts, trace, cassette)


def report_of(run: Run, digest: str, trials: Sequence[Trial], traces: Mapping[tuple[str, int], Trace]) -> Report:
    """What is at hand right after a run: its traces, by task and trial, and the recordings that it has read."""
    tasks = {trial.task.key: trial.task for trial in trials}
    recorded = {
        (trial.task.key, trial.number): trial.recording for trial in trials if isinstance(trial.recording, Loaded)
    }

    def cassette(task: TaskResult, trial: TrialResult) -> Cassette | None:
        found = recorded.get((task.key, trial.trial))
        return found.cassette if found is not None else None

    def trace(task: TaskResult, trial: TrialResult) -> Trace | None:
        return traces.get((task.key, trial.trial))

    return Report(run, digest, None, Evidence(tasks, trace, cassette))


def leave(report: Report, out: Path, names: Sequence[str] = tuple(FILES)) -> None:
    """Write the reports that belong beside results. Raises Unavailable `write_failed`."""
    for name in names:
        write_atomically(out / name, FILES[name](report))
