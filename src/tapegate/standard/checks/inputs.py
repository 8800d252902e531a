"""What a run would refuse to start with."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground


def _files(ground: Ground) -> Iterable[Problem]:
    return ground.survey.problems


def _contracts(ground: Ground) -> Iterable[Problem]:
    # Late: the metrics load the regular-expression engine, which nothing else here needs.
    from tapegate.oracles.catalog import check_contract

    return [problem for task in ground.survey.tasks for problem in check_contract(task)]


def _rooms(ground: Ground) -> Iterable[Problem]:
    from tapegate.run.check import problems

    return problems(ground.survey.suite())


CHECKS = (
    Check(
        "readable",
        "The config, every task file and everything that they name can be read and agree with each other.",
        "unreadable",
        _files,
        sound=False,
    ),
    Check(
        "contract",
        "Every expectation is one that its declared metrics can judge, and no outcome is vacuous or unreachable.",
        "unreadable",
        _contracts,
        sound=False,
    ),
    Check(
        "dialects",
        "Every stream dialect is known, and every normaliser's path can be followed.",
        "unreadable",
        _rooms,
    ),
)
