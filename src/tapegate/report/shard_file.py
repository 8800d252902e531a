"""`shard.json`: which part of which run a folder of results is, so that nothing else is joined with it."""

from __future__ import annotations

from typing import Literal

import orjson
from pydantic import Field, ValidationError

from tapegate.errors import BadInput
from tapegate.report.row import Row

SCHEMA_ID = "tapegate.shard/1"
NAME = "shard.json"


class ShardFile(Row):
    """The whole of shard.json."""

    schema_id: Literal["tapegate.shard/1"] = Field(alias="schema")
    shard: int = Field(ge=1)
    """1-based."""
    of: int = Field(ge=1)
    """How many parts the run has."""
    keys: tuple[str, ...] = Field(min_length=1)
    """Every task of the whole run, sorted."""
    partial: bool
    """Whether the whole run is one of a selection."""
    commit: str
    """Of the code; `none` where git cannot say."""
    inputs: str
    """sha256 over the config, the tasks and what they are set up with."""
    tapegate: str
    """The version that judged."""
    results: str
    """The digest of the results beside it."""

    def to_bytes(self) -> bytes:
        """Canonical JSON."""
        return orjson.dumps(self.model_dump(by_alias=True), option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def parse(cls, raw: bytes, file: str) -> ShardFile:
        """Read it back. Raises BadInput `bad_shard_file` for anything else."""
        try:
            return cls.model_validate_json(raw, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the whole file"
            raise BadInput.of(
                "bad_shard_file",
                f"this is no {SCHEMA_ID} file: {place}: {first['msg']}",
                file=file,
                fix="run the part again; `tapegate run --shard I/N` writes this file",
            ) from error
