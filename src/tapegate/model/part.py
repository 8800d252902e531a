"""What every model of a file is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
"""A portable name: what may become part of a file name on any system."""

Tool = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0)]
NonEmpty = Annotated[str, Field(min_length=1)]
Amount = Annotated[float, Field(ge=0)]
"""A number from 0 up."""


class Part(BaseModel):
    """A piece of a file: frozen, strict, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class Bounds(Part):
    """How often something may happen, both ends included."""

    min: Count = 0
    """At least this often."""
    max: Count | None = None
    """At most this often; absent: no upper bound."""


class Band(Part):
    """How far a number may lie beyond a limit or beside a value; the larger of the two counts."""

    abs: Amount = 0
    """In the number's own unit."""
    rel: Amount = 0
    """As a share of the limit or value: 0.05 is 5 %."""
