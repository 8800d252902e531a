"""Text that an agent or a stranger wrote, made so that no reader of ours acts on it."""

from __future__ import annotations

import re
import unicodedata

_FENCE = re.compile(r"`{3,}")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)


def visible(text: str) -> str:
    """`text` with every control, invisible and bidirectional character spelled out, line breaks kept."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in _HIDDEN else f"\\u{ord(char):04x}"
        for char in text.replace("\r\n", "\n")
    )


def log_safe(text: str) -> str:
    """`text` without what a workflow runner takes for a command: `::` first on a line, `##[` anywhere."""
    return commandless(visible(text))


def commandless(text: str) -> str:
    """`text`, laid out by us, without what has become a command by where a line was broken."""
    return _COMMAND.sub(lambda found: "## " if found[0] == "##" else f"{found[1]}: ", text)


def code_block(text: str) -> str:
    """`text` as a Markdown code block that nothing in it can close.

    In a code block GitHub makes no mention, no issue link, no image and no HTML of anything.
    """
    shown = visible(text)
    longest = max((len(run) for run in _FENCE.findall(shown)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{shown}\n{fence}"
