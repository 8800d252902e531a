"""Changing modules when they are imported."""

from __future__ import annotations

import importlib
import sys

import pytest

from tapegate.doors.on_import import on_import


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module on disk that nobody has imported."""
    name = f"probe_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text('"""A probe."""\nvalue = 1\n')
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def test_a_module_is_changed_when_it_is_imported(module):
    """Asking for the change imports nothing; the import itself makes it."""
    on_import(module, lambda found: setattr(found, "value", found.value + 1))
    assert module not in sys.modules
    assert importlib.import_module(module).value == 2


def test_a_module_that_is_there_is_changed_at_once(module):
    """The order of import and installation does not matter."""
    found = importlib.import_module(module)
    on_import(module, lambda found: setattr(found, "value", 5))
    assert found.value == 5


def test_a_changed_module_looks_like_any_other(module):
    """Its loader, its source and its resources are those it would have had."""
    on_import(module, lambda found: None)
    found = importlib.import_module(module)
    assert type(found.__spec__.loader).__name__ == "SourceFileLoader"
    assert found.__loader__ is found.__spec__.loader
    assert found.__spec__.loader.get_source(module).startswith('"""A probe')
    importlib.reload(found)


def test_every_change_asked_for_is_made(module):
    """Two askers, two changes, in their order."""
    made: list[str] = []
    on_import(module, lambda found: made.append("first"))
    on_import(module, lambda found: made.append("second"))
    importlib.import_module(module)
    assert made == ["first", "second"]


def test_other_modules_are_none_of_its_business(module, monkeypatch):
    """A name nobody asked for is not looked at, and one that does not exist stays missing."""
    on_import("tapegate_absent", lambda found: pytest.fail("there is no such module"))
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tapegate_absent")
    assert importlib.import_module(module).value == 1
