"""What a run would refuse to start with."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground


def _files(ground: Ground) -> Iterable[Problem]:
    """Types are strict, nothing is coerced, an unknown key is refused with the nearest known one; keys are unique also
    where case does not count; every snapshot, fixture and path that is named is there; nothing leaves the project."""
    return ground.survey.problems


def _metrics(ground: Ground) -> Iterable[Problem]:
    """Metrics of the project (`evals/oracles/*.py`) and of installed packages are held to the rules of the built-in
    ones: a docstring with every section, a version, three cases or more, and no name that another metric has."""
    return ground.metric_problems


def _contracts(ground: Ground) -> Iterable[Problem]:
    """Each expectation is held against the metric that it belongs to, and accepted outcomes against each other. Where a
    metric cannot be used, what belongs to whom is not known, and nothing is said of it."""
    from tapegate.oracles.catalog import check_contract

    tasks = () if ground.metric_problems else ground.cases
    found = (problem for task in tasks for problem in check_contract(task, ground.catalog))
    return dict.fromkeys(found)  # the cases of a task share what they do not change


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
        "metrics",
        "Every metric of the project and of installed packages is as complete as a built-in one.",
        "unreadable",
        _metrics,
        {
            "metric_refused": "A metric lacks documentation, a version or cases, or its cases do not hold.",
            "metric_collision": "Two metrics claim the same name, slot or invariant.",
            "metric_unloadable": "A metric cannot be imported.",
            "no_metric": "A file of evals/oracles or an entry point holds no metric.",
        },
        sound=False,
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
            "vacuous_outcomes": "Two accepted outcomes accept everything together.",
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
