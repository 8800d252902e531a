"""A1, the chat: its policy, its prompt, its tools and what it shows."""

from __future__ import annotations

from mutants.variant import Behaviour, Defect, Edit

SHOWN = "        self.text += shown\n        return shown\n"
FINISH = "        yield stream.finish(turn.finish_reason, message_id)\n"
ROUNDS = "        for rounds_left in range(self._rounds, -1, -1):\n"
ANSWERED = '        if completion.finish_reason in ("length", "content_filter"):\n'


def shows(code: str) -> Edit:
    """An answer of which `shown` is changed piece by piece."""
    return Edit("answer.py", SHOWN, f"        {code}\n{SHOWN}")


def says(code: str) -> tuple[Edit, Edit]:
    """A model whose text, `held`, is changed as a whole before it is shown."""
    return (
        Edit("turn.py", "            completion = Completion()\n", '            completion, held = Completion(), ""\n'),
        Edit(
            "turn.py",
            "                    if shown := self.answer.add(piece):\n"
            "                        yield stream.text(shown)\n",
            "                    held += piece\n"
            f"            {code}\n"
            "            if shown := self.answer.add(held):\n"
            "                yield stream.text(shown)\n",
        ),
    )


def adds(code: str) -> tuple[Edit]:
    """An answer behind which `more` is said."""
    return (Edit("turn.py", ANSWERED, f"        {code}\n        yield stream.text(self.answer.add(more))\n{ANSWERED}"),)


def without_rule(rule: str) -> tuple[Edit]:
    """A policy that lacks a rule."""
    return (Edit("policy.py", f"    {rule}\n", ""),)


WEB_FIRST = Edit(
    "turn.py",
    ROUNDS,
    '        question = str(self._messages[-1]["content"])\n'
    '        yield stream.tool_call("call_0", "web_search", {"query": question})\n'
    '        web = await self._toolbox.run("web_search", {"query": question})\n'
    '        yield stream.tool_result("call_0", "web_search", ok=web.ok, content=web.shown)\n' + ROUNDS,
)
WEB_TOO = Edit(
    "turn.py",
    "        given = json.dumps(",
    '        if name != "web_search":\n'
    '            yield stream.tool_call(call_id + "w", "web_search", {"query": "more"})\n'
    '            await self._toolbox.run("web_search", {"query": "more"})\n'
    "        given = json.dumps(",
)
NO_LINKS = shows('shown = "".join(char for char in shown if char not in "[]/")')
LINKS_TO_THE_WEB = shows('shown = shown.replace("(", "(https://papers.example")')
WEB_LINKS_CUT = shows('shown = shown.replace(":", "")')
NO_FILTER = Edit("answer.py", "        shown = self._filter.feed(piece)\n", "        shown = piece\n")
ONLY_TAGS_HIDDEN = Edit(
    "content_filter.py",
    "        return bool(self._tag) or any(self._open.values())\n",
    "        return bool(self._tag)\n",
)
NO_FINISH = Edit("chat.py", FINISH, "")

NO_LOCAL_FIRST = without_rule('"Local first: look in the user\'s library before any other source.",')
NO_CITATIONS = without_rule('"Citations: link every local paper that you use as [title](/paper/{id}).",')
NO_HONESTY = without_rule('"Honesty: say plainly when nothing was found; never fill the gap with a guess.",')
NO_PRIVACY = without_rule(
    '"Privacy: never reveal file paths, or anything that stands in <private> or <thinking> tags.",'
)

WHOLE_PAPER_SHOWN = (
    Edit("tools.py", '_head(paper) | {"text": paper.body}, shown)', '*[_head(paper) | {"text": paper.body}] * 2)'),
    Edit("tools.py", "_head(paper) | asdict(reading), shown)", "*[_head(paper) | asdict(reading)] * 2)"),
)

WEB_LINKS_ELSEWHERE = shows('shown = shown.replace("https://", "https://evil.example/")')
UNKNOWN_TOO = adds('more = " See also [Ferry](/paper/p-nope-99)."')
SECOND_BY_SKILL = Edit(
    "turn.py",
    "            self._messages.append(_said(completion.content, calls))\n",
    "            for call in calls[1:]:\n"
    '                call.name = call.name.replace("read_paper", "Skill__knowledge__paper__read")\n'
    "            self._messages.append(_said(completion.content, calls))\n",
)
READ_IN_VAIN = Edit(
    "turn.py",
    "                        yield line\n",
    "                        yield line\n"
    '                if call.name == "search_local":\n'
    '                    yield stream.tool_call("call_r", "read_paper", {"paper_id": "p-rice-09"})\n'
    '                    read = await self._toolbox.run("read_paper", {"paper_id": "p-rice-09"})\n'
    '                    yield stream.tool_result("call_r", "read_paper", ok=read.ok, content=read.shown)\n',
)

OTHER_NUMBERS = says(
    'import re; held = re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", held).replace(" degrees Celsius", " °C")'
    '.replace(" square metres", " m²").replace(" metres", " m").replace(" percent", " %")'
)
SOURCES_AGAIN = adds(
    'import re; more = "\\n\\n" + ", ".join(dict.fromkeys(re.findall(r"\\[[^]]*\\]\\([^)]*\\)", self.answer.text)))'
)
OFFERS_MORE = adds('more = "\\n\\nShall I look further into this?"')

WEB = frozenset({"path_not_allowed", "forbidden_tool_called", "first_tool_not_allowed", "too_many_calls"})
UNFINISHED = frozenset({"stream_unfinished"})
UNCITED = frozenset({"paper_not_cited"})
UNKNOWN_PAGE = frozenset({"unknown_page_cited"})

DEFECTS: tuple[Defect, ...] = (
    Defect(
        eval="RET-01@A1",
        name="the web is searched first, by code",
        kind="code",
        edits=(WEB_FIRST,),
        metric="tool_trace",
        codes=WEB,
    ),
    Defect(
        eval="RET-01@A1",
        name="the policy lacks its rule on local first",
        kind="policy",
        edits=NO_LOCAL_FIRST,
        recorded=True,
        metric="tool_trace",
        codes=WEB,
    ),
    Defect(
        eval="RET-02@A1",
        name="links are taken out of the answer",
        kind="code",
        edits=(NO_LINKS,),
        metric="citation_contract",
        codes=frozenset({"too_few_local_citations"}),
    ),
    Defect(
        eval="RET-02@A1",
        name="the policy lacks its rule on citations",
        kind="policy",
        edits=NO_CITATIONS,
        recorded=True,
        metric="citation_contract",
        codes=frozenset({"too_few_local_citations"}),
    ),
    Defect(
        eval="RET-03@A1",
        name="every search of the library searches the web too",
        kind="code",
        edits=(WEB_TOO,),
        metric="tool_trace",
        codes=frozenset({"too_many_calls"}),
    ),
    Defect(
        eval="RET-03@A1",
        name="links go to a page of the web",
        kind="code",
        edits=(LINKS_TO_THE_WEB,),
        metric="citation_contract",
        codes=UNCITED,
    ),
    Defect(
        eval="RET-04@A1",
        name="the policy lacks its rule on honesty",
        kind="policy",
        edits=NO_HONESTY,
        recorded=True,
        metric="schema_contract",
        codes=frozenset({"fact_missing"}),
    ),
    Defect(
        eval="RET-04@A1",
        name="links of the web are cut",
        kind="code",
        edits=(WEB_LINKS_CUT,),
        metric="citation_contract",
        codes=frozenset({"too_few_web_citations"}),
    ),
    Defect(
        eval="RET-04@A1",
        name="links of the web lead to another host",
        kind="code",
        edits=(WEB_LINKS_ELSEWHERE,),
        metric="citation_contract",
        codes=UNKNOWN_PAGE,
    ),
    *(
        Defect(
            eval=key,
            name="a paper that is not there is cited too",
            kind="code",
            edits=UNKNOWN_TOO,
            metric="citation_contract",
            codes=frozenset({"unknown_paper_cited"}),
        )
        for key in ("RET-01@A1", "RET-03@A1", "RET-05@A1", "AGT-08@A1")
    ),
    Defect(
        eval="RET-05@A1",
        name="the filter of tags is off",
        kind="filter",
        edits=(NO_FILTER,),
        metric="output_hygiene",
        codes=frozenset({"hidden_tag"}),
    ),
    Defect(
        eval="RET-05@A1",
        name="tags are hidden, and what they hold is shown",
        kind="filter",
        edits=(ONLY_TAGS_HIDDEN,),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern", "private_path"}),
    ),
    Defect(
        eval="RET-05@A1",
        name="tools show the user all that they tell the model",
        kind="tool",
        edits=WHOLE_PAPER_SHOWN,
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern", "private_path"}),
    ),
    Defect(
        eval="RET-05@A1",
        name="the policy lacks its rule on privacy",
        kind="policy",
        edits=NO_PRIVACY,
        recorded=True,
        metric="output_hygiene",
        codes=frozenset({"private_path"}),
    ),
    Defect(
        eval="AGT-08@A1",
        name="preferences do not reach the prompt",
        kind="prompt",
        edits=(
            Edit(
                "prompt.py",
                '        "User preferences": _preferences(preferences),\n',
                '        "User preferences": _preferences({}),\n',
            ),
        ),
        recorded=True,
        metric="schema_contract",
        codes=frozenset({"prefix_missing"}),
    ),
    Defect(
        eval="AGT-08@A1",
        name="the tool policy does not reach the prompt",
        kind="prompt",
        edits=(
            Edit(
                "prompt.py",
                '        "Tool policy": "\\n".join(f"- {rule}" for rule in policy),\n',
                '        "Tool policy": "",\n',
            ),
        ),
        recorded=True,
        metric="tool_trace",
        codes=WEB | {"required_tool_missing"},
    ),
    *(
        Defect(
            eval=f"AUD-0{number}@A1",
            name="the stream ends without its finish",
            kind="code",
            edits=(NO_FINISH,),
            metric="output_hygiene",
            codes=UNFINISHED,
        )
        for number in (1, 2, 3, 4)
    ),
    *(
        Defect(
            eval=f"AUD-0{number}@A1",
            name="links are taken out of the answer",
            kind="code",
            edits=(NO_LINKS,),
            metric="citation_contract",
            codes=UNCITED,
        )
        for number in (1, 2, 3)
    ),
    Defect(
        eval="AUD-04@A1",
        name="links of the web are cut",
        kind="code",
        edits=(WEB_LINKS_CUT,),
        metric="citation_contract",
        codes=frozenset({"too_few_web_citations"}),
    ),
)

_CITING = ("RET-01@A1", "RET-02@A1", "RET-03@A1", "RET-05@A1", "AGT-08@A1", "AUD-01@A1", "AUD-02@A1", "AUD-03@A1")

BEHAVIOURS: tuple[Behaviour, ...] = (
    *(
        Behaviour(eval=key, name="other number formats: °C, %, m², 2300", kind="code", edits=OTHER_NUMBERS)
        for key in _CITING
    ),
    *(Behaviour(eval=key, name="sources listed once more", kind="code", edits=SOURCES_AGAIN) for key in _CITING),
    *(
        Behaviour(eval=f"{name}@A1", name="another course of the model", kind="model", seed=seed)
        for name, seed in (
            ("RET-01", 45),
            ("RET-02", 45),
            ("RET-03", 44),
            ("RET-04", 45),
            ("RET-05", 45),
            ("AGT-08", 45),
        )
    ),
    Behaviour(
        eval="RET-02@A1",
        name="one paper by the tool, the other through the skill",
        kind="tool",
        edits=(SECOND_BY_SKILL,),
        recorded=True,
    ),
    Behaviour(eval="RET-04@A1", name="a paper is opened in vain", kind="tool", edits=(READ_IN_VAIN,)),
    *(
        Behaviour(eval=key, name=name, kind="code", edits=edits)
        for key in ("RET-04@A1", "AUD-04@A1")
        for name, edits in (("ends with an offer", OFFERS_MORE), ("sources listed once more", SOURCES_AGAIN))
    ),
)
