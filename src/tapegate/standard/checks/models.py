"""Models are named so that the name means one model tomorrow as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tapegate.load.model_name import floating
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.recordings import Recordings

_NAMES_A_MODEL = re.compile(r"(?:^|_)(?:MODEL|DEPLOYMENT)(?:_(?:NAME|ID))?$", re.IGNORECASE)


def _floating(ground: Ground) -> Iterator[Problem]:
    """Looked at are what recordings asked for (`pins.json`), the variables and arguments of subjects and stand-ins that
    are called like a model, and the judge (which the reader of the config refuses). A name floats where a word of it
    says so (`latest`) and where its provider publishes dated versions and it has no date."""
    for recordings in ground.recordings.values():
        yield from _pinned(ground, recordings)
    for path, name in _configured(ground):
        why = floating(name)
        if why is not None:
            yield ground.at(
                "floating_model",
                f"{'.'.join(map(str, path))} is {name!r}, which {why}",
                *path,
                fix="name one version of the model, as its provider's documentation lists them",
            )


def _pinned(ground: Ground, recordings: Recordings) -> Iterator[Problem]:
    asked = {
        model.requested: model.resolved
        for pin in (recordings.pins.cassettes.values() if recordings.pins else ())
        for model in pin.models
    }
    for name, resolved in asked.items():
        why = floating(name)
        if why is not None:
            file = recordings.place.shown("pins.json")
            answered = f"; {resolved!r} answered" if resolved and resolved != name else ""
            yield Problem(
                "floating_model",
                f"recordings of {recordings.place.key} asked for {name!r}, which {why}{answered}",
                file,
                _line(ground, file, name),
                fix="let the agent ask for one version, and record again",
            )


def _configured(ground: Ground) -> Iterator[tuple[Path, str]]:
    config = ground.config
    holders: list[tuple[Path, dict[str, Any]]] = [
        (("subjects", name, field), getattr(subject, field))
        for name, subject in config.subjects.items()
        for field in ("env", "arguments")
        if hasattr(subject, field)
    ]
    holders += [
        (("sources", source, "stand_ins", name, "env"), stand_in.env)
        for source, entry in config.sources.items()
        for name, stand_in in entry.stand_ins.items()
    ]
    for path, values in holders:
        for key, value in values.items():
            if isinstance(value, str) and _NAMES_A_MODEL.search(key) and "{" not in value:
                yield (*path, key), value


def _line(ground: Ground, file: str, name: str) -> int | None:
    try:
        rows = (ground.survey.project / file).read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    return next((number for number, row in enumerate(rows, 1) if '"requested"' in row and f'"{name}"' in row), None)


CHECKS = (
    Check(
        "models",
        "No model is asked for by a name that moves.",
        "finding",
        _floating,
        {"floating_model": "A model is named by an alias that moves."},
    ),
)
