"""One week's audit, from the draw to the numbers."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tapegate.errors import Stale
from tapegate.grade.audit import record as records
from tapegate.grade.audit.agreement import agreement
from tapegate.grade.audit.answers import Answer, answers, fresh
from tapegate.grade.audit.bench import Bench
from tapegate.grade.audit.counted import Counted
from tapegate.grade.audit.draw import check, draw, fits
from tapegate.grade.audit.drift import drift
from tapegate.grade.judge import template
from tapegate.grade.judge.provider import overridden, parameters
from tapegate.load.suite import Suite
from tapegate.model.audit import AXES, Agreement, Audit, Draw, Judged, JudgePins, Weekly
from tapegate.model.config import Judge
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle
from tapegate.run.plan import WEEKLY_ONLY, Trial
from tapegate.run.runner import Runner
from tapegate.tape import store
from tapegate.tape.cassette import Cassette


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an audit is asked for."""

    week: str
    """ISO 8601, `2026-W47`."""
    record: bool
    """Whether the judge is asked now and recorded; else a recorded week is replayed."""
    fresh: bool
    """Whether the sampled tasks are recorded anew too, to compare; nothing of that is written."""
    today: date


def audit(suite: Suite, wanted: Wanted, catalog: Sequence[Oracle] = CATALOG) -> tuple[Audit, tuple[Trial, ...]]:
    """The audit of a week, and the trials that it looked at.

    Raises BadInput for a recorded audit that cannot be trusted or a judge that is not the pinned one, Stale where the
    week is to be replayed and nobody recorded it. What the judge says never makes it raise.
    """
    judge = suite.config.judge
    if judge is None:
        drawn = draw(wanted.week, suite.tasks)
        missing = "no judge is configured, so that nothing was judged: `judge` in evals/tapegate.yaml pins one"
        return Audit(drawn, (missing,), None, (), (), (), drift(suite, wanted.today, None)), ()
    template.check_pin(judge.template_sha256, suite.source.file, suite.source.line("judge", "template_sha256"))
    as_of, drawn = _drawn(suite, wanted)
    notes = _notes(suite, drawn)
    sampled = [task for task in suite.tasks if task.key in drawn.sample]
    # Whatever is drawn: no other run looks at them.
    apart = [task for task in suite.tasks if task.id in WEEKLY_ONLY]
    with Runner(suite) as runner:
        runner.ready()
        found = list(answers(suite, runner, sampled, notes, catalog))
        weekly = tuple(map(_weekly, answers(suite, runner, apart, notes, catalog)))
        check(drawn, len({answer.trial.task.key for answer in found}), records.place(wanted.week))
        judged, recorded = _judged(suite, judge, found, wanted)
        compared = list(fresh(suite, runner, found, catalog)) if wanted.fresh else None
    weeks, agreed = _agreement(suite, judge, wanted.week, judged)
    made = Audit(drawn, tuple(notes), _pins(judge), judged, agreed, weeks, drift(suite, as_of, compared), weekly)
    if wanted.record:
        _write(suite, made, recorded)
    return made, tuple(one.trial for one in found)


def _weekly(answer: Answer) -> Weekly:
    findings = tuple(finding for finding in answer.result.findings if finding.severity != "note")
    return Weekly(answer.trial.task.key, answer.trial.number, answer.result.verdict, findings)


def _drawn(suite: Suite, wanted: Wanted) -> tuple[date, Draw]:
    if wanted.record:
        return wanted.today, draw(wanted.week, suite.tasks)
    known = records.weeks(suite.project)
    if wanted.week not in known:
        raise Stale.of(
            "not_recorded",
            f"no audit of {wanted.week} is recorded; recorded are {', '.join(known) or 'none'}",
            file=records.place(wanted.week),
            fix=f"tapegate audit --week {wanted.week} --record",
        )
    recorded = records.read(suite.project, wanted.week)
    fits(recorded.drawn(), suite.tasks, records.place(wanted.week))
    return date.fromisoformat(recorded.as_of), recorded.drawn()


def _notes(suite: Suite, drawn: Draw) -> list[str]:
    notes = []
    if not drawn.cap:
        notes.append(f"nothing is judged: 15 % of {drawn.n} tasks is less than one (it takes 7)")
    elif not drawn.eligible:
        notes.append("nothing is judged: no task allows a judge (grading.runtime_llm_judge: audit)")
    known = {task.key for task in suite.tasks}
    notes += [f"{key} was drawn and is no task any more" for key in drawn.sample if key not in known]
    return notes


def _judged(
    suite: Suite, judge: Judge, found: list[Answer], wanted: Wanted
) -> tuple[tuple[Judged, ...], list[Cassette]]:
    if not found:
        return (), []
    with Bench(suite, judge, wanted.week, record=wanted.record) as bench:
        judged = [_one(answer, bench) for answer in found]
    return tuple(judged), bench.recorded


def _one(answer: Answer, bench: Bench) -> Judged:
    task, result = answer.trial.task, answer.result
    terms = task.grading.judge
    fallback = terms.fallback if terms is not None else ""
    assert result.scores is not None
    return Judged(
        key=task.key,
        trial=answer.trial.number,
        verdict=result.verdict,
        deterministic=result.scores,
        judge=bench.judge(answer),
        metrics=result.metrics,
        fallback=fallback,
        fallback_findings=tuple(
            finding for finding in result.findings if finding.metric == fallback and finding.severity != "note"
        ),
        answer_sha256=result.answer_sha256,
    )


def _pins(judge: Judge) -> JudgePins:
    return JudgePins(
        model=judge.model,
        model_version=judge.model_version,
        template_id=template.ID,
        template_sha256=judge.template_sha256,
        parameters=parameters(judge),
        overridden=overridden(judge),
    )


def _write(suite: Suite, made: Audit, recorded: list[Cassette]) -> None:
    """The week's cassettes, then its record; what an earlier recording of the week held beside them is removed."""
    week = made.draw.week
    by_key: dict[str, list[Cassette]] = defaultdict(list)
    for cassette in recorded:
        by_key[cassette.key].append(cassette)
    for cassettes in by_key.values():
        store.write(suite.project, records.suite_of(week), cassettes, replace=True)
    folder = (suite.project / records.place(week)).parent
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and path.name not in by_key:
            shutil.rmtree(path)
    records.write(suite.project, made)


def _agreement(
    suite: Suite, judge: Judge, week: str, judged: tuple[Judged, ...]
) -> tuple[tuple[str, ...], tuple[Agreement, ...]]:
    """Of the week's answers and of those that earlier weeks recorded under the same pins of the judge.

    An answer that several weeks drew counts once, as the latest of them scored it: the same recording, judged by the
    same model with the same words, is no second observation.
    """
    pins = _pins(judge)
    counted, seen = [week], Counted()
    for one in judged:
        seen.enter(one.key, one.trial, one.answer_sha256, records.scores(one.deterministic), records.scores(one.judge))
    for known in reversed([known for known in records.weeks(suite.project) if known < week]):
        recorded = records.read(suite.project, known)
        if recorded.judge.pins() == pins:
            counted.append(known)
            for row in recorded.rows:
                seen.enter(row.key, row.trial, row.answer_sha256, row.deterministic, row.judge)
    return tuple(sorted(counted)), tuple(agreement(axis, seen.pairs[axis]) for axis in AXES)
