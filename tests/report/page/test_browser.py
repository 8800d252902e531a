"""The page in a browser: what a person does with it, by mouse and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tapegate.report.page import render

ROWS = """[...document.querySelectorAll('.tasks tbody tr')].filter(row => !row.hidden)
  .map(row => row.querySelector('a').textContent)"""
SHOWN = "[...document.querySelectorAll('main')].filter(one => !one.hidden).map(one => one.id).join()"


@pytest.fixture
def tab(make_page: Any, the_diff: Any, browser: Any, tmp_path: Path) -> Any:
    """The page of a comparison."""
    path = tmp_path / "report.html"
    path.write_bytes(make_page(diff=the_diff))
    return browser.open(path)


def test_it_works_from_disk_and_asks_nothing_of_a_network(tab: Any) -> None:
    """One file is read, nothing else is requested, nothing is refused by its own policy, and no script fails."""
    tab.js("location.hash = 'RET-02%40A1'")
    tab.settle()
    requested = [e["params"]["request"]["url"] for e in tab.events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in requested if not url.startswith("file:///")] == []
    assert len({url.split("#")[0] for url in requested}) == 1
    assert [e for e in tab.events if e["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")] == []


def test_the_policy_admits_no_other_script(tab: Any) -> None:
    """A script or a request that something smuggled in would be refused."""
    smuggled = '<img src="http://127.0.0.1:9/x" onerror="window.hacked=1">'
    tab.js(f"document.body.insertAdjacentHTML('beforeend', {smuggled!r})")
    tab.js("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked=2'}))")
    tab.settle()
    assert tab.js("window.hacked") is None
    assert "Content Security Policy" in json.dumps([e for e in tab.events if e["method"] == "Log.entryAdded"])


def test_filters_and_search_narrow_the_table(tab: Any) -> None:
    """What is urgent stands first; verdicts, changes and words narrow it together, and the count follows."""
    assert tab.js(ROWS) == ["RET-02@A1", "AGT-08@A1", "RET-01@A1", "RET-03@A1", "OLD-01@A1"]
    tab.js("document.querySelector('[data-verdict=pass]').click()")
    assert tab.js(ROWS) == ["RET-01@A1", "RET-03@A1"]
    assert tab.js("document.querySelector('[data-verdict=pass]').getAttribute('aria-pressed')") == "true"
    tab.js("document.querySelector('[data-verdict=fail]').click()")
    assert tab.js(ROWS) == ["RET-02@A1", "RET-01@A1", "RET-03@A1"]
    tab.press("/")
    tab.type("ret-02 web")
    assert tab.js(ROWS) == ["RET-02@A1"]
    assert tab.js("document.getElementById('count').textContent") == "1 of 5"
    tab.js("document.querySelector('[data-kind=removed]').click()")
    assert tab.js(ROWS) == []


def test_everything_is_reached_by_keyboard(tab: Any) -> None:
    """Search, open, walk from task to task, and go back to where one was."""
    tab.press("/")
    assert tab.js("document.activeElement.id") == "search"
    tab.press("Enter")
    assert (tab.js(SHOWN), tab.js("document.querySelector('#task h1').textContent")) == ("task", "RET-02@A1")
    tab.press("n")
    assert tab.js("document.querySelector('#task h1').textContent") == "AGT-08@A1"
    tab.press("p")
    tab.press("Escape")
    assert (tab.js(SHOWN), tab.js("document.activeElement.textContent")) == ("overview", "RET-02@A1")
    tab.press("j")
    assert tab.js("document.activeElement.textContent") == "AGT-08@A1"
    tab.press("k")
    tab.press("Enter")
    assert tab.js("document.querySelector('#task h1').textContent") == "RET-02@A1"


def test_a_task_shows_all_that_is_known_of_it(tab: Any) -> None:
    """Both answers in one, tool paths side by side, findings at their words, the timeline, the conversation."""
    tab.js("location.hash = 'RET-02%40A1'")
    tab.settle()
    text = tab.js("document.getElementById('task').textContent")
    assert "regression pass → fail" in text
    assert tab.js("[...document.querySelectorAll('.answer del')].map(one => one.textContent)") == [
        "3.6",
        "/paper/p-moss-02",
    ]
    assert tab.js("[...document.querySelectorAll('.answer ins')].map(one => one.textContent)") == [
        "3.7",
        "/x/p-moss-02",
    ]
    sides = tab.js(
        "[...document.querySelectorAll('.two ol')].map(side => [...side.children].map(one => one.textContent.trim()))"
    )
    assert sides == [["search_local", "", "read_paper"], ["search_local", "web_search", "read_paper"]]
    assert tab.js("document.querySelectorAll('.beside mark').length") > 0
    assert (
        tab.js("[...document.querySelectorAll('.beside mark')].map(one => one.textContent).join('')")
        == "cooler. See /x/p-moss-02."
    )
    tab.js("document.querySelector('[data-mark]').click()")
    assert tab.js("document.querySelectorAll('mark.on').length") == 1
    assert tab.js("document.querySelectorAll('svg .chunk').length") == 2
    assert tab.js("document.querySelectorAll('#task svg .bar').length") == 1
    assert "1 call and 2 chunks of the answer, ended by eof, in 1.20 s as recorded" in text
    assert 'calls search_local{"q": "moss"}' in text


def test_raw_interactions_are_made_when_they_are_asked_for(tab: Any) -> None:
    """Closed they hold nothing; opened they hold request and response."""
    tab.js("location.hash = 'RET-02%40A1'")
    tab.settle()
    assert tab.js("document.querySelector('.raw').textContent") == "Raw interactions (1)"
    tab.js("document.querySelector('.raw').open = true")
    tab.settle()
    text = tab.js("document.querySelector('.raw').textContent")
    assert "POST https://model.example/chat → 200 · 400 ms · 2 chunks" in text
    assert '{"messages": ["Hi"]}' in text
    assert "data: Hello" in text


def test_raw_interactions_without_room_are_said_to_be_left_out(
    make_page: Any, the_diff: Any, browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader who looks for them is told that they are recorded, and how to see them."""
    monkeypatch.setattr(render, "_with_raw", lambda *_: 0)
    (tmp_path / "report.html").write_bytes(make_page(diff=the_diff))
    tab = browser.open(tmp_path / "report.html")
    tab.js("location.hash = 'RET-02%40A1'")
    tab.settle()
    text = tab.js("document.querySelector('#task').textContent")
    assert "no room for these raw interactions; tapegate cassette show KEY shows them." in text
    assert "Raw interactions (" not in text


CONTRAST = """(() => {
  const luminance = (color) => {
    const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (...colors) => {
    const [bright, dark] = colors.map(luminance).sort((x, y) => y - x);
    return (bright + 0.05) / (dark + 0.05);
  };
  const back = getComputedStyle(document.body).backgroundColor;
  const nodes = [...document.querySelectorAll('a, b, dt, dd, figcaption, h1, h2, th, output')];
  return [back, Math.min(...nodes.map((node) => ratio(getComputedStyle(node).color, back)))];
})()"""


def test_it_is_readable_in_the_light_and_in_the_dark(tab: Any) -> None:
    """It follows the system, and every text keeps a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3)."""
    backs = []
    for scheme in ("light", "dark"):
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        back, worst = tab.js(CONTRAST)
        backs.append(back)
        assert worst >= 4.5, (scheme, worst)
    assert backs[0] == "rgb(255, 255, 255)"
    assert backs[0] != backs[1]


def test_it_prints(tab: Any) -> None:
    """On paper there is no control to press, and the table is all there."""
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.js("getComputedStyle(document.querySelector('.filters')).display") == "none"
    assert tab.js("getComputedStyle(document.querySelector('.tasks')).display") == "table"
    assert tab.call("Page.printToPDF")["data"].startswith("JVBERi0")


def test_hostile_text_is_only_text(make_page: Any, the_run: Any, browser: Any, tmp_path: Path) -> None:
    """Whatever an agent, a task or a tool says becomes no element, no script and no handler."""
    from dataclasses import replace

    hostile = '</script><img src=x onerror=alert(1)><b id="evil">\'"&lt;&amp; <!-- --> \u202e\u2028'
    task = replace(the_run.tasks[2], outcome_names=(hostile,))
    found = tuple(replace(one, message=hostile, got=hostile, expected=hostile) for one in task.trials[0].findings)
    trial = replace(task.trials[0], tool_path=(hostile,), findings=found)
    run = replace(the_run, profile=hostile, tasks=(replace(task, file=hostile, trials=(trial,)),))
    path = tmp_path / "report.html"
    path.write_bytes(make_page(run=run))
    tab = browser.open(path)
    tab.js("location.hash = 'RET-02%40A1'")
    tab.settle()
    assert tab.js("document.querySelectorAll('img, #evil, iframe, object').length") == 0
    assert tab.js("document.querySelectorAll('script').length") == 2
    assert "onerror=alert(1)" in tab.js("document.getElementById('task').textContent")
    assert "\u202e" not in tab.js("document.documentElement.textContent")
    assert [e for e in tab.events if e["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")] == []


def test_it_stands_without_its_script(tab: Any) -> None:
    """The overview is HTML, so that a reader without scripts sees every verdict."""
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    tab.events.clear()
    tab.call("Page.reload")
    tab.wait("Page.loadEventFired")
    tab.call("Emulation.setScriptExecutionDisabled", value=False)
    text = tab.call("Runtime.evaluate", expression="document.body.innerText", returnByValue=True)["result"]["value"]
    assert "Not safe to merge" in text
    assert "RET-03@A1" in text
