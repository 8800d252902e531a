"""One task in base and in head, trial by trial."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tapegate.compare import contracts
from tapegate.compare.align import align
from tapegate.compare.answer import align_answers
from tapegate.compare.limits import beyond
from tapegate.compare.measures import CUT_SHORT, MEASURES, delta
from tapegate.compare.pairing import Pair
from tapegate.compare.side import NO_ANSWER, Side, regraded
from tapegate.model.diff import Delta, Edit, Stratum, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import TaskResult, TrialResult


def task_diff(pair: Pair, base: Side, head: Side) -> TaskDiff:
    """What became of one task. It differs in nothing where its `kind` is None."""
    before, after = pair.base, pair.head
    here = after or before
    assert here is not None
    stratum = pair.stratum
    told = TaskDiff(
        key=here.key,
        base_key=(before or here).key,
        file=here.file,
        blocking=any(task.blocking for task in (before, after) if task is not None),
        stratum=stratum,
        base_verdict=before.verdict if before is not None else None,
        head_verdict=after.verdict if after is not None else None,
        by_base_contract=None,
        by_base_contract_findings=(),
        contract=(),
        dropped_outcomes=(),
        trials=_trials(before, after, base, head) if before is not None and after is not None else (),
    )
    if before is None or after is None:
        return told
    digests = (before.contract_sha256, after.contract_sha256)
    told = replace(told, contract_differs=None not in digests and digests[0] != digests[1])
    if stratum is Stratum.CONTRACT_CHANGED:
        return _under_base_contract(told, before, after, base, head)
    task = head.task(after)
    if task is None:
        return told
    held = {one.trial: tuple(beyond(task, one, other)) for one, other in pair.trials()}
    return replace(told, trials=tuple(replace(trial, limits=held.get(trial.trial, ())) for trial in told.trials))


def _under_base_contract(told: TaskDiff, before: TaskResult, after: TaskResult, base: Side, head: Side) -> TaskDiff:
    """With head's traces graded by what base asked for, so that asking for less hides nothing."""
    old, new = base.task(before), head.task(after)
    if old is None:
        return told
    graded = regraded(head, after, old)
    if graded is not None:
        told = replace(told, by_base_contract=graded.verdict, by_base_contract_findings=graded.findings)
        held = [finding for one, other in Pair(before, graded).trials() for finding in beyond(old, one, other)]
        if any(finding.severity == "fail" for finding in held):
            findings = (*graded.findings, *held)
            told = replace(told, by_base_contract=Verdict.FAIL, by_base_contract_findings=findings)
    if new is not None:
        told = replace(
            told, contract=contracts.changes(old, new), dropped_outcomes=contracts.dropped_outcomes(old, new)
        )
    return told


def _trials(before: TaskResult, after: TaskResult, base: Side, head: Side) -> tuple[TrialDiff, ...]:
    olds = {trial.trial: trial for trial in before.trials}
    news = {trial.trial: trial for trial in after.trials}
    found = []
    for number in sorted({*olds, *news}):
        old, new = olds.get(number), news.get(number)
        same = old is not None and new is not None and old.cassette_sha256 == new.cassette_sha256
        changed = old is None or new is None or old.answer_sha256 != new.answer_sha256
        found.append(
            TrialDiff(
                trial=number,
                base_verdict=old.verdict if old is not None else None,
                head_verdict=new.verdict if new is not None else None,
                base_outcome=_outcome(before, old),
                head_outcome=_outcome(after, new),
                same_recording=same,
                tool_path=align(old.tool_path if old else (), new.tool_path if new else ()),
                answer_changed=changed,
                answer=_answer(_text(base, before.key, old), _text(head, after.key, new)) if changed else None,
                gained=_beyond(new, old),
                lost=_beyond(old, new),
                deltas=_deltas(old, new),
            )
        )
    return tuple(found)


def _outcome(task: TaskResult, trial: TrialResult | None) -> str | None:
    if trial is None or trial.outcome is None:
        return None
    name = task.outcome_names[trial.outcome] if trial.outcome < len(task.outcome_names) else None
    return name or f"outcome {trial.outcome + 1}"


def _text(side: Side, key: str, trial: TrialResult | None) -> str | None:
    """The answer of a trial: empty where there is no such trial, None where its text is not at hand."""
    if trial is None or trial.answer_sha256 == NO_ANSWER:
        return ""
    trace = side.trace(key, trial)
    return trace.text if trace is not None else None


def _answer(base: str | None, head: str | None) -> tuple[Edit, ...] | None:
    return None if base is None or head is None else align_answers(base, head)


def _beyond(these: TrialResult | None, those: TrialResult | None) -> tuple[Finding, ...]:
    """The findings of one trial that the other does not have. Where a line moved, a finding did not."""
    left = Counter(map(_identity, those.findings if those is not None else ()))
    found = []
    for finding in these.findings if these is not None else ():
        if finding.severity == "note":
            continue
        if left[_identity(finding)] > 0:
            left[_identity(finding)] -= 1
        else:
            found.append(finding)
    return tuple(found)


def _identity(finding: Finding) -> Finding:
    return replace(finding, file="", line=1, trial=0, outcome=None, fix="")


def _deltas(old: TrialResult | None, new: TrialResult | None) -> tuple[Delta, ...]:
    if old is None or new is None or CUT_SHORT & {old.verdict, new.verdict}:
        return ()
    found = [delta(name, old, new) for name in MEASURES]
    return tuple(one for one in found if one.base != one.head or (one.not_measured and one.base is not None))
