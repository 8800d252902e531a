"""The links of an answer: Markdown links, autolinks and bare addresses, local ones and ones on the web."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

Kind = Literal["local", "web", "malformed", "other"]

_LABEL = re.compile(r"(!?)\[((?:[^\[\]\\]|\\.){0,1000})\]\(")
_BARE = re.compile(
    r"(?i)\b(?:https?://|www\.(?=[a-z0-9]))[^\s<>\"`|\\^{}]+"
    r"|(?<![\w/.:~%=-])/papers?(?!\w)(?:/[^\s<>\"`|)\],;*!'’“”]*)?"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LOCAL = re.compile(r"/paper/([A-Za-z0-9][A-Za-z0-9._:-]*)(?:[?#].*)?")
_WEB = re.compile(r"(?i)https?://(?:[^/?#@\s]*@)?([a-z0-9\u00a1-\uffff][^/?#:\s]*|\[[0-9a-f:.]+\])(?:[:/?#].*)?")
_NEARLY_LOCAL = re.compile(
    r"(?i)\.{0,2}/?papers?(?:/|$)"  # the plural, no id, no slash in front, a longer path
    r"|file:|[a-z]:[\\/]|/?(?:users|home|var|tmp|root|private)/"  # a file of somebody's machine
    r"|(?![a-z][a-z0-9+.-]*:).*\.(?:pdf|md|txt|tex|docx?)(?:[?#].*)?$"  # a file beside the page
)
_LOOPBACK = re.compile(r"(?i)https?://(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])(?::\d+)?(/.*)?$")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""What Markdown decodes in the address of a link."""
_DEEPEST = 8
"""Nested brackets in a target; a bound keeps the work linear on `[a](` without end."""
_TRAILING = ".,;:!?*_~'\"”’»…"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of an answer."""

    kind: Kind
    target: str
    """The address as it stands there, without title and trailing punctuation."""
    start: int
    end: int
    local_id: str = ""
    """The paper's id, for a local link."""
    label: str | None = None
    """The text of a Markdown link; None for a bare address."""
    reason: str = ""
    """What is wrong with a malformed link."""

    def open_in(self, text: str) -> bool:
        """Whether more text could still lengthen a bare address at the end of `text`."""
        return self.label is None and not any(char.isspace() for char in text[self.end :])

    @property
    def belied(self) -> str:
        """The address that the label of a Markdown link shows where the link leads elsewhere; else empty."""
        if self.label is None or self.kind not in ("local", "web"):
            return ""
        for shown in bare(self.label):
            if shown.kind in ("local", "web") and shown.address != self.address:
                return shown.target
        return ""

    @property
    def address(self) -> str:
        """What makes two links the same citation: the paper's id, or host and path without fragment and last slash."""
        if self.kind == "local":
            return f"/paper/{self.local_id}"
        bare_address = self.target.removeprefix("//").partition("#")[0].rstrip("/")
        scheme, separator, rest = bare_address.partition("://")
        host, slash, path = (rest if separator else scheme).partition("/")
        return f"{host.lower()}{slash}{path}"


def shown(text: str) -> str:
    """`text` with blanks for what a page that shows Markdown leaves out: HTML comments. Every place stays its own."""
    return _COMMENT.sub(lambda found: " " * len(found.group()), text)


def links(text: str) -> list[Link]:
    """Every link of the text in order; images are none, and a Markdown link is one link, whatever its label holds."""
    found: list[Link] = []
    taken = 0
    for label in _LABEL.finditer(text):
        if label.start() < taken:
            continue
        target, end = _destination(text, label.end())
        if end < 0:
            continue
        found.extend(bare(text, taken, label.start()))
        taken = end
        if not label.group(1):
            found.append(_link(target, label.start(), end, label.group(2)))
    found.extend(bare(text, taken))
    return found


def bare(text: str, start: int = 0, end: int | None = None) -> Iterator[Link]:
    """The addresses that stand in a span of the text by themselves."""
    for match in _BARE.finditer(text, start, len(text) if end is None else end):
        target = _trimmed(match.group())
        yield _link(target, match.start(), match.start() + len(target), None)


def _destination(text: str, start: int) -> tuple[str, int]:
    """Target of the Markdown link whose `(` ends at `start`, and where it ends; -1 where none ends on this line."""
    depth, index, target_end = 1, start, -1
    limit = min(len(text), start + 4000)
    while index < limit:
        char = text[index]
        if char == "\\":
            index += 1
        elif char == "\n":
            return "", -1
        elif char == "(":
            depth += 1
            if depth > _DEEPEST:
                return "", -1
        elif char == ")":
            depth -= 1
            if depth == 0:
                target = text[start : index if target_end < 0 else target_end].strip()
                return target.removeprefix("<").removesuffix(">"), index + 1
        elif char in " \t" and target_end < 0 and text[start:index].strip():
            target_end = index  # what follows is a title
        index += 1
    return "", -1


def _link(target: str, start: int, end: int, label: str | None) -> Link:
    local = _LOCAL.fullmatch(target)
    if local is not None:
        return Link("local", target, start, end, local_id=local.group(1), label=label)
    loopback = _LOOPBACK.match(target)
    if loopback is not None:
        reason = "it names a server on this machine, not the paper"
        return Link("malformed", target, start, end, label=label, reason=reason)
    address = f"http://{target}" if target.lower().startswith("www.") else target
    if label is not None:
        address = _ENTITY.sub(lambda found: unescape(found.group()), address)
        address = f"https:{address}" if address.startswith("//") else address  # of the page's own scheme
    if _WEB.fullmatch(address) is not None:
        return Link("web", target, start, end, label=label)
    if address.lower().startswith(("http:", "https:")):
        return Link("malformed", target, start, end, label=label, reason="it has no host")
    if not target:
        return Link("malformed", target, start, end, label=label, reason="it leads nowhere")
    if _NEARLY_LOCAL.match(target) is not None:
        return Link("malformed", target, start, end, label=label, reason="a paper is cited as /paper/{id}")
    return Link("other", target, start, end, label=label)


def _trimmed(address: str) -> str:
    """A bare address without the punctuation of the sentence it stands in; brackets stay where they are balanced."""
    end = len(address)
    closing = {")": "(", "]": "["}
    surplus = {close: address.count(close) - address.count(open_) for close, open_ in closing.items()}
    while end:
        last = address[end - 1]
        if last in closing and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]
