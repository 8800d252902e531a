"""Recordings on disk: read under their pins, written whole."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tapegate.errors import CassetteError, Stale, TapegateError, Unavailable
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.limits import Limits
from tapegate.tape.pins import pin, read_pins
from tapegate.tape.store import load, pins_of, repin, write

KEY = "RET-01@A1"
FOLDER = f"cassettes/chat/{KEY}"
FILE = f"{FOLDER}/trial-1.yaml"


def refused(project: Path, trial: int = 1, limits: Limits | None = None) -> str:
    """The text of an error that exits with 2."""
    with pytest.raises(CassetteError) as caught:
        load(project, "chat", KEY, trial, limits or Limits())
    assert caught.value.exit_code == 2
    return str(caught.value)


def edit(project: Path, change: Callable[[bytes], bytes], name: str = FILE) -> bytes:
    """Changes a file behind Tapegate's back."""
    path = project / name
    path.write_bytes(change(path.read_bytes()))
    return path.read_bytes()


def test_what_was_written_is_loaded(recorded: Path, example: Cassette) -> None:
    """The same cassette, with the hash of its file and the name that messages use."""
    loaded = load(recorded, "chat", KEY, 1)
    raw = (recorded / FILE).read_bytes()
    assert loaded.cassette == example
    assert (loaded.raw, loaded.file) == (raw, FILE)
    assert loaded.sha256 == hashlib.sha256(raw).hexdigest()
    assert pins_of(recorded, "chat", KEY) == read_pins((recorded / FOLDER / "pins.json").read_bytes(), "pins.json")


def test_a_recording_without_calls_is_a_recording(project: Path, example: Cassette) -> None:
    """An agent may answer without asking anybody; whether that is right is not the store's to say."""
    quiet = replace(example, interactions=())
    write(project, "chat", [quiet])
    assert load(project, "chat", KEY, 1).cassette == quiet


def test_what_was_never_recorded_is_stale(recorded: Path) -> None:
    """CAS-04: exit code 4, with the command that records it."""
    for key, trial in ((KEY, 2), ("RET-02@A1", 1)):
        with pytest.raises(Stale) as caught:
            load(recorded, "chat", key, trial)
        assert caught.value.exit_code == 4
        assert f"not_recorded: trial {trial} of '{key}' is not recorded yet" in str(caught.value)
        assert f"tapegate record {key} --missing" in str(caught.value)


def test_a_file_that_the_pins_list_must_be_there(recorded: Path) -> None:
    """CAS-04: exit code 2 when the pins list it."""
    (recorded / FILE).unlink()
    message = refused(recorded)
    assert f"{FILE}: missing: the pins list this recording" in message
    assert f"git checkout -- {FILE}" in message


def test_a_file_that_no_pin_names_is_not_used(recorded: Path, example: Cassette) -> None:
    """A recording is trusted because somebody pinned it, not because it lies there."""
    (recorded / FOLDER / "trial-2.yaml").write_bytes(emit(replace(example, trial=2)))
    assert "trial-2.yaml: unpinned: no pin names this recording (sha256 " in refused(recorded, 2)
    (recorded / FOLDER / "pins.json").unlink()
    assert f"`tapegate cassette pin {KEY}`" in refused(recorded, 1)


def test_every_edit_of_a_file_is_a_mismatch(recorded: Path) -> None:
    """CAS-11: one byte anywhere; both hashes, sizes and counts are printed."""
    raw = (recorded / FILE).read_bytes()
    before = hashlib.sha256(raw).hexdigest()
    for at in range(0, len(raw), 7):
        edited = edit(recorded, lambda _, at=at: raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        message = refused(recorded)
        assert f"{FILE}: hash_mismatch: not the bytes that were pinned: " in message
        assert f"sha256 {hashlib.sha256(edited).hexdigest()}, expected {before}" in message
        assert f"{len(edited):,} bytes, expected {len(raw):,}" in message


def test_a_file_cut_between_interactions_is_a_mismatch(recorded: Path) -> None:
    """CAS-02: still valid YAML and a valid cassette; the count tells."""
    edit(recorded, lambda raw: raw[: raw.rindex(b"- request:")])
    assert "; 1 interactions, expected 2" in refused(recorded)


def test_a_file_cut_in_half_says_where_it_ends(recorded: Path) -> None:
    """CAS-01: the mismatch comes with what is wrong inside, its line and its byte."""
    edit(recorded, lambda raw: raw[: len(raw) // 2])
    message = refused(recorded)
    assert f"{FILE}: hash_mismatch: " in message
    assert re.search(rf"{FILE}:\d+: cassette_corrupt: at byte \d+, ", message)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda raw: raw.replace(b"\n", b"\r\n"), ".gitattributes needs `cassettes/** -text`"),
        (
            lambda raw: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "a Git LFS pointer: `git lfs pull`",
        ),
        (lambda raw: b"<<<<<<< HEAD\n" + raw, "the conflict markers of a merge"),
    ],
)
def test_a_known_cause_of_a_mismatch_is_named(change: Callable[[bytes], bytes], hint: str, recorded: Path) -> None:
    """ENV-04 and its like: git's own doings are recognised."""
    edit(recorded, change)
    assert hint in refused(recorded)


def test_pins_that_contradict_themselves_are_found(recorded: Path) -> None:
    """The right hash with another count is a wrong pins file."""
    edit(recorded, lambda raw: raw.replace(b'"interactions": 2', b'"interactions": 3'), f"{FOLDER}/pins.json")
    assert "count_mismatch: 2 interactions; pins.json says 3" in refused(recorded)


def test_a_recording_in_the_wrong_place_is_found(recorded: Path, example: Cassette) -> None:
    """A cassette knows its task and trial: copied elsewhere with its pins, it is not theirs."""
    other = recorded / "cassettes" / "chat" / "RET-02@A1"
    (recorded / FOLDER).rename(other)
    with pytest.raises(CassetteError, match="misplaced: the pins of 'RET-01@A1'; expected those of 'RET-02@A1'"):
        load(recorded, "chat", "RET-02@A1", 1)
    edit(
        other.parent.parent.parent,
        lambda raw: raw.replace(b"RET-01@", b"RET-02@"),
        f"{FOLDER}/pins.json".replace("1@", "2@"),
    )
    with pytest.raises(CassetteError, match="misplaced: the recording of trial 1 of 'RET-01@A1'; expected trial 1 of"):
        load(recorded, "chat", "RET-02@A1", 1)


@pytest.mark.parametrize("key", ["../../x@A1", "..", "RET-01@../A1", "a/b@A1", "RET\0@A1", ".@A1", "x@A1\n", ""])
def test_a_key_that_is_no_file_name_reaches_no_disk(key: str, project: Path) -> None:
    """Names are checked before a path is made of them."""
    with pytest.raises(CassetteError, match="path_escape"):
        load(project, "chat", key, 1)
    with pytest.raises(CassetteError, match="path_escape"):
        load(project, key, KEY, 1)


def test_recording_again_keeps_or_replaces_the_others(recorded: Path, example: Cassette) -> None:
    """What is missing joins what is there; a recording anew replaces all of it."""
    write(recorded, "chat", [replace(example, trial=2)])
    assert [load(recorded, "chat", KEY, trial).cassette.trial for trial in (1, 2)] == [1, 2]
    changed = replace(example, interactions=example.interactions[:1])
    write(recorded, "chat", [changed], replace=True)
    assert load(recorded, "chat", KEY, 1).cassette == changed
    assert sorted(path.name for path in (recorded / FOLDER).iterdir()) == ["pins.json", "trial-1.yaml"]


def test_a_recording_anew_needs_no_readable_pins(recorded: Path, example: Cassette) -> None:
    """A broken pins file refuses what would keep its entries, not what replaces them all."""
    edit(recorded, lambda raw: b"{", f"{FOLDER}/pins.json")
    with pytest.raises(CassetteError, match="pins_corrupt"):
        write(recorded, "chat", [example])
    write(recorded, "chat", [example], replace=True)
    assert load(recorded, "chat", KEY, 1).cassette == example


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda it: replace(it, chunks=replace(it.chunks, sizes=(1,), at_us=(1,))), "cassette_corrupt"),
        (
            lambda it: replace(it, response=replace(it.response, headers={"Content-Encoding": ("gzip",)})),
            "decode_error",
        ),
        (lambda it: replace(it, service="\ud800"), "not_text"),
        (lambda it: replace(it, request=replace(it.request, headers={"a": ["1"]})), "not_representable"),
    ],
)
def test_a_cassette_that_could_not_be_read_back_is_not_written(
    build: Callable[..., object], code: str, project: Path, example: Cassette
) -> None:
    """The reader judges every recording before the disk sees it."""
    broken = replace(example, interactions=(build(example.interactions[0]),))
    with pytest.raises(CassetteError, match=code):
        write(project, "chat", [broken])
    assert not (project / "cassettes").exists()


def test_a_recording_beyond_the_limit_is_not_written(project: Path, example: Cassette) -> None:
    """What could not be replayed is refused while its author is there."""
    with pytest.raises(CassetteError, match="size_limit"):
        write(project, "chat", [example], limits=Limits(file_bytes=1000))


def test_two_cassettes_of_one_trial_or_of_two_tasks_are_a_mistake(project: Path, example: Cassette) -> None:
    """A write is one task's."""
    with pytest.raises(ValueError, match="two cassettes of one trial"):
        write(project, "chat", [example, example])
    with pytest.raises(CassetteError, match="misplaced"):
        write(project, "chat", [example, replace(example, key="RET-02@A1", trial=2)])


def test_pins_are_derived_again_on_request(recorded: Path, example: Cassette) -> None:
    """A person who changed a cassette on purpose pins what lies there."""
    edit(recorded, lambda raw: raw.replace(b'"Ada"\n', b'"Eva"\n'))
    assert "hash_mismatch" in refused(recorded)
    pins = repin(recorded, "chat", KEY)
    loaded = load(recorded, "chat", KEY, 1)
    assert pins.cassettes["trial-1.yaml"] == pin(loaded.cassette, loaded.raw)
    assert b"Eva" in loaded.cassette.stream.body


def test_only_what_can_be_read_is_pinned(recorded: Path) -> None:
    """A corrupt cassette, or none, is not pinned."""
    edit(recorded, lambda raw: raw[:100])
    with pytest.raises(CassetteError, match="cassette_corrupt"):
        repin(recorded, "chat", KEY)
    (recorded / FILE).unlink()
    for key in (KEY, "RET-02@A1"):
        with pytest.raises(Stale, match="not_recorded"):
            repin(recorded, "chat", key)


def test_a_disk_that_cannot_be_written_is_said(project: Path, example: Cassette) -> None:
    """Where a folder cannot be made, the error names the task and what holds."""
    (project / "cassettes").write_text("a file")
    with pytest.raises(TapegateError) as caught:
        write(project, "chat", [example])
    assert isinstance(caught.value, Unavailable)
    assert "write_failed: the recordings of 'RET-01@A1' could not be written" in str(caught.value)


def test_pins_stand_beside_the_cassettes(recorded: Path) -> None:
    """One file a task: two pull requests that record two tasks do not collide."""
    assert json.loads((recorded / FOLDER / "pins.json").read_bytes())["key"] == KEY
