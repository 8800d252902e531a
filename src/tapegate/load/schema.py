"""The JSON Schemas (draft 2020-12) of what people write: the task and the config."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tapegate.load.modes import mode_schema
from tapegate.model.config import Config
from tapegate.model.task import Task

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_FIXED = {"properties": {"tool_path_policy": {"const": "fixed_order"}}, "required": ["tool_path_policy"]}
_AUDITED = {"properties": {"runtime_llm_judge": {"const": "audit"}}, "required": ["runtime_llm_judge"]}


def task_schema() -> dict[str, Any]:
    """The schema of `evals/<suite>/<KEY>.yaml`.

    What a schema cannot say is checked by the loader alone: what other files hold, names that are no file names on
    some system, and that `2.0` is no whole number.
    """
    schema = _schema(Task, "task")
    schema["$defs"]["Outcome"] |= {
        "if": _FIXED,
        "then": {"required": ["order_critical"], "properties": {"order_critical": {"type": "string"}}},
        "else": {"properties": {"order_critical": {"type": "null"}}},
    }
    schema["$defs"]["Grading"] |= {
        "if": _AUDITED,
        "then": {"required": ["judge"], "properties": {"judge": {"type": "object"}}},
        "else": {"properties": {"judge": {"type": "null"}}},
    }
    schema["allOf"] = mode_schema()
    schema["$defs"]["Reply"]["oneOf"] = [
        {"required": [kind], "properties": {kind: {"type": "string"}, other: {"type": "null"}}}
        for kind, other in (("content", "body"), ("body", "content"))
    ]
    schema["$defs"]["QualityFact"]["anyOf"] = [
        {"required": [wordings], "properties": {wordings: {"minItems": 1}}} for wordings in ("any_of", "all")
    ]
    return schema


def config_schema() -> dict[str, Any]:
    """The schema of `evals/tapegate.yaml`."""
    return _schema(Config, "config")


def _schema(model: type[BaseModel], name: str) -> dict[str, Any]:
    schema: dict[str, Any] = _closed(model.model_json_schema(by_alias=True))
    return {"$schema": DIALECT, "$id": f"urn:tapegate:schema:{name}:1"} | schema


def _closed(part: Any) -> Any:
    """A part of pydantic's schema without its made-up titles, and closed to keys that no pattern admits.

    Pydantic writes the type of a key as `patternProperties` and forgets to refuse all other keys, which it does refuse.
    """
    if isinstance(part, list):
        return [_closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(value) for key, value in part.items() if not (key == "title" and isinstance(value, str))}
    return closed | ({"additionalProperties": False} if "patternProperties" in closed else {})
