"""The rules, first part: what to call next, if anything."""

from __future__ import annotations

import re

from paperdesk.scripted_model.answering import answer, greeting
from paperdesk.scripted_model.given import Given, Offered
from paperdesk.scripted_model.reply import Call, Reply
from paperdesk.scripted_model.words import key_words, stem, stems

_GREETING = re.compile(r"\s*(hello|hi|hey|good (morning|day|evening)|thanks|thank you|bye|goodbye)\b", re.IGNORECASE)
_FOR_THE_WEB = re.compile(r"\b(search|look|check|find|on|from|use|ask)\b.{0,30}\b(the )?(web|internet|online)\b", re.I)
_NOT_THE_WEB = re.compile(
    r"\b(without|no|not|don't|do not)\b.{0,25}\b(web|internet|online)\b|\bonly\b.{0,25}\b(my|the|local)\b.{0,10}"
    r"\b(library|papers)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(compare|both|versus|difference between|two papers)\b", re.IGNORECASE)
_FOLLOWS_UP = re.compile(
    r"\s*(and|also|what about|how about)\b|\b(it|its|they|their|that|this) ?(paper|study)?\b", re.I
)
_LINKED = re.compile(r"/paper/([A-Za-z0-9._-]*[A-Za-z0-9])")


def decide(given: Given) -> Reply:
    """The next completion."""
    if _GREETING.match(given.question) and len(key_words(_GREETING.sub("", given.question))) <= 1:
        return greeting(given)
    calls = _web_first(given) or _local(given) or _web_after(given)
    if not calls:
        return answer(given)
    return Reply(calls=calls, thought=_plan(given, calls))


def _web_first(given: Given) -> tuple[Call, ...]:
    """Without a rule that puts the library first, the web is as good a place to begin."""
    if given.brief.policy.local_first or given.steps:
        return ()
    return _ask_web(given)


def _local(given: Given) -> tuple[Call, ...]:
    if given.found("web") and not given.brief.policy.local_first:
        return ()
    candidates = _candidates(given)
    search = given.tool("local")
    if not candidates and search and "local" not in given.roles:
        return (Call(search.name, search.argument, _query(given)),)
    reader = given.tool("reader")
    if not reader or not given.brief.policy.read_before_citing:
        return ()
    return tuple(
        Call(reader.name, reader.argument, paper_id) for paper_id in candidates if paper_id not in given.attempted
    )


def _web_after(given: Given) -> tuple[Call, ...]:
    policy = given.brief.policy
    known = given.found("local") or any(source.answers(given.question) for source in given.readings)
    wished = bool(_FOR_THE_WEB.search(given.question))
    goes_on = given.seed % 2 == 0  # the other course, as good: say so, and leave it to the user
    if wished or not policy.web_last or (not known and goes_on):
        return _ask_web(given)
    return ()


def _ask_web(given: Given) -> tuple[Call, ...]:
    web: Offered | None = given.tool("web")
    if web is None or "web" in given.roles or _NOT_THE_WEB.search(given.question):
        return ()
    return (Call(web.name, web.argument, _query(given)),)


def _candidates(given: Given) -> list[str]:
    """Ids of the papers worth reading, best first."""
    most = 2 if _SEVERAL.search(given.question) else 1
    named = [paper_id for paper_id in _named(given) if paper_id]
    if named:
        return named[:most]
    hits = [source.paper_id for source in given.found("local")]
    if "local" in given.roles:
        return hits[:most]
    # Citing without reading needs the snippets of a search.
    at_once = (given.seed // 2) % 2 == 1 and given.brief.policy.read_before_citing
    if at_once and (titled := _by_title(given, most)):
        return titled
    cited = _LINKED.findall(given.earlier)
    if cited and _FOLLOWS_UP.search(given.question) and not _by_title(given, most):
        return cited[:1]
    return []


def _named(given: Given) -> list[str]:
    """Ids that the question itself holds."""
    shelf = [
        paper.id
        for paper in given.brief.shelf
        if re.search(rf"(?<![\w-]){re.escape(paper.id)}(?![\w-])", given.question)
    ]
    return list(dict.fromkeys([*_LINKED.findall(given.question), *shelf]))


def _by_title(given: Given, most: int) -> list[str]:
    """Listed papers whose line holds at least two key words of the question, and more than any other's."""
    wanted = {stem(word) for word in key_words(given.question)}
    counts = {paper.id: len(wanted & stems(paper.line)) for paper in given.brief.shelf}
    ranked = sorted(counts, key=lambda paper_id: (-counts[paper_id], paper_id))
    clear = [paper_id for paper_id in ranked[:most] if counts[paper_id] >= 2]
    if len(ranked) > most and clear and counts[clear[-1]] == counts[ranked[most]]:
        return []
    return clear


def _query(given: Given) -> str:
    return " ".join(key_words(given.question)) or " ".join(given.question.split())


def _plan(given: Given, calls: tuple[Call, ...]) -> str:
    wanted = ", ".join(key_words(given.question)) or "nothing in particular"
    names = " and ".join(dict.fromkeys(call.tool for call in calls))
    return f"They want to know about {wanted}. I call {names} for it." if not given.steps else ""
