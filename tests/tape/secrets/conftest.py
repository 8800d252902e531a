"""Keys to test with, grown from a shape at run time: no token that a push protection knows stands in the source."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable

import pytest

ALPHABETS = {
    "hex": "0123456789abcdef",
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "word": string.ascii_letters + string.digits + "_-",
    "b64": string.ascii_letters + string.digits + "+/",
    "base32": string.ascii_uppercase + "234567",
    "digit": string.digits,
    "x": "x",
}


def grow(shape: str, seed: int = 0) -> bytes:
    """`gsk_{alnum:52}` with 52 random characters in place of the braces; the same for the same seed."""
    dice = random.Random(f"{shape}{seed}")

    def fill(match: re.Match[str]) -> str:
        return "".join(dice.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"\{(\w+):(\d+)\}", fill, shape).encode()


@pytest.fixture(scope="session", name="grow")
def grow_fixture() -> Callable[..., bytes]:
    """Builds a key from its shape."""
    return grow
