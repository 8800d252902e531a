"""Sources: what a recording is made from, and the keys that it needs."""

from __future__ import annotations

import urllib.request

import pytest

from tapegate.errors import SubjectError, UsageError
from tapegate.run.source import LIVE, declared, ready

KEY = "sk-live-0123456789abcdef0123"
"""What MODEL_KEY holds, see conftest."""

STAND_IN = (
    "import http.server, os, sys\n"
    "class Handler(http.server.BaseHTTPRequestHandler):\n"
    "    def do_GET(self):\n"
    "        said = f'{os.getcwd()} {os.environ[\"ROOT\"]} {self.path}'.encode()\n"
    "        self.send_response(200)\n"
    "        self.send_header('Content-Length', str(len(said)))\n"
    "        self.end_headers()\n"
    "        self.wfile.write(said)\n"
    "    def log_message(self, *_):\n"
    "        pass\n"
    "http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()\n"
)


def test_live_is_there_without_being_declared(kit):
    """Every service at its own address, each key by the mark that the agent holds."""
    kit.config["services"]["open"] = {"address": "https://open.example", "base_url_env": ["OPEN_URL"]}
    with ready(kit.suite(), "live") as source:
        assert source.declared == LIVE
        assert source.routes.upstream("model", "/chat") == f"{kit.address}/chat"
        assert {service: list(keys) for service, keys in source.keys.items()} == {"model": ["REDACTED_MODEL_KEY"]}
        assert "sk-live" not in repr(source.routes)


def test_a_key_goes_where_its_service_is_and_nowhere_else(kit):
    """Services at one origin share their keys; another one and a stand-in have none of them."""
    services = kit.config["services"]
    services["embed"] = {"address": f"{kit.address}/embed", "base_url_env": ["EMBED_URL"]}
    services["search"] = {"address": "https://search.example", "base_url_env": ["SEARCH_URL"]}
    with ready(kit.suite(), "live") as source:
        held = {"REDACTED_MODEL_KEY": KEY}
        assert source.keys == {"model": held, "embed": held}
        assert KEY not in repr(source)
    (kit.root / "src" / "stand_in.py").write_text(STAND_IN)
    stand_in = {"command": ["{python}", "{project}/src/stand_in.py", "{port}"], "env": {"ROOT": "{project}"}}
    kit.config["sources"] = {"mixed": {"kind": "scripted", "description": "x", "stand_ins": {"embed": stand_in}}}
    with ready(kit.suite(), "mixed") as source:
        assert source.keys == {"model": held}


@pytest.mark.parametrize("value", ["", None])
def test_a_key_that_is_not_set_is_named(kit, monkeypatch, value):
    """Exit 2 before anything is started, with the variable and the other way."""
    if value is None:
        monkeypatch.delenv("MODEL_KEY")
    else:
        monkeypatch.setenv("MODEL_KEY", value)
    with pytest.raises(UsageError, match="its key 'MODEL_KEY' is not set") as caught, ready(kit.suite(), "live"):
        pass
    assert caught.value.exit_code == 2
    assert "--source NAME" in str(caught.value)


def test_a_stand_in_takes_the_place_of_a_service(kit, monkeypatch):
    """Started for the recording and ended with it; it needs no key, and requests go to its path."""
    monkeypatch.delenv("MODEL_KEY")
    (kit.root / "src" / "stand_in.py").write_text(STAND_IN)
    kit.config["sources"] = {
        "rules": {
            "kind": "scripted",
            "description": "rules",
            "stand_ins": {
                "model": {
                    "command": ["{python}", "{project}/src/stand_in.py", "{port}"],
                    "path": "/v9",
                    "env": {"ROOT": "{project}"},
                }
            },
        }
    }
    suite = kit.suite()
    with ready(suite, "rules") as source:
        assert (source.name, source.declared.kind, dict(source.keys)) == ("rules", "scripted", {})
        url = source.routes.upstream("model", "/chat")
        place, root, path = urllib.request.urlopen(url).read().decode().split()
        assert (root, path) == (str(suite.project), "/v9/chat")
        assert not place.startswith(root)
        assert source.routes.uri("model", "/chat") == f"{kit.address}/chat"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url)


def test_a_stand_in_sees_no_key(kit, monkeypatch):
    """It asks no provider, and may be code that nobody has read."""
    monkeypatch.setenv("MODEL_KEY", "sk-key")
    program = "import os; raise SystemExit('key ' + os.environ.get('MODEL_KEY', 'none'))"
    stand_in = {"command": ["{python}", "-c", program]}
    kit.config["sources"] = {"rules": {"kind": "scripted", "description": "x", "stand_ins": {"model": stand_in}}}
    with pytest.raises(SubjectError) as caught:
        ready(kit.suite(), "rules").__enter__()
    assert "| 'key none'" in str(caught.value)


def test_a_stand_in_that_does_not_start_is_told_by_its_service(kit):
    """With the last lines that it wrote."""
    stand_in = {"command": ["{python}", "-c", "raise SystemExit('no rules')"]}
    kit.config["sources"] = {"rules": {"kind": "scripted", "description": "x", "stand_ins": {"model": stand_in}}}
    with pytest.raises(SubjectError, match=r"the stand-in of service 'model' ended with exit code 1") as caught:
        ready(kit.suite(), "rules").__enter__()
    assert "| 'no rules'" in str(caught.value)


def test_a_source_that_is_not_declared_is_named_with_the_ones_that_are(kit):
    """Exit 2."""
    kit.config["sources"] = {"rules": {"kind": "scripted", "description": "x"}}
    with pytest.raises(UsageError, match="there is no source 'ruels'; there are live, rules"):
        declared(kit.suite().config, "ruels")
