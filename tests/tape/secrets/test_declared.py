"""Values that a project declares secret."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import quote, quote_plus, unquote_to_bytes

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput, CassetteError
from tapegate.tape.secrets.base64run import runs
from tapegate.tape.secrets.declared import Declared
from tapegate.tape.secrets.value import mark
from tapegate.tape.secrets.views import json_unescaped

Encode = Callable[[str], str]

ENCODINGS: dict[str, Encode] = {
    "raw": lambda text: text,
    "JSON": json.dumps,
    "JSON, all of Unicode": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON in JSON": lambda text: json.dumps({"arguments": json.dumps({"k": text})}),
    "slashes escaped": lambda text: json.dumps(text).replace("/", "\\/"),
    "every character escaped": lambda text: '"' + re.sub(r"(....)", r"\\u\1", text.encode("utf-16-be").hex()) + '"',
    "percent-encoded": lambda text: quote(text, safe=""),
    "percent-encoded path": quote,
    "form": quote_plus,
    "every byte percent-encoded": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent-encoded twice": lambda text: quote(quote(text, safe=""), safe=""),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: f"AF{text.encode().hex().upper()}FA",
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 at 1": lambda text: base64.b64encode(b"k" + text.encode() + b" tail").decode(),
    "base64 at 2": lambda text: base64.b64encode(b"k=" + text.encode() + b";").decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(b"\xff\xff\xfe" + text.encode()).rstrip(b"=").decode(),
    "base64, wrapped": lambda text: base64.encodebytes(b"user:" * 9 + text.encode() + b"." * 99).decode(),
    "base64, wrapped in JSON": lambda text: json.dumps(base64.encodebytes(b"x" * 50 + text.encode()).decode()),
    "base64, percent-encoded": lambda text: quote(base64.b64encode(b"\xff\xef" + text.encode()), safe=""),
    "base64 of JSON": lambda text: base64.b64encode(json.dumps({"k": text}).encode()).decode(),
}

VALUE = st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=60).map(str.strip)


@settings(max_examples=40)
@given(encoding=st.sampled_from(sorted(ENCODINGS)), value=VALUE, cuts=st.lists(st.integers(0, 10_000), max_size=3))
def test_any_value_goes_in_every_encoding(encoding: str, value: str, cuts: list[int]) -> None:
    """No reading of what was redacted holds the value; sizes follow; redacting again changes nothing; and what the
    subject sent with the value comes out as what it sends with the mark."""
    assume(len(value) >= 8 and value not in mark("NAME") and f"<{value}>".find(value) == 1)
    encode = ENCODINGS[encoding]
    assume(value not in encode(mark("NAME")))
    _check(encode, value, cuts)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("value", ["sk-Zq3Tn8Vb1Lw6", 'p"q\\r/s+t é\n😀%41='])
def test_a_plain_and_a_strange_value_go_in_every_encoding(encoding: str, value: str) -> None:
    """The same for a value of letters and for one of all that encodings escape, in each of them."""
    _check(ENCODINGS[encoding], value, [12, 40])


def _check(encode: Encode, value: str, cuts: list[int]) -> None:
    text = f"before: {encode(value)}; after".encode()
    edges = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
    sizes = [end - start for start, end in pairwise(edges)]
    declared = Declared({"NAME": value})
    for marker in (declared.sent, declared.received):
        redacted, new_sizes = marker.replace(text, sizes)
        assert redacted != text
        assert sum(new_sizes) == len(redacted)
        assert marker.replace(redacted)[0] is redacted
        assert not any(value.encode() in reading for reading in _readings(redacted))
    asked_with_mark = f"before: {encode(mark('NAME'))}; after".encode()
    assert declared.sent.replace(text)[0] == declared.sent.replace(asked_with_mark)[0]
    assert Declared({"NAME": ""}).sent.replace(asked_with_mark)[0] == declared.sent.replace(text)[0]


def _readings(text: bytes) -> list[bytes]:
    readings = [text, unquote_to_bytes(text), json_unescaped(text)]
    decoded = [run.decoded(phase) for each in readings for run in runs(each, 8) for phase in range(4)]
    in_hex = [bytes.fromhex(digits.decode()) for digits in re.findall(rb"(?:[0-9a-fA-F]{2})+", text)]
    return [*readings, *decoded, *in_hex]


def test_what_is_received_keeps_its_dress() -> None:
    """In what the subject must still read, the mark stands encoded just as the value did."""
    received = Declared({"NAME": "sk-Zq3Tn8Vb1Lw6"}).received
    for name in ("raw", "JSON", "percent-encoded", "hex", "base64 at 1", "base64url"):
        encode = ENCODINGS[name]
        redacted, _ = received.replace(f"({encode('user sk-Zq3Tn8Vb1Lw6 ;')})".encode())
        assert redacted == f"({encode('user REDACTED_NAME ;')})".encode()
    wrapped = base64.encodebytes(b"user:" * 20 + b"sk-Zq3Tn8Vb1Lw6" + b"." * 99)
    assert received.replace(wrapped)[0] == base64.encodebytes(b"user:" * 20 + b"REDACTED_NAME" + b"." * 99)


def test_text_without_a_value_is_the_very_same() -> None:
    """Nothing is copied and nothing said to have changed where there is nothing to replace."""
    text = b'{"content": "100 % of \\u00e9"}' * 50
    declared = Declared({"NAME": "sk-Zq3Tn8Vb1Lw6", "OTHER": ""})
    assert declared.received.replace(text, [len(text)]) == (text, [len(text)])
    assert declared.received.replace(text)[0] is text


def test_values_inside_each_other_leave_no_rest() -> None:
    """Of values that contain or overlap each other, the whole stretch becomes one mark."""
    declared = Declared({"LONG": "abcdefgh-12345678", "SHORT": "abcdefgh", "NEXT": "5678-zyxwv"})
    assert (
        declared.received.replace(b"x abcdefgh y abcdefgh-12345678-zyxwv z")[0] == b"x REDACTED_SHORT y REDACTED_LONG z"
    )


def test_unset_and_already_marked_values_need_nothing() -> None:
    """An empty value is not set; in replay the variable may hold its own mark."""
    declared = Declared({"A": "", "B": "  \n", "C": mark("C")})
    assert declared.values == ()
    assert declared.received.replace(b"REDACTED_C")[0] == b"REDACTED_C"
    assert declared.sent.holds(b"key=REDACTED_A")
    assert not declared.sent.holds(b"key=REDACTED_")


def test_surrounding_space_is_no_part_of_a_value() -> None:
    """A value read from a file with its newline is found without it."""
    assert Declared({"A": "Zq3Tn8Vb1Lw6\n"}).received.replace(b"(Zq3Tn8Vb1Lw6)")[0] == b"(REDACTED_A)"


def test_a_value_that_is_not_utf8_is_found() -> None:
    """An environment may hold any bytes; Python carries them as lone surrogates."""
    value = b"Zq3\xff\xfeTn8Vb1".decode("utf-8", "surrogateescape")
    assert Declared({"A": value}).received.replace(b"<Zq3\xff\xfeTn8Vb1>")[0] == b"<REDACTED_A>"


@pytest.mark.parametrize("value", ["1234567", "pass", "x"])
def test_a_short_value_is_refused(value: str) -> None:
    """A value that stands in ordinary text is refused: the error names the variable and its length, not the value."""
    with pytest.raises(BadInput) as refused:
        Declared({"PIN_CODE": value})
    (problem,) = refused.value.problems
    assert problem.code == "secret_too_short"
    assert f"'PIN_CODE' has {len(value)} characters" in problem.message
    assert value not in str(refused.value).replace("PIN_CODE", "").split()


@pytest.mark.parametrize("value", ["API_KEY_", "REDACTED", "REDACTED_OTHER"])
def test_a_value_inside_a_mark_is_refused(value: str) -> None:
    """A value that is part of a mark would be found again in each replacement."""
    with pytest.raises(BadInput) as refused:
        Declared({"MY_API_KEY_2": value, "OTHER": "Zq3Tn8Vb1Lw6"})
    assert refused.value.problems[0].code == "secret_is_a_mark"


def test_values_that_make_each_other_are_refused() -> None:
    """Where a mark and its surroundings form another value again and again, the recording refuses and names both."""
    declared = Declared({"A": "_Ax12345", "B": "Zq3Tn8Vb"})
    assert declared.received.replace(b"Zq3Tn8Vb")[0] == b"REDACTED_B"
    growing = Declared({"A": "zzREDACTED_A"[2:] + "zz"})
    with pytest.raises(CassetteError, match="comes back") as refused:
        growing.received.replace(b"REDACTED_A" + b"zz" * 40)
    assert refused.value.problems[0].code == "secret_found"


def test_what_no_mark_can_replace_is_told() -> None:
    """A value inside a gzip member, or cut over the frames of a stream, is told with its place."""
    declared = Declared({"NAME": "sk-Zq3Tn8Vb1Lw6"})
    packed = gzip.compress(b"the key is sk-Zq3Tn8Vb1Lw6")
    frames = b"".join(
        b"data: " + json.dumps({"delta": part}).encode() + b"\n\n" for part in ["sk-Zq3", "Tn8Vb1", "Lw6"]
    )
    assert [how for _, how in declared.left(b"part\r\n" + packed, frames=True)] == ["inside gzip"]
    assert [how for _, how in declared.left(base64.b64encode(packed), frames=True)] == ["inside gzip"]
    assert [how for _, how in declared.left(frames, frames=True)] == ["cut over the frames of the stream"]
    assert list(declared.left(frames, frames=False)) == []


def test_no_repr_shows_a_value() -> None:
    """Reprs name variables."""
    declared = Declared({"NAME": "sk-Zq3Tn8Vb1Lw6"})
    assert repr(declared) == "Declared(NAME)"
    assert "Zq3" not in repr(declared.values) + str(vars(declared.values[0]).keys())
