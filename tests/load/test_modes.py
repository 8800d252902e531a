"""What a task's mode demands of its other parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.load.document import Document
from tapegate.load.task import read_task


@pytest.mark.parametrize(
    ("mode", "more", "codes"),
    [
        ("single_turn", "", []),
        ("single_turn", "then: []\n", []),
        ("single_turn", "then: [And?]\n", ["6:1 mode_mismatch"]),
        ("single_turn", "beside: [And?]\n", ["6:1 mode_mismatch"]),
        ("single_turn", "setup: {stream: s}\n", ["6:9 mode_mismatch"]),
        ("single_turn", "setup: {chunking: all_splits}\n", ["6:9 mode_mismatch"]),
        ("single_turn", "setup: {chunking: whole}\n", []),
        ("multi_turn", "then: [And?]\n", []),
        ("multi_turn", "", ["4:7 missing_messages"]),
        ("multi_turn", "then: []\n", ["4:7 missing_messages"]),
        ("multi_turn", "then: [And?]\nbeside: [x]\n", ["7:1 mode_mismatch"]),
        ("concurrent", "beside: [And?]\n", []),
        ("concurrent", "then: [And?]\n", ["4:7 missing_messages", "6:1 mode_mismatch"]),
        ("stream_fixture", "setup: {stream: s}\n", []),
        ("stream_fixture", "setup: {stream: s, chunking: all_splits}\n", []),
        ("stream_fixture", "setup: {fixtures: [s]}\n", ["4:7 missing_stream"]),
        ("stream_fixture", "setup: {stream: nul}\n", ["6:17 path_escape"]),
        ("single_turn", "setup: {clock: '2026-01-31T09:00:00Z'}\n", []),
        ("single_turn", "setup: {clock: '2026-02-31T09:00:00Z'}\n", ["6:16 bad_value"]),
        ("single_turn", "setup: {clock: '2026-01-31'}\n", ["6:16 bad_value"]),
        ("single_turn", "then: x\n", ["6:7 wrong_type"]),
        ("single_turn", "quarantine: {reason: r, owner: o, until: '2026-02-31'}\n", ["6:42 bad_value"]),
        ("single_turn", "quarantine: {reason: r, owner: o, until: '2026-02-28'}\n", []),
        ("single_turn", "quarantine: {reason: r, until: '2026-02-28'}\n", ["6:1 missing_key"]),
    ],
)
def test_a_mode_has_its_messages_and_no_others(
    mode: str,
    more: str,
    codes: list[str],
    task_text: str,
    read: Callable[..., Document],
    told: Callable[..., list[str]],
) -> None:
    """What the mode lacks is told at the mode, what it has no use for at its key."""
    text = task_text.replace("mode: single_turn", f"mode: {mode}").replace("expect:\n", f"{more}expect:\n")
    task, problems = read_task(read(text))
    assert told(problems) == codes
    assert (task is None) is bool(codes)


@pytest.mark.parametrize(
    ("mode", "more", "turns", "codes"),
    [
        ("multi_turn", "then: [And?]\n", "[{turn: 1, required_tools: [a]}, {turn: 2, required_tools: [b]}]", []),
        ("concurrent", "beside: [And?]\n", "[{turn: 2, required_tools: [b]}]", []),
        ("multi_turn", "then: [And?]\n", "[{turn: 3, required_tools: [a]}]", ["unknown_turn"]),
        ("multi_turn", "then: [And?]\n", "[{turn: 1, required_tools: [a]}, {turn: 1}]", ["duplicate_turn"]),
        ("multi_turn", "then: [And?]\n", "[{turn: 0}]", ["out_of_range"]),
        ("multi_turn", "then: [And?]\n", "[{required_tools: [a]}]", ["missing_key"]),
        ("multi_turn", "then: [And?]\n", "[{turn: 1, requird_tools: [a]}]", ["unknown_key"]),
        ("single_turn", "", "[{turn: 1, required_tools: [a]}]", ["mode_mismatch"]),
        ("single_turn", "", "[]", []),
        ("stream_fixture", "setup: {stream: s}\n", "[{turn: 1}]", ["mode_mismatch"]),
    ],
)
def test_conditions_on_single_answers_go_with_several(
    mode: str, more: str, turns: str, codes: list[str], task_text: str, read: Callable[..., Document]
) -> None:
    """An answer that never comes, or is named twice, is refused; so are turns where there is but one answer."""
    text = task_text.replace("mode: single_turn", f"mode: {mode}").replace("expect:\n", f"{more}expect:\n")
    text = text.replace("accepted_outcomes:\n    -", f"accepted_outcomes:\n    - turns: {turns}\n     ")
    assert "turns" in text
    assert [problem.code for problem in read_task(read(text))[1]] == codes
