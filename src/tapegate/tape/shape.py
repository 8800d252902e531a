"""From the plain values of a cassette file to a `Cassette`: every key checked, every refusal at its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast, get_args

from tapegate.errors import CassetteError
from tapegate.model.source import Path
from tapegate.tape.cassette import (
    AgentStream,
    Cassette,
    Chunks,
    Ended,
    Headers,
    Interaction,
    Provenance,
    Request,
    Response,
    SourceKind,
)
from tapegate.tape.refusal import refusal

if TYPE_CHECKING:
    # PyYAML is loaded only for a file that is not our own emission.
    from tapegate.tape.preflight import Document

LATEST_US = 2**53
"""Beyond this, JSON readers disagree about integers; as microseconds it is 285 years."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A portable name: what may become part of a file name on any system."""
KEY = re.compile(rf"{NAME.pattern}@{NAME.pattern}(?:\[[1-9][0-9]{{0,3}}\])?")
"""`<id>@<path_id>`, each a portable name; `<id>@<path_id>[<case>]` where a case has recordings of its own."""
RECORDED_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def disorder(chunks: Chunks, size: int) -> str | None:
    """Why chunks cannot be those of a body of `size` bytes; None when they can."""
    at = chunks.at_us
    total = sum(chunks.sizes)
    if total != size:
        return f"the chunk sizes add up to {total}; the body has {size} bytes"
    if len(chunks.sizes) != len(at):
        return f"{len(chunks.sizes)} sizes and {len(at)} times; expected one time for each chunk"
    if chunks.sizes and min(chunks.sizes) < 0:
        return f"a chunk of {min(chunks.sizes)} bytes"
    times = (chunks.started_us, *at, chunks.ended_us)
    if list(times) != sorted(times):
        return "the times fall; expected started_us <= at_us, never falling, <= ended_us"
    if chunks.started_us < 0 or chunks.ended_us > LATEST_US:
        return f"times from {chunks.started_us} to {chunks.ended_us}; expected 0 to 2^53 microseconds"
    return None


def cassette(document: Document) -> Cassette:
    """The cassette that a document holds.

    Raises `CassetteError`: `newer_format` for a file of a later Tapegate, `not_tapegate` for one of another vcrpy
    tool, `cassette_corrupt` for everything else that is not our format.
    """
    shape = _Shape(document)
    _check_format(document)
    shape.mapping((), "version", "tapegate", "interactions")
    ours = ("tapegate",)
    shape.mapping(ours, "format", "key", "trial", "provenance", "stream")
    interactions = shape.list_("interactions")
    key = shape.text(*ours, "key")
    if not KEY.fullmatch(key):
        raise document.refuse((*ours, "key"), f"tapegate.key is {key!r}; expected <id>@<path_id>")
    trial = shape.count(*ours, "trial")
    if trial < 1:
        raise document.refuse((*ours, "trial"), f"tapegate.trial is {trial}; trials count from 1")
    return Cassette(
        key=key,
        trial=trial,
        provenance=shape.provenance(*ours, "provenance"),
        stream=shape.stream(*ours, "stream"),
        interactions=tuple(shape.interaction("interactions", index) for index in range(len(interactions))),
    )


def _check_format(document: Document) -> None:
    root = document.root
    if not isinstance(root, dict):
        raise document.refuse((), f"the file holds {_kind(root)}; expected a mapping: version, tapegate, interactions")
    if "tapegate" not in root:
        if "interactions" in root and root.get("version") == 1:
            raise refusal(
                "not_tapegate",
                "a vcrpy cassette without the top-level mapping `tapegate`: another tool wrote it, "
                "and chunks, times and provenance are gone",
                document.source.file,
                1,
                "record it again",
            )
        raise document.refuse((), "the top-level mapping `tapegate` is missing")
    ours = root["tapegate"]
    number = ours.get("format") if isinstance(ours, dict) else None
    if type(number) is int and number > Cassette.FORMAT:
        raise refusal(
            "newer_format",
            f"tapegate.format is {number}; this Tapegate reads up to {Cassette.FORMAT}",
            document.source.file,
            document.source.line("tapegate", "format"),
            "upgrade tapegate to the version that recorded it, or a later one",
        )
    if type(number) is not int or number != Cassette.FORMAT:
        raise document.refuse(("tapegate", "format"), f"tapegate.format is {number!r}; expected {Cassette.FORMAT}")
    if type(root.get("version")) is not int or root["version"] != 1:
        raise document.refuse(("version",), f"version is {root.get('version')!r}; expected 1, vcrpy's")


class _Shape:
    """Reads typed values at paths of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def at(self, path: Path) -> Any:
        value = self.document.root
        for step in path:
            value = value[step]
        return value

    def wrong(self, path: Path, expected: str) -> CassetteError:
        return self.document.refuse(path, f"{_dotted(path)} is {_kind(self.at(path))}; expected {expected}")

    def mapping(self, path: Path, *keys: str) -> dict[str, Any]:
        """The mapping at `path`, which holds exactly `keys`."""
        value = self.at(path)
        if not isinstance(value, dict):
            raise self.wrong(path, "a mapping")
        for key in keys:
            if key not in value:
                raise self.document.refuse(
                    path,
                    f"{_dotted(path)} lacks {key!r} (the file ends after {len(self.document.raw)} bytes); "
                    f"expected the keys {', '.join(keys)}",
                )
        for key in value:
            if key not in keys:
                raise self.document.refuse(
                    (*path, key), f"{_dotted(path)} has the unknown key {key!r}; expected {', '.join(keys)}"
                )
        return value

    def list_(self, *path: str | int) -> list[Any]:
        value = self.at(path)
        if not isinstance(value, list):
            raise self.wrong(path, "a list")
        return value

    def text(self, *path: str | int) -> str:
        value = self.at(path)
        if not isinstance(value, str):
            raise self.wrong(path, "text; quote it")
        return value

    def count(self, *path: str | int) -> int:
        value = self.at(path)
        if type(value) is not int or value < 0:
            raise self.wrong(path, "a whole number, 0 or more")
        return value

    def body(self, *path: str | int) -> bytes:
        value = self.at(path)
        if isinstance(value, str):
            return value.encode()
        if not isinstance(value, bytes):
            raise self.wrong(path, 'text or !!binary (an empty body is "")')
        return value

    def headers(self, *path: str | int) -> Headers:
        names = self.at(path)
        if not isinstance(names, dict):
            raise self.wrong(path, "a mapping of names to lists of values")
        return {
            name: tuple(self.text(*path, name, index) for index in range(len(self.list_(*path, name))))
            for name in names
        }

    def chunks(self, body: bytes, *path: str | int) -> Chunks:
        self.mapping(path, "started_us", "sizes", "at_us", "ended_us", "ended")
        ended = self.text(*path, "ended")
        if ended not in get_args(Ended):
            raise self.document.refuse(path, f"ended is {ended!r}; expected one of {', '.join(get_args(Ended))}")
        chunks = Chunks(
            started_us=self.count(*path, "started_us"),
            sizes=tuple(self.count(*path, "sizes", index) for index in range(len(self.list_(*path, "sizes")))),
            at_us=tuple(self.count(*path, "at_us", index) for index in range(len(self.list_(*path, "at_us")))),
            ended_us=self.count(*path, "ended_us"),
            ended=cast(Ended, ended),
        )
        wrong = disorder(chunks, len(body))
        if wrong:
            raise self.document.refuse(path, f"{_dotted(path)}: {wrong}")
        return chunks

    def provenance(self, *path: str | int) -> Provenance:
        names = tuple(Provenance.__dataclass_fields__)
        self.mapping(path, *names)
        made = {name: self.text(*path, name) for name in names}
        if made["source_kind"] not in get_args(SourceKind):
            raise self.document.refuse(
                (*path, "source_kind"),
                f"source_kind is {made['source_kind']!r}; expected one of {', '.join(get_args(SourceKind))}",
            )
        if not RECORDED_AT.fullmatch(made["recorded_at"]):
            raise self.document.refuse(
                (*path, "recorded_at"), f"recorded_at is {made['recorded_at']!r}; expected 2026-01-31T12:00:00Z"
            )
        return Provenance(**made)  # type: ignore[arg-type]

    def stream(self, *path: str | int) -> AgentStream:
        self.mapping(path, "dialect", "body", "chunks")
        body = self.body(*path, "body")
        return AgentStream(self.text(*path, "dialect"), body, self.chunks(body, *path, "chunks"))

    def interaction(self, *path: str | int) -> Interaction:
        self.mapping(path, "request", "response", "service", "chunks", "redacted")
        redacted = self.at((*path, "redacted"))
        if not isinstance(redacted, bool):
            raise self.wrong((*path, "redacted"), "true or false")
        response = self.response(*path, "response")
        return Interaction(
            service=self.text(*path, "service"),
            request=self.request(*path, "request"),
            response=response,
            chunks=self.chunks(response.body, *path, "chunks"),
            redacted=redacted,
        )

    def request(self, *path: str | int) -> Request:
        self.mapping(path, "method", "uri", "headers", "body")
        return Request(
            method=self.text(*path, "method"),
            uri=self.text(*path, "uri"),
            headers=self.headers(*path, "headers"),
            body=self.body(*path, "body"),
        )

    def response(self, *path: str | int) -> Response:
        self.mapping(path, "status", "headers", "body")
        self.mapping((*path, "status"), "code", "message")
        self.mapping((*path, "body"), "string")
        status = self.count(*path, "status", "code")
        if not 100 <= status <= 999:
            raise self.document.refuse((*path, "status", "code"), f"status.code is {status}; expected three digits")
        return Response(
            status=status,
            reason=self.text(*path, "status", "message"),
            headers=self.headers(*path, "headers"),
            body=self.body(*path, "body", "string"),
        )


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, (str, bytes)):
        return f"{'text' if isinstance(value, str) else 'binary'} {value[:80]!r}"
    return f"{type(value).__name__} {value!r}"


def _dotted(path: Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the file"
