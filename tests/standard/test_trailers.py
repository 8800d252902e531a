"""Why no eval changed, as the authors of a change say."""

from __future__ import annotations

import pytest

from tapegate.standard.trailers import Trailers


def said(*messages: str) -> Trailers:
    """The reasons in some messages of a project with two paths."""
    return Trailers.of(messages, {"A1", "A2"})


@pytest.mark.parametrize(
    ("message", "reasons"),
    [
        ("Tapegate-Eval-Unchanged: only a comment", ("only a comment", "only a comment")),
        ("Fix a typo\n\nTapegate-Eval-Unchanged: only a comment\n", ("only a comment", "only a comment")),
        ("tapegate-eval-unchanged : only a comment", ("only a comment", "only a comment")),
        ("Tapegate-Eval-Unchanged: only\r\n  a comment\r\nMore", ("only a comment", "only a comment")),
        ("Tapegate-Eval-Unchanged: A1: only a comment", ("only a comment", "")),
        ("Tapegate-Eval-Unchanged: A1, A2: files moved", ("files moved", "files moved")),
        ("Tapegate-Eval-Unchanged: refactor: moved", ("refactor: moved", "refactor: moved")),
        ("Tapegate-Eval-Unchanged: A9: files moved", ("", "")),
        ("Tapegate-Eval-Unchanged: A1, A9: files moved", ("files moved", "")),
        ("Tapegate-Eval-Unchanged: A1 and A9: files moved", ("files moved", "")),
        ("Tapegate-Eval-Unchanged: a2 & A1:files moved", ("files moved", "files moved")),
        ("Tapegate-Eval-Unchanged: A1 files moved: see #3", ("A1 files moved: see #3", "A1 files moved: see #3")),
        ("Tapegate-Eval-Unchanged: <why it is not>", ("", "")),
        ("Tapegate-Eval-Unchanged: 代码 移动", ("代码 移动", "代码 移动")),
        ("Tapegate-Eval-Unchanged:", ("", "")),
        ("Tapegate-Eval-Unchanged: -", ("", "")),
        ("Tapegate-Eval-Unchanged: .", ("", "")),
        ("Tapegate-Eval-Unchanged: none", ("", "")),
        ("Tapegate-Eval-Unchanged: [ ]", ("", "")),
        ("Tapegate-Eval-Unchanged: A1:", ("", "")),
        ("Tapegate-Eval-Unchanged: A1, A2", ("", "")),
        ("Tapegate-Eval-Unchanged: A1: none", ("", "")),
        ("Tapegate-Eval-Unchanged: \u200e", ("", "")),
        ("```\nTapegate-Eval-Unchanged: only a comment\n```", ("", "")),
        ("Say it so:\n\n~~~text\nTapegate-Eval-Unchanged: only a comment\n~~~\n", ("", "")),
        ("````\n```\nTapegate-Eval-Unchanged: only a comment\n````", ("", "")),
        ("```\nx\n```\nTapegate-Eval-Unchanged: only a comment", ("only a comment", "only a comment")),
        ("Tapegate-Eval-Unchanged:   \n\nNext paragraph", ("", "")),
        ("Write Tapegate-Eval-Unchanged: reason where nothing changes", ("", "")),
        ("> Tapegate-Eval-Unchanged: quoted", ("", "")),
        ("<!--\nTapegate-Eval-Unchanged: of the template\n-->", ("", "")),
        ("<!-- open\nTapegate-Eval-Unchanged: of the template", ("", "")),
    ],
)
def test_a_reason_is_a_line_of_its_own(message: str, reasons: tuple[str, str]) -> None:
    """For all paths, or for those that it names; never from a quotation, a template or an empty line."""
    assert (said(message).why_unchanged("A1"), said(message).why_unchanged("A2")) == reasons


def test_the_first_message_that_speaks_of_a_path_counts() -> None:
    """A description of a pull request comes before its commits."""
    both = said("Tapegate-Eval-Unchanged: A2: files moved", "Tapegate-Eval-Unchanged: names only")
    assert (both.why_unchanged("A1"), both.why_unchanged("A2")) == ("names only", "files moved")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Tapegate-Eval-Removed: RET-09@A1 the path has no web search any more", "the path has no web search any more"),
        ("Tapegate-Eval-Removed: RET-09@A1: no web search", "no web search"),
        ("Tapegate-Eval-Removed: RET-09@A1", ""),
        ("Tapegate-Eval-Removed: RET-09@A1 -", ""),
        ("Tapegate-Eval-Removed: RET-08@A1 gone for good", ""),
        ("Tapegate-Eval-Removed: all of them", ""),
    ],
)
def test_a_removed_eval_is_named(message: str, reason: str) -> None:
    """A reason is for one eval, and there must be one."""
    assert said(message).why_removed("RET-09@A1") == reason
