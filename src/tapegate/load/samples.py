"""A file of rubric samples: JSON, JSON Lines or CSV. Nothing is coerced: a 2.0, a `true` or a NaN is no score."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tapegate.errors import LoadError, UsageError
from tapegate.load.document import Document, Draft, Json, Place
from tapegate.load.json_text import scan
from tapegate.load.suggest import did_you_mean
from tapegate.model.problem import Problem
from tapegate.model.rubric import Sample

SIZE = 100_000_000
"""Bytes that a file may have."""

SCORES = ("accuracy_score", "faithfulness_score")
COUNTS = ("latency_e2e_ms", "latency_model_ms", "input_tokens", "output_tokens", "total_tokens", "timeout_ms")
FLAGS = ("timed_out", "crashed")
TEXTS = ("id", "run_id", "evaluator_error")
NOTED = ("rationale",)
"""What a file may say beside, and no number comes from."""
FIELDS = (*SCORES, *COUNTS, *FLAGS, *TEXTS, *NOTED)
MEASURED = frozenset({*SCORES, *COUNTS, *FLAGS, *NOTED, "evaluator_error"})
"""Fields that a run does not have: its metadata may name an `id` and a `run_id`."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Row:
    """One sample as the file writes it."""

    values: Mapping[str, Json]
    place: Callable[[str], Place]
    """Where a field stands, or the sample itself for a field that it lacks."""


def read_samples(path: Path, file: str) -> tuple[Sample, ...]:
    """The samples of a `.json`, `.jsonl`, `.ndjson` or `.csv` file, which messages call `file`.

    Raises LoadError with every problem of every sample, UsageError for a file that cannot be read as any of these.
    """
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise UsageError.of(
            "unknown_format", f"{file!r} has no known ending; expected one of {', '.join(_READERS)}", file=file
        )
    try:
        with path.open("rb") as handle:
            raw = handle.read(SIZE + 1)
    except OSError as error:
        raise UsageError.of("unreadable_file", f"{file!r} cannot be read: {error.strerror}", file=file) from error
    draft = Draft(file)
    if len(raw) > SIZE:
        draft.report("size_limit", f"the file has more than {SIZE:,} bytes", (1, 1), "split it into runs")
        raise LoadError(*draft.problems)
    try:
        # A byte order mark is what spreadsheets write before CSV; JSON has none (RFC 8259 §8.1).
        text = raw.decode("utf-8-sig" if path.suffix.lower() == ".csv" else "utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        draft.report("bad_utf8", f"byte 0x{raw[error.start]:02x} is not UTF-8", (line, 1), "save it as UTF-8")
        raise LoadError(*draft.problems) from error
    rows = read(text, draft)
    samples = [sample for row in rows if (sample := _sample(row, draft)) is not None]
    if draft.problems:
        raise LoadError.all(draft.problems)
    return tuple(samples)


def _json(text: str, draft: Draft) -> list[Row]:
    """A list of samples, `{"samples": [...]}`, or one sample alone."""
    document = scan(text, draft.file)
    draft.problems += document.problems
    return _rows(document, draft, 0) if document.whole else []


def _json_lines(text: str, draft: Draft) -> list[Row]:
    rows = []
    for number, line in enumerate(text.split("\n")):
        if line.strip(" \t\r"):
            document = scan(line, draft.file)
            draft.problems += [
                Problem(one.code, one.message, one.file, number + (one.line or 1), one.column, one.fix)
                for one in document.problems
            ]
            rows += _rows(document, draft, number) if document.whole else []
    return rows


def _rows(document: Document, draft: Draft, above: int) -> list[Row]:
    value = document.value
    start: tuple[str | int, ...] = ()
    if isinstance(value, dict) and "samples" in value:  # what stands beside them is metadata of the run
        for name in (name for name in value if name in MEASURED):
            line, column = document.place((name,))
            message = f"{name!r} is of a sample, and stands beside `samples`, where no sample has it"
            draft.report("invalid_sample", message, (above + line, column), "write it into each sample")
        value, start = value["samples"], ("samples",)
    found = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
    rows = []
    for index, item in found:
        path = start if index is None else (*start, index)
        if isinstance(item, dict):
            rows.append(Row(item, _placed(document, path, above)))
        else:
            line, column = document.place(path)
            message = f"a sample is an object of the rubric's fields, not {item!r:.60}"
            draft.report("invalid_sample", message, (above + line, column), "write one object for each sample")
    return rows


def _placed(document: Document, path: tuple[str | int, ...], above: int) -> Callable[[str], Place]:
    def place(field: str) -> Place:
        line, column = document.place((*path, field))
        return above + line, column

    return place


def _csv(text: str, draft: Draft) -> list[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            draft.report("empty_document", "the file has no header", (1, 1), "name the fields in the first line")
            return []
        for name in sorted({name for name in header if header.count(name) > 1}):
            draft.report("duplicate_key", f"the column {name!r} stands there twice", (1, 1), "keep one of them")
        rows = []
        for cells in reader:
            line = reader.line_num
            if not cells:
                continue
            if len(cells) != len(header):
                message = f"the line has {len(cells)} cells, and the header names {len(header)} columns"
                draft.report("invalid_sample", message, (line, 1), "give every column a cell; an empty one is missing")
            else:
                named = zip(header, cells, strict=True)
                rows.append(Row({name: _cell(name, cell) for name, cell in named}, _on_line(line)))
        # Each row tells of its unknown columns; where there is none, nobody would.
        for name in [] if rows else dict.fromkeys(name for name in header if name not in FIELDS):
            message = f"{name!r} is no field of a sample"
            draft.report("invalid_sample", message, (1, 1), did_you_mean(name, FIELDS))
    except csv.Error as error:
        draft.report("csv_syntax", f"this is not CSV: {error}", (reader.line_num, 1), "correct the quotes")
        return []
    return rows


def _on_line(line: int) -> Callable[[str], Place]:
    return lambda _: (line, 1)


def _cell(name: str, cell: str) -> Json:
    """The value of a cell: an empty one is missing, and what is no value of its column stays text, to be refused."""
    if not cell:
        return None
    if name in FLAGS:
        return _BOOLEANS.get(cell.lower(), cell)  # spreadsheets write TRUE
    if name in (*SCORES, *COUNTS) and _INTEGER.fullmatch(cell):
        return int(cell)
    return cell


def _sample(row: Row, draft: Draft) -> Sample | None:
    faults = list(_faults(row))
    for field, message, fix in faults:
        draft.report("invalid_sample", message, row.place(field), fix)
    if faults:
        return None
    values = {name: row.values[name] for name in _SAMPLE if row.values.get(name) is not None}
    if "total_tokens" not in values and {"input_tokens", "output_tokens"} <= set(values):
        values["total_tokens"] = values["input_tokens"] + values["output_tokens"]
    return Sample(**{"accuracy_score": None, "faithfulness_score": None, **values})


def _faults(row: Row) -> Iterator[tuple[str, str, str]]:
    """Everything wrong with a sample: the field, what is wrong, and the fix."""
    for name, value in row.values.items():
        if name not in FIELDS:
            yield name, f"{name!r} is no field of a sample", did_you_mean(name, FIELDS)
        elif value is None:
            continue
        elif name in SCORES and (type(value) is not int or value not in (0, 1, 2)):
            yield name, f"{name} is {_shown(value)}; expected one of the integers 0, 1 and 2", _MISSING
        elif name in COUNTS and (type(value) is not int or not 0 <= value < 10**18):
            yield name, f"{name} is {_shown(value)}; expected an integer from 0 up", _MISSING
        elif name in FLAGS and type(value) is not bool:
            yield name, f"{name} is {_shown(value)}; expected true or false", "write true or false"
        elif name in (*TEXTS, *NOTED) and not isinstance(value, str):
            yield name, f"{name} is {_shown(value)}; expected text", "put it in quotes"
    parts = [row.values.get(name) for name in ("input_tokens", "output_tokens")]
    total, made = row.values.get("total_tokens"), sum(part for part in parts if type(part) is int)
    if type(total) is not int:
        return
    whole = all(type(part) is int for part in parts)
    if (whole and total != made) or total < made:
        said = "input_tokens and output_tokens make" if whole else "one part of it is"
        yield "total_tokens", f"total_tokens is {total}, and {said} {made}", "correct it, or leave total_tokens away"


_MISSING = "write null for a value that nobody measured (an empty cell in CSV)"
_SAMPLE = tuple(field.name for field in fields(Sample))


def _shown(value: Json) -> str:
    said = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else f"{value!r:.60}"
    return str(said)


_READERS: Mapping[str, Callable[[str, Draft], Sequence[Row]]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _csv,
}
