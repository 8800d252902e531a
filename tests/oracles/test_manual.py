"""A metric's page in the docs."""

from __future__ import annotations

import re

import pytest

from tapegate.load.reader import parse_document
from tapegate.load.task import read_task
from tapegate.oracles.catalog import CATALOG, check_contract
from tapegate.oracles.manual import SECTIONS, manual, shortcomings
from tapegate.oracles.oracle import Oracle
from tapegate.oracles.slot import at_least
from tapegate.oracles.tool_trace import ToolTrace

PAGE = "Whether it is so.\n\n" + "\n\n".join(f"{title}\n{'-' * len(title)}\nSomething." for title in SECTIONS)


def metric(doc: str | None = PAGE, **attributes: object) -> Oracle:
    """A metric with this docstring, whole but for the attributes given."""
    values = {"name": "own_metric", "version": 1, "codes": {"is_so": "It is so."}, "slots": {}, "invariants": {}}
    made: Oracle = type("OwnMetric", (Oracle,), {**values, **attributes, "__doc__": doc})()
    return made


def test_a_docstring_is_read_by_its_sections():
    """The summary comes under an empty title, each section under its own."""
    page = manual(ToolTrace())
    assert page[""].startswith("Which tools the agent calls")
    assert list(page)[1:] == list(SECTIONS)
    assert page["Example task"].startswith("```yaml")


def indented(block: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in block.rstrip("\n").split("\n"))


@pytest.mark.parametrize("oracle", CATALOG, ids=lambda oracle: oracle.name)
def test_its_example_task_is_one(oracle):
    """As it stands on the page, beside what every task has, it loads and every expectation in it can be judged."""
    (example,) = re.findall(r"```yaml\n(.*?)```", manual(oracle)["Example task"], re.DOTALL)
    whole = {"id": "X-1", "suite": "s", "path_id": "A1", "mode": "single_turn", "input": "What?", "expect": ""}
    parts = {part.split(":")[0]: part for part in re.split(r"^(?=\S)", example, flags=re.MULTILINE)[1:]}
    for key, value in whole.items():
        parts.setdefault(key, f"{key}: {value}\n")
    for key in ("required_invariants", "forbidden_patterns", "accepted_outcomes"):
        parts["expect"] += indented(parts.pop(key), 2) if key in parts else ""
    if "accepted_outcomes:" not in parts["expect"]:
        parts["expect"] += "  accepted_outcomes: [{required_tools: [x]}]\n"
        if "tool_trace" not in parts["grading"]:
            parts["grading"] = parts["grading"].replace("metrics: [", "metrics: [tool_trace, ")
    text = "".join(parts.values())
    task, problems = read_task(parse_document(text.encode(), "example.yaml"))
    assert problems == []
    assert task is not None
    assert check_contract(task) == []


def test_a_whole_metric_lacks_nothing():
    """Docstring, version, name, and a line on each code, slot and invariant."""
    assert shortcomings(metric()) == []


@pytest.mark.parametrize("title", SECTIONS)
def test_a_metric_without_a_section_is_refused(title):
    """Each section of the docstring is demanded, and text under it."""
    assert shortcomings(metric(PAGE.replace(f"{title}\n{'-' * len(title)}\nSomething.", ""))) == [
        f"its docstring has no text under {title!r}"
    ]
    assert shortcomings(metric(PAGE.replace(f"{title}\n{'-' * len(title)}\nSomething.", f"{title}\n-----\n"))) == [
        f"its docstring has no text under {title!r}"
    ]


@pytest.mark.parametrize(
    ("attributes", "lack"),
    [
        ({"doc": None}, "docstring"),
        ({"doc": PAGE.replace("Whether it is so.", "")}, "summary"),
        ({"version": 0}, "version 0"),
        ({"version": True}, "version True"),
        ({"version": "1"}, "version '1'"),
        ({"name": "Own metric"}, "snake_case"),
        ({"codes": {}}, "never find anything"),
        ({"codes": {"is_so": " "}}, "'is_so'"),
        ({"invariants": {"is_so": ""}}, "'is_so'"),
        ({"slots": {"so_min": at_least("")}}, "'so_min'"),
    ],
)
def test_a_metric_that_lacks_something_is_refused(attributes, lack):
    """A version that is no whole number, a code without a meaning, a docstring without a beginning."""
    assert any(lack in said for said in shortcomings(metric(**attributes)))


def test_the_order_of_the_sections_is_fixed():
    """So that every page of the docs reads alike."""
    first, second = (f"{title}\n{'-' * len(title)}\nSomething." for title in SECTIONS[:2])
    swapped = PAGE.replace(first, "@").replace(second, first).replace("@", second)
    assert shortcomings(metric(swapped)) == ["the sections of its docstring are in another order"]
