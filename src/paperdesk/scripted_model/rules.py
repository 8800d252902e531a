"""The rules, first part: what to call next, if anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paperdesk.scripted_model.answering import answer, greeting
from paperdesk.scripted_model.forming import filled_in
from paperdesk.scripted_model.given import Given
from paperdesk.scripted_model.question import LINKED
from paperdesk.scripted_model.reply import Call, Reply
from paperdesk.scripted_model.request import Request
from paperdesk.scripted_model.summing import summed_up, wants_summary
from paperdesk.scripted_model.words import key_words, stem, stems


def reply_to(asked: Mapping[str, Any]) -> Reply:
    """The completion for a Chat Completions request. Raises `BadRequest`."""
    request = Request.of(asked)
    if request.form is not None:
        return filled_in(request)
    if not request.tools and wants_summary(request):
        return summed_up(request)
    return decide(Given.of(asked))


def decide(given: Given) -> Reply:
    """The next completion of a conversation."""
    if given.question.is_small_talk:
        return greeting(given)
    calls = _web_first(given) or _local(given) or _web_after(given)
    if not calls:
        return answer(given)
    return Reply(calls=calls, thought=_plan(given, calls))


def _web_first(given: Given) -> tuple[Call, ...]:
    """Without a rule that puts the library first, the web is as good a place to begin."""
    return () if given.brief.policy.local_first or given.steps else _ask_web(given)


def _local(given: Given) -> tuple[Call, ...]:
    if given.found("web") and not given.brief.policy.local_first:
        return ()
    candidates = _candidates(given)
    search = given.tool("local")
    fruitless = given.attempted.issuperset(candidates) and not given.apt_readings
    if search and fruitless and "local" not in given.roles:
        return (Call(search.name, search.argument, given.question.query),)
    reader = given.tool("reader")
    if not reader or not given.brief.policy.read_before_citing:
        return ()
    return tuple(
        Call(reader.name, reader.argument, paper_id) for paper_id in candidates if paper_id not in given.attempted
    )


def _web_after(given: Given) -> tuple[Call, ...]:
    known = given.found("local") or given.apt_readings
    goes_on = given.seed % 2 == 0  # the other course, as good: say so, and leave it to the user
    if given.question.wants_web or not given.brief.policy.web_last or (not known and goes_on):
        return _ask_web(given)
    return ()


def _ask_web(given: Given) -> tuple[Call, ...]:
    web = given.tool("web")
    if web is None or "web" in given.roles or given.question.refuses_web:
        return ()
    return (Call(web.name, web.argument, given.question.query),)


def _candidates(given: Given) -> list[str]:
    """Ids of the papers worth reading, best first."""
    most = given.question.papers
    if named := given.named:
        return named[:most]
    if "local" in given.roles:
        return [source.paper_id for source in given.found("local")][:most]
    titled = _by_title(given, most)
    # Citing without reading needs the snippets of a search.
    if titled and (given.seed // 2) % 2 == 1 and given.brief.policy.read_before_citing:
        return titled
    if not titled and given.question.follows_up:
        return LINKED.findall(given.earlier)[:1]
    return []


def _by_title(given: Given, most: int) -> list[str]:
    """Listed papers whose line holds at least two key words of the question, and more than any other's."""
    wanted = {stem(word) for word in key_words(given.question.text)}
    counts = {paper.id: len(wanted & stems(paper.line)) for paper in given.brief.shelf}
    ranked = sorted(counts, key=lambda paper_id: (-counts[paper_id], paper_id))
    clear = [paper_id for paper_id in ranked[:most] if counts[paper_id] >= 2]
    if len(ranked) > most and clear and counts[clear[-1]] == counts[ranked[most]]:
        return []
    return clear


def _plan(given: Given, calls: tuple[Call, ...]) -> str:
    if given.steps:
        return ""
    names = " and ".join(dict.fromkeys(call.tool for call in calls))
    return f"They want to know about {', '.join(key_words(given.question.text)) or 'something'}. I call {names} for it."
