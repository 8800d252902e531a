"""A change against its base: which paths of the scope table it touches, and what it does to their evals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tapegate.load.cases import expanded
from tapegate.load.config import read_config
from tapegate.load.folder import CONFIG, RESERVED
from tapegate.load.reader import parse_document
from tapegate.load.suite import Survey
from tapegate.model.config import Config, ScopePath
from tapegate.model.task import Task
from tapegate.oracles.oracle import Oracle
from tapegate.oracles.tolerances import slot_kinds
from tapegate.standard.base import Base, Status
from tapegate.standard.eval_change import EvalChange, eval_changes
from tapegate.standard.files import matching
from tapegate.standard.globs import names
from tapegate.standard.trailers import Trailers

_RECORDING = re.compile(r"cassettes/[^/]+/([^/]+)/.+")


@dataclass(frozen=True, slots=True)
class TouchedPath:
    """A path of the scope table with a file that is not as it was."""

    path_id: str
    files: tuple[str, ...]
    evals: tuple[str, ...]
    """Keys of its evals that are new, ask for something else, or start from other files."""
    recordings: tuple[str, ...]
    """Keys of its evals with a recording that is new or another one."""
    reason: str
    """Why none of its evals changed, as the authors say; empty where they do not."""


@dataclass(frozen=True, slots=True)
class DroppedPath:
    """A path that the scope table no longer has, or has with fewer files."""

    path_id: str
    left: tuple[str, ...]
    """Those of its files that are still there, and belong to no path now."""
    gone: bool = True
    """Whether the path itself is gone."""


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between a base and a project."""

    base: str
    """What the user called it."""
    commit: str
    """Its SHA; empty where it is no commit."""
    files: Mapping[str, Status]
    """Every file that is not as it was."""
    paths: tuple[TouchedPath, ...]
    """Sorted by path id."""
    new_paths: tuple[str, ...]
    """Paths that the scope table did not have."""
    dropped_paths: tuple[DroppedPath, ...]
    dropped_rows: Mapping[str, str]
    """By path id the row of the inventory that the path was held to, and no longer is."""
    reasons: Mapping[str, str]
    """Why they are not, by path id, as the authors say."""
    config: tuple[str, ...]
    """Where the scope table, the normalisers and the profiles are not as they were: `paths.A1.files`."""
    evals: tuple[EvalChange, ...]
    """Sorted by key."""

    @classmethod
    def of(cls, base: Base, survey: Survey, described: Iterable[str], catalog: Sequence[Oracle]) -> Change:
        """The change from a base to a project; `described` is what its authors say of it beside commit messages."""
        files = base.touched()
        evals = _inside(survey)
        before_it = _moved_from(evals, files)
        config_file = f"{before_it}/{CONFIG}"
        tasks = [name for name in files if _is_task(name, evals) or _is_task(name, before_it)]
        was = base.read([name for name in (config_file, *tasks) if files.get(name, "added") != "added"])
        config = _config_before(was.get(config_file), files.get(config_file), survey.config)
        before = dict(config.paths) if config is not None else {}
        now = dict(survey.config.paths) if survey.config is not None else {}
        said = Trailers.of([*described, *base.messages()], {*before, *now})
        old = [parse_document(was[name], name) for name in tasks if name in was]
        added = {name for name in tasks if files[name] == "added"}
        changed = tuple(
            sorted(eval_changes(survey.tasks, added, old, said, slot_kinds(catalog)), key=lambda each: each.key)
        )
        return cls(
            base=base.name,
            commit=base.commit,
            files=files,
            paths=tuple(_touched(survey, files, (before, now), changed, said)),
            new_paths=tuple(sorted(set(now) - set(before))),
            dropped_paths=tuple(_dropped(survey, before, now)),
            dropped_rows={
                path_id: path.inventory
                for path_id, path in before.items()
                if path_id in now and path.inventory is not None and now[path_id].inventory != path.inventory
            },
            reasons={path_id: why for path_id in now if (why := said.why_removed(path_id))},
            config=tuple(_differences(config, survey.config)),
            evals=changed,
        )


def _moved_from(evals: str, files: Mapping[str, Status]) -> str:
    """The folder that the evals were in: another one where their config is new there, and is gone from it."""
    if files.get(f"{evals}/{CONFIG}") == "added":
        gone = (name for name, what in files.items() if what == "removed" and name.endswith(f"/{CONFIG}"))
        return next((name.removesuffix(f"/{CONFIG}") for name in sorted(gone)), evals)
    return evals


def _config_before(raw: bytes | None, status: Status | None, now: Config | None) -> Config | None:
    """The config as it was; None where there was none. One that cannot be read is taken to be the one that is there."""
    if status == "added":
        return None
    return (read_config(parse_document(raw, CONFIG))[0] if raw is not None else None) or now


def _differences(before: Config | None, now: Config | None) -> Iterator[str]:
    """Where scope table, normalisers or profiles differ, by key; what a path that is new or gone holds goes with it."""
    if before is None or now is None:
        return
    for path_id in sorted(before.paths.keys() & now.paths.keys()):
        fields = zip(before.paths[path_id], now.paths[path_id], strict=True)
        yield from (f"paths.{path_id}.{name}" for (name, old), (_, new) in fields if old != new)
    if before.unscoped != now.unscoped:
        yield "unscoped"
    if before.normalisers != now.normalisers:
        yield "normalisers"
    for name in sorted(before.profiles.keys() | now.profiles.keys()):
        if before.profiles.get(name) != now.profiles.get(name):
            yield f"profiles.{name}"


def _inside(survey: Survey) -> str:
    evals, project = survey.evals, survey.project
    return evals.relative_to(project).as_posix() if evals.is_relative_to(project) else evals.as_posix()


def _is_task(name: str, evals: str) -> bool:
    parts = name.removeprefix(f"{evals}/").split("/")
    inside = name.startswith(f"{evals}/") and len(parts) == 2 and parts[0] not in RESERVED
    return inside and parts[1].endswith((".yaml", ".json"))


def _touched(
    survey: Survey,
    files: Mapping[str, Status],
    tables: Iterable[Mapping[str, ScopePath]],
    evals: Iterable[EvalChange],
    said: Trailers,
) -> Iterator[TouchedPath]:
    """The paths with a touched file, by the table as it was or as it is. Evals and recordings are what a path is held
    to, and no part of it."""
    patterns: dict[str, set[str]] = {}
    for table in tables:
        for path_id, path in table.items():
            patterns.setdefault(path_id, set()).update(path.files)
    own = [name for name in files if not name.startswith((f"{_inside(survey)}/", "cassettes/"))]
    changed = {each.key for each in evals if each.kind in ("added", "contract")}
    changed |= {task.key for task in survey.tasks if _materials(survey, task) & files.keys()}
    recorded = {found[1] for name, what in files.items() if what != "removed" and (found := _RECORDING.fullmatch(name))}
    for path_id in sorted(patterns):
        mine = tuple(sorted(name for name in own if names(patterns[path_id], name)))
        if mine:
            why = said.why_unchanged(path_id)
            yield TouchedPath(path_id, mine, _keys(changed, path_id), _keys(recorded, path_id), why)


def _keys(keys: Collection[str], path_id: str) -> tuple[str, ...]:
    return tuple(sorted(key for key in keys if key.rpartition("@")[2].partition("[")[0] == path_id))


def _materials(survey: Survey, task: Task) -> set[str]:
    """The files that a task starts from."""
    wanted = []
    for setup in (case.setup for case in expanded(task)):
        wanted += [(survey.snapshots, setup.db_snapshot), (survey.fixtures, setup.stream)]
        wanted += [(survey.fixtures, name) for name in setup.fixtures]
    found = [shelf.file(name) for shelf, name in wanted if name is not None and shelf.fault(name) is None]
    return {path.relative_to(survey.project).as_posix() for path in found if path.is_relative_to(survey.project)}


def _dropped(survey: Survey, before: Mapping[str, ScopePath], now: Mapping[str, ScopePath]) -> Iterator[DroppedPath]:
    config = survey.config
    covered = [pattern for path in now.values() for pattern in path.files]
    covered += [pattern for entry in (config.unscoped if config is not None else ()) for pattern in entry.files]
    for path_id in sorted(before):
        gone = path_id not in now
        if gone or before[path_id].files != now[path_id].files:
            there = {name for pattern in before[path_id].files for name in matching(survey.project, pattern)}
            left = tuple(sorted(name for name in there if not names(covered, name)))
            if gone or left:
                yield DroppedPath(path_id, left, gone)
