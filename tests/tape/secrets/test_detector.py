"""Finding keys of known formats."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.tape.secrets.detector import KNOWN

CONTEXT = st.text(alphabet="ab1 {}\"':,.-_=/+\n\\%é", max_size=40)


@settings(max_examples=150)
@given(
    before=CONTEXT, after=CONTEXT, seed=st.integers(0, 9), lead=st.integers(0, 60), wrap=st.sampled_from([0, 64, 76])
)
def test_a_key_is_seen_behind_base64_of_any_shape(
    before: str, after: str, seed: int, lead: int, wrap: int, grow: Callable[..., bytes]
) -> None:
    """Wherever a key stands in base64, and wherever a line ends in it, it is seen and its fingerprint is the same."""
    key = grow("ghp_{alnum:36}", seed)
    text = base64.b64encode(b"." * lead + b" " + key + b" " + after.encode())
    if wrap:
        text = b"\n".join(text[at : at + wrap] for at in range(0, len(text), wrap))
    whole = f"{before} ".encode() + text + b" " + after.encode()
    digest = hashlib.sha256(key).hexdigest()[:8]
    assert ("github_token", digest) in {(seen.rule, seen.digest) for seen in KNOWN.find(whole)}


@given(CONTEXT)
def test_text_without_keys_is_clean(text: str) -> None:
    """Quotes, escapes and separators alone are never a key."""
    assert KNOWN.find(text.encode()) == ()


def test_the_same_key_is_told_once(grow: Callable[..., bytes]) -> None:
    """A key that stands many times and in many encodings is one finding, at its first place."""
    key = grow("gsk_{alnum:52}")
    text = b"first " + key + b", again " + key + b", " + base64.b64encode(key) + b' {"k": "' + key + b'"}'
    (seen,) = KNOWN.find(text)
    assert seen.span == (6, 6 + len(key))


def test_keys_side_by_side_are_all_seen(grow: Callable[..., bytes]) -> None:
    """The one character between two keys ends the first and starts the second."""
    keys = [grow("AIza{word:35}", seed) for seed in range(3)]
    assert len(KNOWN.find(b",".join(keys))) == 3


def test_a_key_over_frames_is_seen_on_demand(grow: Callable[..., bytes]) -> None:
    """Cut over the frames of a stream a key is seen, its place none of the bytes."""
    key = grow("sk-ant-api03-{word:93}AA").decode()
    text = "".join(f"data: {json.dumps({'delta': key[at : at + 3]})}\n\n" for at in range(0, len(key), 3)).encode()
    assert KNOWN.find(text) == ()
    (seen,) = KNOWN.find(text, frames=True)
    assert (seen.rule, seen.span, seen.encoding) == ("anthropic_key", None, "frames")


def test_keys_are_hidden_in_messages(grow: Callable[..., bytes]) -> None:
    """For a message each key is replaced by its rule and fingerprint, and nothing else is touched."""
    keys = [grow("gsk_{alnum:52}"), grow("hf_{alnum:34}")]
    hidden = KNOWN.hide("é ".encode() + keys[0] + b"," + keys[1] + b"!")
    digests = [hashlib.sha256(key).hexdigest()[:8] for key in keys]
    assert hidden.decode() == f"é <groq_key {digests[0]}>,<huggingface_token {digests[1]}>!"


@pytest.mark.parametrize("text", [b"", b"plain", b'{"content":"tell me about risk"}'])
def test_clean_text_is_not_suspect(text: bytes) -> None:
    """The quick check says no to ordinary text, so that nothing more is done for it."""
    assert not KNOWN.suspects(text)
