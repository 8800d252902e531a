"""results.json."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from tapegate.errors import BadInput
from tapegate.model.run import Run
from tapegate.model.scores import Scores
from tapegate.report.results import Results, digest, json_schema


def test_it_reads_back_and_fits_its_published_schema(failed: Run) -> None:
    """What is written is valid by its own schema and reads back the same."""
    raw = Results.of(failed).to_bytes()
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.validate(json.loads(raw), json_schema())
    assert Results.parse(raw, "results.json").to_bytes() == raw


def test_it_is_the_whole_run(failed: Run, passed: Run) -> None:
    """The run that is read back is the one that was written, to the last field."""
    for run in (failed, passed):
        assert Results.parse(Results.of(run).to_bytes(), "results.json").run() == run


def test_its_shape_is_the_contract(failed: Run) -> None:
    """The fields that other programs read are there, under their names."""
    document = json.loads(Results.of(failed).to_bytes())
    assert document["schema"] == "tapegate.results/1"
    assert document["summary"] == {"total": 3, "pass": 1, "fail": 1, "needs_review": 0, "stale": 1, "error": 0}
    assert document["gate"] == {"passed": False, "exit_code": 1, "reasons": ["1 task failed: RET-02@A1"]}
    assert [task["key"] for task in document["tasks"]] == ["AGT-08@A1", "RET-01@A1", "RET-02@A1"]
    row = document["tasks"][2]["findings"][0]
    assert {"metric", "code", "severity", "message", "file", "line", "trial"} <= set(row)


def test_scores_and_readiness_are_in_it(failed: Run) -> None:
    """Each trial's scores with their reasons, and the run's aggregates; a file without them still reads."""
    first, *others = failed.tasks
    scores = Scores(1, 2, ("accuracy: a fact is missing",))
    scored = replace(failed, tasks=(replace(first, trials=(replace(first.trials[0], scores=scores),)), *others))
    raw = Results.of(scored).to_bytes()
    document = json.loads(raw)
    assert document["tasks"][0]["trials"][0]["scores"]["notes"] == ["accuracy: a fact is missing"]
    assert (document["rubric"]["n"], document["rubric"]["n_scored"]) == (3, 1)
    assert document["rubric"]["exact"]["aggregate_score"] == "31/40"
    assert Results.parse(raw, "results.json").run() == scored
    del document["tasks"][0]["trials"][0]["scores"]
    document["rubric"] = None
    assert Results.parse(json.dumps(document).encode(), "results.json").rubric is None


def test_the_order_of_work_leaves_no_mark(failed: Run) -> None:
    """Tasks in any order give the same bytes and so the same digest."""
    turned = replace(failed, tasks=tuple(reversed(failed.tasks)))
    one, two = Results.of(failed).to_bytes(), Results.of(turned).to_bytes()
    assert one == two
    assert digest(one) == digest(two)
    assert digest(one) != digest(one + b" ")


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"schema":"tapegate.results/2"}', b"\xff"])
def test_another_file_is_refused(raw: bytes) -> None:
    """What is no results.json is bad input, named."""
    with pytest.raises(BadInput) as caught:
        Results.parse(raw, "out/results.json")
    assert caught.value.problems[0].file == "out/results.json"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"cost_usd": null', b'"cost_usd": "free"'),
        (b'"cost_usd": null', b'"cost_usd": "1/0"'),
        (b'"quality": null', b'"quality": "NaN"'),
        (b'"outcome": 1', b'"outcome": -1'),
    ],
)
def test_values_that_no_run_has_are_refused(old: bytes, new: bytes, passed: Run) -> None:
    """Each fits its JSON type, and no report could be made of it."""
    raw = Results.of(passed).to_bytes()
    assert old in raw
    with pytest.raises(BadInput, match="bad_results"):
        Results.parse(raw.replace(old, new), "out/results.json")


@pytest.mark.parametrize("exact", ["0.0012", "39/50", "0", "1E-7", "-0.5", "1/1000"])
def test_exact_numbers_are_read(exact: str, passed: Run) -> None:
    """As decimals and fractions are written."""
    raw = Results.of(passed).to_bytes().replace(b'"cost_usd": null', f'"cost_usd": "{exact}"'.encode())
    assert Results.parse(raw, "out/results.json").run().tasks[0].metrics.cost_usd == exact
