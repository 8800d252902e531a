"""What an artifact says, whatever somebody has made of it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.compare.differential_ab import compare
from tapegate.compare.side import Side
from tapegate.errors import BadInput
from tapegate.github.evidence import Evidence
from tapegate.github.pull_comment import tell_of_stranger
from tapegate.github.reply import WorkflowRun
from tapegate.github.untrusted import Untrusted
from tapegate.load.profiles import profile_of
from tapegate.model.run import Run
from tapegate.report import diff_file
from tapegate.report.results import Results, digest

RUN = WorkflowRun(id=5, head_sha="a" * 40, event="pull_request", conclusion="success")
VALUES = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        3,
        2**63,
        10**300,
        1.5,
        "",
        "x",
        "\ud800",
        "1/0",
        "9" * 5000,
        "1e999999999",
        [],
        {},
        [[]],
        "A" * 9,
    ]
)


def leaves(document: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where anything stands in it."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(document, dict):
        inner = list(document.items())
    elif isinstance(document, list):
        inner = list(enumerate(document))
    return [place, *(deeper for name, value in inner for deeper in leaves(value, (*place, name)))]


def put(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """The document with another value there."""
    if not place:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[place[0]] = put(copy[place[0]], place[1:], value)
    return copy


@pytest.fixture
def documents(passed: Run, failed: Run) -> tuple[Any, Any]:
    """results.json and diff.json of a regression."""
    raw = Results.of(failed).to_bytes()
    sides = Side("main", passed, "sha256:" + "0" * 64), Side("head", failed, digest(raw))
    diff = compare(*sides, "pr", profile_of(None, "pr"))
    return json.loads(raw), json.loads(diff_file.to_bytes(diff))


def told(folder: Path, results: Any, diff: Any) -> str:
    """The comment that these make."""
    raw = json.dumps(results).encode()
    (folder / "results.json").write_bytes(raw)
    if isinstance(diff, dict) and isinstance(diff.get("head"), dict):
        diff = {**diff, "head": {**diff["head"], "digest": digest(raw)}}
    (folder / "diff.json").write_text(json.dumps(diff))
    return tell_of_stranger(Evidence.of(Untrusted.at(folder)), RUN).text


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_report_is_a_comment_or_a_refusal(data: st.DataObject, documents: Any, tmp_path: Path) -> None:
    """Whatever value stands wherever in it: a comment within its bounds, or `bad_…`, and nothing else."""
    results, diff = documents
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()):
            results = put(results, data.draw(st.sampled_from(leaves(results))), data.draw(VALUES))
        else:
            diff = put(diff, data.draw(st.sampled_from(leaves(diff))), data.draw(VALUES))
    with suppress(BadInput):
        text = told(tmp_path, results, diff)
        assert text.startswith("## Tapegate: ")
        assert len(text.encode()) < 60_000


@pytest.mark.parametrize("total", [0, -1])
def test_a_rate_of_nothing_is_refused(total: int, documents: Any, tmp_path: Path) -> None:
    """Its types are right, and no share can be made of it."""
    results, diff = documents
    with pytest.raises(BadInput, match="bad_diff"):
        told(tmp_path, results, put(diff, ("base", "rate", "total"), total))


def test_an_untouched_report_is_a_comment(documents: Any, tmp_path: Path) -> None:
    """So that what was refused above was refused for what was changed."""
    assert told(tmp_path, *documents).startswith("## Tapegate: not safe to merge\n")
