"""What a recording may hold of what was sent."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import string
import traceback
import zlib
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput, CassetteError, TapegateError
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Headers, Interaction, Request, Response
from tapegate.tape.redact import Redactor
from tapegate.tape.wire import Asked

VALUE = "sv-Zq3Tn8Vb1Lw6+/Yc9Hd2"
REDACTOR = Redactor({"SEARCH_KEY": VALUE, "UNSET_KEY": ""})
Place = Callable[[Interaction, bytes], Interaction]


def _key(seed: int = 0) -> str:
    """A key of a known format."""
    return "gsk_" + "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=52))


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:8]


def _interaction(
    request: bytes = b"{}",
    response: bytes = b"{}",
    *,
    uri: str = "https://search.example/v1/find?q=ada",
    sent: Headers | None = None,
    got: Headers | None = None,
    sizes: tuple[int, ...] | None = None,
    **ended: Any,
) -> Interaction:
    sizes = (len(response),) if sizes is None else sizes
    times = tuple(range(2, 2 + len(sizes)))
    return Interaction(
        "search",
        Request("POST", uri, sent or {}, request),
        Response(200, "OK", got or {}, response),
        Chunks(1, sizes, times, 99, **ended),
    )


ENCODINGS: dict[str, Callable[[str], str]] = {
    "raw": lambda text: text,
    "JSON-escaped": lambda text: json.dumps(text).replace("/", "\\/"),
    "\\u-escaped": lambda text: "".join(f"\\u{ord(char):04X}" for char in text),
    "percent-encoded": lambda text: quote(text, safe=""),
    "base64 at 0": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 at 1": lambda text: base64.b64encode(f"={text}\n".encode()).decode(),
    "base64 at 2": lambda text: base64.urlsafe_b64encode(f": {text} ;".encode()).decode(),
}
PLACES: dict[str, tuple[Callable[[str], Interaction], str]] = {
    "uri path": (lambda text: _interaction(uri=f"https://search.example/v1/{text}/find"), "the uri of interaction 7"),
    "uri query": (lambda text: _interaction(uri=f"https://search.example/?q={text}"), "the uri of interaction 7"),
    "request header": (lambda text: _interaction(sent={"Accept": (f"a/b; x={text}",)}), "the request header 'Accept'"),
    "request body": (lambda text: _interaction(f'{{"q": ["{text}"]}}'.encode()), "the request body of interaction 7"),
    "response header": (lambda text: _interaction(got={"link": ("<a>", f"<{text}>")}), "the response header 'link'"),
    "response body": (lambda text: _interaction(response=f"data: {text}\n\n".encode()), "the response body of"),
    "reason": (
        lambda text: replace(_interaction(), response=Response(400, f"no {text}", {}, b"{}")),
        "the reason phrase",
    ),
    "gzip request": (
        lambda text: _interaction(gzip.compress(f"q={text}".encode()), sent={"Content-Encoding": ("gzip",)}),
        "the request body of interaction 7",
    ),
    "deflate response": (
        lambda text: _interaction(response=zlib.compress(f" {text} ".encode()), got={"content-encoding": ("deflate",)}),
        "the response body of interaction 7",
    ),
}


def _told(secret: str, error: TapegateError) -> list[str]:
    """Pieces of `secret`, nine characters long, that stand in what the error can show, in any plain encoding."""
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(error.problems) + repr(error.args)
    forms = [encode(secret) for encode in ENCODINGS.values()]
    return [form[at : at + 9] for form in forms for at in range(len(form) - 8) if form[at : at + 9] in shown]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("place", PLACES)
def test_a_declared_value_becomes_its_mark_wherever_it_stands(place: str, encoding: str) -> None:
    """Planted in any place, in any encoding, nothing of the value is left, and its mark stands there."""
    build, _ = PLACES[place]
    encode = ENCODINGS[encoding]
    redacted = REDACTOR.redact(build(encode(VALUE)))
    shown = repr(redacted)
    assert encode(VALUE) not in shown
    assert any(form in shown for form in (encode("REDACTED_SEARCH_KEY").rstrip("="), "REDACTED_SEARCH_KEY"))
    assert sum(redacted.chunks.sizes) == len(redacted.response.body)
    assert REDACTOR.redact(redacted) == redacted


def test_only_the_segment_of_a_path_that_holds_a_value_changes() -> None:
    """Base64 has a digit that looks like a path's slash: what stands around the segment stays as it is."""
    segment = base64.urlsafe_b64encode(f"k={VALUE}".encode()).decode()
    marked = base64.urlsafe_b64encode(b"k=REDACTED_SEARCH_KEY").decode().rstrip("=")
    redacted = REDACTOR.redact(_interaction(uri=f"https://search.example/v1/users/{segment}/find/all?x=1"))
    assert redacted.request.uri == f"https://search.example/v1/users/{marked}/find/all?x=1"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("place", PLACES)
def test_any_other_key_refuses_the_recording(place: str, encoding: str) -> None:
    """CAS-20: a known key format refuses, naming rule, place and fingerprint, and telling nothing of the key."""
    build, where = PLACES[place]
    key = _key()
    with pytest.raises(CassetteError) as refused:
        REDACTOR.redact(build(ENCODINGS[encoding](key)), 7)
    for problem in refused.value.problems:
        assert problem.code == "secret_found"
        assert problem.message.startswith(where)
        assert f"groq_key: Groq; sha256 {_digest(key)}" in problem.message
        assert "secret_env" in (problem.fix or "")
    assert refused.value.exit_code == 2
    assert _told(key.removeprefix("gsk_"), refused.value) == []


@pytest.mark.parametrize("encoding", ["raw", "base64 at 1", "percent-encoded"])
def test_no_cut_into_chunks_hides_anything(encoding: str) -> None:
    """Wherever the stream was cut, a value becomes its mark, a key refuses, and chunks stay in order."""
    for secret in (VALUE, _key()):
        body = f'data: {{"content": "{ENCODINGS[encoding](secret)}"}}\n\n'.encode()
        for cut in range(1, len(body)):
            interaction = _interaction(response=body, sizes=(cut, len(body) - cut))
            if secret != VALUE:
                with pytest.raises(CassetteError):
                    REDACTOR.redact(interaction)
                continue
            redacted = REDACTOR.redact(interaction)
            first, second = redacted.chunks.cut(redacted.response.body)
            assert first + second == redacted.response.body
            assert first[:9] == body[:9][: len(first)]
            assert redacted.chunks.at_us == (2, 3)


def test_a_body_that_was_changed_says_so() -> None:
    """With either body changed the interaction says so, for good; a changed uri or header alone is no body."""
    for interaction in (_interaction(VALUE.encode()), _interaction(response=VALUE.encode())):
        changed = REDACTOR.redact(interaction)
        assert changed.redacted
        assert REDACTOR.redact(changed).redacted
    assert not REDACTOR.redact(_interaction(uri=f"https://h.example/{VALUE}", sent={"accept": (VALUE,)})).redacted


def test_headers_outside_the_allow_list_are_dropped() -> None:
    """CAS-20: keys, cookies, account ids and what differs from run to run never reach the disk, whatever their case."""
    sent = {
        "Authorization": ("Bearer " + _key(),),
        "X-Api-Key": (_key(1),),
        "x-goog-api-key": (_key(2),),
        "Cookie": ("session=" + _key(3),),
        "User-Agent": ("OpenAI/Python 3.51.0",),
        "X-Stainless-Arch": ("x64",),
        "Content-Type": ("application/json",),
        "anthropic-version": ("2023-06-01",),
    }
    got = {
        "Set-Cookie": ("a=" + _key(4), "b=2"),
        "x-request-id": ("req_1",),
        "openai-organization": ("org-1",),
        "Date": ("Sat, 31 Jan 2026 12:00:00 GMT",),
        "Content-Length": ("2",),
        "Retry-After": ("2",),
        "content-type": ("text/event-stream",),
    }
    redacted = REDACTOR.redact(_interaction(sent=sent, got=got))
    assert redacted.request.headers == {"Content-Type": ("application/json",), "anthropic-version": ("2023-06-01",)}
    assert redacted.response.headers == {"Retry-After": ("2",), "content-type": ("text/event-stream",)}
    assert not redacted.redacted


def test_a_compressed_body_with_a_value_is_kept_decoded() -> None:
    """It loses its content-encoding and says that it was changed; each chunk is what could be read when it came."""
    packer = zlib.compressobj(wbits=31)
    events = [b"data: the key is ", f"{VALUE}, keep it\n\n".encode()]
    chunks = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in events]
    chunks[-1] += packer.flush()
    got = {"Content-Encoding": ("gzip",), "content-type": ("text/event-stream",)}
    redacted = REDACTOR.redact(_interaction(response=b"".join(chunks), got=got, sizes=tuple(map(len, chunks))))
    assert redacted.response.body == b"data: the key is REDACTED_SEARCH_KEY, keep it\n\n"
    assert redacted.response.headers == {"content-type": ("text/event-stream",)}
    assert redacted.chunks.sizes == (17, 30)
    assert redacted.redacted


def test_a_compressed_body_without_a_value_is_kept_as_it_came() -> None:
    """Its bytes, its header and its chunks stay, and it does not say that it was changed."""
    body = gzip.compress(b"nothing to hide", mtime=0)
    interaction = _interaction(body, body, sent={"content-encoding": ("gzip",)}, got={"content-encoding": ("gzip",)})
    assert REDACTOR.redact(interaction) == interaction


def test_a_body_that_is_not_what_its_header_says_is_refused() -> None:
    """CAS-17: gzip by its header and not by its bytes is a decode_error on either side."""
    for interaction, side in (
        (_interaction(b"plain", sent={"content-encoding": ("gzip",)}), "request"),
        (_interaction(response=b"plain", got={"Content-Encoding": ("gzip",)}), "response"),
    ):
        with pytest.raises(CassetteError) as refused:
            REDACTOR.redact(interaction, 3)
        (problem,) = refused.value.problems
        assert problem.code == "decode_error"
        assert problem.message.startswith(f"the {side} body of interaction 3 has the content-encoding 'gzip'")


def test_a_stream_that_the_reader_left_is_no_error() -> None:
    """Half a gzip body is what arrived before the client closed; what can be read of it is searched."""
    body = gzip.compress(f"{'x' * 99} {VALUE} ".encode() + random.Random(1).randbytes(4000))[:2000]
    redacted = REDACTOR.redact(_interaction(response=body, got={"content-encoding": ("gzip",)}, ended="client_closed"))
    assert b"REDACTED_SEARCH_KEY" in redacted.response.body
    with pytest.raises(CassetteError, match="breaks off"):
        REDACTOR.redact(_interaction(response=body, got={"content-encoding": ("gzip",)}))


def test_chunks_inside_a_value_are_dropped_with_it() -> None:
    """A value that came byte by byte leaves no empty chunk behind: an empty one would end a chunked body."""
    secret = VALUE * 3
    redacted = Redactor({"K": secret}).redact(_interaction(response=secret.encode(), sizes=(1,) * len(secret)))
    assert redacted.response.body == b"REDACTED_K"
    assert redacted.chunks.sizes == (1,) * 10
    assert len(redacted.chunks.at_us) == 10


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("https://search.example/?q=1&api_key=" + "k9" + "Zq3Tn8Vb1", "the query parameter 'api_key' of interaction 0"),
        (
            "https://maps.example/?key=" + "AIza" + "Sy" + "Zq3Tn8Vb1Lw6Yc9Hd2Rf5Gj7Kp4Mx0QsW",
            "the uri of interaction 0",
        ),
    ],
)
def test_a_key_in_the_query_is_marked_or_refused(uri: str, message: str) -> None:
    """Declared it becomes its mark; not declared it refuses, by its format or by its parameter's name."""
    head, _, value = uri.rpartition("=")
    assert Redactor({"K": value}).redact(_interaction(uri=uri)).request.uri == f"{head}=REDACTED_K"
    with pytest.raises(CassetteError, match="secret_found") as refused:
        REDACTOR.redact(_interaction(uri=uri))
    assert any(problem.message.startswith(message) for problem in refused.value.problems)
    assert _told(value, refused.value) == []


@pytest.mark.parametrize("encoding", [*ENCODINGS, "gzip", "base64 of JSON"])
@pytest.mark.parametrize("where", ["body", "path"])
def test_what_is_asked_with_the_mark_equals_what_was_recorded_with_the_value(encoding: str, where: str) -> None:
    """In replay the subject holds the mark, in development perhaps the value: both ask what was recorded."""

    def asked(secret: str) -> Asked:
        text = ENCODINGS.get(encoding, str)(f"v {secret} w")
        if encoding == "base64 of JSON":
            text = base64.b64encode(json.dumps({"k": secret}).encode()).decode()
        headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"), ("authorization", secret))
        body = json.dumps({"messages": [text, {"k": text}], "n": 1}).encode()
        if encoding == "gzip":
            body, headers = gzip.compress(body), (*headers, ("content-encoding", "gzip"))
        path = f"/find/{quote(text)}?k={quote(text)}" if where == "path" else "/find"
        return Asked("search", "POST", path, headers, b"{}" if where == "path" and encoding != "gzip" else body)

    def recorded(live: Asked) -> tuple[str, bytes, Headers]:
        headers = {name: (value,) for name, value in live.headers}
        interaction = _interaction(live.body, uri="https://search.example/v1" + live.path, sent=headers)
        request = REDACTOR.redact(interaction).request
        return request.uri.removeprefix("https://search.example/v1"), request.body, request.headers

    path, body, headers = recorded(asked(VALUE))
    unset = Redactor({"SEARCH_KEY": "", "UNSET_KEY": ""})
    for redactor, secret in ((REDACTOR, VALUE), (REDACTOR, "REDACTED_SEARCH_KEY"), (unset, "REDACTED_SEARCH_KEY")):
        live = redactor.redact_asked(asked(secret))
        assert (live.path, live.body) == (path, body)
        assert dict(live.headers) == {name: values[0] for name, values in headers.items()}
        assert json.loads(live.body) == json.loads(body)


def test_a_live_request_is_never_refused() -> None:
    """What could not be recorded is a miss, not an error: a key, a body under a wrong content-encoding."""
    for asked in (
        Asked("search", "POST", "/?key=" + _key(), (("x-api-key", _key()),), _key().encode()),
        Asked("search", "POST", "/", (("content-encoding", "gzip"),), b"plain"),
        Asked("search", "POST", "/", (("content-encoding", "br"),), b"\x00"),
    ):
        assert REDACTOR.redact_asked(asked).body == asked.body


def test_the_agents_stream_is_redacted_and_searched() -> None:
    """What the agent answered passes the same redaction: marks for values, refusal for keys, over frames too."""

    def stream(body: bytes) -> AgentStream:
        return AgentStream("mixed", body, Chunks(0, (4, len(body) - 4), (1, 2), 3))

    redacted = REDACTOR.redact_stream(stream(f'0:"it is {VALUE}"\n'.encode()))
    assert redacted.body == b'0:"it is REDACTED_SEARCH_KEY"\n'
    assert sum(redacted.chunks.sizes) == len(redacted.body)
    whole = f"0:{json.dumps('it is ' + _key())}\n".encode()
    cut = "".join(f"0:{json.dumps(_key()[at : at + 5])}\n" for at in range(0, 56, 5)).encode()
    for body, place in ((whole, "the agent stream at byte 9"), (cut, "the agent stream, cut over the frames")):
        with pytest.raises(CassetteError) as refused:
            REDACTOR.redact_stream(stream(body))
        assert refused.value.problems[0].message.startswith(place)


def test_a_value_that_no_mark_can_replace_refuses() -> None:
    """In gzip inside a body, or cut over the frames of a stream, a value refuses and is named by its variable."""
    frames = "".join(f"data: {json.dumps({'delta': VALUE[at : at + 4]})}\n\n" for at in range(0, len(VALUE), 4))
    upload = b"--x\r\n\r\n" + gzip.compress(VALUE.encode()) + b"\r\n--x--"
    for interaction, place in (
        (_interaction(response=frames.encode()), "response body of interaction 0, cut over the frames of the stream"),
        (_interaction(upload), "request body of interaction 0, inside gzip"),
    ):
        with pytest.raises(CassetteError) as refused:
            REDACTOR.redact(interaction)
        assert f"{place}, holds a secret (declared_value: the value of SEARCH_KEY" in str(refused.value)
        assert _told(VALUE, refused.value) == []


def test_a_value_in_a_binary_frame_refuses(aws_stream: Callable[[list[object]], bytes]) -> None:
    """Its mark would break the frame's length and checksum: no client could read the recording."""
    interaction = _interaction(response=aws_stream([{"delta": {"text": f"it is {VALUE}"}}]))
    with pytest.raises(CassetteError, match="inside a frame of an AWS event stream, holds a secret") as refused:
        REDACTOR.redact(interaction)
    assert _told(VALUE, refused.value) == []
    clean = aws_stream([{"delta": {"text": "nothing"}}])
    assert REDACTOR.redact(_interaction(response=clean)).response.body == clean


def test_every_problem_is_told_at_once() -> None:
    """A recording with several secrets is refused once, naming each."""
    interaction = _interaction(_key(1).encode(), _key(2).encode(), uri=f"https://search.example/{_key(3)}")
    with pytest.raises(CassetteError) as refused:
        REDACTOR.redact(interaction)
    assert sorted(problem.message[:20] for problem in refused.value.problems) == [
        "the request body of ",
        "the response body of",
        "the uri of interacti",
    ]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    place=st.sampled_from(sorted(PLACES)),
    encoding=st.sampled_from(sorted(ENCODINGS)),
    seed=st.integers(0, 1000),
    around=st.text(alphabet=" .,;:(){}", max_size=9),
)
def test_no_error_ever_shows_a_key(place: str, encoding: str, seed: int, around: str) -> None:
    """Whatever is planted wherever: the error's text, repr, arguments and traceback hold nothing of it."""
    build, _ = PLACES[place]
    key = _key(seed)
    with pytest.raises(CassetteError) as refused:
        REDACTOR.redact(build(around + ENCODINGS[encoding](f" {key} ") + around))
    assert _told(key.removeprefix("gsk_"), refused.value) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_recording_is_redacted_once_and_for_all(
    cassettes: st.SearchStrategy[Cassette], data: st.DataObject
) -> None:
    """Redacting a redacted recording changes nothing, whatever its bytes, and chunks always add up."""
    cassette = data.draw(cassettes)
    for interaction in cassette.interactions:
        once = REDACTOR.redact(interaction)
        assert REDACTOR.redact(once) == once
        assert sum(once.chunks.sizes) == len(once.response.body)
        assert once.request.body == interaction.request.body
    assert REDACTOR.redact_stream(cassette.stream) == cassette.stream


@given(text=st.text(max_size=60), cuts=st.lists(st.integers(0, 300), max_size=4))
def test_text_without_secrets_stays_as_it_is(text: str, cuts: list[int]) -> None:
    """No byte and no chunk of an ordinary recording is touched."""
    body = json.dumps({"content": text}).encode()
    edges = sorted({0, len(body), *(cut % len(body) for cut in cuts)})
    interaction = _interaction(body, body, sizes=tuple(end - start for start, end in pairwise(edges)))
    assert REDACTOR.redact(interaction) == interaction


def test_values_that_cannot_be_told_from_text_are_refused() -> None:
    """A short value, and one that stands in a mark, are refused before anything is recorded."""
    for values in ({"PIN": "1234"}, {"MY_SECRET_KEY": "SECRET_KEY"}):
        with pytest.raises(BadInput):
            Redactor(values)


def test_the_repr_names_variables_only() -> None:
    """A redactor in a traceback or a log tells no value."""
    assert repr(REDACTOR) == "Redactor(SEARCH_KEY, UNSET_KEY)"
