"""What `tapegate merge` does: read the parts, hold them against each other, decide over all, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tapegate.cli import options
from tapegate.cli.rendering import Report, evidence_of, leave
from tapegate.compare.side import Side
from tapegate.errors import BadInput, TapegateError
from tapegate.github.step import Step
from tapegate.grade import contract
from tapegate.grade.gate import decide
from tapegate.model.problem import Problem
from tapegate.model.run import Run
from tapegate.report import results, terminal
from tapegate.report.shard_file import NAME as SHARD
from tapegate.report.shard_file import ShardFile
from tapegate.run import events_file, joined_provenance
from tapegate.run.output import write_atomically
from tapegate.run.provenance import to_bytes
from tapegate.run.results_folder import CONTRACTS, RESULTS, ResultsFolder
from tapegate.run.shard import Shard

AGAIN = "run every part of one commit with the same words, and give merge all their folders"


@dataclass(frozen=True, slots=True)
class Merging:
    """The words of one `tapegate merge`."""

    parts: tuple[Path, ...]
    out: Path
    project: Path
    evals: Path
    github: bool
    annotations: bool
    as_json: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One part, as it was read."""

    folder: ResultsFolder
    shard: ShardFile
    run: Run
    contracts: contract.Contracts
    provenance: dict[str, Any]

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.folder.path)


def merge_parts(words: Merging, environ: Mapping[str, str]) -> int:
    """Join the parts; returns the exit code of the whole. Raises BadInput where they are not one run's."""
    step = Step(words.project, environ, click.echo, annotate=words.annotations) if words.github else None
    try:
        run, raw = joined(words)
    except TapegateError as error:
        if step is not None:
            step.refused(error)
        raise
    digest = results.digest(raw)
    if words.as_json:
        click.echo(raw.decode(), nl=False)
    elif not words.quiet or not run.gate.passed:
        click.echo(terminal.render(run, digest, width=options.columns(), color=options.colored()), nl=False)
    if step is not None:
        step.judged(run, digest, words.out)
    return run.gate.exit_code


def joined(words: Merging) -> tuple[Run, bytes]:
    """Join the parts; results and reports are in `out` afterwards. Returns the run and the bytes of its results.

    Raises BadInput where they are not one run's.
    """
    parts = sorted((_read(folder) for folder in _folders(words.parts)), key=lambda part: part.shard.shard)
    problems = [*_incomplete(parts), *_differing(parts), *_wrong_shares(parts)]
    if problems:
        raise BadInput(*problems)
    first = parts[0]
    tasks = sorted((task for part in parts for task in part.run.tasks), key=lambda task: task.key)
    name, profile, partial = first.contracts.profile_name, first.contracts.profile, first.shard.partial
    run = Run(name, partial, tuple(tasks), decide(tasks, name, profile, partial), first.run.prices)
    raw = results.Results.of(run).to_bytes()
    digest = results.digest(raw)
    contracts = {key: task for part in parts for key, task in part.contracts.tasks.items()}
    for part in parts:
        _copy_traces(part, words.out)
    side = Side("", run, digest, contracts=contracts, traces=ResultsFolder(words.out).trace)
    document = joined_provenance.joined([part.provenance for part in parts], digest)
    write_atomically(words.out / "provenance.json", to_bytes(document))
    write_atomically(words.out / CONTRACTS, contract.to_bytes(contracts.values(), name, profile))
    leave(Report(run, digest, None, evidence_of(side, words.project)), words.out)
    # Last: whoever finds results.json finds all that belongs to it.
    write_atomically(words.out / RESULTS, raw)
    return run, raw


def _folders(given: Sequence[Path]) -> Iterator[Path]:
    """The folders of parts: those that were named, and those within a folder that holds nothing but them."""
    for path in given:
        if (path / RESULTS).is_file():
            yield path
            continue
        within = sorted(found.parent for found in path.glob(f"*/{RESULTS}")) if path.is_dir() else []
        if not within:
            raise BadInput.of(
                "no_results",
                f"{str(path)!r} is no folder with results, and holds none",
                fix="name the folders that `tapegate run --shard I/N --out DIR` wrote",
            )
        yield from within


def _read(path: Path) -> Part:
    folder = ResultsFolder(path)
    written = {name: folder.beside(name) for name in (SHARD, CONTRACTS, "provenance.json")}
    missing = sorted(name for name, raw in written.items() if raw is None)
    if missing:
        raise BadInput.of(
            "no_part",
            f"{str(path)!r} holds no {missing[0]}: it is no part of a run, or not the whole of one",
            fix="name the folders that `tapegate run --shard I/N --out DIR` wrote",
        )
    raw = folder.bytes_of(folder.file)
    shard = ShardFile.parse(written[SHARD] or b"", str(path / SHARD))
    if shard.results != results.digest(raw):
        raise BadInput.of(
            "changed_results",
            f"{str(folder.file)!r} is not what part {shard.shard}/{shard.of} wrote",
            fix="keep the folder of a part as it was written",
        )
    read = contract.parse(written[CONTRACTS] or b"", str(path / CONTRACTS))
    provenance = joined_provenance.parse(written["provenance.json"] or b"", str(path / "provenance.json"))
    return Part(folder, shard, results.Results.parse(raw, str(folder.file)).run(), read, provenance)


def _incomplete(parts: Sequence[Part]) -> Iterator[Problem]:
    of = max(part.shard.of for part in parts)
    there = Counter(part.shard.shard for part in parts)
    for number in range(1, of + 1):
        if not there[number]:
            yield Problem("missing_shard", f"part {number}/{of} is missing", fix=AGAIN)
    for number, count in sorted(there.items()):
        if count > 1:
            names = ", ".join(part.name for part in parts if part.shard.shard == number)
            yield Problem("duplicate_shard", f"part {number}/{of} is there {count} times: {names}", fix=AGAIN)


def _differing(parts: Sequence[Part]) -> Iterator[Problem]:
    """What all parts of one run have in common."""
    first = parts[0]
    for part in parts[1:]:
        common: dict[str, tuple[object, object]] = {
            "number of parts": (first.shard.of, part.shard.of),
            "commit": (first.shard.commit, part.shard.commit),
            "config and tasks": (first.shard.inputs, part.shard.inputs),
            "selection": ((first.shard.keys, first.shard.partial), (part.shard.keys, part.shard.partial)),
            "profile": (first.contracts.profile_name, part.contracts.profile_name),
            "terms of the profile": (first.contracts.profile, part.contracts.profile),
            "price data": (first.run.prices, part.run.prices),
            "version of Tapegate": (first.shard.tapegate, part.shard.tapegate),
        }
        differing = [what for what, (one, other) in common.items() if one != other]
        if differing:
            message = f"{first.name} and {part.name} are no parts of one run: another {', '.join(differing)}"
            yield Problem("shards_differ", message, fix=AGAIN)


def _wrong_shares(parts: Sequence[Part]) -> Iterator[Problem]:
    """Every part holds exactly its tasks: nothing is judged twice or dropped."""
    for part in parts:
        shard = Shard.parse(f"{part.shard.shard}/{part.shard.of}")
        share = set(shard.share(part.shard.keys))
        if {task.key for task in part.run.tasks} != share or set(part.contracts.tasks) != share:
            yield Problem("wrong_share", f"{part.name} does not hold the tasks of part {shard}", fix=AGAIN)


def _copy_traces(part: Part, out: Path) -> None:
    for task in part.run.tasks:
        for trial in task.trials:
            raw = part.folder.trace_bytes(task.key, trial.trial)
            if raw is not None:
                write_atomically(events_file.place(out / "traces", task.key, trial.trial), raw, lasting=False)
