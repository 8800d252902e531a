"""Changing a module when somebody imports it, without importing it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Change = Callable[[ModuleType], None]


def on_import(name: str, change: Change) -> None:
    """Call `change` with the module `name` right after it is first executed; at once where it has been already."""
    module = sys.modules.get(name)
    if module is not None:
        change(module)
        return
    finder = next((finder for finder in sys.meta_path if isinstance(finder, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.insert(0, finder)
    finder.changes.setdefault(name, []).append(change)


class _Finder(MetaPathFinder):
    """Finds nothing itself: it lets the others find, and stands between their loader and the module."""

    def __init__(self) -> None:
        self.changes: dict[str, list[Change]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.changes:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Changing(spec.loader, self.changes[fullname])
                return spec
        return None


class _Changing(Loader):
    """Another loader, and what to do when it is done. It takes itself out of the module's attributes again."""

    def __init__(self, loader: Loader, changes: Sequence[Change]) -> None:
        self._loader = loader
        self._changes = changes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__spec__.loader is self:
            module.__spec__.loader = self._loader
        if getattr(module, "__loader__", None) is self:
            module.__loader__ = self._loader
        self._loader.exec_module(module)
        for change in self._changes:
            change(module)
