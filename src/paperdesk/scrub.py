"""Takes secrets, tokens, file paths and addresses out of a text: no model sees them, and no summary keeps them."""

from __future__ import annotations

import re
import unicodedata

from paperdesk.content_filter import visible

REMOVED = "[removed]"

_SENSITIVE = (
    # A key in PEM, whole or cut.
    r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)",
    # Keys and tokens that say what they are: sk-…, ghp_…, xoxb-…, AKIA…, a JWT.
    r"\b(?:sk|pk|rk|hf|gsk|xai|glpat|npm|pypi|github_pat|gh[opsur]|xox[abeoprs])[-_][\w-]{6,}",
    r"\b(?:AKIA|ASIA|AIza|ya29\.|SG\.|eyJ)[\w.-]{8,}",
    # What is called a secret: `password: x`, `my token is x`, `Bearer x`.
    r"\b(?:pass(?:word|phrase|wd|code)|pwd|secret|token|credentials?|pin|(?:api|access|private|secret)[ _-]?key)\b"
    r"[\"']?\s*(?:\bis\b|\bare\b|=|:)+\s*[\"']?[^\s\"',;]+",
    r"\bBearer\s+[\w.~+/=-]+",
    # An address with a name and a password in it, and an e-mail address.
    r"\b[a-z][a-z0-9+.-]*://[^\s/@]+@\S+",
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    # Where a file is: /Users/x, ~/x, C:\x, \\server\x. `/paper/{id}` is a link of ours.
    r"\bfile://\S+",
    r"(?<![\w./~])~?/(?!paper/)(?:[\w.@+-]+/)+[\w.@+-]*",
    r"(?<![\w./])~/[\w.@+-]+",
    r"\b[A-Za-z]:\\\S+|\\\\[\w.-]+\\\S+",
    # A long run of letters and digits that is no word.
    r"\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[A-Za-z0-9+/=_-]{24,}",
)
_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in _SENSITIVE), re.IGNORECASE | re.DOTALL)
_TAKEN_OUT = re.compile(r"(?:\[removed\][\s,;:]*)+(?=\[removed\])")


def scrub(text: str) -> str:
    """`text` with `[removed]` in place of what is sensitive, and without hidden tags.

    Compared in NFKC and without invisible characters: a key with a zero-width space in it is a key.
    """
    plain = "".join(char for char in unicodedata.normalize("NFKC", visible(text)) if _is_seen(char))
    return _TAKEN_OUT.sub("", _PATTERN.sub(REMOVED, plain))


def _is_seen(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in ("Cf", "Cc", "Co", "Cs")
