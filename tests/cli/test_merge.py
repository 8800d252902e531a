"""`tapegate run --shard` and `tapegate merge`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.merge import merge
from tapegate.errors import TapegateError

SAME = ("results.json", "contracts.json", "report.md", "report.html", "junit.xml", "results.sarif")


@dataclass(frozen=True, slots=True)
class Runs:
    """A run in one piece, and the same in two."""

    project: Path
    whole: Path
    parts: tuple[Path, Path]
    codes: tuple[int, ...]


@pytest.fixture(scope="module")
def runs(copy_project: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Three of four tasks, of which one fails, whole and in parts, each in an order of its own."""
    root = tmp_path_factory.mktemp("shards")
    project = copy_project(root / "project")
    project.only("RET-02@A1", "RET-03@A1", "RET-05@A1", "AGT-08@A1")
    project.in_process("paperdesk.chat:ask")
    file = project.root / "evals" / "retrieval_prompt_paths" / "RET-02@A1.yaml"
    file.write_text(file.read_text("utf-8").replace("citations_local_min: 2", "citations_local_min: 3"), "utf-8")
    words = ("run", "--quiet", "--profile", "dev", "RET-02@A1", "RET-03@A1", "RET-05@A1")
    codes = [project.tapegate(*words, "--out", str(root / "whole")).code]
    for number, order in ((1, "shuffled"), (2, "reversed")):
        part = ("--shard", f"{number}/2", "--order", order, "--out", str(root / f"part-{number}"))
        codes.append(project.tapegate(*words, *part).code)
    return Runs(project.root, root / "whole", (root / "part-1", root / "part-2"), tuple(codes))


def merged(runs: Runs, out: Path, *parts: Path) -> Result:
    """`tapegate merge`."""
    words = [*map(str, parts or runs.parts), "--out", str(out), "--project", str(runs.project), "--quiet"]
    return CliRunner().invoke(merge, words)


def refused(runs: Runs, out: Path, *parts: Path) -> list[str]:
    """The codes of the problems that merge refuses with."""
    done = merged(runs, out, *parts)
    assert isinstance(done.exception, TapegateError), done.output
    assert done.exception.exit_code == 2
    assert not out.exists()
    return [problem.code for problem in done.exception.problems]


def test_parts_are_byte_for_byte_the_run_in_one_piece(runs: Runs, tmp_path: Path) -> None:
    """Results, contracts, every report and every trace, and the exit code, however the parts are given."""
    done = merged(runs, tmp_path / "out", *reversed(runs.parts))
    assert done.exit_code == runs.codes[0] == 1, done.output
    for name in SAME:
        assert (tmp_path / "out" / name).read_bytes() == (runs.whole / name).read_bytes(), name
    traces = {path.relative_to(runs.whole): path.read_bytes() for path in runs.whole.glob("traces/*/*")}
    assert traces
    assert traces == {
        path.relative_to(tmp_path / "out"): path.read_bytes() for path in (tmp_path / "out").glob("traces/*/*")
    }


def test_a_part_tells_of_its_own_tasks_and_never_passes_for_a_whole_run(runs: Runs) -> None:
    """The part with the failing task is a 1, the other a 0; both say that they are partial, and of what."""
    assert sorted(runs.codes[1:]) == [0, 1]
    said = [json.loads((folder / "results.json").read_bytes()) for folder in runs.parts]
    assert [document["partial"] for document in said] == [True, True]
    assert [len(document["tasks"]) for document in said] == [2, 1]
    assert not (runs.whole / "shard.json").exists()


def test_the_provenance_tells_of_all_parts(runs: Runs, tmp_path: Path) -> None:
    """What a part told of its tasks stands beside what the others told; no field is lost."""
    merged(runs, tmp_path / "out")
    whole, found = (json.loads((at / "provenance.json").read_bytes()) for at in (runs.whole, tmp_path / "out"))
    assert set(found) == {*whole, "shards"}
    volatile = {"run_id", "timestamp_utc", "durations_ms", "order", "shards", "logs"}
    assert {name: found[name] for name in whole if name not in volatile} == {
        name: whole[name] for name in whole if name not in volatile
    }
    assert set(found["durations_ms"]) == set(whole["durations_ms"])
    assert len(found["shards"]) == 2


def test_a_folder_of_parts_stands_for_them(runs: Runs, tmp_path: Path) -> None:
    """As actions/download-artifact leaves them: a folder for each."""
    for part in runs.parts:
        shutil.copytree(part, tmp_path / "parts" / part.name)
    assert merged(runs, tmp_path / "out", tmp_path / "parts").exit_code == 1
    assert (tmp_path / "out" / "results.json").read_bytes() == (runs.whole / "results.json").read_bytes()


def test_missing_and_doubled_parts_are_refused(runs: Runs, tmp_path: Path) -> None:
    """Exit 2 and nothing written; a whole run is no part either."""
    one, two = runs.parts
    out = tmp_path / "out"
    assert refused(runs, out, one) == ["missing_shard"]
    assert refused(runs, out, one, one, two) == ["duplicate_shard"]
    assert refused(runs, out, one, one) == ["missing_shard", "duplicate_shard"]
    assert refused(runs, out, runs.whole) == ["no_part"]
    assert refused(runs, out, tmp_path) == ["no_results"]


CHANGES: dict[str, tuple[str, str, Any]] = {
    "commit": ("shard.json", "commit", "0" * 40),
    "config": ("shard.json", "inputs", "sha256:0"),
    "version": ("shard.json", "tapegate", "0.0.0"),
    "selection": ("shard.json", "partial", False),
    "count": ("shard.json", "of", 3),
    "profile": ("contracts.json", "profile_name", "nightly"),
    "terms": ("contracts.json", "profile", {"stale": "report"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_parts_of_different_runs_are_refused(what: str, runs: Runs, tmp_path: Path) -> None:
    """Another commit, config, version, selection, count or profile: exit 2."""
    file, field, value = CHANGES[what]
    other = shutil.copytree(runs.parts[1], tmp_path / "other")
    document = json.loads((other / file).read_bytes())
    (other / file).write_text(json.dumps({**document, field: value}))
    assert "shards_differ" in refused(runs, tmp_path / "out", runs.parts[0], other)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("results.json", "changed_results"),
        ("shard.json", "bad_shard_file"),
        ("contracts.json", "bad_contracts"),
        ("provenance.json", "bad_provenance"),
    ],
)
def test_a_part_that_was_changed_or_torn_is_refused(file: str, code: str, runs: Runs, tmp_path: Path) -> None:
    """Half a file is no file; results of other bytes are not what the part wrote."""
    other = shutil.copytree(runs.parts[1], tmp_path / "other")
    raw = (other / file).read_bytes()
    (other / file).write_bytes(raw[: len(raw) // 2])
    assert refused(runs, tmp_path / "out", runs.parts[0], other) == [code]


def test_a_part_with_the_tasks_of_another_is_refused(runs: Runs, tmp_path: Path) -> None:
    """A part whose number was changed would have tasks judged twice, and others not at all."""
    other = shutil.copytree(runs.parts[0], tmp_path / "other")
    document = json.loads((other / "shard.json").read_bytes())
    (other / "shard.json").write_text(json.dumps({**document, "shard": 2}))
    assert refused(runs, tmp_path / "out", runs.parts[0], other) == ["wrong_share"]
