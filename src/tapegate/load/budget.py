"""Rules of budgets beyond their model."""

from __future__ import annotations

from tapegate.load.describe import dotted
from tapegate.load.document import Document
from tapegate.model.problem import Problem

LIMITS = {"increase", "increase_percent"}


def vacuous_budgets(document: Document) -> list[Problem]:
    """A budget without a limit would be kept by anything."""
    return [
        document.problem(
            "vacuous_budget",
            f"{dotted(path)} limits nothing",
            document.place(path),
            "give it `increase`, `increase_percent` or both",
        )
        for path, budget in document.each("profiles", "*", "budgets", "*")
        if isinstance(budget, dict) and not LIMITS & budget.keys()
    ]
