"""Generation parameters: the rubric's defaults, or an override that is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.run.metadata import DEFAULTS
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.recordings import Sampling


def _overrides(ground: Ground) -> Iterator[Problem]:
    """Read are the parameters that recorded requests to models set, under any provider's names, and held against
    `generation` of the task's path, and where that is silent against temperature 0, top_p 1 and 1,024 tokens. The seed
    is 42, or the one that the trial was given (`setup.seed`, one more for each trial). Only what a request sets counts;
    what it leaves away is the next check's."""
    for task, sampling in _recorded(ground):
        declared = _expected(ground, task, sampling)
        for name, value in sampling.values:
            if name in declared and value not in declared[name]:
                yield Problem(
                    "undeclared_override",
                    f"recordings of {task.key} ask for {name} {value!r}; the default is {DEFAULTS[name]!r}, and path"
                    f" {task.path_id!r} declares no other",
                    sampling.file,
                    fix=f"ask for the default, or write `generation: {{{name}: {value!r}}}` under paths.{task.path_id}",
                )


def _left(ground: Ground) -> Iterator[Problem]:
    """A request that sets no temperature gets the provider's, which is not 0."""
    for task, sampling in _recorded(ground):
        if not sampling.temperate:
            yield Problem(
                "default_not_asked",
                f"recordings of {task.key} leave the temperature to the provider",
                sampling.file,
                fix="ask for temperature 0, or declare what is meant under `generation` of the path",
            )


def _recorded(ground: Ground) -> Iterator[tuple[Task, Sampling]]:
    for task in ground.survey.tasks:
        found = ground.recordings.get((task.suite, task.key))
        yield from ((task, sampling) for sampling in (found.sampling if found is not None else ()))


def _expected(ground: Ground, task: Task, sampling: Sampling) -> Mapping[str, tuple[Any, ...]]:
    """By parameter, the values that are as they should be."""
    declared = ground.config.paths[task.path_id].generation.model_dump(exclude_none=True)
    given = task.setup.seed + sampling.trial - 1
    return {
        name: (declared[name],) if name in declared else (default, given) if name == "seed" else (default,)
        for name, default in DEFAULTS.items()
    }


CHECKS = (
    Check(
        "generation",
        "Recorded requests ask models for the rubric's generation defaults, or for an override that is declared.",
        "finding",
        _overrides,
        {"undeclared_override": "A recorded request sets a parameter otherwise than by default, and nothing says why."},
    ),
    Check(
        "generation_left",
        "Recorded requests leave no generation default to the provider.",
        "note",
        _left,
        {"default_not_asked": "A recorded request sets no temperature."},
    ),
)
