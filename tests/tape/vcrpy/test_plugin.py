"""vcrpy with our serializer, persister, matcher and look-up in it."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException

from tapegate.errors import CassetteError, Unavailable
from tapegate.tape.read import read
from tapegate.tape.vcrpy.matcher import Matcher
from tapegate.tape.vcrpy.plugin import register

KEY = "sk-live-0123456789abcdef0123"
FOREIGN_KEY = "sk-proj-" + "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc1Vb3Nm5" * 2


@pytest.fixture(scope="module")
def url():
    """A server that says in capitals what it was asked, and sets a cookie."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).upper()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Set-Cookie", "session=1234567890")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/chat"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def made(tmp_path):
    """A VCR with the plug-in, in a folder of its own."""

    def make(mode: str = "once", **more) -> vcr.VCR:
        player = vcr.VCR(cassette_library_dir=str(tmp_path), record_mode=mode)
        register(player, secrets=["MODEL_KEY"], environ={"MODEL_KEY": KEY}, **more)
        return player

    return make


def ask(url: str, body: bytes) -> bytes:
    """One request, its key in a header."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        return response.read()


def test_a_recording_is_ours_redacted_and_pinned(made, url, tmp_path):
    """Key and cookie are gone, stock vcrpy reads the file, and the pins hold its bytes."""
    with made().use_cassette("a.yaml"):
        assert (
            ask(url, json.dumps({"q": "hi", "key": KEY}).encode())
            == json.dumps({"q": "hi", "key": KEY}).upper().encode()
        )
    raw = (tmp_path / "a.yaml").read_bytes()
    assert KEY.encode() not in raw
    assert b"cookie" not in raw.lower()
    (one,) = read(raw, "a.yaml").interactions
    assert one.request.body == b'{"q": "hi", "key": "REDACTED_MODEL_KEY"}'
    assert (tmp_path / "a.yaml.pins").read_text() == f"{hashlib.sha256(raw).hexdigest()} {len(raw)} 1\n"
    with vcr.VCR(record_mode="none", match_on=["method", "uri"]).use_cassette(str(tmp_path / "a.yaml")):
        assert ask(url, b"{}")


def test_it_is_replayed_by_bytes_then_by_meaning_each_once(made, url):
    """Another spelling of the same JSON is the same request, the real key is its mark, and a third call is a miss."""
    with made().use_cassette("b.yaml"):
        ask(url, json.dumps({"q": "hi", "key": KEY}).encode())
        ask(url, json.dumps({"key": KEY, "q": "hi", "n": 1}).encode())
    with made("none").use_cassette("b.yaml") as tape:
        assert json.loads(ask(url, b'{"n":1,"q":"hi","key":"%b"}' % KEY.encode()))["N"] == 1
        assert b"HI" in ask(url, json.dumps({"q": "hi", "key": KEY}).encode())
        assert tape.all_played
        with pytest.raises(CannotOverwriteExistingCassetteException):
            ask(url, json.dumps({"q": "hi", "key": KEY}).encode())
        with pytest.raises(CannotOverwriteExistingCassetteException):
            ask(url, b'{"q":"another"}')


def test_a_volatile_field_is_declared(made, url):
    """What a normaliser names may differ; what none names may not."""
    with made().use_cassette("c.yaml"):
        ask(url, b'{"id":"call_1","q":1}')
    with made("none", normalisers={"id": "random"}).use_cassette("c.yaml"):
        assert ask(url, b'{"id":"call_2","q":1}')
    with made("none").use_cassette("c.yaml"), pytest.raises(CannotOverwriteExistingCassetteException):
        ask(url, b'{"id":"call_2","q":1}')


def test_what_is_found_is_found_without_comparing(made, url, monkeypatch):
    """The matcher, which vcrpy calls once for each recording, is not called at all."""
    with made().use_cassette("d.yaml"):
        for number in range(30):
            ask(url, b'{"q":%d}' % number)
    monkeypatch.setattr(Matcher, "__call__", lambda *_: pytest.fail("compared"))
    with made("none").use_cassette("d.yaml") as tape:
        for number in reversed(range(30)):
            assert ask(url, b'{"q":%d}' % number) == b'{"Q":%d}' % number
        assert tape.all_played


def test_an_undeclared_key_refuses_the_recording(made, url, tmp_path):
    """Nothing is written, and the value is never named."""
    with pytest.raises(CassetteError, match="secret") as refused, made().use_cassette("e.yaml"):
        ask(url, json.dumps({"token": FOREIGN_KEY}).encode())
    assert FOREIGN_KEY not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_saved_leaves_no_patch(made, url, tmp_path):
    """After a recording that was refused, requests go where they are sent, and stock vcrpy's patches are gone."""
    before = http.client.HTTPConnection
    with pytest.raises(CassetteError) as refused, made().use_cassette("e.yaml"):
        ask(url, json.dumps({"token": FOREIGN_KEY}).encode())
    assert refused.value
    assert http.client.HTTPConnection is before


def test_a_test_that_raises_writes_nothing(made, url, tmp_path):
    """PRO-02: half a recording is none; vcrpy alone keeps it."""

    def agent() -> None:
        with made().use_cassette("f.yaml"):
            ask(url, b'{"q":1}')
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        agent()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda raw: raw[: len(raw) // 2], "cassette_corrupt|hash_mismatch"),
        (lambda raw: raw.replace(b"HI", b"HO"), "hash_mismatch"),
        (lambda raw: raw.replace(b"HI", b"\xff\xfe"), "cassette_corrupt"),
        (lambda raw: b"a: &a [x,x]\nb: *a\ninteractions: []\n", "hash_mismatch|alias_limit"),
        (lambda raw: raw + b"interactions: []\n", "duplicate_key"),
        (lambda raw: raw + b"---\n{}\n", "multi_document"),
        (lambda raw: b"!!python/object/apply:os.system [ls]\n", "forbidden_tag"),
        (lambda raw: None, "cassette_missing"),
    ],
)
def test_a_file_that_is_not_the_pinned_one_is_refused(made, url, tmp_path, change, code):
    """Damage of any kind is named; nothing goes live, and nothing is written over it."""
    with made().use_cassette("g.yaml"):
        ask(url, b'{"q":"hi"}')
    file = tmp_path / "g.yaml"
    raw = change(file.read_bytes())
    file.unlink()
    if raw is not None:
        file.write_bytes(raw)
    with pytest.raises(CassetteError) as refused, made("new_episodes").use_cassette("g.yaml"):
        pytest.fail("opened")
    assert refused.value.problems[0].code in code.split("|")
    assert (file.read_bytes() if file.exists() else None) == raw


@pytest.mark.parametrize("failing", range(6))
def test_a_failed_write_leaves_the_old_one_or_the_new_one(made, url, tmp_path, monkeypatch, failing):
    """Every rename and fsync may fail: what lies there afterwards is one of both, and its pins know it."""
    with made().use_cassette("h.yaml"):
        ask(url, b'{"q":1}')
    calls = iter(range(100))

    def breaking(real):
        def call(*args):
            if next(calls) == failing:
                raise OSError(28, "No space left on device")
            return real(*args)

        return call

    monkeypatch.setattr(os, "fsync", breaking(os.fsync))
    monkeypatch.setattr(Path, "replace", breaking(Path.replace))
    with pytest.raises(Unavailable, match="No space left"), made("new_episodes").use_cassette("h.yaml"):
        ask(url, b'{"q":2}')
    monkeypatch.undo()
    with made("none").use_cassette("h.yaml") as tape:
        assert len(tape) in (1, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.yaml", "h.yaml.pins"]


def test_a_cassette_of_stock_vcrpy_is_read_without_pins(made, url, tmp_path):
    """Teams start from what they have."""
    with vcr.VCR(record_mode="once").use_cassette(str(tmp_path / "i.yaml")):
        ask(url, b'{"q":"old"}')
    with made("none").use_cassette("i.yaml"):
        assert ask(url, b'{"q":"old"}') == b'{"Q":"OLD"}'


def test_pytest_recording_takes_it_by_one_hook(made, url, tmp_path):
    """`pytest_recording_configure` in a conftest: its tests then replay pinned cassettes by our matcher."""
    cassettes = tmp_path / "cassettes" / "test_it"
    cassettes.mkdir(parents=True)
    for name in ("test_whole", "test_changed"):
        with made().use_cassette(str(cassettes / f"{name}.yaml")):
            ask(url, b'{"a": 1, "b": 2}')
    changed = cassettes / "test_changed.yaml"
    changed.write_bytes(changed.read_bytes().replace(b'"A": 1', b'"A": 2'))
    (tmp_path / "conftest.py").write_text(
        "from tapegate.tape.vcrpy.plugin import register\n"
        "def pytest_recording_configure(config, vcr):\n    register(vcr, secrets=['MODEL_KEY'])\n"
    )
    (tmp_path / "test_it.py").write_text(
        "import urllib.request, pytest\n\ndef ask():\n"
        f'    request = urllib.request.Request({url!r}, b\'{{"b":2,"a":1}}\')\n'
        "    return urllib.request.urlopen(request).read()\n\n"
        '@pytest.mark.vcr\ndef test_whole():\n    assert ask() == b\'{"A": 1, "B": 2}\'\n\n'
        "@pytest.mark.vcr\ndef test_changed():\n    ask()\n"
    )
    others = [word for name in ("cacheprovider", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}")]
    command = [sys.executable, "-m", "pytest", "-q", *others, "--record-mode=none", "."]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "hash_mismatch" in done.stdout
    assert "ERROR test_it.py::test_changed" in done.stdout
