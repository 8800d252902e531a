"""Writes what the docs say of the action's inputs and outputs, from action.yml: docs/inputs.md, docs/outputs.md and the
tables of the README. `--check` writes nothing, and fails where they are not in step.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
MADE = "<!-- made from action.yml by .ci/action_pages.py: change it there, and run `make pages` -->"
BEGIN, END = "<!-- inputs and outputs: begin -->", "<!-- inputs and outputs: end -->"
LEADS = {
    "inputs": "Each has a default that serves: three lines of YAML are a working gate ([set it up](set-up.md)). An "
    "empty input is one that is not set. One that cannot be used ends the step with exit code 2 and says why.",
    "outputs": "Read them as `steps.<id>.outputs.<name>`. They are there however the gate ended; where it never began, "
    "`verdict` is failed, `exit-code` says why, `behaviour` and `recordings` are unknown, and the others are empty.",
}


def main() -> int:
    """Write or check; 1 where a page is not in step."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    stale = []
    for name, text in pages(action, (ROOT / "README.md").read_text("utf-8")).items():
        path = ROOT / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, "utf-8")
    if stale and "--check" in sys.argv[1:]:
        print(f"not in step with action.yml: {', '.join(stale)}; run `make pages`", file=sys.stderr)
        return 1
    return 0


def pages(action: Mapping[str, Any], readme: str) -> dict[str, str]:
    """Every file that is made, by its path from the root."""
    made = {f"docs/{kind}.md": "\n".join(_page(kind, action[kind])) for kind in LEADS}
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"README.md lacks {BEGIN} or {END}")
    return {**made, "README.md": f"{head}{BEGIN}\n\n{_tables(action)}\n{END}{tail}"}


def _page(kind: str, of: Mapping[str, Any]) -> Iterator[str]:
    yield f"# The action's {kind}"
    yield ""
    yield MADE
    yield ""
    yield from _wrapped(LEADS[kind])
    for name, told in of.items():
        yield ""
        yield f"## `{name}`"
        yield ""
        yield from _wrapped(told["description"])
        if "default" in told:
            yield ""
            default = told["default"]
            yield f"Default: `{default}`" if default else "Default: not set"
    yield ""


def _tables(action: Mapping[str, Any]) -> str:
    rows = ["| input | default | |", "| --- | --- | --- |"]
    for name, told in action["inputs"].items():
        default = f"`{told['default']}`" if told["default"] else "–"
        rows.append(f"| [`{name}`](docs/inputs.md#{name}) | {default} | {_first(told['description'])} |")
    outputs = ", ".join(f"[`{name}`](docs/outputs.md#{name})" for name in action["outputs"])
    return "\n".join([*rows, "", *_wrapped(f"Outputs: {outputs}."), ""])


def _first(text: str) -> str:
    """Its first clause."""
    return re.split(r"(?<=[a-z`])[.:;] |\.$", text, maxsplit=1)[0].replace("|", "\\|")


def _wrapped(text: str, width: int = 118) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


if __name__ == "__main__":
    sys.exit(main())
