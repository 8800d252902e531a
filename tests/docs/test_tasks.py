"""docs/tasks.md says what a task can hold, and its examples are tasks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from tapegate.load.cases import expanded
from tapegate.load.reader import parse_document
from tapegate.load.task import read_task
from tapegate.model.case import Case
from tapegate.model.config import Config, Prices, Profile
from tapegate.model.differential import Differential
from tapegate.model.fault import TapeFault
from tapegate.model.outcome import Outcome, TurnShape
from tapegate.model.setup import RaiseFault, Reply, Setup
from tapegate.model.task import Expect, Grading, Migration, Quarantine, Review, Task
from tapegate.oracles.catalog import check_contract

PAGE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml task\n(.*?)```", PAGE, re.DOTALL)
NAMED = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL))
MODELS: tuple[type[BaseModel], ...] = (
    *(
        Task,
        Case,
        Expect,
        Grading,
        Setup,
        Reply,
        RaiseFault,
        Outcome,
        TurnShape,
        Differential,
        Quarantine,
        Review,
        Migration,
    ),
    *(Config, Profile, Prices),
    *get_args(TapeFault),
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_field_stands_on_the_page(model: type[BaseModel]) -> None:
    """A field that a file may hold is named in code type or in an example, so that a new one is not left out."""
    named = set(re.findall(r"[A-Za-z_]+", " ".join([*NAMED, *EXAMPLES])))
    fields = {field.alias or name for name, field in model.model_fields.items()}
    assert fields - named - {"version"} == set()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split("\n")[0])
def test_every_example_is_a_task(example: str) -> None:
    """It loads, and every expectation in it can be judged."""
    task, problems = read_task(parse_document(example.encode(), "example.yaml"))
    assert problems == []
    assert task is not None
    assert [problem for case in expanded(task) for problem in check_contract(case)] == []


def test_there_are_examples() -> None:
    """The page shows a conversation with turns, bands, and cases."""
    assert len(EXAMPLES) >= 3
    assert all(any(part in example for example in EXAMPLES) for part in ("turns:", "borderline:", "cases:"))
