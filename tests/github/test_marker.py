"""The line that a comment of ours begins with."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tapegate.errors import UsageError
from tapegate.github.marker import Marker

HEAD = "a" * 40


@example("a--b -->", 1, 1, "")
@given(st.text(min_size=1, max_size=100), st.integers(0, 10**18 - 1), st.integers(1, 10**9 - 1), st.text(max_size=200))
def test_any_suite_comes_back(suite: str, run: int, attempt: int, text: str) -> None:
    """One line, which nothing in the suite's name ends; the text below it is as it was."""
    marker = Marker(suite, HEAD, run, attempt)
    line = marker.line()
    assert re.fullmatch(r"<!-- [ -~]+ -->", line)
    assert "--" not in line[4:-3]
    read = Marker.read(f"{line}\n{text}")
    assert read is not None
    assert read[0] == marker
    assert read[1] == text.replace("\r\n", "\n")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        f" {Marker('x', HEAD, 1).line()}\n",
        f"text\n{Marker('x', HEAD, 1).line()}\n",
        f"```\n{Marker('x', HEAD, 1).line()}\n```",
        f"> {Marker('x', HEAD, 1).line()}",
        f"{Marker('x', HEAD, 1).line()} trailing\n",
        Marker("x", HEAD, 1).line().replace("a" * 40, "A" * 40),
        Marker("x", HEAD, 1).line().replace("a" * 40, "a" * 41),
        Marker("x", HEAD, 1).line().replace("run=1.1", "run=1.0"),
        Marker("x", HEAD, 1).line().replace("run=1.1", "run=" + "9" * 30 + ".1"),
        Marker("x", HEAD, 1).line().replace("suite=x", "suite=" + "%41" * 200),
        Marker("x", HEAD, 1).line().replace("suite=x", "suite="),
    ],
)
def test_a_marker_counts_on_the_first_line_alone(body: str) -> None:
    """Whole and in the very form that is written; quoted or further down it is text."""
    assert Marker.read(body) is None


@given(st.text(max_size=300))
def test_any_comment_is_read(body: str) -> None:
    """Whatever somebody wrote."""
    assert Marker.read(body) is None


@pytest.mark.parametrize(
    ("suite", "head", "run"), [("", HEAD, 1), ("x" * 101, HEAD, 1), ("x", "main", 1), ("x", "", 1), ("x", HEAD, -1)]
)
def test_nothing_is_signed_with_less(suite: str, head: str, run: int) -> None:
    """A comment without a commit could be set back by any run."""
    with pytest.raises(UsageError):
        Marker(suite, head, run)
