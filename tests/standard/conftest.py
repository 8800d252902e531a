"""A small sound project with one recorded task, for checks to find nothing in until a test breaks it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tapegate.standard.base import FolderBase
from tapegate.standard.finding import LintReport
from tapegate.standard.lint import lint
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.store import write

CONFIG = """\
version: 1
paths:
  P1:
    title: Main prompt
    status: active
    files: [src/agent.py, "src/prompts/**/*.md"]
    subject: desk
subjects:
  desk:
    kind: python
    entry: agent:answer
    stream: text
"""

TASK = """\
id: RET-01
suite: retrieval
path_id: P1
mode: single_turn
input: What is known of gates?
expect:
  accepted_outcomes:
    - allowed_first_tools: [search_local]
grading:
  deterministic_metrics: [tool_trace]
"""

QUIET = Chunks(started_us=0, sizes=(), at_us=(), ended_us=10)


@dataclass(frozen=True, slots=True)
class Bench:
    """One project on the disk."""

    root: Path

    def put(self, name: str, text: str | bytes) -> None:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def swap(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands in a file."""
        text = (self.root / name).read_text()
        assert old in text
        self.put(name, text.replace(old, new))

    def config(self, old: str, new: str) -> None:
        """Replace a text in the config."""
        self.swap("evals/tapegate.yaml", old, new)

    def task(self, key: str, text: str = TASK) -> None:
        """Write a task of the suite `retrieval`, and record it."""
        eval_id, path_id = key.split("@")
        text = text.replace("RET-01", eval_id).replace("P1", path_id)
        self.put(f"evals/retrieval/{key}.yaml", text)
        self.record(key)

    def record(
        self,
        key: str,
        body: bytes = b"{}",
        *,
        trial: int = 1,
        suite: str = "retrieval",
        encoding: str = "",
        statuses: tuple[int, ...] = (200,),
    ) -> None:
        """Write a recording of the same request, once for each status that answers it."""
        headers = {"content-encoding": (encoding,)} if encoding else {}
        request = Request("POST", "https://model.example/v1/chat", headers, body)
        responses = [Response(status, "OK", {}, b"") for status in statuses]
        provenance = Provenance("tapegate 0", "2026-01-01T00:00:00Z", "none", "linux", "rules", "scripted", "rules")
        interactions = tuple(Interaction("model", request, response, QUIET) for response in responses)
        write(self.root, suite, [Cassette(key, trial, provenance, AgentStream("text", b"", QUIET), interactions)])

    def remember(self) -> None:
        """Take what is there now as the base of what follows."""
        shutil.copytree(self.root, self.root.parent / "base")

    def lint(self, *described: str) -> LintReport:
        """What lint finds now; against what was remembered, where something was."""
        base = self.root.parent / "base"
        if not base.exists():
            return lint(self.root)
        return lint(self.root, base=FolderBase.of(self.root, base), described=described)

    def told(self) -> list[tuple[str, str, str | None, int | None]]:
        """Severity, id, file and line of each finding."""
        return [(found.severity, found.id, found.file, found.line) for found in self.lint().findings]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project in which lint finds nothing."""
    bench = Bench(tmp_path / "project")
    bench.put("evals/tapegate.yaml", CONFIG)
    bench.put("src/agent.py", "")
    bench.put("src/prompts/deep/main.md", "")
    bench.task("RET-01@P1")
    return bench


@pytest.fixture
def row(bench: Bench) -> Callable[[str], None]:
    """Makes the project's one path declare a row of the inventory."""

    def declare(name: str) -> None:
        bench.config("    subject: desk", f"    subject: desk\n    inventory: {name}")

    return declare
