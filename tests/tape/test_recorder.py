"""Recording: what passed becomes interactions, whole and redacted, or nothing at all."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.errors import CassetteError, NotJudged
from tapegate.tape.cassette import Chunks
from tapegate.tape.ledger import Ledger
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Routes
from tapegate.tape.wire import Asked

KEY = "sk-live-0123456789abcdef"


def asked(path: str = "/chat", body: bytes = b"{}", headers=(("content-type", "application/json"),)) -> Asked:
    """A request to the service `openai`."""
    return Asked("openai", "POST", path, tuple(headers), body)


class Clock:
    """Nanoseconds that pass when the test says so."""

    def __init__(self) -> None:
        self.ns = 5_000_000_123

    def __call__(self) -> int:
        return self.ns

    def passes(self, us: int) -> None:
        """Let microseconds pass."""
        self.ns += us * 1000


@pytest.fixture
def clock():
    """A clock of the test's own."""
    return Clock()


@pytest.fixture
def recorder(routes, clock):
    """A recorder for the services of the tests' recordings, with one declared key."""
    return Recorder(routes, Redactor({"KEY": KEY}), Ledger(), clock=clock)


def whole(take, *chunks: bytes, headers=(("content-type", "text/plain"),)):
    """A take that went well."""
    take.head(200, "OK", headers)
    for chunk in chunks:
        take.chunk(chunk)
    take.end()


def test_what_passed_is_recorded_with_its_times(recorder, clock):
    """Chunks as they came, empty ones left out, each with the microsecond it came at, under the declared address."""
    clock.passes(100)
    take = recorder.begin(asked("/chat?stream=1", b'{"q":1}'))
    clock.passes(50)
    take.head(200, "OK", (("Content-Type", "text/plain"), ("Set-Cookie", "a=1")))
    for chunk in (b"one", b"", b"two!"):
        clock.passes(10)
        take.chunk(chunk)
    clock.passes(5)
    take.end("eof")
    clock.passes(5)
    take.end("client_closed")
    (made,) = recorder.interactions()
    assert made.request.uri == "https://openai.example/v1/chat?stream=1"
    assert (made.request.method, made.request.body) == ("POST", b'{"q":1}')
    assert (made.response.status, made.response.reason, made.response.body) == (200, "OK", b"onetwo!")
    assert dict(made.response.headers) == {"Content-Type": ("text/plain",)}
    assert made.chunks == Chunks(100, (3, 4), (160, 180), 185, "eof")


def test_a_chunk_is_kept_as_it_was(recorder):
    """A door may use its buffer again: what the take was given does not change with it."""
    take = recorder.begin(asked())
    buffer = bytearray(b"first")
    take.head(200, "OK", ())
    take.chunk(buffer)  # type: ignore[arg-type]
    buffer[:] = b"later"
    take.end()
    assert recorder.interactions()[0].response.body == b"first"


def test_interactions_stand_in_the_order_in_which_requests_left(recorder, clock):
    """Not in the order in which answers ended."""
    takes = []
    for number in range(3):
        takes.append(recorder.begin(asked(f"/{number}")))
        clock.passes(10)
    for take in reversed(takes):
        whole(take, b"x")
    assert [made.request.uri[-1] for made in recorder.interactions()] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("break_off", "says"),
    [
        (lambda take: None, "POST /chat of service 'openai' was still open when the agent had ended"),
        (lambda take: take.head(200, "OK", ()), "still open"),
        (lambda take: take.end(), "still open"),
        (lambda take: (whole(take), take.abandon("the disk is full")), "the disk is full"),
    ],
    ids=["no answer", "no end", "no head", "abandoned"],
)
def test_a_take_that_is_not_whole_breaks_the_recording(recorder, break_off, says):
    """PRO-02: nothing is recorded, whatever else went well."""
    whole(recorder.begin(asked("/first")), b"x")
    break_off(recorder.begin(asked()))
    with pytest.raises(NotJudged, match=says) as caught:
        recorder.interactions()
    assert caught.value.problems[0].code == "recording_broken"


def test_a_stream_that_broke_off_is_a_recording_like_any_other(recorder):
    """A provider that failed or a client that went away is what happened, and is kept."""
    for ended in ("error", "client_closed"):
        take = recorder.begin(asked())
        take.head(200, "OK", ())
        take.chunk(b"half")
        take.end(ended)
    assert [made.chunks.ended for made in recorder.interactions()] == ["error", "client_closed"]


def test_why_takes_broke_is_told_to_a_person(recorder):
    """What the recorder's own side could not do explains why the agent failed."""
    assert recorder.broken() == []
    recorder.begin(asked("/a")).abandon("its provider could not be reached")
    whole(recorder.begin(asked("/b")))
    assert recorder.broken() == ["POST /a of service 'openai': its provider could not be reached"]


def test_an_agent_that_reaches_around_the_tape_is_not_recorded(recorder):
    """A recording cannot hold what did not pass: every such address is named, with what to declare."""
    whole(recorder.begin(asked()), b"x")
    for address in ("tracker.example:443", "cdn.example:443"):
        recorder.attempted(address)
    for refuse in (recorder.check_reach, recorder.interactions):
        with pytest.raises(NotJudged, match=r"'cdn.example:443', 'tracker.example:443', which no service") as caught:
            refuse()
        assert caught.value.problems[0].code == "undeclared_service"


def test_a_declared_value_is_nowhere_in_what_is_recorded(recorder):
    """Not in the path, a body, a header or over two chunks; its mark stands there."""
    take = recorder.begin(asked(f"/chat?key={KEY}", b'{"k":"%s"}' % KEY.encode(), [("authorization", f"Bearer {KEY}")]))
    whole(take, f"your key is {KEY[:10]}".encode(), f"{KEY[10:]}, keep it".encode(), headers=[("x-echo", KEY)])
    (made,) = recorder.interactions()
    assert KEY not in repr(made)
    assert made.redacted
    assert made.request.uri.endswith("?key=REDACTED_KEY")
    assert made.request.body == b'{"k":"REDACTED_KEY"}'
    assert made.response.body == b"your key is REDACTED_KEY, keep it"
    assert sum(made.chunks.sizes) == len(made.response.body)


def test_an_undeclared_key_refuses_the_recording_and_names_its_place(recorder, clock):
    """CAS-20: the rule and the interaction are named, the value never is."""
    secret = "AKIA" + "QWX3Z7LMN5KD2RTB"
    whole(recorder.begin(asked()), b"x")
    clock.passes(1)
    whole(recorder.begin(asked(body=b'{"aws":"%s"}' % secret.encode())), b"x")
    with pytest.raises(CassetteError) as caught:
        recorder.interactions()
    assert caught.value.problems[0].code == "secret_found"
    assert "interaction 1" in str(caught.value)
    assert secret not in str(caught.value)


def test_takes_of_several_threads_are_all_kept(recorder):
    """Agents call side by side; each call is one interaction."""

    def call(number: int) -> None:
        for turn in range(20):
            whole(recorder.begin(asked(f"/{number}/{turn}")), b"x")

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({made.request.uri for made in recorder.interactions()}) == 80


@given(st.lists(st.tuples(st.binary(max_size=9), st.integers(0, 10**7)), max_size=6))
def test_times_never_fall_and_sizes_add_up(routes, chunks):
    """Whatever passes, sizes and times are as a cassette must have them."""
    clock = Clock()
    recorder = Recorder(routes, Redactor({}), Ledger(), clock=clock)
    take = recorder.begin(asked())
    take.head(200, "OK", ())
    for data, us in chunks:
        clock.passes(us)
        take.chunk(data)
    take.end()
    (made,) = recorder.interactions()
    times = [made.chunks.started_us, *made.chunks.at_us, made.chunks.ended_us]
    assert times == sorted(times)
    assert b"".join(made.chunks.cut(made.response.body)) == b"".join(data for data, _ in chunks)


def test_a_break_names_no_key() -> None:
    """What broke off is said without the credential that stands in its query."""
    recorder = Recorder(Routes({}), Redactor({}), Ledger())
    recorder.begin(asked("/v1?key=9fKq2LmZx8Rt5Wy1Vb7N")).abandon("the provider is away")
    assert recorder.broken()[0].startswith("POST /v1?key=<credential_parameter ")
    assert "9fKq2" not in recorder.broken()[0]
