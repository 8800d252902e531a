"""What an audit tells a person, in sections; how they look is for the formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.shown import shown
from tapegate.model.audit import Agreement, Audit, Drift, Judged
from tapegate.report.audit import deterministic, judge, said

ABSENT = "–"
TITLE = "Weekly audit"
_AXES = {"accuracy_score": "accuracy", "faithfulness_score": "faithfulness"}


class Quoted(str):
    """Text of an agent, a model or a stranger: shown as it is, and never acted on."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, some lines, and a table."""

    title: str
    lines: tuple[str, ...] = ()
    table: Table | None = None


def story(audit: Audit) -> tuple[Section, ...]:
    """The sections of an audit, most important first."""
    return tuple(
        section
        for section in (
            _head(audit),
            _scores(audit),
            _disagreements(audit),
            *(_agreement(one) for one in audit.agreement if audit.judged),
            _flags(audit),
            _weekly(audit),
            *_drift(audit.drift),
        )
        if section is not None
    )


def _head(audit: Audit) -> Section:
    drawn = audit.draw
    lines = [
        f"{len(drawn.sample)} of {drawn.n} tasks drawn for {drawn.week} (at most 15 %: {drawn.cap}), "
        f"of {len(drawn.eligible)} that allow a judge" + (f": {', '.join(drawn.sample)}." if drawn.sample else ".")
    ]
    if audit.judge is not None:
        asked = ", ".join(f"{name} {value}" for name, value in audit.judge.parameters.items())
        other = f"; not the rubric's default: {', '.join(audit.judge.overridden)}" if audit.judge.overridden else ""
        lines.append(
            f"Judge: {audit.judge.model}, version {audit.judge.model_version}; prompt {audit.judge.template_id}, "
            f"sha256 {audit.judge.template_sha256[:12]}; {asked}{other}."
        )
    lines += [Quoted(note) for note in audit.notes]
    lines.append("The judge decides nothing: no exit code, gate or verdict depends on what it says.")
    return Section(f"{TITLE} {drawn.week}", tuple(lines))


def _scores(audit: Audit) -> Section | None:
    if not audit.judged:
        return None
    head = (
        "answer",
        "verdict",
        "accuracy",
        "by the judge",
        "faithfulness",
        "by the judge",
        "attempts",
        "fallback",
    )
    rows = [
        (
            f"{one.key}[{one.trial}]",
            one.verdict.value,
            _score(one.deterministic.accuracy_score),
            _score(one.judge.accuracy_score),
            _score(one.deterministic.faithfulness_score),
            _score(one.judge.faithfulness_score),
            f"{one.judge.attempts}" + (f", {one.judge.evaluator_error}" if one.judge.evaluator_error else ""),
            f"{one.fallback}: {len(one.fallback_findings) or 'no'} findings",
        )
        for one in audit.judged
    ]
    lines = (
        f"Deterministic: {headline(deterministic(audit.judged))}.",
        f"Judge: {headline(judge(audit.judged))}.",
    )
    return Section("Scores", lines, Table(head, tuple(rows)))


def _score(value: int | None) -> str:
    return ABSENT if value is None else str(value)


def _disagreements(audit: Audit) -> Section | None:
    rows = tuple(row for one in audit.judged if one.differs for row in _differing(one))
    if not rows:
        return None
    return Section("Disagreements", (), Table(("answer", "axis", "deterministic", "why", "judge", "rationale"), rows))


def _differing(one: Judged) -> Iterator[tuple[str, ...]]:
    for axis, name in _AXES.items():
        mine, theirs = getattr(one.deterministic, axis), getattr(one.judge, axis)
        if None not in (mine, theirs) and mine != theirs:
            notes = [note for note in one.deterministic.notes if note.startswith(name)]
            why = "; ".join(note.removeprefix(f"{name}: ") for note in notes) or "nothing missing"
            yield (
                f"{one.key}[{one.trial}]",
                name,
                str(mine),
                Quoted(why),
                str(theirs),
                Quoted(one.judge.rationale),
            )


def _agreement(found: Agreement) -> Section:
    axis = _AXES[found.axis]
    if not found.n:
        return Section(f"Agreement on {axis}", ("No answer was scored by both.",))
    lines = [f"{found.agreed} of {found.n} labelled pairs agree."]
    if found.kappa is not None and found.interval is not None:
        low, high = found.interval
        lines.append(f"Cohen's kappa {shown(found.kappa)}, 95 % interval {shown(low)} to {shown(high, 'up')}.")
    elif found.n < 30:
        lines.append("No kappa below 30 pairs: the table says all there is.")
    else:
        lines.append("Kappa is not defined: each rater gave one score only.")
    rows = tuple((f"deterministic {score}", *map(str, row)) for score, row in enumerate(found.table))
    return Section(f"Agreement on {axis}", tuple(lines), Table(("", "judge 0", "judge 1", "judge 2"), rows))


def _flags(audit: Audit) -> Section | None:
    rows: list[tuple[str, ...]] = []
    for one in audit.judged:
        name = f"{one.key}[{one.trial}]"
        rows += [(name, "flag", flag) for flag in one.judge.flags]
        rows += [(name, f"attempt {number}", Quoted(fault)) for number, fault in enumerate(one.judge.faults, 1)]
        rows += [(name, one.fallback, Quoted(found.message)) for found in one.fallback_findings]
    return Section("Faults, flags and fallbacks", (), Table(("answer", "of", "what"), tuple(rows))) if rows else None


def _weekly(audit: Audit) -> Section | None:
    rows = tuple(
        (f"{one.key}[{one.trial}]", one.verdict.value, Quoted("; ".join(said(one.findings)) or "nothing"))
        for one in audit.weekly
    )
    return Section("Evals of the weekly audit alone", (), Table(("answer", "verdict", "found"), rows)) if rows else None


def _drift(drift: Drift) -> Iterator[Section]:
    ages = sorted({one.age_days for one in drift.recordings})
    span = f"{ages[0]} to {ages[-1]} days" if len(ages) > 1 else f"{ages[0]} days" if ages else "no"
    lines = [f"{len(drift.recordings)} recordings, {span} old on {drift.as_of}."] if ages else ["Nothing is recorded."]
    lines += [Quoted(note) for note in drift.notes]
    yield Section("Drift of the recordings", tuple(lines), _ages(drift))
    if drift.fresh is None:
        yield Section("What a fresh recording would change", ("Not measured: tapegate audit --fresh records one.",))
    else:
        rows = tuple((f"{one.key}[{one.trial}]", Quoted("; ".join(one.changes) or "nothing")) for one in drift.fresh)
        told = Table(("answer", "changes"), rows) if rows else None
        yield Section("What a fresh recording would change", () if rows else ("Nothing was sampled.",), told)


def _ages(drift: Drift) -> Table | None:
    """A row for all tasks that were recorded on one day, from the same models under the same prompt."""
    tasks: dict[str, list[str]] = {}
    for one in drift.recordings:
        row = tasks.setdefault(one.key, [one.recorded_at[:10], str(one.age_days), one.source_kind, "", ""])
        row[3] = ", ".join(_joined(row[3], one.models))
        row[4] = (one.prompt_sha256 or ABSENT)[:12]
    alike: dict[tuple[str, ...], list[str]] = {}
    for key, row in tasks.items():
        alike.setdefault(tuple(row), []).append(key)
    head = ("tasks", "recorded", "days", "source", "models", "prompt")
    rows = ((", ".join(keys), *row[:3], Quoted(row[3]), row[4]) for row, keys in alike.items())
    return Table(head, tuple(rows)) if tasks else None


def _joined(known: str, models: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys([*filter(None, known.split(", ")), *models]))
