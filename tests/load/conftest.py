"""Small projects to load, and problems in a form that tables can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from tapegate.load.document import Document
from tapegate.load.reader import parse_document
from tapegate.model.problem import Problem

CONFIG = """\
version: 1
paths:
  A1:
    title: Main prompt
    status: active
    files: [src/agent.py]
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
path_id: A1
mode: single_turn
input: What is known of gates?
expect:
  accepted_outcomes:
    - allowed_first_tools: [search_local]
grading:
  deterministic_metrics: [tool_trace]
"""


@pytest.fixture
def config_text() -> str:
    """A config with one path and one subject."""
    return CONFIG


@pytest.fixture
def task_text() -> str:
    """A task that lies at evals/retrieval/RET-01@A1.yaml."""
    return TASK


@pytest.fixture
def read() -> Callable[..., Document]:
    """Reads text or bytes as if they stood in a file."""

    def parse(text: str | bytes, file: str = "x.yaml") -> Document:
        return parse_document(text if isinstance(text, bytes) else text.encode(), file)

    return parse


@pytest.fixture
def told() -> Callable[[Iterable[Problem]], list[str]]:
    """Problems as `line:column code`, in the order of their places."""

    def brief(problems: Iterable[Problem]) -> list[str]:
        return [f"{problem.line}:{problem.column} {problem.code}" for problem in sorted(problems, key=Problem.place)]

    return brief


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    """Writes a sound project of one task, with the given files over it; None leaves a file out."""

    def write(files: Mapping[str, str | bytes | None] | None = None) -> Path:
        sound: dict[str, str | bytes | None] = {
            "evals/tapegate.yaml": CONFIG,
            "evals/retrieval/RET-01@A1.yaml": TASK,
            "src/agent.py": "",
        }
        for name, text in (sound | dict(files or {})).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write
