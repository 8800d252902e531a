"""The part of the page that stands without a script: facts, comparison, plots, the table of all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tapegate.compare.measures import MEASURES
from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.run import run_score
from tapegate.model.diff import Compared, Diff, Kind, TaskDiff
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report import change_words as say
from tapegate.report import words
from tapegate.report.inert import visible
from tapegate.report.page import plots
from tapegate.report.page.evidence import Evidence
from tapegate.report.safety import safety

PLOTTED = ("total_tokens", "cost_usd", "latency_e2e_ms", "latency_model_ms")
URGENT = (Kind.REGRESSION, Kind.MOVED, Kind.LOOSENED, Kind.UNJUDGED)


def body(
    run: Run, digest: str, diff: Diff | None, evidence: Evidence, changes: Mapping[str, TaskDiff]
) -> Iterator[str]:
    told = safety(run, diff)
    yield f'<header class="{told.tone}"><p class="brand">Tapegate</p><h1>{escape(capital(told.headline))}</h1>'
    yield f'<p>{escape(told.sentence)}</p></header>\n<main id="overview">\n'
    yield from _facts(run, digest, diff, evidence)
    yield from _plots(run, diff, evidence)
    yield from _table(run, diff, changes)
    yield '</main>\n<main id="task" hidden tabindex="-1" aria-live="polite"></main>\n'


def _facts(run: Run, digest: str, diff: Diff | None, evidence: Evidence) -> Iterator[str]:
    yield '<div class="top"><section class="facts"><h2>Gate</h2><dl>'
    yield _fact("verdicts", words.summary(run))
    yield _fact(
        "gate", f"{'passed' if run.gate.passed else 'failed'}, exit code {run.gate.exit_code}, profile {run.profile}"
    )
    if diff is not None:
        yield _fact("comparison", f"{'passed' if diff.gate.passed else 'failed'}, exit code {diff.gate.exit_code}")
        yield _fact("base", _side(diff.base))
        yield _fact("head", _side(diff.head))
    yield _fact("rubric", headline(run_score(run.tasks)))
    yield from (_fact("judge", line) for line in evidence.agreement)
    yield _fact("digest", digest, code=True)
    yield "</dl>"
    reasons = list(dict.fromkeys([*run.gate.reasons, *(diff.gate.reasons if diff is not None else ())]))
    reasons += words.remarks(run)
    notes = [f"Note: {note}" for note in diff.notes] if diff is not None else []
    if reasons or notes:
        yield f"<ul>{''.join(f'<li>{text(line)}</li>' for line in [*reasons, *notes])}</ul>"
    yield "</section>\n"
    if diff is not None and diff.transitions:
        yield f'<section class="facts"><h2>Base to head</h2>{_matrix(diff)}</section>\n'
    yield "</div>\n"
    if diff is not None:
        yield from _comparison(diff)


def _comparison(diff: Diff) -> Iterator[str]:
    lines = [
        line
        for told in diff.statistics
        for line in _stratum([*say.statistics(told), *(f"{names}, {why}" for names, why in say.unmeasured(told))])
    ]
    for one in diff.budgets:
        over = [f"{key}: {told}" for key, told in say.overrun(one)]
        lines.append(f"<li>{text(one.limit)}: {say.budget(one)}{_list(over)}</li>")
    if lines:
        yield f'<section class="facts wide"><h2>Numbers</h2><ul>{"".join(lines)}</ul></section>\n'


def _stratum(lines: Sequence[str]) -> Iterator[str]:
    yield f"<li>{text(lines[0])}{_list(lines[1:])}</li>"


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in lines)}</ul>" if lines else ""


def _matrix(diff: Diff) -> str:
    bases = [verdict for verdict in say.VERDICTS if any(cell.base is verdict for cell in diff.transitions)]
    heads = [verdict for verdict in say.VERDICTS if any(cell.head is verdict for cell in diff.transitions)]
    cells = {(cell.base, cell.head): len(cell.keys) for cell in diff.transitions}
    rows = "".join(
        f'<tr><th scope="row">{say.VERDICTS[base]}</th>'
        + "".join(f"<td>{cells[base, head]:,}</td>" if (base, head) in cells else "<td></td>" for head in heads)
        + "</tr>"
        for base in bases
    )
    head = "".join(f'<th scope="col">{say.VERDICTS[verdict]}</th>' for verdict in heads)
    return (
        '<table class="matrix"><caption>Tasks by verdict: rows base, columns head</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _side(side: Compared) -> str:
    commit = f" ({side.commit[:12]})" if side.commit and side.commit != side.name else ""
    return f"{side.name}{commit}: {side.problem or say.share(side.rate)}"


def _fact(name: str, value: str, *, code: bool = False) -> str:
    shown = f"<code>{text(value)}</code>" if code else text(value)
    return f"<dt>{name}</dt><dd>{shown}</dd>"


def _plots(run: Run, diff: Diff | None, evidence: Evidence) -> Iterator[str]:
    drawn = []
    for name in PLOTTED:
        measure = MEASURES[name]
        values = [value for task in run.tasks if (value := measure.of(task.metrics)) is not None]
        before = evidence.base_values(name) if diff is not None else []
        sides = [("base", before), ("head" if diff is not None else "run", values)]
        rows = [(side, found) for side, found in sides if found]
        if rows:
            told = "; ".join(plots.told(name, side, found) for side, found in rows)
            caption = f"<figcaption>{capital(measure.title)}, a dot a task<br>{escape(told)}</figcaption>"
            drawn.append(f"<figure>{caption}{plots.strip(name, rows)}</figure>")
    if evidence.history:
        rates = [(visible(name), past.count(Verdict.PASS), len(past.tasks)) for name, past in evidence.history]
        rates.append(("this run", run.count(Verdict.PASS), len(run.tasks)))
        drawn.append(f"<figure><figcaption>History: share of tasks that pass</figcaption>{plots.bars(rates)}</figure>")
    if drawn:
        yield f'<section class="plots"><h2>Plots</h2>{"".join(drawn)}</section>\n'


def _table(run: Run, diff: Diff | None, changes: Mapping[str, TaskDiff]) -> Iterator[str]:
    gone_keys = [task.key for task in diff.of(Kind.REMOVED)] if diff is not None else []
    verdicts = [verdict.value for verdict in words.VERDICT_WORDS if run.count(verdict)]
    kinds = [kind for kind in say.KINDS if diff is not None and diff.of(kind)]
    yield '<section id="tasks"><h2>Tasks</h2>\n<div class="filters" role="search">'
    yield '<input id="search" type="search" placeholder="Search tasks ( / )" aria-label="Search tasks">'
    yield "".join(
        f'<button type="button" data-verdict="{name}" aria-pressed="false">{name}</button>' for name in verdicts
    )
    yield "".join(
        f'<button type="button" data-kind="{kind.value}" aria-pressed="false">{escape(say.KINDS[kind])}</button>'
        for kind in kinds
    )
    yield '<output id="count"></output></div>\n<table class="tasks"><thead><tr>'
    columns = ["task", "verdict", *(["change"] if diff is not None else []), "accepted as", "tools"]
    yield "".join(f'<th scope="col">{name}' for name in columns)
    yield '<th scope="col" class="n">tokens<th scope="col" class="n">latency</tr></thead><tbody>\n'
    for task in sorted(words.worst_first(run.tasks), key=lambda task: rank(changes.get(task.key))):
        yield _row(task, changes.get(task.key), compared=diff is not None)
    for key in gone_keys:
        link = f'<a href="#{text(key)}">{text(key)}</a>'
        cells = '<td>–<td><b class="removed">removed</b><td><td><td class="n"><td class="n">'
        yield f'<tr data-v="" data-k="removed"><td>{link}{cells}\n'
    yield "</tbody></table></section>\n"


def rank(change: TaskDiff | None) -> int:
    """What a reader wants to see first; the same for all that is not urgent."""
    kind = change.kind if change is not None else None
    return URGENT.index(kind) if kind in URGENT else len(URGENT)


def _row(task: TaskResult, change: TaskDiff | None, *, compared: bool) -> str:
    kind = change.kind.value if change is not None and change.kind is not None else ""
    key = text(task.key)
    trial = task.trials[0] if task.trials else None
    outcome = ""
    if trial is not None and trial.outcome is not None and task.verdict is Verdict.PASS:
        name = task.outcome_names[trial.outcome] if trial.outcome < len(task.outcome_names) else None
        outcome = name or f"outcome {trial.outcome + 1}"
    tools = words.tool_path(trial.tool_path) if trial is not None else ""
    shown = tools if len(tools) <= 80 else tools[:79] + "…"
    aside = "" if task.blocking else " <i>does not block</i>"
    verdict = task.verdict.value
    cells = [f'<a href="#{key}">{key}</a>', f"<b class={verdict}>{verdict}</b>{aside}"]
    cells += [f"<b class={kind}>{kind}</b>" if kind else ""] if compared else []
    cells += [text(outcome), text(shown)]
    numbers = [words.tokens(task.metrics.total_tokens), words.milliseconds(task.metrics.latency_e2e_ms)]
    columns = [*(f"<td>{cell}" for cell in cells), *(f"<td class=n>{number}" for number in numbers)]
    return f'<tr data-v={verdict} data-k="{kind}">{"".join(columns)}\n'


def text(value: str) -> str:
    """A text of anybody's as HTML that shows it and does nothing."""
    return escape(visible(value), quote=True)


def capital(words_of: str) -> str:
    """With a capital letter first."""
    return f"{words_of[0].upper()}{words_of[1:]}"
