"""The lock file of a task's recordings."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.limits import Limits
from tapegate.tape.pins import ModelPin, Pins, pin, read_pins, to_bytes

FILE = "cassettes/chat/RET-01@A1/pins.json"


@pytest.fixture(scope="module")
def raw(example: Cassette) -> bytes:
    """The pins of the example."""
    return to_bytes(Pins(format=1, key=example.key, cassettes={"trial-1.yaml": pin(example, emit(example))}))


def refused(raw: bytes, limits: Limits | None = None) -> str:
    """The refusal's text."""
    with pytest.raises(CassetteError) as caught:
        read_pins(raw, FILE, limits or Limits())
    return str(caught.value)


def test_a_pin_follows_from_the_cassette(example: Cassette) -> None:
    """Hash, size and count of the file; models, prompt, tools and parameters of its requests; its provenance."""
    made = emit(example)
    found = pin(example, made)
    assert (found.sha256, found.bytes, found.interactions) == (hashlib.sha256(made).hexdigest(), len(made), 2)
    assert found.models == (ModelPin(requested="scripted-1", resolved="scripted-1-2026", fingerprint="fp_7"),)
    assert found.prompt_sha256 == hashlib.sha256(b'[{"messages[0].content": "Read local papers first."}]').hexdigest()
    assert found.recorded_at == example.provenance.recorded_at
    assert pin(example, made) == found


@pytest.mark.parametrize(
    ("found", "put", "field"),
    [
        (b"local papers", b"remote papers", "prompt_sha256"),
        (b"search_local", b"search_web", "tools_sha256"),
        (b'"temperature":0', b'"temperature":1', "parameters_sha256"),
        (b'"temperature":0', b'"temperature":"0"', "parameters_sha256"),
        (b'"stream":true', b'"stream":false', None),
        (b'"content":"Who?"', b'"content":"What?"', None),
    ],
)
def test_each_hash_is_of_one_thing(found: bytes, put: bytes, field: str | None, example: Cassette) -> None:
    """A changed prompt moves the hash of the prompt and no other; what the user asks moves none."""
    first = example.interactions[0]
    request = replace(first.request, body=first.request.body.replace(found, put))
    before, after = (
        pin(one, b"x") for one in (example, replace(example, interactions=(replace(first, request=request),)))
    )
    hashes = ("prompt_sha256", "tools_sha256", "parameters_sha256")
    assert [name for name in hashes if getattr(before, name) != getattr(after, name)] == ([field] if field else [])


def test_what_no_model_was_asked_is_null(example: Cassette) -> None:
    """A recording without a chat has no prompt hash, rather than the hash of nothing."""
    found = pin(replace(example, interactions=example.interactions[1:]), b"x")
    assert (found.models, found.prompt_sha256, found.tools_sha256, found.parameters_sha256) == ((), None, None, None)


def test_pins_are_canonical_json(raw: bytes) -> None:
    """Sorted keys, two spaces, one newline: the same pins are the same bytes, and a diff shows what moved."""
    assert raw == (json.dumps(json.loads(raw), indent=2, sort_keys=True) + "\n").encode()
    assert raw == to_bytes(read_pins(raw, FILE))
    assert list(json.loads(raw)["cassettes"]["trial-1.yaml"]) == [
        "bytes", "commit", "interactions", "machine", "models", "parameters_sha256", "prompt_sha256", "recorded_at",
        "recorder", "sha256", "source", "source_kind", "tools_sha256",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bytes", "12"), ("bytes", 12.0), ("bytes", True), ("bytes", 0), ("bytes", None), ("interactions", -1),
        ("sha256", "ABC"), ("sha256", "a" * 63), ("prompt_sha256", ""), ("models", {}), ("models", [{"requested": 1}]),
        ("source_kind", "magic"), ("recorded_at", 7), ("unknown", 1),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(field: str, value: Any, raw: bytes) -> None:
    """Nothing is coerced, and an unknown key is an error: the message names the path and what stands there."""
    root = json.loads(raw)
    root["cassettes"]["trial-1.yaml"][field] = value
    message = refused(json.dumps(root).encode())
    assert message.startswith(f"{FILE}: pins_corrupt: cassettes.trial-1.yaml.{field}")
    assert "`tapegate cassette pin`" in message


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (b"", "pins_corrupt", "not JSON"),
        (b"[]", "pins_corrupt", "the file"),
        (b"{", "pins_corrupt", "not JSON"),
        (b"\xff", "pins_corrupt", "invalid UTF-8 at byte 0"),
        (b'{"format": NaN}', "pins_corrupt", "NaN is not JSON"),
        (b"[" * 100_000, "pins_corrupt", "not JSON that can be read"),
        (b'{"format": 1, "key": "a", "cassettes": {"../x": {}}}', "pins_corrupt", "cassettes.../x"),
        (b'{"format": 1, "key": "a", "cassettes": {}, "more": 1}', "pins_corrupt", "more"),
        (b'{"format": 1, "format": 1, "key": "a", "cassettes": {}}', "duplicate_key", "'format' stands twice"),
        (b'{"format": 1, "\\u0066ormat": 1}', "duplicate_key", "'format' stands twice"),
        (b'{"format": 2, "more": 1}', "newer_format", "format is 2; this Tapegate reads 1"),
    ],
)
def test_a_file_that_is_no_pins_file_is_refused(text: bytes, code: str, says: str) -> None:
    """As strict as the reading of cassettes: codes, and what is wrong."""
    message = refused(text)
    assert message.startswith(FILE)
    assert f": {code}: " in message
    assert says in message


def test_a_pins_file_has_a_limit(raw: bytes) -> None:
    """It is refused by its size before it is parsed."""
    assert f"size_limit: {len(raw):,} bytes" in refused(raw, Limits(pins_bytes=100))
