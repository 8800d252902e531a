"""The other readings of a text."""

from __future__ import annotations

import base64
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.tape.secrets import views as views_module
from tapegate.tape.secrets.rule import compile_bytes
from tapegate.tape.secrets.views import TooLarge, View, json_unescaped, views

ANY = compile_bytes(".")
NEVER = compile_bytes("[^\\x00-\\xff]")


def test_json_escapes_are_undone_at_any_depth() -> None:
    """Escapes of a string, and of a string in a string, read the same."""
    assert json_unescaped(rb"a\u002Db\/c\n\"d\"") == b'a-b/c\n"d"'
    assert json_unescaped(rb"a\\u002Db\\/c\\n\\\"d") == b'a-b/c\n"d'


def test_gzip_members_are_found_where_they_stand() -> None:
    """Two members between other bytes are read, and their places told; a broken one as far as it goes."""
    one, two = gzip.compress(b"one"), gzip.compress(b"two" * 99)
    text = b"--x\r\n" + one + b"\r\n--x\r\n" + two[:-9] + b"!"
    found = [view for view in views(text, NEVER) if view.encoding == "gzip"]
    assert found[0] == View(b"one", "gzip", (5, 5 + len(one)))
    assert found[1].data.startswith(b"two")


def test_the_start_of_gzip_alone_is_no_error() -> None:
    """Three bytes that look like a member are text like any other."""
    assert [view.encoding for view in views(b"\x1f\x8b\x08" * 9, NEVER)] == [""]


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members that grow beyond the limit together raise: what was not read was not searched."""
    monkeypatch.setattr(views_module, "INFLATED_LIMIT", 3 << 20)
    text = gzip.compress(bytes(2 << 20))
    assert len(list(views(text, NEVER))) == 2
    with pytest.raises(TooLarge):
        list(views(text * 2, NEVER))


def test_what_only_looks_like_gzip_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head whose name never ends is read to the end of the text, for each of them: so much of that is refused."""
    text = b"\x1f\x8b\x08" * 2_000
    assert View(text) in list(views(text, ANY))
    monkeypatch.setattr(views_module, "SEARCHED_LIMIT", len(text) * 20)
    with pytest.raises(TooLarge):
        list(views(text, ANY))
    member = gzip.compress(b"one")
    assert View(b"one", "gzip", (0, len(member))) in list(views(member + b" " * 50, ANY))


def test_only_runs_that_may_matter_are_decoded() -> None:
    """A run of base64 is read at every phase where the pattern matches it, and not at all elsewhere."""
    text = b'"' + base64.b64encode(b"something to read here") + b'" "' + b"Q" * 40 + b'"'
    some = compile_bytes("c29tZXRoaW5n")
    assert [view.encoding for view in views(text, some)] == ["", *["base64"] * 4]
    assert any(view.data == b"something to read here" for view in views(text, some))


@given(st.binary(max_size=200) | st.text(alphabet="\\u00/%4a\x1f\x8b\x08 H4sIQ=+-_\n", max_size=200).map(str.encode))
def test_any_bytes_have_views(text: bytes) -> None:
    """No text is an error; the first view is the text."""
    assert next(views(text, ANY)) == View(text)
    assert list(views(text, ANY))


@pytest.mark.parametrize("piece", [b"\x1f\x8b\x08\x00", b"\\u0041", b"%41", b"QUJD\\n", b"H4sI ", b"\\" * 7 + b"n"])
def test_hostile_text_does_not_multiply(piece: bytes) -> None:
    """Text made of starts of gzip, of escapes or of base64 alone gives views of a few times its own size."""
    text = piece * (1 << 15)
    assert sum(len(view.data) for view in views(text, ANY)) <= 8 * len(text)
