"""Whether a request is one that GitHub's own description knows, to the last parameter."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

CONTRACT = Path(__file__).with_name("contract.json")


@cache
def operations() -> list[tuple[str, re.Pattern[str], str, dict[str, Any]]]:
    """Method, pattern of the path, path and description of each."""
    paths = json.loads(CONTRACT.read_text("utf-8"))["paths"]
    return [
        (method.upper(), re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))), path, said)
        for path, methods in paths.items()
        for method, said in methods.items()
    ]


def problems(method: str, path: str, query: dict[str, str], headers: Any, body: bytes) -> list[str]:
    """Everything about a request that GitHub does not document."""
    for name, pattern, template, said in operations():
        found = pattern.fullmatch(path)
        if found is not None and name == method:
            return [
                f"{method} {template}: {problem}"
                for problem in [
                    *_parameters(said, "path", found.groupdict()),
                    *_parameters(said, "query", query),
                    *_body(said, body),
                    *_headers(headers),
                ]
            ]
    return [f"{method} {path}: there is no such operation"]


def _parameters(said: dict[str, Any], place: str, given: dict[str, str]) -> list[str]:
    known = {one["name"]: one for one in said["parameters"] if one["in"] == place}
    found = [f"there is no {place} parameter {name!r}" for name in given if name not in known]
    found += [f"{name!r} is missing" for name, one in known.items() if one["required"] and name not in given]
    for name, value in given.items():
        schema = known.get(name, {}).get("schema", {})
        if not any(Draft7Validator(schema).is_valid(one) for one in _readings(value)):
            found.append(f"{name}={value!r} is not what {schema} allows")
    return found


def _readings(value: str) -> list[Any]:
    """What a parameter's text may stand for."""
    return [
        value,
        *([int(value)] if value.isdecimal() else []),
        *([value == "true"] if value in ("true", "false") else []),
    ]


def _body(said: dict[str, Any], body: bytes) -> list[str]:
    if "body" not in said:
        return ["a body, where none is read"] if body else []
    try:
        document = json.loads(body)
    except ValueError:
        return ["the body is no JSON"]
    schema = _plain(said["body"]["schema"])
    found = [error.message for error in Draft7Validator(schema).iter_errors(document)]
    if isinstance(document, dict):
        # GitHub reads past a field that it does not know: what was meant by it is lost.
        found += [
            f"the body has a field {name!r} that is not read" for name in document if name not in schema["properties"]
        ]
    return found


def _plain(schema: Any) -> Any:
    """OpenAPI's `nullable` as JSON Schema says it."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _plain(value) for name, value in schema.items() if name != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


def _headers(headers: Any) -> list[str]:
    found = []
    if headers.get("accept") != "application/vnd.github+json":
        found.append(f"accept is {headers.get('accept')!r}")
    if headers.get("x-github-api-version") != "2022-11-28":
        found.append(f"x-github-api-version is {headers.get('x-github-api-version')!r}")
    if not headers.get("user-agent"):
        found.append("no user agent, which GitHub refuses")
    return found
