"""The hint that the chat page adds to what the user types. Its module `page/hint.mjs` writes it, and nothing else.

The page and the command in Node get what they send from the same `page/request.mjs`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

_COMMAND = Path(__file__).parent / "page" / "request-command.mjs"
_HINT = re.compile(r"\s*<hint>.*?</hint>\s*\Z", re.DOTALL)


class NoNode(Exception):
    """The page's module cannot be run here."""


def added(text: str) -> str:
    """What the page would send for `text`: its own module says so, run in Node. Raises `NoNode`."""
    node = shutil.which("node")
    if node is None:
        raise NoNode("the page's module runs in Node, and there is no `node` on the PATH: install Node 20 or newer")
    done = subprocess.run(  # noqa: S603 - our own module; the text goes in as data
        [node, str(_COMMAND)], input=text, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise NoNode(f"the page's module fails in Node: {done.stderr.strip().splitlines()[-1:]}")
    return str(json.loads(done.stdout)["message"]) if done.stdout else ""


def without(message: str) -> str:
    """The user's own words. A message that is nothing but a hint stays as it is."""
    return _HINT.sub("", message) or message
