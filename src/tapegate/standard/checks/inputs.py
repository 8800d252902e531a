"""What a run would refuse to start with."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.errors import LoadError
from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground


def _files(ground: Ground) -> Iterable[Problem]:
    """Types are strict, nothing is coerced, an unknown key is refused with the nearest known one; keys are unique also
    where case does not count; every snapshot, fixture and path that is named is there; nothing leaves the project."""
    return ground.survey.problems


def _contracts(ground: Ground) -> Iterable[Problem]:
    """Each expectation is held against the metric that it belongs to, and accepted outcomes against each other."""
    # Late: the metrics load the regular-expression engine, which nothing else here needs.
    from tapegate.oracles.catalog import check_contract
    from tapegate.oracles.plugins import catalog_of

    try:
        catalog = catalog_of(ground.survey.project, ground.survey.evals)
    except LoadError as error:
        return error.problems
    return [problem for task in ground.survey.tasks for problem in check_contract(task, catalog)]


def _rooms(ground: Ground) -> Iterable[Problem]:
    """What of the config would only show while a trial runs."""
    from tapegate.run.check import problems

    return problems(ground.survey.suite())


CHECKS = (
    Check(
        "readable",
        "The config, every task file and everything that they name can be read and agree with each other.",
        "unreadable",
        _files,
        {
            "unknown_key": "A key is not known; the nearest known one is named.",
            "unknown_value": "A value is none of the known ones.",
            "wrong_type": "A value has another type than is expected.",
            "missing_key": "Something that must be there is not.",
            "duplicate_task": "Two tasks have one key, also where only case or Unicode form tells them apart.",
            "unknown_path": "A task names a path that is not in the scope table.",
            "misnamed_task": "A task's file or folder is not called as its id, path and suite say.",
            "judge_not_justified": "A judge may score a task that gives no reason, justification and fallback.",
            "unknown_fallback": "The fallback of a judge is no metric of the task.",
            "floating_model": "The judge is an alias that moves.",
        },
        sound=False,
        more=True,
    ),
    Check(
        "contract",
        "Every expectation is one that its declared metrics can judge, and no outcome is vacuous or unreachable.",
        "unreadable",
        _contracts,
        {
            "unknown_metric": "A metric is not known.",
            "undeclared_metric": "An expectation belongs to a metric that the task does not declare.",
            "unused_metric": "A metric is declared that no expectation belongs to.",
            "unknown_invariant": "An invariant is not known.",
            "unknown_slot": "A slot is not known.",
            "duplicate_entry": "Something stands in a list twice.",
            "vacuous_outcome": "An accepted outcome demands nothing.",
            "unreachable_outcome": "No trace can meet an accepted outcome.",
            "duplicate_outcome": "Two accepted outcomes are the same.",
            "subsumed_outcome": "An accepted outcome is already accepted by an earlier one.",
            "fixed_sequence": "One single order of tools is accepted, and no reason given.",
            "vacuous_pattern": "A pattern matches the empty string, or every text.",
            "bad_pattern": "A pattern does not compile: look-around and back-references are not in RE2.",
        },
        sound=False,
        more=True,
    ),
    Check(
        "dialects",
        "Every stream dialect is known, and every normaliser's path can be followed.",
        "unreadable",
        _rooms,
        {"unknown_dialect": "A stream dialect is not known."},
        more=True,
    ),
)
