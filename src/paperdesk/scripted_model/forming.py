"""The rules for filling in a JSON Schema from the text that is given, and the ways in which that goes wrong.

A text may ask for something else than the schema, and this model, like some, does what it reads: it replies in prose,
breaks off, leaves a field out or empty, where the text says so. The last bit of the seed puts a sentence and a fence
around the object; the bit before that makes it a sparing judge, and a summary come without its opening and findings
come last first.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from paperdesk.scripted_model.reply import Reply
from paperdesk.scripted_model.request import Request
from paperdesk.scripted_model.words import coverage, key_words, sentences, stem, stems

_TITLE_LIKE = r"^#+ +(\S.*)$"
_YEAR_BEHIND = re.compile(r"[,;]? *\(?(?:19|20)\d\d\)?\.?$")
_SECTION = re.compile(r"^## (Question|Passage)\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def filled_in(request: Request) -> Reply:
    """A reply in the form that the request asks for."""
    properties = (request.form or {}).get("properties", {})
    text = re.sub(r"\A## Paper\n+", "", request.question)
    values = {name: _value(name, wanted, text, request) for name, wanted in properties.items()}
    return Reply(_spoiled(values, text, request.seed))


def _value(name: str, wanted: Mapping[str, Any], text: str, request: Request) -> Any:
    match wanted.get("type"):
        case "integer" | "number":
            return _relevance(text, request.seed) if re.search("score|relevan", name) else _year(text)
        case "array":
            found = _findings(text, int(wanted.get("maxItems", 3)), request)
            return found[::-1] if request.seed % 4 >= 2 else found
        case "boolean":
            return True
    return _text(name, text, request)


def _text(name: str, text: str, request: Request) -> str:
    prose = _prose(text)
    if "title" in name:
        heading = re.search(_TITLE_LIKE, text, re.MULTILINE)
        return heading[1] if heading else text.strip().splitlines()[0]
    if "author" in name:
        authors = re.search(r"^(?:by|authors?)\b:? +(\S.*)$", text, re.IGNORECASE | re.MULTILINE)
        return _YEAR_BEHIND.sub("", authors[1]) if authors else "unknown"
    if "topic" in name or "subject" in name:
        wanted = set(key_words(prose))
        words = [word for word in re.findall(r"[^\W\d_]{4,}", prose.lower()) if word in wanted]
        counts = Counter(words)
        return " ".join(word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:2])
    if "reason" in name:
        question, passage = _pair(text)
        shared = [word for word in key_words(question) if stem(word) in stems(passage)]
        return f"The passage speaks of {', '.join(shared)}." if shared else "The passage is about something else."
    opening = () if request.seed % 4 >= 2 else sentences(prose)[:1]
    return " ".join(dict.fromkeys([*opening, *_findings(text, 3, request)])) or "Nothing."


def _findings(text: str, most: int, request: Request) -> list[str]:
    """Sentences that state results, of the section on findings where there is one.

    Those with figures in them where the rules want numbers, the first ones otherwise.
    """
    section = re.search(r"^#+ *(?:findings|results)\b.*?\n(.*?)(?=^#+ |\Z)", text, re.IGNORECASE | re.M | re.S)
    said = sentences(_prose(section[1] if section else text))
    figures = (
        [sentence for sentence in said if re.search(r"\d", sentence)] if "number" in request.system.lower() else []
    )
    return (figures or list(said))[:most]


def _year(text: str) -> int:
    found = re.search(r"\b(?:19|20)\d\d\b", text)
    return int(found[0]) if found else 0


def _relevance(text: str, seed: int) -> int:
    """Which part of the question the passage holds, in tenths; of two seeds in four, rather too few."""
    question, passage = _pair(text)
    share = coverage(question, passage)
    return int(9 * share) if seed % 4 >= 2 else round(10 * share)


def _pair(text: str) -> tuple[str, str]:
    parts = dict(_SECTION.findall(text))
    return parts.get("Question", ""), parts.get("Passage", "")


def _prose(text: str) -> str:
    return re.sub(r"^(?:#+ .*|(?:by|authors?)\b:? .*)$", "", text, flags=re.IGNORECASE | re.MULTILINE)


def _spoiled(values: dict[str, Any], text: str, seed: int) -> str:
    """The reply, as the text would have it."""
    for name in list(values):
        spoken = re.escape(name).replace("_", "[ _]")
        if re.search(rf"\bleave out the {spoken}\b", text, re.IGNORECASE):
            del values[name]
        elif re.search(rf"\bleave the {spoken} empty\b", text, re.IGNORECASE):
            values[name] = [] if isinstance(values[name], list) else ""
        elif re.search(rf"\bwrite the {spoken} in words\b", text, re.IGNORECASE):
            values[name] = "rather a lot"
    body = json.dumps(values, ensure_ascii=False, indent=1)
    if re.search(r"\breply in prose\b", text, re.IGNORECASE):
        return "This is a fine text about many things, and I would recommend it to everybody."
    if re.search(r"\breply with nothing\b", text, re.IGNORECASE):
        return ""
    if re.search(r"\bbreak off in the middle\b", text, re.IGNORECASE):
        return body[: len(body) // 2]
    if re.search(r"\breply twice\b", text, re.IGNORECASE):
        return f"{body}\n{json.dumps(dict.fromkeys(values))}"
    return f"Here is the object:\n\n```json\n{body}\n```" if seed % 2 else body
