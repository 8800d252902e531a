"""Text that an agent or a stranger wrote, made so that no reader of ours acts on it."""

from __future__ import annotations

import re

from tapegate.oracles import invisible

_FENCE = re.compile(r"`{3,}")
# Written out, not asked of `unicodedata`: a report has the same bytes under every Python.
_HIDDEN = re.compile(
    f"[{invisible.CONTROL}{invisible.BIDI}{invisible.TAGS}{invisible.HIDDEN}\x85\u06dd\u070f\u08e2\u180e\u2028\u2029\U00013430-\U0001345f"
    "\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U000f0000-\U0010ffff]"
)
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)


def visible(text: str) -> str:
    """`text` with every control, invisible and bidirectional character spelled out, line breaks kept."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n").replace("\r", "\\u000d"))


def log_safe(text: str) -> str:
    """`text` without what a workflow runner takes for a command: `::` first on a line, `##[` anywhere."""
    return commandless(visible(text))


def commandless(text: str) -> str:
    """`text`, laid out by us, without what has become a command by where a line was broken."""
    return _COMMAND.sub(lambda found: "## " if found[0] == "##" else f"{found[1]}: ", text)


def code_block(text: str, language: str = "text") -> str:
    """`text` as a Markdown code block that nothing in it can close.

    In a code block GitHub makes no mention, no issue link, no image and no HTML of anything.
    """
    shown = visible(text)
    longest = max((len(run) for run in _FENCE.findall(shown)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def inline_code(text: str, most: int = 200) -> str:
    """`text` as inline code of Markdown that breaks neither a table nor a list; cut after `most` characters.

    In code, GitHub makes no mention, no issue link, no image and no HTML of anything.
    """
    shown = visible(text).replace("`", "'").replace("|", "¦")
    shown = " ".join(shown.split())
    shown = shown if len(shown) <= most else shown[: most - 1] + "…"
    return f"`{shown}`" if shown else "–"
