"""The chat page in a real browser, with Paperdesk and the scripted model behind it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from paperdesk.app import create_app
from paperdesk.content_filter import ContentFilter
from paperdesk.scripted_model import server as scripted_model
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from tests.paperdesk.page.conftest import Browser, Tab

    from conftest import Ask, Provider, Serve

INK = "How many words can readers decipher in faded ink with the depth map?"
DONE = "document.querySelectorAll('.answer[aria-busy=false]').length === {}"

# Every text and every attribute that the page ever holds, at each change of it, from before its own script runs.
WATCH = """
window.seen = [];
new MutationObserver(() => {
  const attributes = [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].map((its) => its.value));
  window.seen.push(document.querySelector("main")?.textContent + " " + attributes.join(" "));
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""


@pytest.fixture
def desk(ask: Ask, serve: Serve, library_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Paperdesk's address; its model takes its time, as models do."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(scripted_model.create_app(pace=0.3))}/v1")
    return serve(create_app(Settings(database=library_path)))


def ask_page(tab: Tab, question: str, answers: int = 1) -> None:
    tab.type(question)
    tab.enter()
    tab.until(DONE.format(answers))


def test_a_question_is_answered(desk: str, tab: Tab) -> None:
    """The page is ready to type in; the answer arrives with the steps taken for it and a link to its paper."""
    tab.goto(desk)
    ask_page(tab, INK)
    assert "81 percent" in tab.text()
    assert tab.js("document.querySelector('.question p').textContent") == INK
    assert tab.js("document.querySelectorAll('.steps .done').length") >= 1
    assert tab.js("document.querySelector('a.citation').getAttribute('href')") == "/paper/p-ink-08"
    assert tab.js("document.activeElement.id") == "message"


@pytest.fixture
def held(provider: type[Provider]) -> Iterator[tuple[Starlette, threading.Event]]:
    """A provider that calls a tool, then stops in the middle of its answer until it is told to go on."""
    go_on = threading.Event()
    lookup = provider([provider.called("search_local", '{"query":"ink"}')])

    async def halves() -> AsyncIterator[str]:
        yield provider._event(provider.said("The first half. "))
        await asyncio.to_thread(go_on.wait, 20)
        yield provider._event(provider.said("The second half."))
        yield provider._event({}, "stop")

    async def answer(request: Request) -> Response:
        if not lookup.requests:
            return await lookup._answer(request)
        return StreamingResponse(halves(), media_type="text/event-stream")

    yield Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])]), go_on
    go_on.set()


@pytest.fixture
def held_desk(
    held: tuple[Starlette, threading.Event],
    ask: Ask,
    serve: Serve,
    library_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """Paperdesk's address, with that provider behind it."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(held[0])}/v1")
    return serve(create_app(Settings(database=library_path)))


def ask_half(tab: Tab, address: str) -> None:
    tab.goto(address)
    tab.type("Anything?")
    tab.enter()
    tab.until("document.querySelector('.answer[aria-busy=true] .text')?.textContent.startsWith('The first half.')")


def test_the_answer_grows_while_it_streams(held_desk: str, held: tuple[Starlette, threading.Event], tab: Tab) -> None:
    """Steps and the first words are in the page while the rest is still to come."""
    ask_half(tab, held_desk)
    assert "Searching your library for “ink” – 1 found" in tab.text()
    held[1].set()
    tab.until(DONE.format(1))
    assert "The first half. The second half." in tab.text()


def test_an_answer_can_be_stopped(held_desk: str, tab: Tab) -> None:
    """While an answer arrives the button stops it; what was there stays, and it is no error."""
    ask_half(tab, held_desk)
    assert tab.js("document.querySelector('#ask button').textContent") == "Stop"
    tab.click("#ask button")
    tab.until(DONE.format(1))
    assert "Stopped." in tab.text()
    assert "The first half." in tab.text()
    assert tab.js("document.querySelector('.problem')") is None
    assert tab.js("document.querySelector('#ask button').textContent") == "Ask"


def test_a_citation_leads_to_the_paper_and_back(desk: str, tab: Tab) -> None:
    """A click on a citation shows the paper; going back, the conversation is still there and goes on."""
    tab.goto(desk)
    ask_page(tab, INK)
    tab.click("a.citation")
    tab.until("location.pathname === '/paper/p-ink-08' && document.readyState === 'complete'")
    assert "Reading Faded Iron-Gall Ink with Raking Light" in tab.text()
    tab.click("header a")
    tab.until("document.querySelector('a.citation')")
    assert "81 percent" in tab.text()
    assert "<hint>" not in tab.text()
    ask_page(tab, "Hello!", answers=1)
    assert tab.js("fetch('/api/sessions').then((r) => r.json()).then((s) => s.sessions.map((x) => x.messages))") == [4]


def test_no_hidden_tag_is_ever_in_the_page(desk: str, tab: Tab) -> None:
    """At no moment of the stream does the page hold a hidden tag, part of one, or what stands in it."""
    assert leaks(desk, tab) == set()


def test_a_filter_that_lets_tags_through_is_seen(desk: str, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same watch finds the tags once the filter is off, so that it would have found them before."""
    monkeypatch.setattr(ContentFilter, "feed", lambda _self, piece: piece)
    assert leaks(desk, tab) >= {"thinking", "HB-2231", "/Users/"}


def leaks(desk: str, tab: Tab) -> set[str]:
    tab.before_load(WATCH)
    tab.goto(desk)
    ask_page(tab, INK)
    seen = tab.js("window.seen")
    assert len(seen) > 10
    signs = ("thinking", "<th", "</t", "<pr", "</p", "private", "HB-2231", "/Users/")
    return {sign for text in seen for sign in signs if sign in text}


def test_the_model_gets_the_hint_behind_what_was_typed(
    serve: Serve, tab: Tab, ask: Ask, library_path: Path, monkeypatch: pytest.MonkeyPatch, provider: type[Provider]
) -> None:
    """What the page sends ends in the hint, also the second time; what it shows is what was typed."""
    model = provider([provider.said("Fine.")])
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(model.app)}/v1")
    tab.goto(serve(create_app(Settings(database=library_path))))
    for answers, typed in enumerate(("Anything?", "And more?"), 1):
        ask_page(tab, typed, answers)
        sent = model.requests[-1]["messages"][-1]
        assert sent["role"] == "user"
        assert sent["content"].startswith(f"{typed}\n\n<hint>")
        assert sent["content"].endswith("</hint>")
    assert "<hint>" not in tab.text()


def test_html_of_a_model_is_text(
    serve: Serve, tab: Tab, ask: Ask, library_path: Path, monkeypatch: pytest.MonkeyPatch, provider: type[Provider]
) -> None:
    """Markup that a model writes is shown as it stands: nothing of it becomes an element or runs."""
    evil = "<img src=x onerror=\"document.title='owned'\"> <b>bold</b> [x](javascript:document.title='owned')"
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider([provider.said(evil)]).app)}/v1")
    tab.goto(serve(create_app(Settings(database=library_path))))
    ask_page(tab, "Anything?")
    assert evil in tab.text()
    assert tab.js("document.querySelectorAll('#log img, #log b, #log a').length") == 0
    assert tab.js("document.title") == "Paperdesk"


def test_an_error_of_the_provider_is_shown_kindly(
    serve: Serve, tab: Tab, ask: Ask, library_path: Path, monkeypatch: pytest.MonkeyPatch, provider: type[Provider]
) -> None:
    """A provider that refuses is one sentence in an alert, with a button that tries again."""
    failing = provider(provider.refusal(429), [provider.said("Now it works.")])
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(failing.app)}/v1")
    tab.goto(serve(create_app(Settings(database=library_path))))
    ask_page(tab, "Anything?")
    alert = "document.querySelector('[role=alert] p').textContent"
    assert tab.js(alert).endswith("(status 429). Please try again later.")
    tab.click("[role=alert] button")
    tab.until(DONE.format(2))
    assert "Now it works." in tab.text()


def test_an_answer_that_breaks_off_is_said(
    serve: Serve, tab: Tab, ask: Ask, library_path: Path, monkeypatch: pytest.MonkeyPatch, provider: type[Provider]
) -> None:
    """A provider that goes away in mid-answer: what was shown stays, and the page says that there is no more."""
    dying = provider([provider.said("Half of it")], finish=None)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(dying.app)}/v1")
    tab.goto(serve(create_app(Settings(database=library_path))))
    ask_page(tab, "Anything?")
    alert = "document.querySelector('[role=alert] p').textContent"
    assert tab.js(alert) == "The model's answer broke off. Please try again."
    assert "Half of it" in tab.text()
    assert tab.js("document.querySelector('.answer').getAttribute('aria-busy')") == "false"


def test_a_service_that_is_gone_is_said(desk: str, tab: Tab) -> None:
    """When Paperdesk itself cannot be reached, the page says so."""
    tab.goto(desk)
    tab.js("window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
    ask_page(tab, "Anything?")
    assert "Paperdesk cannot be reached. Is it still running?" in tab.text()


def test_two_tabs_are_two_sessions(desk: str, tab: Tab, browser: Browser) -> None:
    """Two tabs that ask at once each get their own answer in a session of their own."""
    other = browser.tab()
    try:
        for each in (tab, other):
            each.goto(desk)
        tab.type(INK)
        other.type("How much methane does floating clover save in rice?")
        tab.enter()
        other.enter()
        for each in (tab, other):
            each.until(DONE.format(1))
        assert "81 percent" in tab.text()
        assert "41 percent" not in tab.text()
        assert "41 percent" in other.text()
        ids = [each.js("sessionStorage.getItem('session')") for each in (tab, other)]
        assert sorted(ids) == ["s1", "s2"]
    finally:
        other.close()


def test_keyboard_and_screen_reader(desk: str, tab: Tab) -> None:
    """Controls have names, the conversation is a log, and Tab goes from the question to its button."""
    tab.goto(desk)
    tab.until("document.querySelector('#examples button')")
    tree = tab.tree()
    assert {("textbox", "Your question"), ("button", "Ask"), ("log", "Conversation")} <= set(tree)
    assert [name for role, name in tree if role in ("button", "textbox", "link") and not name] == []
    tab.type("First line")
    tab.press("Enter", 13, "\r", modifiers=8)
    assert tab.js("document.querySelector('#message').value") == "First line\n"
    tab.press("Tab", 9)
    assert tab.js("document.activeElement.textContent") == "Ask"
    tab.press(" ", 32, " ")
    tab.until(DONE.format(1))
    assert tab.js("document.querySelector('#status').textContent") == "The answer is complete."


def test_on_a_phone(desk: str, phone: Tab) -> None:
    """Nothing is wider than a phone's screen, and what is tapped is large enough."""
    phone.goto(desk)
    phone.until("document.querySelector('#examples button')")
    ask_page(phone, "Compare the kelp ropes and the peat fire probes: what does each cost?")
    assert phone.js("document.documentElement.scrollWidth") <= 390
    heights = phone.js("[...document.querySelectorAll('button')].map((b) => b.offsetHeight).filter(Boolean)")
    assert min(heights) >= 44
