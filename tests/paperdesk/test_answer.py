"""The text of an answer."""

from __future__ import annotations

from paperdesk.answer import Answer


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
