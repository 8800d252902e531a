"""What the user asks for, as far as the rules can tell from the words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperdesk.scripted_model.words import key_words

LINKED = re.compile(r"/paper/([A-Za-z0-9._-]*[A-Za-z0-9])")

_GREETING = re.compile(r"\s*(hello|hi|hey|good (morning|day|evening)|thanks|thank you|bye|goodbye)\b", re.IGNORECASE)
_FOR_THE_WEB = re.compile(r"\b(search|look|check|find|on|from|use|ask)\b.{0,30}\b(the )?(web|internet|online)\b", re.I)
_NOT_THE_WEB = re.compile(
    r"\b(without|no|not|don't|do not)\b.{0,25}\b(web|internet|online)\b"
    r"|\bonly\b.{0,25}\b(my|the|local)\b.{0,10}\b(library|papers)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(compare|both|versus|difference between|two papers)\b", re.IGNORECASE)
_FOLLOWS_UP = re.compile(
    r"\s*(and|also|what about|how about)\b|\b(it|its|they|their|that|this) ?(paper|study)?\b", re.I
)
_FOR_HIDDEN = re.compile(
    r"\b(private|hidden|secret|own|my) (notes?|remarks?)\b|\bfile ?(path|name|location)s?\b|\bpath\b"
    r"|\bwhere\b.{0,40}\b(file|pdf|scan|original)\b|\b(file|pdf|scan|original)\b.{0,20}\b(stored|saved|kept)\b",
    re.IGNORECASE,
)


_HINT = re.compile(r"\s*<hint>(.*?)</hint>\s*\Z", re.DOTALL)
_OPENINGS = re.compile(r"\bbegin\b.*", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]")


@dataclass(frozen=True, slots=True)
class Question:
    """The user's last message."""

    text: str
    hint: str = ""
    """What a client program has added to the user's words, in a `<hint>` behind them."""

    @classmethod
    def of(cls, message: str) -> Question:
        """The message, with the hint apart from it."""
        found = _HINT.search(message)
        return cls(message[: found.start()], found[1]) if found else cls(message)

    @property
    def openings(self) -> tuple[str, ...]:
        """How the hint wants an answer to begin: from the library, and otherwise."""
        wanted = _OPENINGS.search(self.hint)
        return tuple(_QUOTED.findall(wanted[0])) if wanted else ()

    @property
    def is_small_talk(self) -> bool:
        """A greeting with hardly a word behind it."""
        return bool(_GREETING.match(self.text)) and len(key_words(_GREETING.sub("", self.text))) <= 1

    @property
    def wants_web(self) -> bool:
        """The user asks for the web."""
        return any(map(_FOR_THE_WEB.search, (self.text, self.hint))) and not self.refuses_web

    @property
    def refuses_web(self) -> bool:
        """The user wants no web search."""
        return bool(_NOT_THE_WEB.search(self.text))

    @property
    def wants_hidden(self) -> bool:
        """The user asks for private notes or for where a file is."""
        return bool(_FOR_HIDDEN.search(self.text))

    @property
    def papers(self) -> int:
        """How many papers it takes to answer."""
        return 2 if _SEVERAL.search(self.text) else 1

    @property
    def follows_up(self) -> bool:
        """It may refer to what was said before."""
        return bool(_FOLLOWS_UP.search(self.text))

    @property
    def linked(self) -> tuple[str, ...]:
        """Ids of papers that it links."""
        return tuple(LINKED.findall(self.text))

    def names(self, paper_id: str) -> bool:
        """Whether it holds this id."""
        return bool(re.search(rf"(?<![\w-]){re.escape(paper_id)}(?![\w-])", self.text))

    @property
    def query(self) -> str:
        """What to search for."""
        return " ".join(key_words(self.text)) or " ".join(self.text.split())
