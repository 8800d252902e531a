"""Searching recordings for secrets that should not be there."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.tape.cassette import Cassette, Chunks, Request
from tapegate.tape.scan import scan, scan_bytes
from tapegate.tape.secrets import views
from tapegate.tape.secrets.detector import KNOWN

SHARED = Path(__file__).parents[2].parent / "shared"

REVIEWED = {
    # `dd-api-key=pub…` in a content-security-policy header: Datadog's public client token, made to stand in web pages.
    ("credential_field", "0e504166"),
}
"""Rule and fingerprint of what the rules find in public recordings and a person found harmless."""


def _key(seed: int = 0) -> str:
    return "gsk_" + "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=52))


def _with(cassette: Cassette, **parts: Any) -> Cassette:
    """`cassette` with parts of its first request replaced."""
    first = cassette.interactions[0]
    return replace(cassette, interactions=(replace(first, request=replace(first.request, **parts)),))


def _found(cassette: Cassette) -> list[tuple[str, str]]:
    return [(problem.code, problem.message.partition(" holds ")[0]) for problem in scan(cassette)]


def test_a_clean_cassette_has_no_problem(example: Cassette) -> None:
    """An ordinary recording, text and binary, is clean."""
    assert scan(example) == []


def test_a_key_is_found_in_every_part(example: Cassette, with_answer: Callable[..., Cassette]) -> None:
    """Uri, headers, bodies and the agent's stream are searched, and the place is named."""
    key = _key()
    body = json.dumps({"messages": [{"content": f"my key is {key}"}]}).encode()
    stream = replace(example.stream, body=f'0:"{key}"\n'.encode())
    for cassette, place in (
        (_with(example, uri=f"https://api.example/{key}"), "the uri of interaction 0"),
        (_with(example, headers={"accept": ("a", key)}), "the request header 'accept' of interaction 0"),
        (_with(example, body=body), "the request body of interaction 0 at $.messages[0].content"),
        (with_answer(b"data: " + key.encode()), "the response body of interaction 0 at byte 6"),
        (replace(example, stream=stream), "the agent stream at byte 3"),
    ):
        assert _found(cassette) == [("secret_found", place)]
    (problem,) = scan(_with(example, body=body), "cassettes/chat/RET-01@A1/trial-1.yaml")
    assert problem.file == "cassettes/chat/RET-01@A1/trial-1.yaml"
    assert f"(groq_key: Groq; sha256 {hashlib.sha256(key.encode()).hexdigest()[:8]}…)" in problem.message
    assert not any(key[at : at + 8] in str(problem) + repr(problem) for at in range(4, len(key) - 8))


@pytest.mark.parametrize("encode", [gzip.compress, lambda body: gzip.compress(body[:9]) + gzip.compress(body[9:])])
def test_compressed_bodies_are_searched(encode: Callable[[bytes], bytes], with_answer: Callable[..., Cassette]) -> None:
    """A key inside a compressed answer is found, and its JSON path named."""
    cassette = with_answer(encode(json.dumps({"a": _key()}).encode()), {"Content-Encoding": ("gzip",)})
    assert _found(cassette) == [("secret_found", "the response body of interaction 0 at $.a")]


def test_a_body_that_cannot_be_searched_is_a_problem(
    with_answer: Callable[..., Cassette], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CAS-17: not gzip under content-encoding gzip; an unknown encoding; gzip without end. None passes as clean."""
    monkeypatch.setattr(views, "INFLATED_LIMIT", 1 << 20)
    bomb = b"x" + gzip.compress(bytes(2 << 20))
    for body, headers, code in (
        (b"not gzip", {"content-encoding": ("gzip",)}, "decode_error"),
        (b"\x0b\x02\x80", {"content-encoding": ("br",)}, "decode_error"),
        (bomb, {}, "size_limit"),
    ):
        assert [problem.code for problem in scan(with_answer(body, headers))] == [code]


def test_credentials_are_found_by_their_name(example: Cassette, with_answer: Callable[..., Cassette]) -> None:
    """CAS-20: header, query and Set-Cookie, whatever the credential looks like; marks and masks are none."""
    secret = "Zq3Tn8Vb1Lw6"
    for cassette, places in (
        (_with(example, headers={"X-Api-Key": (secret,)}), ["the request header 'X-Api-Key' of interaction 0"]),
        (_with(example, headers={"authorization": ("Bearer REDACTED_OPENAI_API_KEY",)}), []),
        (_with(example, uri=f"https://h.example/?sig={secret}"), ["the query parameter 'sig' of interaction 0"]),
        (_with(example, uri="https://h.example/?api_key=REDACTED_SEARCH_KEY"), []),
        (with_answer(b"", {"Set-Cookie": (f"sid={secret}; Path=/",)}, sizes=(), at_us=()),
         ["the response header 'Set-Cookie' of interaction 0"]),
    ):  # fmt: skip
        assert [message for _, message in _found(cassette)] == places
        assert secret not in str(scan(cassette))


def test_keys_over_frames_are_found_unless_told_otherwise(example: Cassette) -> None:
    """A key that the model said token by token is in no byte range, and still found."""
    key = _key()
    body = "".join(f"0:{json.dumps(key[at : at + 4])}\n" for at in range(0, len(key), 4)).encode()
    cassette = replace(example, stream=replace(example.stream, body=body, chunks=Chunks(0, (len(body),), (1,), 2)))
    assert _found(cassette) == [("secret_found", "the agent stream, cut over the frames of the stream")]
    assert scan(cassette, frames=False) == []


def test_any_text_can_be_searched() -> None:
    """A foreign file is searched as it is; the line of each key is named."""
    key, other = _key(1), _key(2)
    text = f"a: 1\nb: {key}\nc: !!binary |\n  {base64.b64encode(other.encode()).decode()}\n".encode()
    problems = scan_bytes(text, "old.yaml")
    assert [(problem.file, problem.line) for problem in problems] == [("old.yaml", 2), ("old.yaml", 4)]
    assert scan_bytes(b"a: 1\n") == []


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_one_search_for_all_misses_nothing(cassettes: st.SearchStrategy[Cassette], data: st.DataObject) -> None:
    """The one quick search over all parts together lets nothing through that each part alone would show."""
    cassette = data.draw(cassettes)
    key = _key(data.draw(st.integers(0, 99)))
    around = data.draw(st.sampled_from([b"", b" ", b"\n", b'"', b"\xff", b"=", b"-"]))
    planted = data.draw(st.sampled_from([key.encode(), base64.b64encode(key.encode()), gzip.compress(key.encode())]))
    stream = replace(cassette.stream, body=around + planted + around)
    assert any("groq_key" in problem.message for problem in scan(replace(cassette, stream=stream)))


def test_requests_without_query_or_with_a_broken_one_are_no_error(example: Cassette) -> None:
    """Whatever a cassette calls a uri, scanning it never raises."""
    for uri in ("", "http://[", "https://h.example/?&=&a=b=c&%zz", "?" * 99, "https://h.example/?key"):
        request = replace(example.interactions[0].request, uri=uri)
        assert isinstance(request, Request)
        assert scan(_with(example, uri=uri)) == []


@pytest.mark.skipif(not (SHARED / "real-cassettes").is_dir(), reason="no ../shared/real-cassettes here")
def test_public_recordings_hold_no_keys() -> None:
    """In 200 public recordings, as files and as the bodies they hold, the rules see nothing but what was reviewed."""
    files = [path for path in sorted((SHARED / "real-cassettes").rglob("*")) if path.suffix in (".yaml", ".json")]
    assert len(files) > 200
    seen: dict[tuple[str, str], str] = {}
    for file in files:
        text = file.read_bytes()
        for piece in (text, *_leaves(yaml.compose(text.decode("utf-8"), Loader=yaml.CSafeLoader))):
            for sighting in KNOWN.find(piece, frames=True):
                seen.setdefault((sighting.rule, sighting.digest), file.name)
    assert {key: name for key, name in seen.items() if key not in REVIEWED} == {}


@pytest.mark.skipif(not (SHARED / "streams").is_dir(), reason="no ../shared/streams here")
def test_captured_streams_hold_no_keys() -> None:
    """Raw provider and agent streams are clean."""
    for file in (SHARED / "streams").iterdir():
        assert scan_bytes(file.read_bytes()) == []


def test_the_projects_own_recordings_hold_no_keys() -> None:
    """What this repository ships is clean, by its bytes alone."""
    for file in (Path(__file__).parents[2] / "cassettes").rglob("*.*"):
        assert scan_bytes(file.read_bytes(), str(file)) == []


def _leaves(node: yaml.Node | None) -> Iterator[bytes]:
    """The strings of a YAML document, unfolded, binary ones and gzip decoded."""
    if isinstance(node, yaml.ScalarNode):
        if node.tag.endswith(":binary"):
            data = base64.b64decode(node.value)
            yield gzip.decompress(data) if data.startswith(b"\x1f\x8b\x08") else data
        else:
            yield node.value.encode("utf-8", "surrogatepass")
    elif isinstance(node, yaml.CollectionNode):
        for item in node.value:
            for child in item if isinstance(item, tuple) else (item,):
                yield from _leaves(child)
