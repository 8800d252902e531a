"""diff.json."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tapegate.errors import BadInput
from tapegate.model.diff import Diff
from tapegate.report.diff_file import json_schema, parse, to_bytes


def test_it_reads_back_and_fits_its_published_schema(regressed: Diff) -> None:
    """What is written is valid by its own schema, reads back equal, and is the same bytes again."""
    raw = to_bytes(regressed)
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.validate(json.loads(raw), json_schema())
    assert parse(raw, "diff.json") == regressed
    assert to_bytes(parse(raw, "diff.json")) == raw


def test_its_schema_is_closed(regressed: Diff) -> None:
    """A field that nobody declared is refused, and so is a missing one."""
    document = json.loads(to_bytes(regressed))
    for changed in ({**document, "more": 1}, {name: value for name, value in document.items() if name != "gate"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed, json_schema())


def test_other_programs_read_what_became_of_a_task(regressed: Diff) -> None:
    """`kind` stands beside what it follows from, and exact numbers are text."""
    document = json.loads(to_bytes(regressed))
    assert document["schema"] == "tapegate.diff/1"
    (task,) = [task for task in document["tasks"] if task["key"] == "RET-02@A1"]
    assert (task["kind"], task["base_verdict"], task["head_verdict"]) == ("regression", "pass", "fail")
    assert task["trials"][0]["deltas"][0] == {
        "measure": "total_tokens",
        "base": "1234",
        "head": "1546",
        "not_measured": "",
    }


def test_a_lone_surrogate_of_an_answer_is_kept(regressed: Diff, hostile_diff: Any) -> None:
    """UTF-8 does not have it; JSON's escape does."""
    diff = hostile_diff("a\ud800b")
    assert parse(to_bytes(diff), "diff.json") == diff


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b'{"schema":"tapegate.diff/2"}',
        b'{"schema":"tapegate.diff/1"}',
        b"\xff",
        b'{"schema":"tapegate.diff/1","tasks":[1]}',
    ],
)
def test_another_file_is_refused(raw: bytes) -> None:
    """What is no diff.json is bad input, named."""
    with pytest.raises(BadInput) as caught:
        parse(raw, "out/diff.json")
    assert caught.value.problems[0].file == "out/diff.json"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"total": 3', b'"total": 0'),
        (b'"passed": 3', b'"passed": 4'),
        (b'"high": 0.9', b'"high": 1e308'),
        (b'"high": 0.9', b'"high": 1e999'),
        (b'"high": 0.9', b'"high": NaN'),
    ],
)
def test_rates_that_cannot_be_are_refused(old: bytes, new: bytes, regressed: Diff) -> None:
    """Each fits its JSON type, and no report could be made of it."""
    raw = to_bytes(regressed)
    assert old in raw
    with pytest.raises(BadInput, match="bad_diff"):
        parse(raw.replace(old, new), "out/diff.json")
