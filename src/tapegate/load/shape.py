"""A document as a typed model, or every way in which it is not one, each at its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tapegate.load import portable
from tapegate.load.describe import cure, dotted, kind_of, shown
from tapegate.load.document import Document, Json
from tapegate.load.expected import Expected
from tapegate.load.suggest import did_you_mean
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Name

M = TypeVar("M", bound=BaseModel)

_NAME = Name.__metadata__[0].metadata[0].pattern  # type: ignore[attr-defined]

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def shaped(model: type[M], document: Document) -> tuple[M | None, list[Problem]]:
    """The document as a `model`, and all that is wrong with it: the document's own problems and the model's."""
    problems = list(document.problems)
    if not document.whole:
        return None, problems
    try:
        # JSON is pydantic's one mode that is strict and still takes a list for a tuple.
        value = model.model_validate_json(orjson.dumps(document.value))
    except ValidationError as error:
        faults = [_Fault.of(model, document, details) for details in error.errors(include_url=False)]
        problems += [fault.problem() for fault in faults if not fault.echoes]
        return None, problems
    return (None if problems else value), problems


def is_name(value: Json) -> bool:
    """Whether the model takes a value for a name."""
    return isinstance(value, str) and re.fullmatch(_NAME, value) is not None


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of pydantic's, with where it stands in the file and what was expected there."""

    document: Document
    kind: str
    path: Path
    on_key: bool
    """Whether the key is wrong rather than its value."""
    expected: Expected
    """At the path."""
    holder: Expected
    """One step above it."""
    value: Json
    context: Mapping[str, Any]

    @classmethod
    def of(cls, model: type[BaseModel], document: Document, details: ErrorDetails) -> _Fault:
        loc = details["loc"]
        on_key = len(loc) > 1 and loc[-1] == "[key]" and details["input"] == loc[-2]
        path: list[str | int] = []
        holder, here = Expected(None), Expected(model)
        for part in loc[:-1] if on_key else loc:
            if variants := here.variants:  # pydantic puts the tag of a union into the place; the file has no step there
                here = Expected(variants.get(str(part)))
                continue
            holder, here = here, here.part(part)
            path.append(part)
        context = details.get("ctx", {})
        return cls(document, details["type"], tuple(path), on_key, here, holder, details["input"], context)

    @property
    def echoes(self) -> bool:
        """Whether another problem tells it already: a value that could not be read, a list of wrong items."""
        if any(self.path[: len(path)] == path for path in self.document.spoiled):
            return True
        return self.kind == "too_short" and len(self.value) >= self.context["min_length"]

    def problem(self) -> Problem:
        """What to tell."""
        match self.kind:
            case "missing":
                return self._missing(self.path)
            case "extra_forbidden":
                return self._unknown_key()
            case "literal_error":
                return self._unknown_value(self.path, self.value, self.expected.choices)
            case "union_tag_invalid":
                tag = self.context["tag"]
                return self._unknown_value((*self.path, self._tag_key), tag, list(self.expected.variants))
            case "union_tag_not_found":
                return self._missing((*self.path, self._tag_key))
            case "string_pattern_mismatch":
                return self._pattern()
            case "greater_than_equal":
                return self._say("out_of_range", f"must be {self.context['ge']} or more, and is {self.value!r}")
            case "less_than_equal":
                return self._say("out_of_range", f"must be {self.context['le']} or less, and is {self.value!r}")
            case "too_short":
                return self._say("too_few", f"needs at least {self.context['min_length']}, and has {len(self.value)}")
            case "string_too_short":
                return self._say("empty_text", "must not be empty", "write a value, or remove the key")
            case kind if kind in _TYPES:
                wanted = _TYPES[kind]
                return self._say(
                    "wrong_type", f"must be {wanted}, and is {kind_of(self.value)}", cure(wanted, self.value)
                )
            case kind:
                return self._say("bad_value", f"is {shown(self.value)}, which is refused: {kind.replace('_', ' ')}")

    @property
    def _tag_key(self) -> str:
        """The key that says which variant of a union a mapping is."""
        return str(self.context["discriminator"]).strip("'")

    def _say(self, code: str, message: str, fix: str = "") -> Problem:
        if self.on_key:
            name = f"the key {self.path[-1]!r} of {dotted(self.path[:-1])}"
            place = self.document.key_place(self.path)
        else:
            name, place = dotted(self.path), self.document.place(self.path)
        if not fix and self.path:
            fix = self.holder.description(self.path[-1])
        return self.document.problem(code, f"{name} {message}", place, fix or None)

    def _missing(self, path: Path) -> Problem:
        *above, key = path
        choices = list(self.expected.variants) or self.expected.choices
        hint = " or ".join(choices) if choices else self.holder.description(key)
        return self.document.problem(
            "missing_key",
            f"{dotted(tuple(above))} lacks the key {key!r}",
            self.document.key_place(tuple(above)),
            f"add {key}: ({hint})" if hint else f"add {key}:",
        )

    def _unknown_key(self) -> Problem:
        *above, key = self.path
        message = f"{key!r} is no key of {dotted(tuple(above))}"
        fix = did_you_mean(key, self.holder.fields)
        return self.document.problem("unknown_key", message, self.document.key_place(self.path), fix)

    def _unknown_value(self, path: Path, value: Json, choices: list[str]) -> Problem:
        message = f"{dotted(path)} must be one of the known values, and is {shown(value)}"
        return self.document.problem("unknown_value", message, self.document.place(path), did_you_mean(value, choices))

    def _pattern(self) -> Problem:
        if self.context["pattern"] == _NAME:
            code, why = portable.fault(self.value) or ("bad_name", f"is no portable name ({portable.RULE})")
            return self._say(code, f"is {shown(self.value)}, which {why}", f"use {portable.RULE}")
        return self._say("bad_value", f"is {shown(self.value)}, which does not match {self.context['pattern']}")
