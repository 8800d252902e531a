"""A2, the chat page: the hint that its module adds, and what becomes of it on the way."""

from __future__ import annotations

from mutants.a1 import (
    LINKS_TO_THE_WEB,
    NO_CITATIONS,
    NO_FILTER,
    NO_LINKS,
    OFFERS_MORE,
    ONLY_TAGS_HIDDEN,
    OTHER_NUMBERS,
    READ_IN_VAIN,
    SOURCES_AGAIN,
    UNCITED,
    UNKNOWN_PAGE,
    UNKNOWN_TOO,
    WEB,
    WEB_FIRST,
    WEB_LINKS_CUT,
    WEB_LINKS_ELSEWHERE,
    WEB_TOO,
    WHOLE_PAPER_SHOWN,
)
from mutants.variant import Behaviour, Defect, Edit

HINT = "page/hint.mjs"
LOCAL_FIRST = (
    '"Local first: look in my library before any other source, the web last. When you report findings, begin with "'
)
OPENINGS = (
    '  \'"From your library:" or, where they come from elsewhere or there are none, with "Not in your library:".\';\n'
)
UNPREFIXED = frozenset({"prefix_missing"})
FACTLESS = frozenset({"fact_missing"})

NO_HINT = Edit(HINT, "  return words && `${words}\\n\\n<hint>${HINT}</hint>`;\n", "  return words;\n")
HINT_TO_THE_WEB = Edit(
    HINT, "Local first: look in my library before any other source, the web last. ", "Search the web first of all. "
)
NOT_SENT = Edit("page/request.mjs", "  const message = withHint(text);\n", "  const message = text.trim();\n")
NO_OPENING = Edit(HINT, OPENINGS, "  'your answer.';\n")
ALWAYS_FROM_THE_LIBRARY = Edit(HINT, 'with "Not in your library:".', 'with "From your library:".')
LOST_ON_THE_WAY = Edit(
    "chat.py",
    '            {"role": "user", "content": message},\n',
    '            {"role": "user", "content": hint.without(message)},\n',
)
KEPT_WITH_THE_WORDS = Edit("chat.py", "hint.without(message))", "message)")
REWORDED = Edit(
    HINT,
    LOCAL_FIRST,
    '"My own library comes first, before any other source, and the web last. When you report, begin with "',
)

DEFECTS: tuple[Defect, ...] = (
    Defect(
        eval="RET-01@A2",
        name="the web is searched first, by code",
        kind="code",
        edits=(WEB_FIRST,),
        metric="tool_trace",
        codes=WEB,
    ),
    Defect(
        eval="RET-01@A2",
        name="the page adds no hint",
        kind="page",
        edits=(NO_HINT,),
        recorded=True,
        metric="schema_contract",
        codes=UNPREFIXED,
    ),
    Defect(
        eval="RET-02@A2",
        name="links are taken out of the answer",
        kind="code",
        edits=(NO_LINKS,),
        metric="citation_contract",
        codes=UNCITED,
    ),
    Defect(
        eval="RET-02@A2",
        name="the policy lacks its rule on citations",
        kind="policy",
        edits=NO_CITATIONS,
        recorded=True,
        metric="citation_contract",
        codes=UNCITED,
    ),
    Defect(
        eval="RET-03@A2",
        name="every search of the library searches the web too",
        kind="code",
        edits=(WEB_TOO,),
        metric="tool_trace",
        codes=WEB,
    ),
    Defect(
        eval="RET-03@A2",
        name="links go to a page of the web",
        kind="code",
        edits=(LINKS_TO_THE_WEB,),
        metric="citation_contract",
        codes=UNCITED,
    ),
    Defect(
        eval="RET-04@A2",
        name="the hint claims the library always",
        kind="page",
        edits=(ALWAYS_FROM_THE_LIBRARY,),
        recorded=True,
        metric="schema_contract",
        codes=UNPREFIXED,
    ),
    Defect(
        eval="RET-04@A2",
        name="links of the web are cut",
        kind="code",
        edits=(WEB_LINKS_CUT,),
        metric="citation_contract",
        codes=frozenset({"too_few_web_citations"}),
    ),
    Defect(
        eval="RET-04@A2",
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
        for key in ("RET-01@A2", "RET-03@A2", "RET-05@A2", "AGT-08@A2")
    ),
    Defect(
        eval="RET-05@A2",
        name="tools show the user all that they tell the model",
        kind="tool",
        edits=WHOLE_PAPER_SHOWN,
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern", "private_path"}),
    ),
    Defect(
        eval="RET-05@A2",
        name="the filter of tags is off",
        kind="filter",
        edits=(NO_FILTER,),
        metric="output_hygiene",
        codes=frozenset({"hidden_tag"}),
    ),
    Defect(
        eval="RET-05@A2",
        name="tags are hidden, and what they hold is shown",
        kind="filter",
        edits=(ONLY_TAGS_HIDDEN,),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern", "private_path"}),
    ),
    *(
        Defect(
            eval="AGT-08@A2",
            name=name,
            kind=kind,
            edits=(edit,),
            recorded=True,
            metric="schema_contract",
            codes=UNPREFIXED,
        )
        for name, kind, edit in (
            ("the page adds no hint", "page", NO_HINT),
            ("the hint loses how to begin", "page", NO_OPENING),
            ("the hint is lost before the model", "prompt", LOST_ON_THE_WAY),
        )
    ),
    Defect(
        eval="AGT-08@A2",
        name="the page sends what is typed without its hint",
        kind="page",
        edits=(NOT_SENT,),
        recorded=True,
        metric="schema_contract",
        codes=UNPREFIXED,
    ),
    Defect(
        eval="AGT-08@A2",
        name="the session keeps the hint with the user's words",
        kind="SQL",
        edits=(KEPT_WITH_THE_WORDS,),
        metric="db_state",
        codes=frozenset({"cell_mismatch"}),
    ),
)

_CITING = ("RET-01@A2", "RET-02@A2", "RET-03@A2", "RET-05@A2", "AGT-08@A2")

BEHAVIOURS: tuple[Behaviour, ...] = (
    *(
        Behaviour(eval=key, name="other number formats: °C, %, m², 2300", kind="code", edits=OTHER_NUMBERS)
        for key in _CITING
    ),
    *(Behaviour(eval=key, name="sources listed once more", kind="code", edits=SOURCES_AGAIN) for key in _CITING),
    Behaviour(eval="RET-04@A2", name="a paper is opened in vain", kind="tool", edits=(READ_IN_VAIN,)),
    Behaviour(eval="RET-04@A2", name="ends with an offer", kind="code", edits=OFFERS_MORE),
    Behaviour(eval="RET-04@A2", name="sources listed once more", kind="code", edits=SOURCES_AGAIN),
    Behaviour(eval="RET-01@A2", name="another course of the model", kind="model", seed=45),
    Behaviour(
        eval="AGT-08@A2",
        name="the hint in other words, and another course of the model",
        kind="page",
        edits=(REWORDED,),
        seed=45,
    ),
)
