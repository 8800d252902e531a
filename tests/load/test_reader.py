"""Bytes to documents: what is refused before parsing, and what holds for any bytes and any JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tapegate.errors import LoadError
from tapegate.load import yaml_text
from tapegate.load.document import Document
from tapegate.load.reader import SIZE, parse_document, read_document

Read = Callable[..., Document]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("file", ["x.yaml", "x.json"])
@pytest.mark.parametrize(
    ("data", "place", "code"),
    [
        (b"\xef\xbb\xbf1", (1, 1), "byte_order_mark"),
        ("1".encode("utf-16"), (1, 1), "byte_order_mark"),
        (b'["a",\n "\xff"]', (2, 3), "bad_utf8"),
        ("[\n😀é".encode()[:-1], (2, 2), "bad_utf8"),
        (b'"\xed\xa0\x80"', (1, 2), "bad_utf8"),
        (b" " * (SIZE + 1), (1, 1), "size_limit"),
        (b"", (1, 1), "empty_document"),
        (b" \n", (1, 1), "empty_document"),
    ],
)
def test_bytes_that_are_no_text_are_refused_at_their_place(
    file: str, data: bytes, place: tuple[int, int], code: str, read: Read
) -> None:
    """Encoding, size and emptiness are checked before a parser runs, for both formats alike."""
    (problem,) = read(data, file).problems
    assert (problem.code, problem.file, problem.line, problem.column) == (code, file, *place)


def test_a_file_of_exactly_the_limit_is_read(read: Read) -> None:
    """The limit counts bytes, and includes itself."""
    assert read(b"1" + b" " * (SIZE - 1)).value == 1


@pytest.mark.parametrize("char", ["\0", "\x07", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe"])
def test_characters_that_yaml_readers_disagree_on_are_refused(char: str, read: Read) -> None:
    """Each kind is told once, at its first place, with the escape to write instead; escaped it is text."""
    (problem,) = read(f'a: 1\nb: "x{char}y{char}"\n').problems
    assert (problem.code, problem.line, problem.column) == ("control_character", 2, 6)
    assert problem.fix is not None
    escape = f"\\u{ord(char):04x}"
    assert escape in problem.fix
    assert read(f'b: "{escape}"\n').value == {"b": char}


def test_a_crlf_file_has_the_same_value_and_lines(read: Read) -> None:
    """A checkout with Windows line ends reads the same."""
    text = "a: |\n  x\n  y\nb: [1,\n 2]\n"
    unix, windows = read(text), read(text.replace("\n", "\r\n"))
    assert (unix.value, unix.source, unix.places) == (windows.value, windows.source, windows.places)


def test_checked_raises_every_problem(read: Read) -> None:
    """A caller that wants a sound document gets it, or one error with all problems in the order of the file."""
    assert read("a: 1").checked().value == {"a": 1}
    with pytest.raises(LoadError) as caught:
        read("a: &x 1\nb: .nan\na: 2\n").checked()
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]
    assert caught.value.exit_code == 2


def test_a_file_that_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    """A missing file and a folder are told, not raised."""
    for path in (tmp_path / "none.yaml", tmp_path):
        (problem,) = read_document(path, "x.yaml").problems
        assert problem.code == "unreadable_file"


def test_a_file_is_never_read_beyond_the_limit(tmp_path: Path) -> None:
    """A sparse file of a terabyte is refused at once."""
    path = tmp_path / "big.yaml"
    with path.open("wb") as handle:
        os.truncate(handle.fileno(), 2**40)
    (problem,) = read_document(path, "big.yaml").problems
    assert problem.code == "size_limit"


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=60) | st.text(max_size=40).map(str.encode), file=st.sampled_from(["x.yaml", "x.json"]))
@example(data=b"%YAML 99999999999999999999.1\n---\n", file="x.yaml")
@example(data=b'"\\U00110000"', file="x.yaml")
@example(data=b'"\\ud800"', file="x.json")
@example(data=b"? ? ? ?", file="x.yaml")
@example(data=b"-" + b"9" * 5000, file="x.json")
def test_any_bytes_are_a_document_or_have_problems(data: bytes, file: str) -> None:
    """Nothing but a document comes out, and a document that could not be read says why."""
    document = parse_document(data, file)
    assert document.whole or document.problems
    assert all(
        problem.file == file and problem.line and problem.column and problem.fix for problem in document.problems
    )
    if not document.problems:
        json.dumps(document.value, allow_nan=False).encode()


@settings(max_examples=200, deadline=None)
@given(value=JSON, indent=st.sampled_from([None, 0, 3]), ascii_only=st.booleans())
def test_a_json_file_means_what_the_standard_library_reads(value: Any, indent: int | None, ascii_only: bool) -> None:
    """Values, types and the order of keys are the same, with escapes and surrogate pairs."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = parse_document(text.encode(), "x.json")
    assert document.problems == ()
    assert repr(document.value) == repr(value)


@settings(max_examples=200, deadline=None)
@given(value=JSON, indent=st.sampled_from([None, 1]))
def test_the_same_json_text_means_the_same_in_a_yaml_file(value: Any, indent: int | None) -> None:
    """JSON whose characters are all printable or escaped is YAML 1.2, and read as such gives the same value."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    text = "".join(char if char.isprintable() or char == "\n" else f"\\U{ord(char):08x}" for char in text)
    document = parse_document(text.encode(), "x.yaml")
    assert document.problems == ()
    assert repr(document.value) == repr(value)


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet='ab01 \n\t:-[]{},"\\u+.e', max_size=30))
def test_json_is_refused_exactly_where_the_standard_library_refuses_it(text: str) -> None:
    """The scanner takes no more and no less than RFC 8259, duplicate keys and non-finite numbers aside."""
    document = parse_document(text.encode(), "x.json")
    try:
        expected = json.loads(text, parse_constant=float)
    except ValueError:
        assert not document.whole
    else:
        assert document.whole
        assert document.problems or repr(document.value) == repr(expected)


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="ab01 \n\t:-[]{},&*!|>'\"%#?@<~.e\\u+x", max_size=40))
def test_both_of_pyyamls_parsers_give_the_same_document(text: str) -> None:
    """Where the C parser and the pure one both take a text, they give the same value and the same refusals."""
    with pytest.MonkeyPatch.context() as patch:
        documents = []
        for parser in (yaml.CSafeLoader, yaml.SafeLoader):
            patch.setattr(yaml_text, "Parser", parser)
            documents.append(parse_document(text.encode(), "x.yaml"))
    fast, pure = documents
    if fast.whole and pure.whole:
        assert repr(fast.value) == repr(pure.value)
        assert fast.problems == pure.problems
