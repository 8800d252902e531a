"""The page's pure modules, run in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from paperdesk import hint

PAGE = Path(__file__).parents[3] / "src" / "paperdesk" / "page"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")


def node(*arguments: str, stdin: str = "") -> str:
    done = subprocess.run(["node", *arguments], input=stdin, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout


def evaluated(module: str, expression: str) -> Any:
    script = f"import * as m from {json.dumps((PAGE / module).as_uri())}; console.log(JSON.stringify({expression}));"
    return json.loads(node("--input-type=module", "-e", script))


def test_the_hint_stands_behind_what_the_user_typed() -> None:
    """The command prints the body that is sent, for a text on standard input or in its arguments."""
    body = node(str(PAGE / "request-command.mjs"), stdin="  What do moths do?\n")
    assert node(str(PAGE / "request-command.mjs"), "What do", "moths do?") == body
    (sent,) = json.loads(body).values()
    assert sent.startswith("What do moths do?\n\n<hint>Local first:")
    assert sent.endswith("</hint>")
    assert sent == hint.added("What do moths do?")
    assert hint.without(sent) == "What do moths do?"


@pytest.mark.parametrize("nothing", ["", " \n\t"])
def test_no_hint_without_a_question(nothing: str) -> None:
    """Nothing typed is nothing sent."""
    assert node(str(PAGE / "request-command.mjs"), stdin=nothing) == hint.added(nothing) == ""


def test_a_missing_node_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Node the hint cannot be had, and the error says what to install."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(hint.NoNode, match="install Node"):
        hint.added("Hello!")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\ntwo\n\nthree", [["p", 2], ["p", 1]]),
        ("See:\n- a\n- b\n\nEnd", [["p", 1], ["ul", 2], ["p", 1]]),
        ("# Head\n1. a\n2) b", [["h", 1], ["ol", 2]]),
        ("", []),
    ],
)
def test_blocks(text: str, expected: list[Any]) -> None:
    """Paragraphs, headings and lists are told apart by their lines."""
    assert evaluated("markdown.mjs", f"m.blocks({json.dumps(text)}).map((b) => [b.kind, b.lines.length])") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a [T](/paper/p-1).", [{"text": "a "}, {"text": "T", "href": "/paper/p-1"}, {"text": "."}]),
        ("[x](javascript:alert)", [{"text": "[x](javascript:alert)"}]),
        ("[x](/paper/../api)", [{"text": "[x](/paper/../api)"}]),
        ("[x](//evil.example)", [{"text": "[x](//evil.example)"}]),
        (
            "at https://a.example/b.",
            [{"text": "at "}, {"text": "https://a.example/b", "href": "https://a.example/b"}, {"text": "."}],
        ),
        ("**b** `c`", [{"text": "b", "bold": True}, {"text": " "}, {"text": "c", "code": True}]),
        ("<b>x</b>", [{"text": "<b>x</b>"}]),
    ],
)
def test_spans(line: str, expected: list[Any]) -> None:
    """Links lead to papers and pages of the web only; whatever else stands there is text."""
    assert evaluated("markdown.mjs", f"m.spans({json.dumps(line)})") == expected


@pytest.mark.parametrize(("text", "shown"), [("see [Moss Wa", "Moss Wa"), ("see [Moss](/pap", "Moss"), ("see [", "")])
def test_a_link_that_is_still_arriving_shows_as_its_title(text: str, shown: str) -> None:
    """No bracket and no half address is seen while a link arrives; once the text is complete it stays as it is."""
    joined = f"m.blocks({json.dumps(text)}, OPEN)[0].lines[0].map((s) => s.text).join('')"
    assert evaluated("markdown.mjs", joined.replace("OPEN", "true")) == f"see {shown}"
    assert evaluated("markdown.mjs", joined.replace("OPEN", "false")) == text


def test_lines_are_read_however_they_are_cut() -> None:
    """Frames come out the same for every cut of the bytes, also within a character."""
    script = """
    const bytes = new TextEncoder().encode('data:{"type":"session"}\\n0:"naïve 🙂"\\nd:{"type":"tool_call"}\\n');
    const all = [];
    for (let cut = 0; cut <= bytes.length; cut++) {
      const pieces = [bytes.slice(0, cut), bytes.slice(cut)];
      const body = new ReadableStream({ start(to) { pieces.forEach((piece) => to.enqueue(piece)); to.close(); } });
      const found = [];
      for await (const frame of m.frames(body)) found.push(frame);
      all.push(JSON.stringify(found));
    }
    """
    module = f"import * as m from {json.dumps((PAGE / 'stream.mjs').as_uri())};"
    seen = json.loads(
        node("--input-type=module", "-e", module + script + "console.log(JSON.stringify([...new Set(all)]))")
    )
    assert [json.loads(found) for found in seen] == [
        [
            {"kind": "data", "value": {"type": "session"}},
            {"kind": "0", "value": "naïve 🙂"},
            {"kind": "d", "value": {"type": "tool_call"}},
        ]
    ]
