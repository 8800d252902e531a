"""The lock file of a task's recordings: everything in it can be derived again from the cassettes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, ValidationError

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.model.task import Part
from tapegate.tape.canonical import Number
from tapegate.tape.cassette import Cassette, SourceKind
from tapegate.tape.chat import Chat, chats
from tapegate.tape.limits import DEFAULT, Limits

_UNESCAPED = re.compile(rb"[\n -\[\]-~]*")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Trial = Annotated[str, Field(pattern=r"^trial-[1-9][0-9]{0,3}\.yaml$")]


class ModelPin(Part):
    """A model that was asked for, and what answered."""

    requested: str
    """As the request names it."""
    resolved: str | None = None
    """As the response names it: the version behind an alias; None where it names none."""
    fingerprint: str | None = None
    """The provider's build fingerprint; None where it gives none."""


class Pin(Part):
    """What one cassette must be, and what it was recorded from."""

    sha256: Sha256
    bytes: Annotated[int, Field(ge=1)]
    interactions: Annotated[int, Field(ge=0)]
    models: tuple[ModelPin, ...]
    """Each combination once, in the order of the recording."""
    prompt_sha256: Sha256 | None
    """Of the distinct system prompts, in order; None where no model was asked with one."""
    tools_sha256: Sha256 | None
    """Of the distinct tool lists, in order; None where no model was given tools."""
    parameters_sha256: Sha256 | None
    """Of the distinct parameters beside messages, tools and streaming; None where no model was asked."""
    recorded_at: str
    commit: str
    machine: str
    recorder: str
    source: str
    source_kind: SourceKind


class Pins(Part):
    """`pins.json`: the recordings of one task, by file name."""

    format: Literal[1]
    key: str
    cassettes: dict[Trial, Pin]


def pin(cassette: Cassette, raw: bytes) -> Pin:
    """The pin of a cassette whose file holds the bytes `raw`."""
    asked = chats(cassette)
    made = cassette.provenance
    return Pin(
        sha256=hashlib.sha256(raw).hexdigest(),
        bytes=len(raw),
        interactions=len(cassette.interactions),
        models=_models(asked),
        prompt_sha256=_digest([chat.prompt for chat in asked if chat.prompt]),
        tools_sha256=_digest([chat.tools for chat in asked if chat.tools]),
        parameters_sha256=_digest([chat.parameters for chat in asked]),
        recorded_at=made.recorded_at,
        commit=made.commit,
        machine=made.machine,
        recorder=made.recorder,
        source=made.source,
        source_kind=made.source_kind,
    )


def to_bytes(pins: Pins) -> bytes:
    """`pins.json`, canonical: sorted keys, two spaces, ASCII, one newline at the end."""
    document = pins.model_dump(mode="json")
    quick = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    # 20 times as quick as json with an indent, and the same bytes where nothing is escaped.
    if _UNESCAPED.fullmatch(quick):
        return quick
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


def read_pins(raw: bytes, file: str, limits: Limits = DEFAULT) -> Pins:
    """The pins that `raw` holds; `file` is what messages call it.

    Raises `CassetteError`: `size_limit`, `duplicate_key`, `newer_format` or `pins_corrupt`.
    """
    if len(raw) > limits.pins_bytes:
        raise _refusal("size_limit", f"{len(raw):,} bytes; a pins file may have {limits.pins_bytes:,}", file)
    with suppress(ValidationError):
        # What its own canonical form is holds no key twice, nor anything else that the rest looks for.
        pins = Pins.model_validate_json(raw)
        if to_bytes(pins) == raw:
            return pins
    try:
        root = json.loads(raw.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
    except _Duplicate as error:
        raise _refusal("duplicate_key", f"the key {error.args[0]!r} stands twice in one object", file) from None
    except UnicodeDecodeError as error:
        raise _refusal("pins_corrupt", f"invalid UTF-8 at byte {error.start}", file) from None
    except json.JSONDecodeError as error:
        raise _refusal("pins_corrupt", f"not JSON: {error.msg}", file, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise _refusal("pins_corrupt", f"not JSON that can be read: {error}", file) from None
    number = root.get("format") if isinstance(root, dict) else None
    if type(number) is int and number > 1:
        fix = "upgrade tapegate to the version that recorded it, or a later one"
        raise _refusal("newer_format", f"format is {number}; this Tapegate reads 1", file, fix=fix)
    try:
        return Pins.model_validate_json(raw)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        place = ".".join(map(str, found[0]["loc"])) or "the file"
        message = f"{place}: {found[0]['msg']}, got {found[0]['input']!r:.200}"
        raise _refusal("pins_corrupt", message, file) from None


class _Duplicate(ValueError):
    """A key that stands twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Duplicate(key)
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _refusal(code: str, message: str, file: str, line: int | None = None, fix: str | None = None) -> CassetteError:
    fix = fix or (
        f"restore the committed file (`git checkout -- {file}`) or derive it again from the cassettes "
        "beside it (`tapegate cassette pin`)"
    )
    return CassetteError(Problem(code, message, file=file, line=line, fix=fix))


def _models(asked: tuple[Chat, ...]) -> tuple[ModelPin, ...]:
    pins = (ModelPin(requested=chat.model, resolved=chat.resolved, fingerprint=chat.fingerprint) for chat in asked)
    return tuple(dict.fromkeys(pins))


def _digest(values: list[Mapping[str, Any]]) -> str | None:
    """Of the distinct values in order, as canonical JSON; None of none."""
    distinct = list(dict.fromkeys(json.dumps(_exact(value), sort_keys=True) for value in values))
    return hashlib.sha256(f"[{','.join(distinct)}]".encode()).hexdigest() if distinct else None


def _exact(value: Any) -> Any:
    """`value` with each number marked: `Number` is text to `json`, and 1 is not "1"."""
    if isinstance(value, Number):
        return {"\x00number": str(value)}
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return value
