"""Metrics that are not Tapegate's own: those of a repository, and those of installed packages.

`evals/oracles/*.py` holds classes derived from `tapegate.oracles.oracle.Oracle`; a package names its classes under the
entry point `tapegate.metrics`. They run in the harness, as tests of the project do, and are held to the rules of the
built-in ones: a docstring with every section, a version, at least three cases that show what they find and what they
do not, and no name that another metric has. One that breaks a rule stops the run; none is left out in silence.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from tapegate.errors import LoadError
from tapegate.load.folder import Folder
from tapegate.model.problem import Problem
from tapegate.oracles.case import case_faults
from tapegate.oracles.catalog import CATALOG, collisions
from tapegate.oracles.manual import shortcomings
from tapegate.oracles.oracle import Oracle

GROUP = "tapegate.metrics"
FOLDER = "oracles"
_WANTED = ("name", "version", "codes", "slots", "invariants")
RULES = "docs/metrics.md says what a metric needs"


def catalog_of(project: Path, evals: Path | None = None) -> tuple[Oracle, ...]:
    """The built-in metrics, then those of installed packages, then those of the project. Raises LoadError for all that
    is wrong with any of them."""
    folder = Folder.of(project, evals)
    found = [*_of_packages(), *_of_files(folder)]
    problems = [*folder.problems, *(one for one in found if isinstance(one, Problem))]
    metrics = [(oracle, where) for oracle, where in (one for one in found if not isinstance(one, Problem))]
    for oracle, where in metrics:
        problems += [_problem(where, oracle, fault) for fault in (*shortcomings(oracle), *case_faults(oracle))]
    catalog = (*CATALOG, *(oracle for oracle, _ in metrics))
    if not problems:
        problems += [Problem("metric_collision", said, fix="rename one of them") for said in collisions(catalog)]
    if problems:
        raise LoadError.all(problems)
    return catalog


Found = Iterator[tuple[Oracle, str] | Problem]
"""Each metric with the file or package it comes from, or why there is none."""


def _of_packages() -> Found:
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.value, point.name)):
        where = f"{point.dist.name if point.dist is not None else '?'} ({point.value})"
        try:
            loaded = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever importing a package raises is what is wrong with it
            yield _unloadable(where, error)
            continue
        yield from _made([loaded], where, point)


def _of_files(folder: Folder) -> Found:
    room = folder.evals / FOLDER
    if not room.is_dir():
        return
    for entry in folder.entries(room):
        if entry.is_file() and entry.name.endswith(".py"):
            path = Path(entry.path)
            where = folder.named(path)
            try:
                module = _imported(path)
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a file of the project raises is what is wrong with it
                yield _unloadable(where, error, path)
                continue
            classes = [one for _, one in inspect.getmembers(module, inspect.isclass)]
            classes = [one for one in classes if one.__module__ == module.__name__ and not one.__name__.startswith("_")]
            metrics = [one for one in classes if _is_metric(one)]
            if not metrics:
                message = f"{where!r} holds no metric: no class in it is derived from tapegate.oracles.oracle.Oracle"
                yield Problem("no_metric", message, where, fix="derive one, or move the file out of evals/oracles")
            yield from _made(metrics, where)


def _imported(path: Path) -> Any:
    name = f"tapegate_project_oracles.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles look their module up by name.
    sys.modules[name] = module
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = written
    return module


def _made(classes: Sequence[Any], where: str, point: EntryPoint | None = None) -> Found:
    for one in classes:
        try:
            made: Any = one() if inspect.isclass(one) else one
        except (Exception, SystemExit) as error:  # noqa: BLE001  likewise
            yield _unloadable(where, error)
            continue
        if _is_metric(type(made)) and all(hasattr(made, name) for name in _WANTED):
            yield made, where
        else:
            what = point.value if point is not None else getattr(one, "__name__", repr(one))
            message = f"{what!r} is no metric: it wants {', '.join(_WANTED)} and the base class Oracle"
            yield Problem("no_metric", message, where, fix=RULES)


def _is_metric(one: type) -> bool:
    """Whether a class names `Oracle` as a base: a protocol cannot be asked with issubclass."""
    return Oracle in one.__mro__ and one is not Oracle


def _unloadable(where: str, error: BaseException, path: Path | None = None) -> Problem:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if str(path) == frame.filename]
    line = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
    message = f"the metric cannot be loaded: {type(error).__name__}: {error}".split("\n")[0]
    return Problem("metric_unloadable", message, where, line, fix="mend it, or remove it")


def _problem(where: str, oracle: Oracle, fault: str) -> Problem:
    try:
        _, line = inspect.getsourcelines(type(oracle))
    except (OSError, TypeError):
        line = 1
    return Problem("metric_refused", f"the metric {oracle.name!r} is refused: {fault}", where, line, fix=RULES)
