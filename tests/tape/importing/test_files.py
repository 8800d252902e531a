"""Files and folders to import: where their recordings go, and what is told of each."""

from __future__ import annotations

import gzip
import json
import re

import pytest
import yaml

from tapegate.tape import store, verify
from tapegate.tape.cassette import UNTIMED
from tapegate.tape.importing.files import Import, portable
from tapegate.tape.importing.scanned import scan_file
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.routes import Route, Routes
from tapegate.tape.wire import Asked

KEY = "sk-proj-" + "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc1Vb3Nm5" * 2
"""Shaped like a provider's key."""
OPENAI = Routes({"model": Route("model", "https://api.openai.com/v1", "https://api.openai.com/v1")})


def row(question="q", answer="a", *, headers=None, uri="https://api.openai.com/v1/chat", response=None):
    return {
        "request": {
            "method": "POST",
            "uri": uri,
            "headers": {"Authorization": ["Bearer x"], "accept": ["*/*"]},
            "body": question,
        },
        "response": response
        or {"status": {"code": 200, "message": "OK"}, "headers": headers or {}, "body": {"string": answer}},
    }


def write(path, *rows, **more):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({"interactions": list(rows), "version": 1, **more}))
    return path


def test_a_file_becomes_a_recording_that_plays(tmp_path):
    """Pinned, verified, under the service it belongs to; equal requests are served in recorded order, each once."""
    path = write(tmp_path / "in/test_x.yaml", row("q", "first"), row("other", "b"), row("q", "second"))
    (outcome,) = Import(tmp_path / "out", OPENAI).run(path)
    assert outcome.recording == "cassettes/in/test_x@imported/trial-1.yaml"
    assert (outcome.state, outcome.exchanges, outcome.rebuilt, outcome.decoded) == ("imported", 3, 0, 0)
    assert verify.verify(tmp_path / "out") == []
    cassette = store.load(tmp_path / "out", "in", "test_x@imported", 1).cassette
    assert {interaction.service for interaction in cassette.interactions} == {"model"}
    ledger = Ledger()
    player = Player(cassette, OPENAI, ledger)
    played = [
        b"".join(player.play(Asked("model", "POST", "/chat", (), body)).chunks) for body in (b"q", b"q", b"other")
    ]
    assert played == [b"first", b"second", b"b"]
    assert ledger.account(cassette.interactions, recorded_paths(cassette, OPENAI)).complete


def test_what_is_not_known_is_said(tmp_path):
    """No times, no commit, no answer of an agent; when it was recorded is the latest date of a response."""
    dates = [{"Date": ["Tue, 07 Nov 2023 01:27:18 GMT"]}, {"date": ["Tue, 07 Nov 2023 02:00:00 GMT"]}, {"date": ["?"]}]
    path = write(tmp_path / "a.yaml", *(row(headers=headers) for headers in dates))
    list(Import(tmp_path, Routes({}), suite="s", key="RET-01@A1").run(path))
    cassette = store.load(tmp_path, "s", "RET-01@A1", 1).cassette
    made = cassette.provenance
    assert (made.recorded_at, made.commit, made.machine) == ("2023-11-07T02:00:00Z", "none", UNTIMED)
    assert made.source_description == "imported from a.yaml: no chunks and no times were recorded"
    assert not cassette.timed
    assert (cassette.stream.dialect, cassette.stream.body) == ("none", b"")
    assert [interaction.service for interaction in cassette.interactions] == ["api.openai.com"] * 3


def test_headers_are_kept_by_the_allow_list(tmp_path):
    """A key in a header goes the way of every header that no recording needs."""
    path = write(tmp_path / "a.yaml", row(headers={"set-cookie": ["session=1"], "retry-after": ["1"]}))
    list(Import(tmp_path, Routes({}), suite="s", key="A@B").run(path))
    (interaction,) = store.load(tmp_path, "s", "A@B", 1).cassette.interactions
    assert interaction.request.headers == {"accept": ("*/*",)}
    assert interaction.response.headers == {"retry-after": ("1",)}


def test_a_key_in_a_body_is_refused_and_the_rest_is_imported(tmp_path):
    """The file is named with rule and place, never with the value."""
    write(tmp_path / "in/bad.yaml", row(f"my key is {KEY}"))
    write(tmp_path / "in/good.yaml", row())
    bad, good = Import(tmp_path / "out", OPENAI).run(tmp_path / "in")
    assert (bad.state, good.state) == ("refused", "imported")
    assert {problem.code for problem in bad.problems} == {"secret_found"}
    assert KEY not in str(bad.problems)
    assert KEY.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())


def test_every_file_of_a_folder_is_told_of(tmp_path):
    """What is imported, what holds no HTTP, what is no cassette, what cannot be read: sorted, and none is left out."""
    write(tmp_path / "in/a/x.yaml", row())
    (tmp_path / "in/b.json").write_text(json.dumps({"request": row()["request"], "response": row()["response"]}))
    write(tmp_path / "in/c.yml", interactions={"h": [{"token": 1}]})
    (tmp_path / "in/d.yaml").write_text("name: x")
    (tmp_path / "in/e.yaml").write_text("a: [")
    (tmp_path / "in/README.md").write_text("no recording")
    told = {outcome.file: outcome.state for outcome in Import(tmp_path / "out", OPENAI).run(tmp_path / "in")}
    assert told == {
        "a/x.yaml": "imported",
        "b.json": "imported",
        "c.yml": "no_http",
        "d.yaml": "not_a_cassette",
        "e.yaml": "refused",
    }
    assert list(told) == sorted(told)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (row(uri="https://papers.example:99999/x"), "interactions[0]: the uri is no URL: Port out of range"),
        (row(uri="https://[::1/x"), "interactions[0]: the uri is no URL: "),
        (row(headers={"x-a": ["\ud800"]}), "header 'x-a' holds half of a surrogate pair"),
        (row(response={"status": {"code": 200, "message": "\udfff"}, "body": None}), "the reason phrase holds half"),
    ],
    ids=["port", "bracket", "header", "reason"],
)
def test_what_no_recording_can_hold_is_named_and_the_rest_is_imported(tmp_path, broken, says):
    """One strange file stops nothing."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.json").write_text(json.dumps({"version": 1, "interactions": [broken]}))
    write(tmp_path / "in/b.yaml", row())
    first, second = Import(tmp_path / "out", OPENAI).run(tmp_path / "in")
    assert (first.state, second.state) == ("refused", "imported")
    assert says in first.problems[0].message


def test_two_files_never_share_a_recording(tmp_path):
    """Names that are one where case or punctuation is all that tells them apart, get a digest of their own."""
    for name in ("test.yaml", "Test.yml", "test.json", "test[a].yaml", "test(a).yaml"):
        text = yaml.safe_dump({"interactions": [row(answer=name)]})
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(yaml.safe_load(text)) if name.endswith("json") else text)
    outcomes = list(Import(tmp_path / "out", OPENAI).run(tmp_path / "in"))
    assert len({outcome.recording.casefold() for outcome in outcomes}) == 5
    assert verify.verify(tmp_path / "out") == []


@pytest.mark.parametrize("name", ["test_x", "a", "A.b-c_9"])
def test_a_portable_name_stays(name):
    """So that people find it again."""
    assert portable(name) == name


@pytest.mark.parametrize("name", ["", "..", "/etc/passwd", "a b", "x" * 200, "ü", "-a", "a[1]", "CON\x00"])
def test_any_other_name_becomes_portable_and_stays_apart(name):
    """With a digest of what it was."""
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", portable(name))
    assert portable(name) != portable(name + "x")


def test_a_recording_that_is_there_is_not_written_over(tmp_path):
    """The same one is left; another is refused, with the way out."""
    path = write(tmp_path / "in/a.yaml", row(answer="one"))
    (first,) = Import(tmp_path / "out", OPENAI).run(path)
    (again,) = Import(tmp_path / "out", OPENAI).run(path)
    assert again == first
    write(path, row(answer="two"))
    (other,) = Import(tmp_path / "out", OPENAI).run(path)
    assert [problem.code for problem in other.problems] == ["recording_exists"]
    assert (
        b"".join(
            store.load(tmp_path / "out", "in", "a@imported", 1).cassette.interactions[0].response.body for _ in "1"
        )
        == b"one"
    )


def test_what_was_decoded_or_rebuilt_is_counted_and_said(tmp_path):
    """In the outcome, in the provenance, and of the interaction whose bytes are nobody's."""
    parsed = {"status": {"code": 200, "message": ""}, "headers": {}, "parsed_body": {"a": 1}}
    path = write(
        tmp_path / "a.yaml",
        row(answer="plain", headers={"content-encoding": ["gzip"]}),
        row(answer=gzip.compress(b"x"), headers={"content-encoding": ["gzip"]}),
        row(response=parsed),
    )
    (outcome,) = Import(tmp_path, OPENAI, suite="s", key="A@B").run(path)
    assert (outcome.decoded, outcome.rebuilt) == (1, 1)
    cassette = store.load(tmp_path, "s", "A@B", 1).cassette
    assert [interaction.redacted for interaction in cassette.interactions] == [False, False, True]
    assert cassette.provenance.source_description.endswith(
        "no times were recorded; 1 bodies are as their recorder decoded them; "
        "1 bodies are rebuilt from parsed JSON and not the bytes that were sent"
    )


def test_a_scan_finds_what_an_import_would_refuse(tmp_path):
    """In decoded bodies, by the names of headers, and in files that are no cassette."""

    def with_headers(headers):
        return {**row(), "request": {**row()["request"], "headers": headers}}

    clean = write(tmp_path / "clean.yaml", with_headers({}))
    assert scan_file(clean.read_bytes(), "clean.yaml") == []
    packed = write(tmp_path / "p.yaml", row(answer=gzip.compress(KEY.encode()), headers={"content-encoding": ["gzip"]}))
    for raw in (packed.read_bytes(), f"key: {KEY}\n".encode(), f"not: [yaml {KEY}".encode()):
        problems = scan_file(raw, "x.yaml")
        assert {problem.code for problem in problems} == {"secret_found"}
        assert KEY not in str(problems)
    header = write(
        tmp_path / "h.yaml", {**row(), "request": {**row()["request"], "headers": {"x-api-key": ["h7Gk2Lm9Qw4Zx1Vb"]}}}
    )
    (problem,) = scan_file(header.read_bytes(), "h.yaml")
    assert "credential_header" in problem.message
