"""Holds the actions and the workflows against everything that knows them: this repository's own, and those that
`tapegate init --github` writes elsewhere.

GitHub's JSON schemas, zizmor as an auditor, actionlint (WebAssembly, under Node), and shellcheck over every `run:`.
Exceptions stand where they are made, each with its reason: `# zizmor: ignore[rule] why`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
ACTIONS = (ROOT / "action.yml", ROOT / "setup" / "action.yml")
OWN = ROOT / ".github" / "workflows"
STARTERS = ROOT / "src" / "tapegate" / "cli" / "starter" / "workflows"
ACTIONLINT = ROOT / ".ci" / "actionlint" / "node_modules" / "@tktco" / "node-actionlint" / "bin" / "node-actionlint.js"
FILLED = {
    "TAPEGATE_ACTION": "owner/tapegate",
    "TAPEGATE_SHA": "0123456789abcdef0123456789abcdef01234567",
    "INSTALL": '""',
    "DEFAULT_BRANCH": '"main"',
}


def main() -> int:
    """Run every check; 1 where one of them finds something."""
    with tempfile.TemporaryDirectory() as name:
        # As a repository has them: zizmor and actionlint look at where a file stands.
        folder = Path(name) / ".github" / "workflows"
        folder.mkdir(parents=True)
        for path in sorted(STARTERS.glob("*.yml")):
            text = path.read_text("utf-8")
            for word, value in FILLED.items():
                text = text.replace(word, value)
            (folder / path.name).write_text(text, "utf-8")
        workflows = [*sorted(OWN.glob("*.yml")), *sorted(folder.glob("*.yml"))]
        checks = [
            [BIN / "check-jsonschema", "--builtin-schema", "vendor.github-actions", *ACTIONS],
            [BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows],
            [BIN / "zizmor", "--offline", "--persona", "auditor", "--quiet", *ACTIONS, *workflows],
            *(_actionlint(place) for place in (OWN, folder)),
            [BIN / "shellcheck", ROOT / ".ci" / "run", ROOT / ".ci" / "no-network"],
            *_scripts([*ACTIONS, *workflows], Path(name)),
        ]
        codes = [subprocess.run(list(map(str, check)), cwd=ROOT, check=False).returncode for check in checks if check]  # noqa: S603
    return 1 if any(codes) else 0


def _actionlint(folder: Path) -> list[object]:
    node = shutil.which("node")
    if node is not None and ACTIONLINT.exists():
        return [node, ACTIONLINT, f"{folder}/*.yml"]
    if os.environ.get("CI") == "true":
        sys.exit("actionlint is not there: it needs node and npm")
    print("actionlint was left out: it needs node and npm", file=sys.stderr)
    return []


def _scripts(files: list[Path], folder: Path) -> Iterator[list[object]]:
    """shellcheck of every `run:`, as the runner starts it."""
    made = []
    for path in files:
        document = yaml.safe_load(path.read_text("utf-8"))
        jobs = document["jobs"].values() if "jobs" in document else [document["runs"]]
        for number, step in enumerate(step for job in jobs for step in job["steps"] if "run" in step):
            script = folder / f"{re.sub('[^a-z]', '-', str(path))[-40:]}-{number}.sh"
            script.write_text("#!/usr/bin/env bash\nset -eo pipefail\n" + step["run"] + "\n", "utf-8")
            made.append(script)
    yield [BIN / "shellcheck", *made]


if __name__ == "__main__":
    sys.exit(main())
