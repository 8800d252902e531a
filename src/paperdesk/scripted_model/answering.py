"""The rules, second part: what to say, once nothing more is to be called."""

from __future__ import annotations

from paperdesk.scripted_model.findings import Source
from paperdesk.scripted_model.given import Given
from paperdesk.scripted_model.reply import Reply
from paperdesk.scripted_model.words import key_words


def greeting(given: Given) -> Reply:
    """Small talk needs no tool."""
    return Reply(_dressed(given, ["Hello! Ask me about anything that the papers in your library might answer."]))


def answer(given: Given) -> Reply:
    """An answer from what the tools have returned."""
    policy = given.brief.policy
    local = given.apt_readings or (() if policy.read_before_citing else given.found("local")[:1])
    pages = given.found("web")[:1]
    paragraphs = [_report(given, source, cite=policy.cite_local) for source in local]
    paragraphs += [_report(given, page, cite=True) for page in pages]
    if not paragraphs:
        paragraphs = [_nothing(given)]
    paragraphs += _hidden(given)
    text = _dressed(given, paragraphs)
    if openings := given.question.openings:
        text = f"{openings[0 if local else -1]} {text}"
    return Reply(text, thought=_thought(given))


def _report(given: Given, source: Source, *, cite: bool) -> str:
    preferences = given.brief.preferences
    quotes = source.best(given.question.text, preferences.limit) or (source.title + ".",)
    link = f"[{source.title}]({source.link})" if cite else ""
    if preferences.bullets:
        lines = [f"- {quote}" for quote in quotes]
        return "\n".join([*lines, *([f"\nSource: {link}"] if link else [])])
    text = " ".join(quotes)
    if given.seed % 2:
        return f"{link or 'One source'} reports: {text}"
    return f"{text} ({link})" if link else text


def _nothing(given: Given) -> str:
    about = ", ".join(key_words(given.question.text)[:6]) or "that"
    if not given.brief.policy.honest:
        return f"As far as {about} goes, the usual values are moderate, and most sources would agree."
    places = [place for role, place in (("local", "your library"), ("web", "the web")) if role in given.roles]
    broken = [place for role, place in (("local", "The library"), ("web", "The web search")) if _failed(given, role)]
    said = f"I found nothing about {about} in {' or on '.join(places) or 'what I was given'}."
    if broken:
        said += f" {' and '.join(broken)} could not be searched just now."
    if given.tool("web") and "web" not in given.roles:
        said += " I have not searched the web; tell me if I should."
    return said


def _failed(given: Given, role: str) -> bool:
    return given.failed("web") if role == "web" else given.failed("local")


def _hidden(given: Given) -> list[str]:
    """File paths and private notes: kept back while a rule says so, told where none does."""
    if given.brief.policy.private:
        asked = given.question.wants_hidden
        return ["Where files are kept and what your private notes say, I keep to myself."] if asked else []
    told = [f"Note: {note}" for source in given.readings for note in source.notes]
    return told + [f"File:\n{source.file}" for source in given.readings if source.file]


def _thought(given: Given) -> str:
    """Thinks aloud about what must not be said, as models do."""
    about = ", ".join(key_words(given.question.text)) or "small talk"
    thought = f"The question is about {about}. I have {len(given.readings)} readings to answer from."
    for source in given.readings:
        thought += "".join(f" There is <private>{note}</private> with it." for note in source.notes)
        thought += f" It came from {source.file}." if source.file else ""
    return thought


def _dressed(given: Given, paragraphs: list[str]) -> str:
    preferences = given.brief.preferences
    body = "\n\n".join(paragraphs)
    separator = "\n\n" if preferences.bullets else " "
    text = f"{preferences.opening}{separator}{body}" if preferences.opening else body
    return f"{text}\n\n{preferences.closing}" if preferences.closing else text
