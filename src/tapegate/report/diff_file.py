"""`diff.json`: a comparison as other programs read it, and as the reports are rendered from it again."""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import TypeAdapter

from tapegate.compare.measures import MEASURES
from tapegate.errors import BadInput
from tapegate.model.diff import Diff
from tapegate.run.typed_json import Unfit, decode, encode

SCHEMA_ID = "tapegate.diff/1"


def to_bytes(diff: Diff) -> bytes:
    """Canonical JSON: sorted keys, two spaces, UTF-8, one newline at the end. Exact numbers are text, `39/50`."""
    document = {"schema": SCHEMA_ID, **encode(diff, Diff)}
    for task, row in zip(diff.tasks, document["tasks"], strict=True):
        row["kind"] = task.kind
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)
    # A lone surrogate can come out of a JSON escape of the agent's; UTF-8 does not have it, and it stays an escape.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def parse(raw: bytes, file: str) -> Diff:
    """Read diff.json back. Raises BadInput `bad_diff` when it is no such file."""
    try:
        document = json.loads(raw, parse_float=_finite, parse_constant=_finite)
        if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA_ID:
            raise Unfit("it does not say so")
        for row in document.get("tasks", ()):
            row.pop("kind", None)  # it follows from the rest
        diff = decode(document, Diff)
        _check(diff)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise BadInput.of(
            "bad_diff",
            f"this is no {SCHEMA_ID} file: {str(error).removeprefix('.')}",
            file=file,
            fix="compare the runs again with this Tapegate",
        ) from error
    assert isinstance(diff, Diff)
    return diff


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Unfit(f"{digits:.40} is no finite number")
    return value


def _check(diff: Diff) -> None:
    """What its types leave open: measures that there are, and rates that can be."""
    named = [one.measure for task in diff.tasks for trial in task.trials for one in trial.deltas]
    named += [one.measure for told in diff.statistics for one in told.measures]
    named += [name for told in diff.statistics for name, _ in told.not_measured]
    named += [one.measure for one in diff.budgets]
    for side in (diff.base, diff.head):
        one = side.rate
        if one is not None and not (0 <= one.passed <= one.total != 0 and 0 <= one.low <= one.high <= 1):
            raise Unfit(f"{one.passed} of {one.total}, {one.low:g} to {one.high:g}, is no rate")
    unknown = sorted({name for name in named if name not in MEASURES})
    if unknown:
        raise Unfit(f"there is no measure {unknown[0]!r:.80}")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of diff.json, draft 2020-12."""
    schema = TypeAdapter(Diff).json_schema(mode="serialization")
    task = schema["$defs"]["TaskDiff"]
    task["properties"]["kind"] = {"$ref": "#/$defs/Kind", "description": "What became of the task."}
    schema["$defs"]["Kind"] = _kinds()
    schema["properties"] = {"schema": {"const": SCHEMA_ID}, **schema["properties"]}
    for part in (schema, *schema["$defs"].values()):
        if part.get("type") == "object":
            part["additionalProperties"] = False
            part["required"] = sorted(part["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:tapegate:schema:diff:1",
        **schema,
    }


def _kinds() -> dict[str, Any]:
    from tapegate.model.diff import Kind

    schema: dict[str, Any] = TypeAdapter(Kind).json_schema()
    return schema
