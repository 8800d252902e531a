"""What the checks look at: a project's evals and recordings, each read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tapegate.errors import TapegateError
from tapegate.load.suite import Survey
from tapegate.model.config import Config
from tapegate.model.problem import Problem
from tapegate.tape.place import Place
from tapegate.tape.verify import places, verify


@dataclass(frozen=True)
class Ground:
    """One project."""

    survey: Survey

    @property
    def config(self) -> Config:
        """The config, for checks that are made of sound input only."""
        assert self.survey.config is not None
        return self.survey.config

    def at(self, code: str, message: str, *path: str | int, fix: str) -> Problem:
        """A problem at a path of the config."""
        source = self.survey.source
        return Problem(code, message, source.file, source.line(*path), fix=fix)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The folders of all recordings; none where their names cannot be trusted, which `recorded` tells."""
        return tuple(places(self.survey.project)) if not self._unlisted else ()

    @cached_property
    def recorded(self) -> tuple[Problem, ...]:
        """Everything wrong with the recordings and their pins."""
        return self._unlisted or tuple(verify(self.survey.project))

    @cached_property
    def _unlisted(self) -> tuple[Problem, ...]:
        try:
            places(self.survey.project)
        except TapegateError as error:
            return error.problems
        return ()
