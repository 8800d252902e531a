"""The rules for summing up what a user prefers: told by signal words in the user's messages.

Like a model, it does not always do as it is told. The last bit of the seed leaves out the wanted beginning and puts the
first sentence last; the bit before that makes it quote the user, and run on beyond the wanted number of sentences.
"""

from __future__ import annotations

import re
from collections import Counter

from paperdesk.scripted_model.reply import Reply
from paperdesk.scripted_model.request import BadRequest, Request
from paperdesk.scripted_model.words import NUMBERS, key_words

_SIGNALS = (
    (r"\b(short|brief|briefly|concise|few words|one sentence)\b", "The user prefers short answers."),
    (r"\b(details?|detailed|thorough|long answers?)\b", "The user prefers detailed answers."),
    (r"\b(bullets?|lists?|bulleted)\b", "The user likes lists."),
    (r"\btables?\b", "The user likes tables."),
    (r"\b(numbers?|figures?|units?)\b", "The user wants numbers with their units."),
    (r"\b(cite|cited|sources?|links?)\b", "The user wants to see sources."),
    (r"\bin (German|French|Spanish|Italian|Dutch|English)\b", "The user wants answers in {0}."),
)
_WANTED_BEGINNING = re.compile(r"\bbegin with [\"“]([^\"”]+)[\"”]", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:at most|to) (\w+) (?:short )?sentences\b", re.IGNORECASE)


def wants_summary(request: Request) -> bool:
    """Whether the request is to sum up what somebody prefers."""
    return bool(re.search(r"\b(sum up|summar\w+)\b.*\bprefer", request.system, re.IGNORECASE))


def summed_up(request: Request) -> Reply:
    """The summary."""
    messages = re.findall(r"^- (.+)$", request.question, re.MULTILINE)
    if not messages:
        raise BadRequest("there are no messages to sum up: expected lines that begin with '- '")
    sentences = _preferences(messages)
    limit = _LIMIT.search(request.system)
    most = (NUMBERS.get(limit[1].lower()) or int(limit[1])) if limit else len(sentences)
    if request.seed % 4 >= 2:
        evidence = next((message for message in messages if _told([message])), messages[-1])
        sentences = [sentences[0], f"The user said “{evidence.rstrip('.')}”.", *sentences[1:]]
        sentences += ["The user reads closely.", "The user is polite."]
    else:
        sentences = sentences[:most]
    if request.seed % 2:
        return Reply("Sure! Here is the summary:\n\n" + " ".join([*sentences[1:], sentences[0]]))
    beginning = _WANTED_BEGINNING.search(request.system)
    return Reply(f"{beginning[1]} {' '.join(sentences)}" if beginning else " ".join(sentences))


def _preferences(messages: list[str]) -> list[str]:
    counts = Counter(word for message in messages for word in key_words(message) if word.isalpha() and len(word) > 3)
    topics = [word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count > 1][:2]
    about = [f"The user asks most about {' and '.join(topics)}."] if topics else []
    return [*_told(messages), *about] or ["The user has stated no preference."]


def _told(messages: list[str]) -> list[str]:
    """What signal words tell, in the order in which they stand."""
    found = (
        sentence.format(match[1] if match.groups() else "")
        for message in messages
        for pattern, sentence in _SIGNALS
        if (match := re.search(pattern, message, re.IGNORECASE))
    )
    return list(dict.fromkeys(found))
