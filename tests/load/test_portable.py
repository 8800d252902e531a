"""Portable names: what may become part of a file's name on any system."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tapegate.load.portable import fault
from tapegate.model.task import Name

NAME: TypeAdapter[str] = TypeAdapter(Name)


@pytest.mark.parametrize("name", ["a", "RET-01", "baseline_v1", "v1.2", "A" * 100, "console", "com10", "0"])
def test_plain_names_pass(name: str) -> None:
    """Letters, digits, dots, underscores and hyphens; a device's name only as a whole counts."""
    assert fault(name) is None


@pytest.mark.parametrize(
    ("name", "code", "why"),
    [
        ("../../etc/passwd", "path_escape", "separator"),
        ("a/b", "path_escape", "separator"),
        ("a\\b", "path_escape", "separator"),
        ("/etc", "path_escape", "separator"),
        ("C:x", "path_escape", "drive"),
        ("a\0b", "path_escape", "NUL"),
        ("..", "path_escape", "dot"),
        (".hidden", "path_escape", "dot"),
        ("x.", "path_escape", "Windows drops"),
        ("x ", "path_escape", "Windows drops"),
        ("CON", "path_escape", "device"),
        ("nul.tar.gz", "path_escape", "device"),
        ("Com1", "path_escape", "device"),
        ("", "bad_name", "portable"),
        ("a b", "bad_name", "portable"),
        ("-rf", "bad_name", "portable"),
        ("é", "bad_name", "portable"),
        ("a\n", "bad_name", "portable"),
        ("A" * 101, "bad_name", "portable"),
    ],
)
def test_other_names_are_refused_with_the_reason(name: str, code: str, why: str) -> None:
    """`path_escape` where another file would be reached, `bad_name` where only the characters are wrong."""
    found = fault(name)
    assert found is not None
    assert found[0] == code
    assert why in found[1]


@given(st.text(max_size=8) | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,6}", fullmatch=True))
@example("a\n")
@example("con")
def test_what_passes_is_what_the_model_takes_but_for_devices_and_dots(name: str) -> None:
    """The rule here and the model's pattern are one; this one also knows what Windows does with a name."""
    try:
        NAME.validate_python(name)
    except ValidationError:
        assert fault(name) is not None
    else:
        assert (fault(name) or ("path_escape",))[0] == "path_escape"
