"""The page as a file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tapegate.model.diff import Kind, Stratum, StratumStatistics
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report.page.evidence import Evidence
from tapegate.report.page.render import MOST_BYTES


class Elements(HTMLParser):
    """What elements a page has, as a parser that knows nothing of us sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.tags.append((tag, dict(attrs)))
        self._open = f"{tag}{dict(attrs).get('type', '')}"

    def handle_endtag(self, tag: str) -> None:
        """What follows belongs to no element that is looked at."""
        self._open = ""

    def handle_data(self, data: str) -> None:
        """Remember it under the element it stands in."""
        self.text[self._open] = self.text.get(self._open, "") + data


def read(page: bytes) -> Elements:
    """A page, parsed."""
    found = Elements()
    found.feed(page.decode())
    return found


def test_its_policy_admits_its_own_style_and_script_only(make_page: Any) -> None:
    """By their hashes; nothing else may load, run, or be sent anywhere."""
    page = read(make_page())
    policy = next(attrs["content"] for tag, attrs in page.tags if tag == "meta" and "http-equiv" in attrs) or ""
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for rule, text in (("style-src", page.text["style"]), ("script-src", page.text["script"])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert (rules["base-uri"], rules["form-action"]) == ("'none'", "'none'")


def test_it_refers_to_nothing_outside(make_page: Any, the_diff: Any) -> None:
    """No address of another file or host in any attribute, and no style that loads one."""
    page = read(make_page(diff=the_diff))
    assert {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "base", "form"} == set()
    for _, attrs in page.tags:
        assert not {"src", "action", "style", "srcset"} & attrs.keys()
        assert all(not name.startswith("on") for name in attrs)
        assert (attrs.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import|https?:", page.text["style"])


def test_its_data_cannot_end_its_element(make_page: Any, the_run: Any, the_diff: Any) -> None:
    """JSON without a character that an HTML parser could take for markup, and whole."""
    hostile = replace(the_run.tasks[2], file="</script><!--&lt;", outcome_names=("<script>",))
    page = read(make_page(run=replace(the_run, tasks=(*the_run.tasks[:2], hostile, *the_run.tasks[3:])), diff=the_diff))
    raw = page.text["scriptapplication/json"]
    assert not set("<>&") & set(raw)
    assert "\\u003c/script\\u003e" in raw
    tasks = json.loads(raw)["tasks"]
    assert set(tasks) == {task.key for task in the_run.tasks} | {"OLD-01@A1"}
    assert tasks["RET-02@A1"]["trials"][0]["raw"][0]["title"] == "POST https://model.example/chat → 200"


def test_it_says_what_was_not_measured(make_page: Any, the_diff: Any) -> None:
    """As the comment and the terminal do, with the reason escaped."""
    told = (StratumStatistics(Stratum.RE_RECORDED, 1, None, (), (("cost_usd", "recorded on <a> and on <b>"),)),)
    page = make_page(diff=replace(the_diff, statistics=told)).decode()
    assert "<li>cost: not measured, recorded on &lt;a&gt; and on &lt;b&gt;</li>" in page


def test_a_thousand_tasks_fit_into_a_megabyte(make_page: Any, make_task: Any, make_finding: Any) -> None:
    """Every task stands in the table; what does not fit of the details is that of tasks with nothing to tell."""
    bad = [make_task(f"BAD-{n:04}@A1", Verdict.FAIL, make_finding(message="x" * 300)) for n in range(40)]
    good = [make_task(f"RET-{n:04}@A1") for n in range(960)]
    page = make_page(run=Run("pr", False, (*bad, *good), Gate(False, 1, ())))
    assert MOST_BYTES // 2 < len(page) < MOST_BYTES
    parsed = read(page)
    assert sum(tag == "tr" for tag, _ in parsed.tags) == 1001
    kept = json.loads(parsed.text["scriptapplication/json"])["tasks"]
    assert {task.key for task in bad} <= set(kept)
    assert len(kept) > 40


def test_removed_tasks_leave_the_page_its_size(make_page: Any, make_task: Any, the_diff: Any) -> None:
    """A thousand tasks gone, with names of many bytes: the page is held to its bytes, and shows what is there."""
    old = next(task for task in the_diff.tasks if task.kind is Kind.REMOVED)
    gone = tuple(
        replace(old, key=f"{'ü' * 40}-{n:04}@A1", base_key=f"{'ü' * 40}-{n:04}@A1", file="é" * 300)
        for n in range(1_000)
    )
    run = Run("pr", False, tuple(make_task(f"RET-{n:04}@A1") for n in range(1_000)), Gate(True, 0, ()))
    page = make_page(run=run, diff=replace(the_diff, tasks=gone))
    assert len(page) < MOST_BYTES
    kept = json.loads(read(page).text["scriptapplication/json"])["tasks"]
    assert {"RET", "üü"} <= {key[:3].removesuffix("ü") for key in kept}


def test_results_alone_are_enough(make_page: Any) -> None:
    """Without traces and recordings there is a page, which says what it lacks."""
    page = read(make_page(evidence=Evidence()))
    shown = json.loads(page.text["scriptapplication/json"])["tasks"]["RET-02@A1"]["trials"][0]
    assert (shown["answer"], shown["events"], "chunks" in shown, "raw" in shown) == (None, None, False, False)
    assert shown["path"] == [["same", tool] for tool in ("search_local", "web_search", "read_paper")]


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from conftest import EVIDENCE, a_diff, a_run
from tapegate.report.page.render import render
sys.stdout.buffer.write(render(a_run(), "sha256:0", a_diff(), EVIDENCE))
"""


def test_the_same_bytes_whatever_the_machine_is_set_to(make_page: Any, the_diff: Any) -> None:
    """Hash seed, time zone and locale leave no mark."""
    here = make_page(diff=the_diff)
    program = PROGRAM.format(folder=str(Path(__file__).parent))
    for env in ({"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati"}, {"PYTHONHASHSEED": "5", "LC_ALL": "C"}):
        path = {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}
        done = subprocess.run([sys.executable, "-c", program], env={**path, **env}, capture_output=True, check=True)
        assert done.stdout == here
