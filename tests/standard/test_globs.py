"""Patterns of the scope table, held against names, agree with what they name on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapegate.standard.files import matching
from tapegate.standard.globs import names

TREE = (
    "agent.py",
    "src/agent.py",
    "src/prompts/main.md",
    "src/prompts/deep/er/critic.md",
    "src/.hidden/x.py",
    ".env",
    "app/[id]/page.tsx",
    "app/i/page.tsx",
    "a**b/x",
    "aXb/x",
    "[z-a]",
    "umlaut/ä b.txt",
)

PATTERNS = (
    "agent.py",
    "*.py",
    "**/*.py",
    "src/**",
    "src/**/*.md",
    "**",
    "*",
    "src/*/main.md",
    "src/prompts/**/critic.md",
    "app/[id]/page.tsx",
    "app/[!x]/page.tsx",
    "a**b/x",
    "[z-a]",
    "[",
    "umlaut/? b.txt",
    "src/prompts",
    "src/prompts/",
    "**/**/agent.py",
    "no/such/*",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files above."""
    root = tmp_path_factory.mktemp("tree")
    for name in TREE:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return root


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_names_what_it_finds(pattern: str, tree: Path) -> None:
    """A file that is gone is judged by its name alone, and so must be as it was when it was there."""
    found = set(matching(tree, pattern))
    named = {name for name in TREE if names([pattern], name)}
    # What exists under the very name of a pattern is meant by it on the disk, and by its name as well.
    assert found == {pattern} <= named if pattern in TREE else found == named


def test_a_path_that_exists_is_no_glob_on_the_disk(tree: Path) -> None:
    """Brackets may be part of a folder's name; then the file of that very name is meant."""
    assert set(matching(tree, "app/[id]/page.tsx")) == {"app/[id]/page.tsx"}
    assert names(["app/[id]/page.tsx"], "app/[id]/page.tsx")


def test_many_patterns_name_what_one_of_them_does() -> None:
    """A path of the scope table lists several."""
    assert names(["a/*", "b/*"], "b/x")
    assert not names([], "b/x")
