"""Telling a key from what stands in for one."""

from __future__ import annotations

import random
import string

import pytest

from tapegate.tape.secrets.placeholder import entropy, is_placeholder


@pytest.mark.parametrize(
    "text",
    ["xxxxxxxxxxxx", "REDACTED_OPENAI_API_KEY", "**********", "your-api-key", "abcdefgh", "1234567890", "AKIAEXAMPLE7"],
)
def test_stand_ins_are_known(text: str) -> None:
    """Marks, masks, instructions and alphabets are no keys, however much they vary."""
    assert is_placeholder(f"sk-{text}-Zq3Tn8Vb1Lw6".encode(), 3.0)


def test_random_keys_are_no_stand_ins() -> None:
    """Of 2,000 random keys of each alphabet none is taken for a stand-in."""
    dice = random.Random(7)
    for alphabet, size, bits in ((string.ascii_letters + string.digits, 40, 3.5), (string.hexdigits[:16], 32, 2.6)):
        keys = ("".join(dice.choices(alphabet, k=size)).encode() for _ in range(2000))
        assert not any(is_placeholder(key, bits) for key in keys)


def test_entropy_is_shannons() -> None:
    """Bits per byte: none for one value, two for four equally many, nothing for nothing."""
    assert (entropy(b"aaaa"), entropy(b"abcd"), entropy(b"")) == (0.0, 2.0, 0.0)
