"""Cassettes of other projects, where they lie beside the repository: each imports, and replays what it recorded.

What is right is read here a second time, by PyYAML and vcrpy themselves.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from vcr.serializers.yamlserializer import _CassetteLoader

from tapegate.tape import store
from tapegate.tape.importing.files import Import, Outcome
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.routes import Route, Routes
from tapegate.tape.wire import Asked

REAL = Path(__file__).parents[3].parent / "shared" / "real-cassettes"

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/real-cassettes beside this checkout")


class Loader(_CassetteLoader):
    """vcrpy's own, which also reads the header names of aiohttp."""


Loader.add_constructor(
    "tag:yaml.org,2002:python/object/apply:multidict._multidict.istr",
    lambda loader, node: loader.construct_sequence(node)[0],
)
Loader.construct_sequence = lambda self, node, deep=True: yaml.SafeLoader.construct_sequence(self, node, deep=True)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Outcome]]:
    """All of them, imported into one project."""
    project = tmp_path_factory.mktemp("imported")
    return project, list(Import(project, Routes({})).run(REAL))


def truth(path: Path) -> list[dict[str, Any]]:
    """The interactions of a file as its own recorder reads them."""
    raw = path.read_text("utf-8")
    document = json.loads(raw) if path.suffix == ".json" else yaml.load(_ists(raw), Loader)
    if "request" in document:
        return [document]
    return document["interactions"] if isinstance(document["interactions"], list) else []


def _ists(raw: str) -> str:
    """Header names as plain text: PyYAML builds no mapping whose key is a sequence first."""
    return raw.replace("? !!python/object/apply:multidict._multidict.istr\n      - ", "? ")


def as_bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""


def body_of(side: dict[str, Any]) -> tuple[bytes, bool]:
    """The recorded body, and whether it was kept as parsed JSON only."""
    for name in ("parsed_body", "body"):
        if isinstance(side.get(name), dict) and "string" not in side[name]:
            return json.dumps(side[name]).encode(), True
    body = side.get("content", side.get("body"))
    return as_bytes(body["string"] if isinstance(body, dict) else body), False


def test_nearly_all_files_with_http_import(imported):
    """At least 98 in 100, and none is passed over in silence; what is no HTTP is counted."""
    _, outcomes = imported
    files = [path for path in REAL.rglob("*") if path.suffix in (".yaml", ".json")]
    assert len(outcomes) == len(files) > 200
    states = [outcome.state for outcome in outcomes]
    held = states.count("imported") + states.count("refused")
    assert states.count("imported") >= 0.98 * held, [one for one in outcomes if one.state == "refused"]
    assert "not_a_cassette" not in states
    for outcome in outcomes:
        assert outcome.exchanges == len(truth(REAL / outcome.file))
    assert sum(outcome.others for outcome in outcomes) == 1


def test_every_interaction_replays_the_right_bytes_in_recorded_order(imported):
    """Each request as it was recorded, in order, gets the body that its recorder kept; nothing is left over."""
    project, outcomes = imported
    played = 0
    for outcome in outcomes:
        if outcome.recording is None:
            continue
        _, suite, key, _ = Path(outcome.recording).parts
        cassette = store.load(project, suite, key, 1).cassette
        rows = truth(REAL / outcome.file)
        origins = {uri.netloc.lower(): f"{uri.scheme}://{uri.netloc}" for uri in map(urlsplit, map(_uri, rows))}
        routes = Routes({service: Route(service, at, at) for service, at in origins.items()})
        ledger = Ledger()
        player = Player(cassette, routes, ledger)
        for row in rows:
            service, path = routes.resolve(_uri(row))
            asked = Asked(service, row["request"]["method"], path, (), body_of(row["request"])[0])
            answer = player.play(asked)
            body, parsed = body_of(row["response"])
            got = b"".join(answer.chunks)
            if parsed:
                assert json.loads(got) == json.loads(body), outcome.file
            else:
                assert got == body, outcome.file
            code = row["response"].get("status_code") or row["response"]["status"]["code"]
            assert answer.status == code
            encodings = [value for name, value in answer.headers if name.lower() == "content-encoding"]
            if encodings == ["gzip"]:
                assert gzip.decompress(got)
            else:
                assert not encodings
            played += 1
        assert ledger.account(cassette.interactions, recorded_paths(cassette, routes)).complete, outcome.file
    assert played == sum(outcome.exchanges for outcome in outcomes) > 300


def test_what_is_not_the_bytes_that_were_sent_is_said(imported):
    """In the outcome, in the recording's provenance, and of each interaction."""
    project, outcomes = imported
    rebuilt = [outcome for outcome in outcomes if outcome.rebuilt]
    assert len(rebuilt) > 50
    for outcome in outcomes:
        if outcome.recording is None:
            continue
        _, suite, key, _ = Path(outcome.recording).parts
        cassette = store.load(project, suite, key, 1).cassette
        assert not cassette.timed
        assert ("rebuilt from parsed JSON" in cassette.provenance.source_description) is bool(outcome.rebuilt)
        assert any(interaction.redacted for interaction in cassette.interactions) is bool(outcome.rebuilt)


def test_importing_again_changes_nothing(imported):
    """The same file gives the same bytes, and a recording that is there is left alone."""
    project, outcomes = imported
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*.yaml")}
    assert list(Import(project, Routes({})).run(REAL)) == outcomes
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*.yaml")} == before


def _uri(row: dict[str, Any]) -> str:
    return row["request"].get("uri") or row["request"]["url"]
