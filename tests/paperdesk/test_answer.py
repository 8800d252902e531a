"""The text of an answer."""

from __future__ import annotations

import pytest

from paperdesk import stream
from paperdesk.answer import Answer, filtered


def test_leading_space_is_dropped() -> None:
    """What hidden thoughts leave behind them, blank lines, does not begin the answer."""
    answer = Answer()
    shown = [answer.add(piece) for piece in ("<think", "ing>hm</thinking>\n", "\n  ", "Yes", " .\n")]
    assert shown == ["", "", "", "Yes", " .\n"]
    assert answer.text == "Yes .\n"


def test_text_around_tools_is_in_paragraphs() -> None:
    """What is said after tools have run is a new paragraph; nothing is added where nothing was said before."""
    answer = Answer()
    answer.pause()
    answer.add("Let me look.")
    answer.pause()
    answer.pause()
    assert answer.add("  ") == ""
    answer.add("Here. ")
    answer.add("Done.")
    assert answer.text == "Let me look.\n\nHere. Done."


def test_a_thought_may_span_tool_calls() -> None:
    """A tag that is open when tools are called still hides afterwards."""
    answer = Answer()
    answer.add("a <thinking>b")
    answer.pause()
    answer.add("c</thinking>d")
    assert answer.text == "a \n\nd"


@pytest.mark.parametrize("broken_off", ["a <thinking>b", "a <thinking", "a <thi", "a </private", "a <private x"])
def test_what_is_said_in_place_of_a_cut_answer_is_shown(broken_off: str) -> None:
    """A tag that a model left open hides nothing of what is said once it is cut, and no part of it shows."""
    answer = Answer()
    answer.add(broken_off)
    answer.cut()
    answer.add("These fit.")
    assert answer.text == "a \n\nThese fit."


@pytest.mark.parametrize("cut", range(1, 40))
def test_filtered(cut: int) -> None:
    """Pieces are shown as the user sees them, with the same text for every cut."""
    text = "A <private>b<thinking>c</private>d</thinking>e <thin"
    pieces = [text[at : at + cut] for at in range(0, len(text), cut)]
    lines = [stream.parse(line) for line in filtered(pieces)]
    assert "".join(value for kind, value in lines if kind == "0") == "A e "
    assert lines[-1] == ("data", {"type": "finish", "reason": "stop"})
