"""The drift of recordings, told from their pins."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tapegate.grade.audit.drift import drift
from tapegate.model.audit import Drift
from tapegate.model.task import Task

TODAY = date(2026, 11, 20)


def _pin(model: str | None, day: str, prompt: str, commit: str) -> dict[str, Any]:
    asked = [{"requested": "m-1", "resolved": model}]
    hashes = {"prompt_sha256": prompt * 64, "tools_sha256": None, "parameters_sha256": None}
    made = {"recorded_at": f"{day}T10:00:00Z", "commit": commit, "machine": "x", "recorder": "t"}
    counts = {"sha256": "0" * 64, "bytes": 1, "interactions": 1}
    return {**counts, "models": asked, **hashes, **made, "source": "live", "source_kind": "live"}


def _drift(root: Path, make_task: Callable[..., Task], pins: dict[str, tuple[dict[str, Any], ...]]) -> Drift:
    """Of tasks with these pins, trial by trial."""
    tasks = []
    for key, recorded in pins.items():
        name, _, path = key.partition("@")
        mode = "stream_fixture" if name.startswith("FIX") else "single_turn"
        more = {"setup": {"fixtures": ["x"]}} if mode == "stream_fixture" else {}
        tasks.append(make_task(id=name, path_id=path, mode=mode, **more))
        if recorded:
            folder = root / "cassettes" / "retrieval" / key
            folder.mkdir(parents=True)
            cassettes = {f"trial-{number}.yaml": one for number, one in enumerate(recorded, 1)}
            (folder / "pins.json").write_text(json.dumps({"format": 1, "key": key, "cassettes": cassettes}))
    suite: Any = SimpleNamespace(project=root, tasks=tasks)
    return drift(suite, TODAY, None)


def test_what_moved_between_recordings_is_told(tmp_path: Path, make_task: Callable[..., Task]) -> None:
    """Age, the work tree, the versions that answered to one name, the prompts of one path, and what is missing."""
    found = _drift(
        tmp_path,
        make_task,
        {
            "RET-01@A1": (_pin("m-1-a", "2026-10-01", "a", "c" * 40), _pin("m-1-b", "2026-11-19", "a", "c" * 40)),
            "RET-02@A1": (_pin("m-1-b", "2026-11-20", "b", "c" * 40 + "+dirty"),),
            "RET-03@A2": (),
        },
    )
    assert [(one.key, one.trial, one.age_days) for one in found.recordings] == [
        ("RET-01@A1", 1, 50),
        ("RET-01@A1", 2, 1),
        ("RET-02@A1", 1, 0),
    ]
    assert found.notes == (
        "1 task has no recording: RET-03@A2",
        "1 task has recordings older than 30 days: RET-01@A1",
        "1 task was recorded from a work tree that differed from its commit: RET-02@A1",
        "m-1 was answered by 2 versions: m-1-a, m-1-b",
        "path A1 was recorded under 2 different system prompts",
    )


def test_nothing_is_told_where_nothing_moved(tmp_path: Path, make_task: Callable[..., Task]) -> None:
    """A fixture of the project needs no recording, and an answer without a model's name is no other version."""
    found = _drift(
        tmp_path,
        make_task,
        {
            "RET-01@A1": (_pin("m-1", "2026-11-20", "a", "c" * 40), _pin(None, "2026-10-21", "a", "c" * 40)),
            "FIX-01@A1": (),
        },
    )
    assert found.notes == ()
    assert [one.age_days for one in found.recordings] == [0, 30]
