"""How the config says that later messages are put."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.load.config import read_config
from tapegate.load.document import Document

HTTP = """\
  desk:
    kind: http
    command: [serve, "{port}"]
    ask: {path: /chat, json: {message: "{input}"}}
    ask_again: {path: /chat, json: {message: "{input}", session: "{session}"}}
    carry: {session: session_id}
    stream: mixed
"""
PYTHON = """\
  desk:
    kind: python
    entry: agent:answer
    arguments: {pieces: "{chunks}", at: "{clock}"}
    arguments_again: {message: "{input}", session: "{session}"}
    carry: {session: session_id}
    stream: text
"""
COMMAND = """\
  desk:
    kind: command
    command: [ask, "--session", "{session}"]
    stdin: "{input}, at {clock}"
    carry: {session: session_id}
    stream: text
"""


@pytest.mark.parametrize(
    ("subject", "old", "new", "codes"),
    [
        (HTTP, "", "", []),
        (PYTHON, "", "", []),
        (HTTP, 'session: "{session}"', 'session: "{sesion}"', ["unknown_placeholder", "unused_placeholder"]),
        (HTTP, "    carry: {session: session_id}\n", "", ["unknown_placeholder"]),
        (HTTP, ', session: "{session}"', "", ["unused_placeholder"]),
        (HTTP, 'ask: {path: /chat, json: {message: "{input}"}}', 'ask: {path: "/{session}"}', ["unknown_placeholder"]),
        (HTTP, "carry: {session: session_id}", "carry: {session: x, input: y}", ["ambiguous_placeholder"]),
        (PYTHON, 'pieces: "{chunks}"', 'pieces: "all {chunks}"', ["bad_value"]),
        (PYTHON, 'pieces: "{chunks}"', 'a: "{chunks}", b: "{byte_chunks}"', ["bad_value"]),
        (PYTHON, 'pieces: "{chunks}"', 'pieces: ["{byte_chunks}"]', []),
        (PYTHON, 'message: "{input}", s', 'message: "{chunks}", s', ["unknown_placeholder"]),
        (COMMAND, "", "", []),
        (COMMAND, '"{session}"', '"{port}"', ["unknown_placeholder", "unused_placeholder"]),
        (COMMAND, "{clock}", "{chunks}", ["unknown_placeholder"]),
        (COMMAND, '"--session", "{session}"', "", ["unused_placeholder"]),
        (COMMAND, "{input}, at {clock}", "{session}{input}", []),
        (HTTP, 'message: "{input}"}}\n    ask_again', 'message: "{chunks}"}}\n    ask_again', ["unknown_placeholder"]),
    ],
)
def test_every_value_is_filled_and_taken_over(
    subject: str, old: str, new: str, codes: list[str], config_text: str, read: Callable[..., Document]
) -> None:
    """A placeholder that nothing fills, a value that nobody takes, and lists within a text are told."""
    head = config_text.split("  desk:\n")[0]
    assert old in subject
    _, problems = read_config(read(head + subject.replace(old, new, 1)))
    assert sorted(problem.code for problem in problems) == codes
