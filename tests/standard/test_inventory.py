"""The inventory table: the standard's own, row by row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from tapegate.model.config import InventoryRow
from tapegate.standard.inventory import INVENTORY

STANDARD = Path(__file__).parents[2].parent / "shared" / "spec" / "agent-evaluation-standard.md"

METRICS = {
    "tool_trace",
    "citation_contract",
    "output_hygiene",
    "schema_contract",
    "db_state",
    "differential_ab",
    "latency_cost",
    "content_filter_contract",
    "orchestration_contract",
}


def test_there_is_a_row_for_every_name_a_config_may_give() -> None:
    """The config's choices and the table's rows are the same."""
    assert set(get_args(InventoryRow)) == set(INVENTORY)


def test_every_mandatory_eval_is_in_its_row() -> None:
    """The ids, as the standard lists them."""
    assert {name: sorted(row.evals) for name, row in INVENTORY.items()} == {
        "A1": ["AGT-08", "RET-01", "RET-02", "RET-03", "RET-04", "RET-05"],
        "A2": ["AGT-08", "RET-01", "RET-02", "RET-03", "RET-04", "RET-05"],
        "A3": ["AGT-03", "AGT-04", "AGT-09"],
        "A4": ["AGT-05", "AGT-06", "AGT-10", "RET-06"],
        "A5": ["AGT-11", "AGT-12", "RET-08"],
        "A6": ["AGT-07", "AGT-13", "AGT-14"],
        "content_filter": ["AGT-15"],
        "orchestration": ["AGT-16"],
    }


def test_methods_are_carried_out_by_the_standards_metrics() -> None:
    """Every method names one of the nine metrics, or is what a task's setup does."""
    methods = [method for row in INVENTORY.values() for method in row.methods]
    assert {method.metric for method in methods} <= METRICS | {None}
    assert {method.name for method in methods if method.metric is None} == {
        "controlled exception injection",
        "DB-state assertions under concurrent requests",
    }


def test_the_rows_are_the_text_of_the_standard() -> None:
    """Read from the standard itself: each section's required ids, and how many methods it requires."""
    if not STANDARD.exists():
        pytest.skip("the standard's text is not on this machine")
    inventory = STANDARD.read_text().split("## Mandatory Eval Inventory By Path")[1].split("\n## ")[0]
    for section in inventory.split("\n### ")[1:]:
        title = section.splitlines()[0]
        required = section.split("Required evals:")[1]
        evals = re.findall(
            r"^\d+\. `([A-Z]+-\d+)`", required.split("Required deterministic methods:")[0].split("Optional")[0], re.M
        )
        names = re.findall(r"\bA[1-6]\b", title.split(":")[0]) or ["content_filter", "orchestration"]
        for name in names:
            row = INVENTORY[name]  # type: ignore[index]
            assert set(row.evals) == set(evals) if title.startswith("A") else set(row.evals) <= set(evals)
        count = len(re.findall(r"^\d+\. ", section.partition("Required deterministic methods:")[2], re.M))
        numbers = {method.number for name in names for method in INVENTORY[name].methods}  # type: ignore[index]
        assert numbers == set(range(1, count + 1))
