"""`provenance.json`: what may differ between two runs of the same commit, and the run metadata of rubric §4.3."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tapegate import __version__
from tapegate.doors.guard.levels import Level, describe
from tapegate.load.suite import Suite
from tapegate.run.commit import commit_of
from tapegate.run.cost import named
from tapegate.run.metadata import GENERATION, complete
from tapegate.run.plan import Trial
from tapegate.run.record import machine_class
from tapegate.stream.generation import generation
from tapegate.tape.cassette import Cassette
from tapegate.tape.store import Loaded

SCHEMA_ID = "tapegate.provenance/1"
OFF = "off"
"""What stands where no judge ran: a field of the run metadata is never blank."""
NONE_RECORDED = "none recorded"
TEXTS = {".yaml", ".yml", ".json", ".sql"}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a run knows of itself when it is over."""

    profile: str
    digest: str
    guards: Mapping[str, Level]
    """By task key: how strongly its subject was kept off the network."""
    durations_ms: Mapping[str, int]
    """By task key and trial, `RET-01@A1[1]`: how long the replay took here."""
    jobs: int
    order: str
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By task key and trial: the last lines of each subject that did not complete its answer."""
    stand_ins: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By task key and trial: the clients that no door of ours reaches, for which vcrpy's patchers stood in."""


def provenance(suite: Suite, trials: Sequence[Trial], now: Circumstances) -> dict[str, Any]:
    """The whole document. Raises NotJudged `incomplete_metadata` where it lacks a field that rubric §4.3 requires."""
    loaded = [trial.recording for trial in trials if isinstance(trial.recording, Loaded)]
    cassettes, pins = [each.cassette for each in loaded], [each.pin for each in loaded]
    at = datetime.now(UTC)
    document = {
        "schema": SCHEMA_ID,
        "run_id": f"{at.strftime('%Y%m%dT%H%M%S')}-{now.digest.removeprefix('sha256:')[:12]}",
        "timestamp_utc": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "results_digest": now.digest,
        "profile": now.profile,
        "dataset_id": suite.evals.name,
        "dataset_version_or_hash": _dataset_hash(suite),
        "model_id": _listed(model.requested for pin in pins for model in pin.models),
        "model_version": _listed(model.resolved for pin in pins for model in pin.models),
        "evaluator_model_id": OFF,
        "evaluator_model_version": OFF,
        "prompt_template_id": _listed(trial.task.path_id for trial in trials),
        "prompt_template_version_or_hash": _listed(pin.prompt_sha256 for pin in pins),
        "evaluator_prompt_template_version_or_hash": OFF,
        "generation_params": _generation(cassettes),
        "code_version": commit_of(suite.project),
        "environment": {
            "runtime": f"{platform.python_implementation()} {platform.python_version()}",
            "platform": platform.platform(),
            "machine": machine_class(),
            "executable": sys.executable,
            "tapegate": __version__,
        },
        "guard": {"machine": describe(), "tasks": dict(sorted(now.guards.items()))},
        "recordings": [{"key": cassette.key, "trial": cassette.trial, **_recorded(cassette)} for cassette in cassettes],
        "durations_ms": dict(sorted(now.durations_ms.items())),
        "prices": named(suite.config.prices) or OFF,
        "jobs": now.jobs,
        "order": now.order,
        "vcrpy_stood_in_for": {key: list(clients) for key, clients in sorted(now.stand_ins.items())},
        "logs": {key: list(lines) for key, lines in sorted(now.logs.items())},
    }
    complete(document)
    return document


def to_bytes(document: Mapping[str, Any]) -> bytes:
    """The document as it is written."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _recorded(cassette: Cassette) -> dict[str, str]:
    made = cassette.provenance
    return {
        "recorded_at": made.recorded_at,
        "commit": made.commit,
        "machine": made.machine,
        "recorder": made.recorder,
        "source": made.source,
        "source_kind": made.source_kind,
        "source_description": made.source_description,
    }


def inputs_hash(suite: Suite) -> str:
    """sha256 over the config, the task files and what they are set up with."""
    config = (suite.project / suite.source.file).read_bytes().replace(b"\r\n", b"\n")
    return f"sha256:{hashlib.sha256(config + _dataset_hash(suite).encode()).hexdigest()}"


def _dataset_hash(suite: Suite) -> str:
    """sha256 over the task files and what they are set up with, each by its name and its bytes."""
    files = {suite.project / task.source.file for task in suite.tasks}
    files.update(path for task in suite.tasks for path in suite.fixtures_of(task))
    files.update(path for task in suite.tasks if (path := suite.snapshot_of(task)) is not None)
    total = hashlib.sha256()
    for path in sorted(files):
        raw = path.read_bytes()
        if path.suffix in TEXTS:  # the same in a checkout with other line ends
            raw = raw.replace(b"\r\n", b"\n")
        name = path.relative_to(suite.evals).as_posix()
        total.update(f"{name}\0{hashlib.sha256(raw).hexdigest()}\n".encode())
    return f"sha256:{total.hexdigest()}"


def _generation(cassettes: Iterable[Cassette]) -> dict[str, Any]:
    """What the recorded requests asked for, parameter by parameter."""
    seen: dict[str, list[Any]] = {name: [] for name in GENERATION}
    requests = (interaction.request for cassette in cassettes for interaction in cassette.interactions)
    for request in requests:
        for name, value in (generation(request.headers, request.body) or {}).items():
            if value not in seen[name]:
                seen[name].append(value)
    return {
        name: NONE_RECORDED if not found else found[0] if len(found) == 1 else sorted(found, key=str)
        for name, found in seen.items()
    }


def _listed(found: Iterable[str | None]) -> str:
    return ", ".join(sorted({value for value in found if value})) or NONE_RECORDED
