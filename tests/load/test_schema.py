"""The published schemas: valid by the metaschema, and of one mind with the loader."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tapegate.load.config import read_config
from tapegate.load.document import Document
from tapegate.load.reader import parse_document, read_document
from tapegate.load.schema import config_schema, task_schema
from tapegate.load.shape import shaped
from tapegate.load.task import read_task
from tapegate.model.task import Task

ROOT = Path(__file__).parents[2]
TASKS = Draft202012Validator(task_schema())
CONFIGS = Draft202012Validator(config_schema())


@pytest.mark.parametrize("schema", [task_schema(), config_schema()])
def test_a_schema_is_valid_and_says_what_it_is(schema: dict[str, Any]) -> None:
    """Each passes the metaschema of draft 2020-12, has an id, and describes every field."""
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:tapegate:")
    undescribed = [
        f"{name}.{key}"
        for name, part in [("", schema), *schema["$defs"].items()]
        for key, value in part.get("properties", {}).items()
        if "description" not in value and key != "kind"
    ]
    assert undescribed == []


def test_the_standards_example_is_valid() -> None:
    """The schema and the loader both take the standard's own example."""
    text = Path(__file__).with_name("data").joinpath("standard_example.json").read_bytes()
    TASKS.validate(json.loads(text))
    assert read_task(parse_document(text, "x.json"))[1] == []


@pytest.mark.parametrize("path", sorted((ROOT / "evals").glob("*/*@*")), ids=lambda path: path.name)
def test_every_shipped_task_is_valid(path: Path) -> None:
    """Every task of this repository passes the schema and the loader."""
    document = read_document(path, path.name).checked()
    TASKS.validate(document.value)
    assert read_task(document)[1] == []


def test_the_shipped_config_is_valid() -> None:
    """The config of this repository passes the schema and the loader."""
    path = ROOT / "evals" / "tapegate.yaml"
    if not path.exists():
        pytest.skip("the repository has no evals yet")
    document = read_document(path, path.name).checked()
    CONFIGS.validate(document.value)
    assert read_config(document)[1] == []


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"paths": {"bad name": {"title": "x", "status": "y", "files": ["z"], "subject": "desk"}}}, False),
        ({"paths": {}}, False),
        ({"version": True}, False),
        ({"version": 2}, False),
        ({"profiles": {"pr": {"fail_on": ["needs_review"]}}}, True),
        ({"profiles": {"pr": {"fail_on": ["pass"]}}}, False),
        ({"services": {"llm": {"address": "https://a.example/v1", "base_url_env": ["A"]}}}, True),
        ({"services": {"llm": {"address": "a.example", "base_url_env": ["A"]}}}, False),
        ({"services": {"llm": {"address": "https://a.example/v1", "base_url_env": ["1A"]}}}, False),
        ({"subjects": {"desk": {"kind": "python", "entry": "a:b", "stream": "text", "env": {"1A": "x"}}}}, False),
        ({"subjects": {"desk": {"kind": "php", "entry": "a:b", "stream": "text"}}}, False),
        ({"subjects": {"desk": {"kind": "python", "command": ["x"], "entry": "a:b", "stream": "text"}}}, False),
    ],
)
def test_schema_and_loader_agree_on_configs(change: dict[str, Any], valid: bool, config_text: str) -> None:
    """What one takes the other takes, and what one refuses the other refuses."""
    value = yaml.safe_load(config_text) | change
    assert CONFIGS.is_valid(value) is valid
    assert (read_config(parse_document(json.dumps(value).encode(), "x.json"))[1] == []) is valid


WORD = st.sampled_from(["search_local", "read_paper", "a", "RET-01", "off", "x y", "../z", ""])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 25) | st.just(0.5) | WORD,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORD, inner, max_size=2),
    max_leaves=4,
)
OUTCOME = st.fixed_dictionaries(
    {},
    optional={
        "name": WORD,
        "tool_path_policy": st.sampled_from(["any_allowed_path", "fixed_order", "no_tools"]),
        "any_allowed_path": st.lists(st.lists(WORD, max_size=2), max_size=2),
        "allowed_first_tools": st.lists(WORD, max_size=2),
        "forbidden_tools": st.lists(WORD, max_size=2),
        "tool_counts": st.dictionaries(
            WORD, st.dictionaries(st.sampled_from(["min", "max"]), st.none() | st.integers(-1, 3))
        ),
        "order_critical": st.none() | WORD,
        "required_slots": st.dictionaries(WORD, VALUE, max_size=2),
    },
)
JUDGE = st.none() | st.fixed_dictionaries(
    {
        "reason": st.sampled_from(["open_ended_synthesis", "convenience"]),
        "justification": WORD,
        "fallback": st.just("a"),
    }
)
QUALITY = st.fixed_dictionaries(
    {},
    optional={
        "reference_answer": st.none() | WORD,
        "facts": st.lists(
            st.fixed_dictionaries(
                {"name": WORD}, optional={"any_of": st.lists(WORD, max_size=2), "all": st.lists(WORD, max_size=2)}
            ),
            max_size=2,
        ),
    },
)
TASK = st.fixed_dictionaries(
    {
        "id": st.just("RET-01"),
        "suite": st.just("retrieval"),
        "path_id": st.just("A1"),
        "mode": st.sampled_from(["single_turn", "single_turn", "multi_turn", "concurrent", "stream_fixture"]),
        "input": st.text(min_size=1),
        "expect": st.fixed_dictionaries(
            {"accepted_outcomes": st.lists(OUTCOME, min_size=1, max_size=2)},
            optional={
                "required_invariants": st.lists(WORD, max_size=2),
                "forbidden_patterns": st.lists(WORD, max_size=2),
            },
        ),
        "grading": st.fixed_dictionaries(
            {"deterministic_metrics": st.lists(WORD, min_size=1, max_size=2)},
            optional={"runtime_llm_judge": st.sampled_from(["off", "audit", "on"]), "judge": JUDGE, "quality": QUALITY},
        ),
    },
    optional={
        "setup": st.fixed_dictionaries(
            {},
            optional={
                "db_snapshot": st.none() | WORD,
                "fixtures": st.lists(WORD, max_size=2),
                "seed": st.integers(),
                "stream": st.none() | WORD,
                "chunking": st.sampled_from(["whole", "all_splits", "some"]),
            },
        ),
        "then": st.lists(WORD, max_size=2),
        "beside": st.lists(WORD, max_size=2),
        "trials": st.integers(0, 21),
        "flaky_prone": st.booleans(),
        "blocking": st.booleans(),
    },
)


@st.composite
def tasks(draw: st.DrawFn) -> Any:
    """Tasks that are mostly well formed, many with one value replaced, removed or added anywhere."""
    task = copy.deepcopy(draw(TASK))
    holder = task
    while draw(st.booleans()):
        inner = [
            value
            for value in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(value, dict | list) and value
        ]
        if not inner:
            break
        holder = draw(st.sampled_from(inner))
    keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    match draw(st.sampled_from(["leave", "leave", "replace", "remove", "add"])):
        case "replace":
            holder[draw(st.sampled_from(keys))] = draw(VALUE)
        case "remove":
            del holder[draw(st.sampled_from(keys))]
        case "add" if isinstance(holder, dict):
            holder[draw(WORD)] = draw(VALUE)
        case "add":
            holder.append(draw(VALUE))
    return task


@settings(max_examples=400, deadline=None)
@given(value=tasks())
def test_schema_and_loader_agree_on_tasks(value: Any) -> None:
    """What jsonschema takes the loader takes, and what one refuses the other refuses."""
    document = parse_document(json.dumps(value).encode(), "x.json")
    if any(problem.code == "number_limit" for problem in document.problems):
        return
    _, problems = read_task(document)
    problems = [problem for problem in problems if problem.code != "unknown_fallback"]  # no schema can say it
    assert (problems == []) is TASKS.is_valid(value), (problems, [error.message for error in TASKS.iter_errors(value)])


def test_the_property_is_not_vacuous(read: Callable[..., Document], task_text: str) -> None:
    """The generator's base is a task that both take, and a broken one that both refuse."""
    value = yaml.safe_load(task_text)
    assert TASKS.is_valid(value)
    assert shaped(Task, read(task_text))[0] is not None
    assert not TASKS.is_valid(value | {"trials": 0})
    assert shaped(Task, read(task_text + "trials: 0\n"))[0] is None
