"""`provenance.json`: the run metadata of rubric §4.3, no field blank."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tapegate.run.plan import Trial
from tapegate.run.provenance import NONE_RECORDED, Circumstances, provenance, to_bytes
from tapegate.tape.cassette import Request
from tapegate.tape.pins import ModelPin
from tapegate.tape.store import Loaded

RUBRIC = {
    "run_id",
    "timestamp_utc",
    "dataset_id",
    "dataset_version_or_hash",
    "model_id",
    "model_version",
    "evaluator_model_id",
    "evaluator_model_version",
    "prompt_template_id",
    "prompt_template_version_or_hash",
    "evaluator_prompt_template_version_or_hash",
    "generation_params",
    "code_version",
    "environment",
}
NOW = Circumstances("pr", "sha256:0123456789abcdef", {"T-1@A1": "namespace"}, {"T-1@A1[1]": 7}, 2, "sorted")


def made(kit, now: Circumstances = NOW, change=lambda trial: trial):
    """The document of a run of all tasks."""
    suite = kit.suite()
    return provenance(suite, [change(trial) for trial in kit.trials(suite)], now)


def blanks(value) -> list:
    """Every empty string, null and empty container in a document, but for `logs`."""
    if isinstance(value, dict):
        return [blank for key, each in value.items() if key not in ("logs", "reasons") for blank in blanks(each)]
    if isinstance(value, list):
        return [blank for each in value for blank in blanks(each)]
    return [value] if value in ("", None) else []


@pytest.mark.parametrize("recorded", [True, False])
def test_no_field_is_blank(kit, recorded):
    """With a recording or without one: what is not known says so in a word."""
    if recorded:
        kit.pretend()
    document = made(kit)
    assert set(document) >= RUBRIC
    assert blanks(document) == []
    assert document["evaluator_model_id"] == "off"
    assert document["code_version"] == "none"
    assert re.fullmatch(r"\d{8}T\d{6}-0123456789ab", document["run_id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["timestamp_utc"])
    assert [row["key"] for row in document["recordings"]] == ["T-1@A1"] * recorded
    assert json.loads(to_bytes(document)) == document


def test_models_prompts_and_parameters_are_those_of_the_recordings_that_ran(kit):
    """What was asked for, once each; several values of a parameter are listed."""
    kit.pretend()
    bodies = [b'{"model":"m","temperature":0,"seed":42}', b'{"model":"m","temperature":0,"seed":7}', b"no json", b"[1]"]
    pins = (ModelPin(requested="m", resolved="m-2026"), ModelPin(requested="other"))

    def change(trial: Trial) -> Trial:
        loaded = trial.recording
        assert isinstance(loaded, Loaded)
        (first,) = loaded.cassette.interactions
        asked = tuple(replace(first, request=Request("POST", first.request.uri, {}, body)) for body in bodies)
        cassette = replace(loaded.cassette, interactions=asked)
        pin = loaded.pin.model_copy(update={"models": pins, "prompt_sha256": "a" * 64})
        return replace(trial, recording=replace(loaded, cassette=cassette, pin=pin))

    document = made(kit, change=change)
    assert document["model_id"] == "m, other"
    assert document["model_version"] == "m-2026"
    assert document["prompt_template_version_or_hash"] == "a" * 64
    assert document["prompt_template_id"] == "A1"
    assert document["generation_params"] == {
        "temperature": 0,
        "top_p": NONE_RECORDED,
        "max_tokens": NONE_RECORDED,
        "seed": [42, 7],
    }


def test_a_pins_file_that_cannot_be_read_is_no_reason_to_write_nothing(kit):
    """The task that it belongs to is told as bad input; the run keeps its provenance."""
    kit.pretend()
    (kit.root / "cassettes/s/T-1@A1/pins.json").write_text("{")
    document = made(kit)
    assert document["recordings"] == []
    assert document["model_id"] == NONE_RECORDED


def test_the_dataset_is_its_tasks_and_what_they_are_set_up_with(kit):
    """Its hash moves with a task, a snapshot or a fixture that one names, and with nothing else."""
    for name in ("snapshots", "fixtures"):
        (kit.root / "evals" / name).mkdir()
    snapshot = kit.root / "evals/snapshots/base.sql"
    snapshot.write_bytes(b"CREATE TABLE t (x);\n")
    paper = kit.root / "evals/fixtures/paper.bin"
    paper.write_bytes(b"\r\n")
    kit.task("T-1", setup={"db_snapshot": "base", "fixtures": ["paper"]})

    def digest() -> str:
        return made(kit)["dataset_version_or_hash"]

    first = digest()
    (kit.root / "evals/fixtures/unused.txt").write_text("x")
    kit.agent("def ask(input):\n    return 'another'\n")
    snapshot.write_bytes(b"CREATE TABLE t (x);\r\n")  # as a checkout with other line ends has it
    assert digest() == first
    seen = {first}
    for change in (
        lambda: snapshot.write_bytes(b"CREATE TABLE u (x);\n"),
        lambda: paper.write_bytes(b"\n"),
        lambda: kit.task("T-1", setup={"db_snapshot": "base"}),
        lambda: kit.task("T-2"),
    ):
        change()
        seen.add(digest())
    assert len(seen) == 5


def test_what_may_differ_between_two_runs_is_told_here(kit):
    """Guards, durations, jobs, order, and the last lines of subjects that did not complete."""
    now = replace(NOW, logs={"T-2@A1[1]": ["b"], "T-1@A1[1]": ["half \ud83d", "a"]}, order="shuffled")
    document = made(kit, now)
    assert document["guard"]["tasks"] == {"T-1@A1": "namespace"}
    assert document["durations_ms"] == {"T-1@A1[1]": 7}
    assert (document["jobs"], document["order"]) == (2, "shuffled")
    assert list(document["logs"]) == ["T-1@A1[1]", "T-2@A1[1]"]
    assert json.loads(to_bytes(document).decode())["logs"]["T-2@A1[1]"] == ["b"]


def test_it_names_the_clients_that_vcrpy_stood_in_for(kit):
    """By task and trial; nobody's is an empty mapping."""
    kit.pretend()
    assert made(kit)["vcrpy_stood_in_for"] == {}
    document = made(kit, replace(NOW, stand_ins={"T-1@A1[1]": ["tornado"]}))
    assert document["vcrpy_stood_in_for"] == {"T-1@A1[1]": ["tornado"]}
