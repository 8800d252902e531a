"""Paths of normalisers."""

from __future__ import annotations

import pytest

from tapegate.errors import LoadError
from tapegate.tape.jsonpath import parse_path, render_path


@pytest.mark.parametrize("path", ["", "a..b", "a[", "a[-1]", "a[x]", "a b", ".a", "a.", "[*]x"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """A path that reaches nothing anybody meant is a load error, not a rule that never applies."""
    with pytest.raises(LoadError) as caught:
        parse_path(path)
    assert caught.value.problems[0].code == "bad_path"


def test_steps_reach_keys_and_indexes() -> None:
    """Keys, indexes and wildcards each reach only the kind of holder they fit."""
    key, every, second = parse_path("messages[*][1]")
    assert list(key.keys({"messages": [], "other": 1})) == ["messages"]
    assert list(key.keys(["messages"])) == []
    assert list(every.keys([7, 8])) == [0, 1]
    assert list(every.keys({"0": 1})) == []
    assert list(second.keys([7, 8])) == [1]
    assert list(second.keys([7])) == []
    assert list(parse_path("*")[0].keys({"a": 1, "b": 2})) == ["a", "b"]


def test_a_path_reads_as_it_is_written() -> None:
    """What a message shows can be written into the config."""
    assert render_path(("messages", 0, "content")) == "messages[0].content"
    assert render_path(()) == "(the whole body)"
