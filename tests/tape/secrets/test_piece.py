"""Saying where a key stands without saying the key."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest

from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.piece import Piece


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"messages": [{"role": "user"}, {"content": "KEY"}]}, " at $.messages[1].content"),
        ({"a b": {"c": ["KEY"]}}, " at $['a b'].c[0]"),
        ({"arguments": '{"k": "KEY"}'}, " at $.arguments"),
        ("KEY", " at $"),
        ({"headers": {"KEY": 1}}, " at a key of $.headers"),
        ({"OTHER": {"x": "KEY"}}, " at $.<a key with a secret>.x"),
    ],
)
def test_a_place_in_json_is_a_path(document: object, place: str, grow: Callable[..., bytes]) -> None:
    """A key in a JSON body is named by its path, in which no key is quoted either."""
    key, other = grow("gsk_{alnum:52}").decode(), grow("hf_{alnum:34}").decode()
    data = json.dumps(document).replace("KEY", key).replace("OTHER", other).encode()
    seen = next(seen for seen in KNOWN.find(data) if seen.rule == "groq_key")
    assert Piece("the body", data, body=True).place(seen) == f"the body{place}"


def test_a_place_elsewhere_is_a_byte(grow: Callable[..., bytes]) -> None:
    """A key in a body that is no JSON is named by its first byte, or by that of the run that hides it."""
    key = grow("gsk_{alnum:52}")
    for text, place in (
        (b"data: " + key, " at byte 6"),
        (b"data: x " + base64.b64encode(key), " at byte 8, behind base64"),
        (b"q=" + b"".join(b"%%%02x" % byte for byte in key), ", behind percent-encoding"),
    ):
        (seen,) = KNOWN.find(text)
        assert Piece("the body", text, body=True).place(seen) == f"the body{place}"
