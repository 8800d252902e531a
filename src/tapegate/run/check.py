"""What of a suite only the rooms that run it can judge: dialects, normaliser paths and price data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapegate.errors import BadInput
from tapegate.load.suite import Suite
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.run.cost import faults
from tapegate.stream.dialect import parser
from tapegate.tape.jsonpath import parse_path


def problems(suite: Suite) -> Iterator[Problem]:
    """Everything wrong with the config that would only show while a trial runs."""
    for name, subject in suite.config.subjects.items():
        try:
            parser(subject.stream)
        except BadInput as error:
            yield from _at(suite, error, ("subjects", name, "stream"))
    for number, rule in enumerate(suite.config.normalisers):
        try:
            parse_path(rule.path)
        except BadInput as error:
            yield from _at(suite, error, ("normalisers", number, "path"))
    for message, fix in faults(suite.config.prices):
        place = suite.source.line("prices", "data")
        yield Problem("price_data_differs", message, suite.source.file, place, fix=fix)


def _at(suite: Suite, error: BadInput, path: Path) -> Iterator[Problem]:
    for problem in error.problems:
        yield replace(problem, file=suite.source.file, line=suite.source.line(*path))
