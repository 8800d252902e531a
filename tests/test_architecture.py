"""The house stays in order: rooms import in one direction only, and files stay small and named for what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

ROOMS = (
    "model",
    "errors",
    "load",
    "tape",
    "doors",
    "subject",
    "stream",
    "run",
    "oracles",
    "grade",
    "compare",
    "report",
    "github",
    "standard",
    "cli",
)
"""Each may import the ones before it. `errors` renders the problems of `model`, which imports nothing of ours."""

ALONE = {"stream": {"model", "errors"}}
"""A room that may import less than its place allows: wire formats know of no tape and no subject."""

NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}
LONGEST = 600


def imports(path: Path, root: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports anywhere in it, also within functions, with its line."""
    package = path.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def violations(root: Path) -> list[str]:
    """Everything under `root` that breaks the rules, as `file:line: what`."""
    found = []
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root)
        if {part.removesuffix(".py") for part in file.parts} & NAMELESS:
            found.append(f"{file}: a name that says nothing")
        if len(path.read_text().splitlines()) > LONGEST:
            found.append(f"{file}: more than {LONGEST} lines")
        for module, line in imports(path, root):
            reason = _refused(file, module)
            if reason is not None:
                found.append(f"{file}:{line}: {reason}")
    return found


def _refused(file: Path, module: str) -> str | None:
    """Why a file may not import a module; None where it may."""
    package, *rest = module.split(".")
    if package not in {"tapegate", "paperdesk"}:
        return None
    if file.parts[0] != package:
        return f"{file.parts[0]} imports {package}"
    here, there = _room(file.parts[1:]), rest[0] if rest else None
    if package == "paperdesk" or here is None or there not in ROOMS or here == there:
        return None
    allowed = ALONE.get(here, set(ROOMS[: ROOMS.index(here)]))
    return None if there in allowed else f"{here} imports {there}"


def _room(parts: tuple[str, ...]) -> str | None:
    room = parts[0].removesuffix(".py")
    return room if room in ROOMS else None


def test_the_house_is_in_order() -> None:
    """No room imports one to its right, the two packages do not know each other, no file is nameless or too long."""
    assert violations(SRC) == []


def test_every_room_has_its_place() -> None:
    """A new room is put into the order by hand: a room that the list does not know would be free to import anything."""
    found = {path.name.removesuffix(".py") for path in (SRC / "tapegate").iterdir() if not path.name.startswith("_")}
    assert found - {"py.typed"} <= set(ROOMS)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("tapegate/load/x.py", "from tapegate.tape import store\n", "tapegate/load/x.py:1: load imports tape"),
        (
            "tapegate/load/x.py",
            "import os\n\n\ndef f():\n    import tapegate.cli.main\n",
            "tapegate/load/x.py:5: load imports cli",
        ),
        ("tapegate/load/x.py", "from tapegate import run\n", "tapegate/load/x.py:1: load imports run"),
        ("tapegate/load/x.py", "from ..tape import store\n", "tapegate/load/x.py:1: load imports tape"),
        ("tapegate/load/deep/x.py", "from ...tape.store import load\n", "tapegate/load/deep/x.py:1: load imports tape"),
        (
            "tapegate/model/x.py",
            "from tapegate.errors import LoadError\n",
            "tapegate/model/x.py:1: model imports errors",
        ),
        ("tapegate/errors.py", "from tapegate.load.suite import Suite\n", "tapegate/errors.py:1: errors imports load"),
        (
            "tapegate/stream/x.py",
            "from tapegate.tape.wire import Asked\n",
            "tapegate/stream/x.py:1: stream imports tape",
        ),
        ("tapegate/load/x.py", "import paperdesk.app\n", "tapegate/load/x.py:1: tapegate imports paperdesk"),
        ("paperdesk/x.py", "from tapegate.load.suite import Suite\n", "paperdesk/x.py:1: paperdesk imports tapegate"),
        ("tapegate/load/utils.py", "", "tapegate/load/utils.py: a name that says nothing"),
        ("tapegate/helpers/x.py", "", "tapegate/helpers/x.py: a name that says nothing"),
        ("tapegate/load/x.py", "x = 1\n" * 601, "tapegate/load/x.py: more than 600 lines"),
    ],
)
def test_a_planted_violation_is_found(file: str, text: str, expected: str, tmp_path: Path) -> None:
    """Each rule turns red on a file that breaks it, wherever in the file it does."""
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert violations(tmp_path) == [expected]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tapegate/run/x.py", "from tapegate.stream.dialect import parser\nfrom tapegate import __version__\n"),
        ("tapegate/errors.py", "from tapegate.model.problem import Problem\n"),
        ("tapegate/stream/x.py", "from tapegate.model.trace import Text\nfrom tapegate.errors import BadInput\n"),
        ("tapegate/load/x.py", "from tapegate.load.suite import Suite\nfrom . import suite\nimport yaml\n"),
        ("tapegate/__main__.py", "from tapegate.cli.main import main\n"),
        ("paperdesk/x.py", "from paperdesk.app import app\n"),
    ],
)
def test_what_is_allowed_is_not_refused(file: str, text: str, tmp_path: Path) -> None:
    """Imports to the left, within a room, of other packages and of the version are fine."""
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert violations(tmp_path) == []
