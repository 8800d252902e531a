"""The provenance of a run in parts: one document out of theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tapegate.errors import BadInput
from tapegate.run.metadata import GENERATION, complete
from tapegate.run.provenance import NONE_RECORDED

_LISTS = ("model_id", "model_version", "prompt_template_id", "prompt_template_version_or_hash")
"""Fields that hold words with commas between them."""
_MAPPINGS = ("durations_ms", "logs", "vcrpy_stood_in_for")


def parse(raw: bytes, file: str) -> dict[str, Any]:
    """Read `provenance.json` of one part back. Raises BadInput `bad_provenance`."""
    try:
        document = json.loads(raw)
        complete(document)
        fit = all(isinstance(document[name], str) for name in _LISTS)
        fit = fit and all(isinstance(document[name], dict) for name in (*_MAPPINGS, "guard", "environment"))
        fit = fit and isinstance(document["guard"]["tasks"], dict) and isinstance(document["recordings"], list)
        fit = fit and all({"key", "trial"} <= set(each) for each in document["recordings"])
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise _refused(file) from error
    if not fit:
        raise _refused(file)
    return dict(document)


def joined(parts: Sequence[Mapping[str, Any]], digest: str) -> dict[str, Any]:
    """One document: what all agree on as it is, what each tells of its own tasks side by side."""
    first, at = parts[0], datetime.now(UTC)
    document: dict[str, Any] = {
        **first,
        "run_id": f"{at.strftime('%Y%m%dT%H%M%S')}-{digest.removeprefix('sha256:')[:12]}",
        "timestamp_utc": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "results_digest": digest,
        "guard": {
            "machine": first["guard"].get("machine"),
            "tasks": {key: level for part in parts for key, level in part["guard"]["tasks"].items()},
        },
        "recordings": sorted(
            (each for part in parts for each in part["recordings"]), key=lambda each: (each["key"], each["trial"])
        ),
        "generation_params": {name: _values(part["generation_params"][name] for part in parts) for name in GENERATION},
        "shards": [{"run_id": part["run_id"], "environment": part["environment"]} for part in parts],
    }
    for name in _LISTS:
        words = {word for part in parts for word in part[name].split(", ") if word != NONE_RECORDED}
        document[name] = ", ".join(sorted(words)) or NONE_RECORDED
    for name in _MAPPINGS:
        document[name] = dict(sorted((key, value) for part in parts for key, value in part[name].items()))
    complete(document)
    return document


def _values(of_each: Any) -> Any:
    found: list[Any] = []
    for value in of_each:
        for one in value if isinstance(value, list) else [value]:
            if one != NONE_RECORDED and one not in found:
                found.append(one)
    return NONE_RECORDED if not found else found[0] if len(found) == 1 else sorted(found, key=str)


def _refused(file: str) -> BadInput:
    return BadInput.of(
        "bad_provenance",
        "this is no provenance of a run's part",
        file=file,
        fix="run the part again, and keep its folder",
    )
