"""Base64 inside other text."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.tape.secrets.base64run import Run, digit_class, forms, runs

DATA = st.binary(min_size=60, max_size=200)


def _whole(text: bytes, sought: bytes) -> Run:
    """The run in `text` that is all of `sought`."""
    return next(run for run in runs(text, 20) if run.text == sought)


@given(data=DATA, phase=st.integers(0, 3), pad=st.booleans())
def test_a_run_decodes_at_its_phase_and_encodes_back(data: bytes, phase: int, pad: bool) -> None:
    """A run that starts `phase` digits into other base64 text gives its bytes, and those bytes give the run again."""
    digits = base64.b64encode(data)
    text = b"Q" * phase + (digits if pad else digits.rstrip(b"="))
    run = _whole(b'"' + text + b'"', text)
    assert (run.start, run.end) == (1, 1 + len(text))
    assert run.decoded(phase) == data
    assert run.encoded(phase, data) == text


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text,
        lambda text: base64.encodebytes(base64.b64decode(text)).rstrip(),
        lambda text: json.dumps(text.decode())[1:-1].encode(),
        lambda text: json.dumps(base64.encodebytes(base64.b64decode(text)).decode())[1:-3].encode(),
        lambda text: base64.urlsafe_b64encode(base64.b64decode(text)),
        lambda text: text.replace(b"/", b"\\/"),
        lambda text: text.replace(b"+", b"%2B").replace(b"/", b"%2f").replace(b"=", b"%3D"),
        lambda text: text.replace(b"+", b"\\u002b").replace(b"=", b"\\u003d"),
    ],
    ids=["plain", "wrapped", "JSON", "wrapped in JSON", "base64url", "slashes", "percent", "unicode escapes"],
)
def test_a_run_keeps_its_dress(dress: Callable[[bytes], bytes]) -> None:
    """Line breaks, escapes and alphabet are undone to read a run, and done again to write it."""
    data = bytes(range(256)) + b"\xff\xef\xbe"
    plain = base64.b64encode(data)
    text = dress(plain)
    run = _whole(text, text)
    assert run.decoded(0) == data
    assert run.encoded(0, data) == text


def test_a_word_on_the_next_line_is_no_part_of_a_run() -> None:
    """Lines are joined only where the one before is as long as a wrapped line is."""
    assert {run.text for run in runs(b"c2hvcnQgbGluZSBvZiBiYXNlNjQ\npost", 20)} == {b"c2hvcnQgbGluZSBvZiBiYXNlNjQ"}


def test_a_segment_of_a_path_is_a_run_of_its_own() -> None:
    """The URL-safe alphabet has no slash, so its run comes first and ends where the segment does."""
    found = list(runs(b"/v1/c2VnbWVudC1vZi1hLXBhdGg/find", 20))
    assert [(run.text, run.url_safe) for run in found] == [
        (b"c2VnbWVudC1vZi1hLXBhdGg", True),
        (b"/v1/c2VnbWVudC1vZi1hLXBhdGg/find", False),
    ]


@given(
    before=st.binary(max_size=5),
    chosen=st.lists(st.sampled_from([b"aA", b"k", b"-", b"_", b"\x00\xff", b"sS"]), min_size=3, max_size=8),
    after=st.binary(max_size=5),
    data=st.data(),
)
def test_forms_match_the_base64_of_every_choice(
    before: bytes, chosen: list[bytes], after: bytes, data: st.DataObject
) -> None:
    """Whatever byte of each set is taken, and whatever stands around, one form matches where the bytes stand."""
    middle = bytes(data.draw(st.sampled_from(sorted(options))) for options in chosen)
    encoded = base64.b64encode(before + middle + after).decode()
    shapes = ["".join(map(digit_class, form)) for form in forms([frozenset(options) for options in chosen])]
    assert re.search("|".join(shapes), encoded)


def test_forms_tell_other_bytes_apart() -> None:
    """A form that matched anything would find nothing: of 20,000 digits of other text none matches."""
    shapes = ["".join(map(digit_class, form)) for form in forms([frozenset({byte}) for byte in b"sk-proj-"])]
    other = base64.b64encode(b"the quick brown fox asks a projector " * 400).decode()
    assert re.search("|".join(shapes), other) is None
