"""Deliberate defects of Paperdesk, each caught by the eval and the metric that are there for it.

A defect in code is judged on the shipped recordings. One that changes what is requested is judged on recordings made
under it, since a changed prompt replayed is only stale.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Defect:
    """One change of one file, and what must turn red by it."""

    name: str
    key: str
    metric: str
    codes: frozenset[str]
    file: str
    old: str
    new: str
    recorded: bool = False
    """Whether it is judged on recordings made under it."""


SHOWN = "        self.text += shown\n        return shown\n"

DEFECTS = [
    Defect(
        "web first, in code",
        "RET-01@A1",
        "tool_trace",
        frozenset({"path_not_allowed", "forbidden_tool", "first_tool_not_allowed"}),
        "src/paperdesk/turn.py",
        "        for rounds_left in range(self._rounds, -1, -1):\n",
        '        question = str(self._messages[-1]["content"])\n'
        '        yield stream.tool_call("call_0", "web_search", {"query": question})\n'
        '        web = await self._toolbox.run("web_search", {"query": question})\n'
        '        yield stream.tool_result("call_0", "web_search", ok=web.ok, content=web.shown)\n'
        "        for rounds_left in range(self._rounds, -1, -1):\n",
    ),
    Defect(
        "local-first rule removed",
        "RET-01@A1",
        "tool_trace",
        frozenset({"path_not_allowed", "forbidden_tool", "first_tool_not_allowed"}),
        "src/paperdesk/policy.py",
        '    "Local first: look in the user\'s library before any other source.",\n',
        "",
        recorded=True,
    ),
    Defect(
        "citations dropped",
        "RET-02@A1",
        "citation_contract",
        frozenset({"too_few_local_citations"}),
        "src/paperdesk/answer.py",
        SHOWN,
        '        import re\n\n        shown = re.sub(r"[\\[\\]]|/paper/[a-z0-9-]*", "", shown)\n' + SHOWN,
    ),
    Defect(
        "citation rule removed",
        "RET-02@A1",
        "citation_contract",
        frozenset({"too_few_local_citations"}),
        "src/paperdesk/policy.py",
        '    "Citations: link every local paper that you use as [title](/paper/{id}).",\n',
        "",
        recorded=True,
    ),
    Defect(
        "every search of the library searches the web too",
        "RET-03@A1",
        "tool_trace",
        frozenset({"too_many_calls"}),
        "src/paperdesk/turn.py",
        "        given = json.dumps(",
        '        if name != "web_search":\n'
        '            yield stream.tool_call(call_id + "w", "web_search", {"query": "more"})\n'
        '            await self._toolbox.run("web_search", {"query": "more"})\n'
        "        given = json.dumps(",
    ),
    Defect(
        "links go to a page of the web",
        "RET-03@A1",
        "citation_contract",
        frozenset({"paper_not_cited"}),
        "src/paperdesk/answer.py",
        SHOWN,
        '        shown = shown.replace("(", "(https://papers.example")\n' + SHOWN,
    ),
    Defect(
        "honesty rule removed",
        "RET-04@A1",
        "schema_contract",
        frozenset({"fact_missing"}),
        "src/paperdesk/policy.py",
        '    "Honesty: say plainly when nothing was found; never fill the gap with a guess.",\n',
        "",
        recorded=True,
    ),
    Defect(
        "links of the web are cut",
        "RET-04@A1",
        "citation_contract",
        frozenset({"too_few_web_citations"}),
        "src/paperdesk/answer.py",
        SHOWN,
        '        shown = shown.replace(":", "")\n' + SHOWN,
    ),
    Defect(
        "tag filter off",
        "RET-05@A1",
        "output_hygiene",
        frozenset({"hidden_tag"}),
        "src/paperdesk/answer.py",
        "        shown = self._filter.feed(piece)\n",
        "        shown = piece\n",
    ),
    Defect(
        "tags are removed and what they hold is shown",
        "RET-05@A1",
        "output_hygiene",
        frozenset({"forbidden_pattern", "private_path"}),
        "src/paperdesk/content_filter.py",
        "        return bool(self._tag) or any(self._open.values())\n",
        "        return bool(self._tag)\n",
    ),
    Defect(
        "privacy rule removed",
        "RET-05@A1",
        "output_hygiene",
        frozenset({"private_path"}),
        "src/paperdesk/policy.py",
        '    "Privacy: never reveal file paths, or anything that stands in <private> or <thinking> tags.",\n',
        "",
        recorded=True,
    ),
    Defect(
        "preferences not wired into the prompt",
        "AGT-08@A1",
        "schema_contract",
        frozenset({"prefix_missing"}),
        "src/paperdesk/prompt.py",
        '        "User preferences": _preferences(preferences),\n',
        '        "User preferences": _preferences({}),\n',
        recorded=True,
    ),
    *(
        Defect(
            "the stream ends without its finish",
            key,
            "output_hygiene",
            frozenset({"stream_unfinished"}),
            "src/paperdesk/chat.py",
            "        yield stream.finish(turn.finish_reason, message_id)\n",
            "",
        )
        for key in ("AGT-08@A1", "AUD-01@A1", "AUD-02@A1", "AUD-03@A1", "AUD-04@A1")
    ),
]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.key}: {defect.name}")
def test_a_defect_fails_by_the_metric_that_is_there_for_it(defect: Defect, project: Any) -> None:
    """The eval named gives `fail`, by the metric named: stale or error would not count."""
    project.replace(defect.file, defect.old, defect.new)
    if defect.recorded:
        recorded = project.tapegate("record", defect.key, "--all", "--quiet")
        assert recorded.code == 0, recorded.err
    done = project.tapegate("run", defect.key, "--json")
    (task,) = json.loads(done.out)["tasks"]
    assert done.code == (1 if task["blocking"] else 0), done.out + done.err
    assert task["verdict"] == "fail"
    found = {
        finding["code"]
        for finding in task["findings"]
        if finding["metric"] == defect.metric and finding["severity"] == "fail"
    }
    assert found & defect.codes, (found, task["findings"])


def test_every_eval_has_a_defect() -> None:
    """No shipped eval goes without a proof that it can fail."""
    shipped = {path.stem for path in (Path(__file__).parents[2] / "evals").glob("*/*@*.yaml")}
    assert {defect.key for defect in DEFECTS} == shipped
