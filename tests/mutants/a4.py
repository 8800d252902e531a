"""A4, ingestion: what the model is asked, what of its reply is used, and what is stored."""

from __future__ import annotations

from mutants.variant import Behaviour, Defect, Edit

BROKEN = frozenset({"schema_broken"})
FACTS = frozenset({"fact_missing"})
STORED = frozenset({"cell_mismatch", "cell_empty", "rows_picked", "row_count"})

INDEXED = "                    (paper.id, paper.title, paper.topic, paper.prose),\n"
NOT_INDEXED = Edit("library.py", INDEXED, '                    (paper.id, "", "", ""),\n')
NOTES_INDEXED = Edit("library.py", INDEXED, INDEXED.replace("prose", "body"))
CUT_SHORT = Edit("ingest.py", "form.topic, found.text, found.path)", "form.topic, found.text[:200], found.path)")
NO_SCHEMA = Edit("summarizer.py", "provider.say(request(document), form=schema())", "provider.say(request(document))")
NO_TOPIC = Edit("ingest.py", '        "topic": paper.topic,\n', "")
BARE_JSON_ONLY = Edit(
    "json_reply.py",
    '    at = text.find("{")\n    while',
    '    at = 0 if text.startswith("{") else -1\n    while',
)
FEW_CHARS = Edit("summarizer.py", "MAX_CHARS = 24_000\n", "MAX_CHARS = 240\n")
NO_FINDINGS = Edit(
    "ingest.py",
    "Summary(form.summary, tuple(form.key_findings), origin)",
    "Summary(form.title, (form.topic,), origin)",
)
NO_NUMBERS = Edit("summarizer.py", "- State findings with their numbers and units, as the text has them.\n", "")
CLAIMS_THE_MODEL = Edit("summarizer.py", '(fallback(document), "fallback")', '(fallback(document), "model")')
EMPTY_RULE = Edit("summarizer.py", "[:5] or said[:1],\n", '[:0] or ["-"],\n')
NO_YEAR = Edit("summarizer.py", "year=int(year[0]) if year else 0,", "year=0,")
NO_AUTHORS = Edit("summarizer.py", '(_YEAR_BEHIND.sub("", authors[1]) if authors else UNKNOWN)', "UNKNOWN")
HEADING_AS_SUMMARY = Edit("summarizer.py", 'summary=" ".join(said[:3]),', "summary=text.splitlines()[0],")
ONE_BY_RULE = Edit("summarizer.py", "[:5] or said[:1],\n", "[:1] or said[:1],\n")
ONE_FINDING = Edit(
    "ingest.py",
    "Summary(form.summary, tuple(form.key_findings), origin)",
    "Summary(form.summary, tuple(form.key_findings[:1]), origin)",
)
LAX = Edit("summarizer.py", 'extra="forbid", strict=True, frozen=True', 'extra="ignore", frozen=True')
EMPTY_FIELDS = Edit("summarizer.py", "strip_whitespace=True, min_length=1, max_length", "max_length")
NO_CAUSE = Edit("ingest.py", '        "summary": summary.summary,\n', "")
NOTHING_FOUND = Edit("ingest.py", "summary, tuple(form.key_findings), origin)", "summary, (), origin)")

NO_TITLES = Edit("library.py", INDEXED, INDEXED.replace("paper.title", '"-"'))
END_INDEXED = Edit("library.py", INDEXED, INDEXED.replace("prose", "prose[-300:]"))
NO_FOLDER = Edit("ingest.py", "form.topic, found.text, found.path)", "form.topic, found.text, found.name)")
ANY_YEAR = Edit("summarizer.py", "year: int = Field(ge=0, le=2100, ", "year: int = Field(")
ANY_NUMBER = Edit("summarizer.py", "Field(min_length=1, max_length=5, ", "Field(min_length=1, ")
STORED_FIRST = Edit(
    "ingest.py",
    "                form, origin = await summarized(provider, found)\n",
    '                library.add([Paper(found.paper_id, found.name, "-", 0, "-", found.text, found.path)])\n'
    "                form, origin = await summarized(provider, found)\n",
)

ONE_LINE = Edit(
    "ingest.py",
    "json.dumps(entry, ensure_ascii=False, indent=1)",
    'json.dumps(entry, ensure_ascii=True, separators=(",", ":"))',
)
OTHER_ORDER = Edit(
    "ingest.py", '    return {\n        "id"', '    return {\n        "origin": summary.origin,\n        "id"'
)
SHORTER_SNIPPETS = Edit("library.py", "SNIPPET_WORDS = 24\n", "SNIPPET_WORDS = 12\n")
STARS = Edit("ingest.py", '"".join(f"- [{hit.title}]', '"".join(f"* [{hit.title}]')
SHORT_RULE = Edit("summarizer.py", '" ".join(said[:3])', '" ".join(said[:2])')

DEFECTS: tuple[Defect, ...] = (
    Defect(
        eval="RET-06@A4",
        name="a paper is stored and not indexed",
        kind="SQL",
        edits=(NOT_INDEXED,),
        metric="db_state",
        codes=STORED,
    ),
    Defect(
        eval="RET-06@A4",
        name="private notes are indexed",
        kind="SQL",
        edits=(NOTES_INDEXED,),
        metric="db_state",
        codes=STORED,
    ),
    Defect(
        eval="RET-06@A4",
        name="only the beginning of a text is stored",
        kind="code",
        edits=(CUT_SHORT,),
        metric="db_state",
        codes=STORED,
    ),
    *(
        Defect(eval="RET-06@A4", name=name, kind="SQL", edits=(edit,), metric="db_state", codes=STORED)
        for name, edit in (
            ("the index has no titles", NO_TITLES),
            ("only the end of a text is indexed", END_INDEXED),
            ("the folder of the file is lost", NO_FOLDER),
        )
    ),
    Defect(
        eval="AGT-05@A4",
        name="the schema is not asked for",
        kind="schema",
        edits=(NO_SCHEMA,),
        recorded=True,
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-05@A4",
        name="a field is lost",
        kind="code",
        edits=(NO_TOPIC,),
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-05@A4",
        name="a fence is not put up with",
        kind="code",
        edits=(BARE_JSON_ONLY,),
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-05@A4",
        name="one finding is kept of several",
        kind="code",
        edits=(ONE_FINDING,),
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-06@A4",
        name="the model reads the first 240 characters",
        kind="prompt",
        edits=(FEW_CHARS,),
        recorded=True,
        metric="schema_contract",
        codes=FACTS,
    ),
    Defect(
        eval="AGT-06@A4",
        name="the prompt lacks its rule on numbers",
        kind="prompt",
        edits=(NO_NUMBERS,),
        recorded=True,
        metric="schema_contract",
        codes=FACTS,
    ),
    Defect(
        eval="AGT-06@A4",
        name="findings are not stored",
        kind="code",
        edits=(NO_FINDINGS,),
        metric="schema_contract",
        codes=FACTS,
    ),
    Defect(
        eval="AGT-10@A4",
        name="the fallback claims to be the model",
        kind="code",
        edits=(CLAIMS_THE_MODEL,),
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-10@A4",
        name="the fallback finds nothing",
        kind="code",
        edits=(EMPTY_RULE,),
        metric="schema_contract",
        codes=FACTS,
    ),
    *(
        Defect(eval="AGT-10@A4", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=BROKEN)
        for name, edit in (
            ("the fallback reads no year", NO_YEAR),
            ("the fallback reads no authors", NO_AUTHORS),
            ("the fallback's summary is the heading", HEADING_AS_SUMMARY),
            ("the fallback keeps one finding of several", ONE_BY_RULE),
        )
    ),
    Defect(
        eval="AGT-10@A4",
        name="the schema is read laxly",
        kind="schema",
        edits=(LAX,),
        recorded=True,
        metric="schema_contract",
        codes=BROKEN,
    ),
    Defect(
        eval="AGT-10@A4",
        name="empty fields are let through",
        kind="schema",
        edits=(EMPTY_FIELDS,),
        recorded=True,
        metric="schema_contract",
        codes=BROKEN,
    ),
    *(
        Defect(
            eval="AGT-10@A4",
            name=name,
            kind="schema",
            edits=(edit,),
            recorded=True,
            metric="schema_contract",
            codes=BROKEN,
        )
        for name, edit in (("any year is one", ANY_YEAR), ("there may be any number of findings", ANY_NUMBER))
    ),
    Defect(
        eval="AGT-10@A4",
        name="a paper is stored before it is described",
        kind="SQL",
        edits=(STORED_FIRST,),
        metric="db_state",
        codes=frozenset({"row_count"}),
    ),
    *(
        Defect(
            eval=key, name=name, kind="code", edits=(edit,), metric="schema_contract", codes=frozenset({"json_differs"})
        )
        for key in ("LOC-05@A4", "LOC-06@A4")
        for name, edit in (("the summary is lost", NO_CAUSE), ("findings are not stored", NOTHING_FOUND))
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(eval="RET-06@A4", name="shorter snippets", kind="code", edits=(SHORTER_SNIPPETS,)),
    Behaviour(eval="RET-06@A4", name="another list", kind="code", edits=(STARS,)),
    *(
        Behaviour(eval=key, name="another course of the model", kind="model", seed=44)
        for key in ("RET-06@A4", "AGT-05@A4")
    ),
    *(
        Behaviour(eval=key, name=name, kind="code", edits=(edit,))
        for key in ("AGT-05@A4", "AGT-06@A4", "AGT-10@A4", "LOC-05@A4", "LOC-06@A4")
        for name, edit in (("JSON on one line", ONE_LINE), ("fields in another order", OTHER_ORDER))
    ),
    Behaviour(eval="AGT-10@A4", name="a shorter summary by rule", kind="code", edits=(SHORT_RULE,)),
)
