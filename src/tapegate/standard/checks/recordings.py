"""Recordings: whole, pinned, of a task, and free of secrets."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.grade.audit import record as records
from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.tape.place import trial_file

NIGHTLY_TRIALS = 3
"""As `tapegate.run.plan` has it; to import that would start a subject's whole machinery."""

LOOSE = {
    "unpinned": "No pin names a recording that lies there.",
    "pins_disagree": "A pin says what its recording does not show, or the pins are not in their canonical form.",
    "stray_file": "A file belongs to no recording.",
    "unfinished_write": "A recording broke off, and left files behind.",
}
"""Files that no pin vouches for. All else that is wrong with a recording makes a run refuse it."""


def _untrusted(ground: Ground) -> Iterator[Problem]:
    """Size, sha256 and number of interactions are held against `pins.json`, bodies against their content-encoding.
    Links out of the project are not followed."""
    yield from ground.unlisted
    for recordings in ground.recordings.values():
        yield from (problem for problem in recordings.problems if problem.code not in LOOSE)


def _loose(ground: Ground) -> Iterator[Problem]:
    """Pins are derived again from each recording: a hash, a model or a commit that somebody wrote by hand shows."""
    for recordings in ground.recordings.values():
        yield from (problem for problem in recordings.problems if problem.code in LOOSE)


def _orphans(ground: Ground) -> Iterator[Problem]:
    """A recording belongs to the task of its folder, `cassettes/<suite>/<KEY>`, and one of a judge to the audit of its
    week, `cassettes/audit-<week>/audit.json`."""
    tasks = {(task.suite, task.recorded_as) for task in ground.cases}
    audits = {records.suite_of(week) for week in records.weeks(ground.survey.project)}
    for suite, key in ground.recordings:
        if (suite, key) not in tasks and suite not in audits:
            yield Problem(
                "orphan_cassette",
                f"recordings of {key!r} in suite {suite!r} belong to no task",
                ground.recordings[suite, key].place.shown(),
                fix="remove them, or restore the task that they were made for",
            )


def _secrets(ground: Ground) -> Iterator[Problem]:
    """Keys of known formats and credentials by the name of their header or parameter; in bodies without their
    content-encoding, across the chunks and frames of a stream, in base64, gzip and escapes undone once. A file that no
    pin vouches for is searched as it is. The value is never shown, only the rule and a fingerprint."""
    for recordings in ground.recordings.values():
        yield from recordings.secrets


def _ambiguous(ground: Ground) -> Iterator[Problem]:
    """Two requests are equal as matching sees them: white space, the order of keys and declared volatile fields aside.
    Those of one session are asked one after another, and then nothing is wrong; a judge is asked again in the same
    words on purpose."""
    for (suite, _), recordings in ground.recordings.items():
        if not suite.startswith(records.SUITE):
            yield from recordings.ambiguous


def _unrecorded(ground: Ground) -> Iterator[Problem]:
    """A task wants its `trials`, and one that is `flaky_prone` wants the three that nightly replays."""
    for task in {case.recorded_as: case for case in ground.cases if case.mode != "stream_fixture"}.values():
        recorded = ground.recorded(task)
        wanted = max(task.trials, NIGHTLY_TRIALS) if task.flaky_prone else task.trials
        trials = range(1, wanted + 1)
        missing = [trial for trial in trials if recorded is not None and trial_file(trial) not in recorded]
        if missing:
            count = f"{wanted} trials" if wanted > 1 else "1 trial"
            yield Problem(
                "not_recorded",
                f"{task.recorded_as} wants {count}, and {len(missing)} of them are not recorded: a run would be stale",
                task.source.file,
                task.source.line("trials") if task.trials > 1 else task.source.line("id"),
                fix=f"tapegate record {task.recorded_as} --missing",
            )


CHECKS = (
    Check(
        "recordings_trusted",
        "Every recording is what its pin says, and can be read.",
        "unreadable",
        _untrusted,
        {
            "missing": "The pins list a recording that is not there.",
            "hash_mismatch": "A recording is not the bytes that were pinned.",
            "cassette_corrupt": "A recording cannot be read.",
            "pins_corrupt": "The pins cannot be read.",
        },
        sound=False,
        more=True,
    ),
    Check(
        "recordings_pinned",
        "No file lies beside the recordings that no pin vouches for.",
        "finding",
        _loose,
        LOOSE,
        sound=False,
    ),
    Check(
        "recordings_secrets",
        "No recording holds a key or another credential.",
        "unreadable",
        _secrets,
        {
            "secret_found": "A recording holds a key.",
            "decode_error": "A body is not what its content-encoding says, and cannot be searched.",
            "size_limit": "A body grows too large to be searched.",
        },
        sound=False,
    ),
    Check(
        "recordings_orphans",
        "Every recording belongs to a task.",
        "finding",
        _orphans,
        {"orphan_cassette": "Recordings lie in a folder of no task."},
    ),
    Check(
        "recordings_lanes",
        "Equal requests have equal answers, or a lane that tells their sessions apart.",
        "note",
        _ambiguous,
        {"ambiguous_requests": "Equal requests have different answers: concurrent sessions may swap them."},
    ),
    Check(
        "recordings_made",
        "Every trial that a task wants is recorded.",
        "note",
        _unrecorded,
        {"not_recorded": "A trial is not recorded yet: a run would be stale."},
    ),
)
