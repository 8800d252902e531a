"""What a pydantic model expects at each place of a file: its own annotations, walked the way a file is nested."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

_UNIONS = (Union, types.UnionType)


@dataclass(frozen=True, slots=True)
class Expected:
    """The type that is expected at one place."""

    annotation: Any
    """A type hint; None where the model knows nothing of the place."""

    @property
    def bare(self) -> Any:
        """The type hint without its metadata and without `| None`."""
        hint = self.annotation
        while True:
            if get_origin(hint) is Annotated:
                hint = get_args(hint)[0]
                continue
            members = [member for member in get_args(hint) if member is not type(None)]
            if get_origin(hint) not in _UNIONS or len(members) != 1:
                return hint
            hint = members[0]

    @property
    def variants(self) -> dict[str, type[BaseModel]]:
        """The models of a tagged union, by tag; empty for everything else."""
        hint = self.bare
        if get_origin(hint) not in _UNIONS:
            return {}
        return {tag: model for model in get_args(hint) for tag in _tags(model)}

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """The fields of a model, by the key that a file has for them; empty for everything else."""
        hint = self.bare
        if not (isinstance(hint, type) and issubclass(hint, BaseModel)):
            return {}
        return {field.alias or name: field for name, field in hint.model_fields.items()}

    @property
    def choices(self) -> list[str]:
        """The values that are allowed where they are listed; empty where they are not."""
        return [str(choice) for choice in get_args(self.bare)] if get_origin(self.bare) is Literal else []

    def part(self, key: str | int) -> Expected:
        """What is expected at a key or index below."""
        hint = self.bare
        if get_origin(hint) is dict:
            return Expected(get_args(hint)[1])
        if get_origin(hint) is tuple:
            return Expected(get_args(hint)[0])
        field = self.fields.get(str(key))
        return Expected(field.annotation if field else None)

    def description(self, key: str | int) -> str:
        """The sentence that the model says of a key below, in one line; empty where it says none."""
        field = self.fields.get(str(key))
        return " ".join((field.description or "").split()) if field else ""


def _tags(model: type[BaseModel]) -> list[str]:
    """The one value of the model's fields that can have but one."""
    fields = model.model_fields.values()
    constants = [get_args(field.annotation) for field in fields if get_origin(field.annotation) is Literal]
    return [str(values[0]) for values in constants if len(values) == 1]
