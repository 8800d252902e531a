"""The requests that the server knows are those that GitHub describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from github_server import contract

SLICE = Path(__file__).parents[3] / "shared" / "github" / "openapi-slice.json"
HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28", "user-agent": "tapegate"}
PULLS = "/repos/octo/library/pulls"


@pytest.mark.parametrize(
    ("method", "path", "query", "headers", "body", "expected"),
    [
        ("GET", PULLS, {"state": "open", "per_page": "100"}, {}, b"", ""),
        ("GET", PULLS, {"state": "opened"}, {}, b"", "state='opened'"),
        ("GET", PULLS, {"stat": "open"}, {}, b"", "no query parameter 'stat'"),
        ("GET", PULLS, {"per_page": "many"}, {}, b"", "per_page='many'"),
        ("GET", PULLS, {}, {}, b"{}", "a body, where none is read"),
        ("GET", PULLS, {}, {"accept": "*/*"}, b"", "accept is '*/*'"),
        ("GET", PULLS, {}, {"x-github-api-version": ""}, b"", "x-github-api-version"),
        ("GET", PULLS, {}, {"user-agent": ""}, b"", "no user agent"),
        ("PUT", PULLS, {}, {}, b"", "no such operation"),
        ("GET", "/user", {}, {}, b"", "no such operation"),
        ("POST", PULLS, {}, {}, b'{"head": "x", "base": "main", "title": "t"}', ""),
        ("POST", PULLS, {}, {}, b'{"head": "x"}', "'base' is a required property"),
        ("POST", PULLS, {}, {}, b'{"head": "x", "base": 7}', "7 is not of type 'string'"),
        ("POST", PULLS, {}, {}, b'{"head": "x", "base": "main", "tilte": "t"}', "a field 'tilte'"),
        ("POST", PULLS, {}, {}, b"head=x", "no JSON"),
        ("GET", f"{PULLS}/seven", {}, {}, b"", "pull_number='seven'"),
    ],
)
def test_a_request_is_held_against_the_description(
    method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes, expected: str
) -> None:
    """Path, query, body and headers, to the last field."""
    found = contract.problems(method, path, query, {**HEADERS, **headers}, body)
    assert len(found) == bool(expected)
    assert expected in "".join(found)


def test_the_part_agrees_with_the_slice() -> None:
    """What was cut out here says of every operation what the larger cut says."""
    if not SLICE.exists():
        pytest.skip("no ../shared")
    whole = json.loads(SLICE.read_text("utf-8"))
    ours = json.loads(contract.CONTRACT.read_text("utf-8"))["paths"]
    both = [(path, method) for path in ours for method in ours[path] if method in whole["paths"].get(path, {})]
    assert len(both) >= 9
    for path, method in both:
        theirs = whole["paths"][path][method]
        assert _named(ours[path][method]["parameters"]) == _named([_found(whole, one) for one in theirs["parameters"]])
        if "body" in ours[path][method]:
            schema = _found(whole, theirs["requestBody"]["content"]["application/json"]["schema"])
            assert ours[path][method]["body"]["schema"]["properties"].keys() == schema["properties"].keys()
            assert ours[path][method]["body"]["schema"].get("required") == schema.get("required")


def _found(whole: Any, part: Any) -> Any:
    for step in part.get("$ref", "#/").removeprefix("#/").split("/") if "$ref" in part else ():
        whole = whole[step]
    return whole if "$ref" in part else part


def _named(parameters: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(one["in"], one["name"]) for one in parameters}
