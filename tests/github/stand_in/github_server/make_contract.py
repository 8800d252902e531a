"""Makes `contract.json`: what GitHub's REST description says of the requests that are sent here.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-*.tgz
    python tests/github/stand_in/github_server/make_contract.py package/generated/api.github.com.json

The description is GitHub's, under the MIT licence, which permits this copy of a part of it; the copy names it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPO = "/repos/{owner}/{repo}"
OPERATIONS = (
    ("get", f"{REPO}/pulls"),
    ("post", f"{REPO}/pulls"),
    ("get", f"{REPO}/pulls/{{pull_number}}"),
    ("patch", f"{REPO}/pulls/{{pull_number}}"),
    ("get", f"{REPO}/issues/{{issue_number}}/comments"),
    ("post", f"{REPO}/issues/{{issue_number}}/comments"),
    ("patch", f"{REPO}/issues/comments/{{comment_id}}"),
    ("delete", f"{REPO}/issues/comments/{{comment_id}}"),
    ("get", f"{REPO}/git/commits/{{commit_sha}}"),
    ("get", f"{REPO}/actions/runs"),
    ("get", f"{REPO}/actions/runs/{{run_id}}"),
    ("get", f"{REPO}/actions/runs/{{run_id}}/artifacts"),
    ("get", f"{REPO}/actions/workflows/{{workflow_id}}/runs"),
    ("post", f"{REPO}/actions/workflows/{{workflow_id}}/dispatches"),
    ("get", f"{REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}"),
)
KEPT = {
    "type", "properties", "required", "items", "enum", "oneOf", "anyOf", "allOf", "nullable", "minLength", "maxLength",
    "minimum", "maximum", "maxItems", "minItems", "maxProperties", "additionalProperties", "default",
}  # fmt: skip
"""What decides; descriptions and examples are left out."""
LICENCE = "Copyright (c) GitHub and Octokit contributors; MIT licence, https://spdx.org/licenses/MIT"


def main(source: Path) -> None:
    """Write the part of `source` that is needed beside this file."""
    whole = json.loads(source.read_text("utf-8"))
    paths: dict[str, Any] = {}
    for method, path in OPERATIONS:
        found = whole["paths"][path][method]
        parameters = [_resolved(whole, one) for one in found.get("parameters", [])]
        entry: dict[str, Any] = {
            "parameters": [
                {
                    "name": one["name"],
                    "in": one["in"],
                    "required": one.get("required", False),
                    "schema": _schema(whole, one["schema"]),
                }
                for one in parameters
            ],
            "statuses": sorted(found["responses"]),
        }
        if "requestBody" in found:
            body = found["requestBody"]
            entry["body"] = {
                "required": body.get("required", False),
                "schema": _schema(whole, body["content"]["application/json"]["schema"]),
            }
        paths.setdefault(path, {})[method] = entry
    made = {"source": f"npm @octokit/openapi {whole['info']['version']}", "licence": LICENCE, "paths": paths}
    text = json.dumps(made, indent=1, sort_keys=True) + "\n"
    Path(__file__).with_name("contract.json").write_text(text, "utf-8")


def _resolved(whole: Any, part: Any) -> Any:
    while isinstance(part, dict) and "$ref" in part:
        found = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def _schema(whole: Any, part: Any) -> Any:
    part = _resolved(whole, part)
    if isinstance(part, list):
        return [_schema(whole, one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {}
    for name, value in part.items():
        if name == "properties":
            made[name] = {each: _schema(whole, schema) for each, schema in value.items()}
        elif name in KEPT:
            made[name] = _schema(whole, value)
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]))
