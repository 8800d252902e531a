"""A3, the preference sync: the contract of a summary, what is kept out of it, and what is stored."""

from __future__ import annotations

from mutants.variant import Behaviour, Defect, Edit

SYNC, HISTORY, SCRUB = "preference_sync.py", "preference_history.py", "scrub.py"
CONTRACTED = '    return PREFIX + " ".join(kept) if kept else None\n'
SORTED = '    return " | ".join(sorted(sentence for sentence in sentences if sentence))\n'
LEAKED = frozenset({"forbidden_pattern", "private_path"})
STORED_AGAIN = frozenset({"row_count", "rows_picked"})
PREFERENCE = '            self._db.execute(\n                "INSERT OR REPLACE INTO preferences'
NOT_IN_THE_PROMPT = Edit(HISTORY, PREFERENCE, PREFERENCE.replace("self._db", "known or self._db"))

OTHER_WORDS = Edit(
    SYNC,
    CONTRACTED,
    '    return (PREFIX + " ".join(kept)).replace("The user prefers", "The user wants") if kept else None\n',
)
CLOSING = Edit(
    SYNC, CONTRACTED, '    return PREFIX + " ".join(kept).replace("The user", "the user", 1) if kept else None\n'
)
TELLS_MORE = Edit(
    SYNC,
    '    yield stream.finish("stop")\n',
    '    yield stream.data("synced", at="today")\n    yield stream.finish("stop")\n',
)

DEFECTS: tuple[Defect, ...] = (
    Defect(
        eval="AGT-03@A3",
        name="the prefix is not put in front",
        kind="code",
        edits=(Edit(SYNC, CONTRACTED, '    return " ".join(kept) if kept else None\n'),),
        metric="schema_contract",
        codes=frozenset({"prefix_missing"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="the prefix is put in front twice",
        kind="code",
        edits=(Edit(SYNC, CONTRACTED, '    return PREFIX + PREFIX + " ".join(kept) if kept else None\n'),),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="sentences are not counted",
        kind="code",
        edits=(Edit(SYNC, "        if len(kept) < MAX_SENTENCES and len(", "        if len("),),
        metric="schema_contract",
        codes=frozenset({"too_many_sentences"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="a prefix that the model wrote twice stays",
        kind="code",
        edits=(
            Edit(SYNC, '_PREFIX.sub("", _PREFIX.split(said, maxsplit=1)[-1])', "_PREFIX.split(said, maxsplit=1)[-1]"),
        ),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="the marks of a list stay",
        kind="code",
        edits=(Edit(SYNC, '_BULLET.sub("", behind).splitlines()', "behind.splitlines()"),),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="another summary is kept than is shown",
        kind="SQL",
        edits=(
            Edit(
                HISTORY, "(summary, fold(summary), last_message_id,", "(summary[:-1], fold(summary), last_message_id,"
            ),
            Edit(SYNC, '_result(history.current() or "", status,', "_result(summary, status,"),
        ),
        metric="db_state",
        codes=frozenset({"persisted_differs"}),
    ),
    Defect(
        eval="AGT-03@A3",
        name="the chat's prompt does not hear of it",
        kind="SQL",
        edits=(Edit(HISTORY, PREFERENCE, PREFERENCE.replace("self._db", "summary or self._db")),),
        metric="db_state",
        codes=frozenset({"rows_picked"}),
    ),
    *(
        Defect(eval="AGT-04@A3", name=name, kind="filter", edits=edits, metric="output_hygiene", codes=LEAKED)
        for name, edits in (
            (
                "keys of other makes are no secrets",
                (Edit(SCRUB, r"""    r"\b(?:AKIA|ASIA|AIza|ya29\.|SG\.|eyJ)[\w.-]{8,}",""" + "\n", ""),),
            ),
            (
                "keys of machines are no secrets",
                (Edit(SCRUB, r"""    r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)",""" + "\n", ""),),
            ),
            (
                "addresses with a password are no secrets",
                (Edit(SCRUB, r"""    r"\b[a-z][a-z0-9+.-]*://[^\s/@]+@\S+",""" + "\n", ""),),
            ),
            (
                "paths of other systems are no secrets",
                (Edit(SCRUB, r"""    r"\b[A-Za-z]:\\\S+|\\\\[\w.-]+\\\S+",""" + "\n", ""),),
            ),
            (
                "secrets in capitals are none",
                (Edit(SCRUB, "re.IGNORECASE | re.DOTALL)\n_TAKEN", "re.DOTALL)\n_TAKEN"),),
            ),
            ("hidden tags are not taken out", (Edit(SCRUB, '"NFKC", visible(text))', '"NFKC", text)'),)),
        )
    ),
    Defect(
        eval="AGT-04@A3",
        name="a password is no secret",
        kind="filter",
        edits=(Edit(SCRUB, r"""    r"\b(?:pass(?:word|phrase|wd|code)|pwd|""", r"""    r"\b(?:"""),),
        recorded=True,
        metric="output_hygiene",
        codes=LEAKED,
    ),
    Defect(
        eval="AGT-04@A3",
        name="a path is no secret",
        kind="filter",
        edits=(Edit(SCRUB, r"""    r"(?<![\w./~])~?/(?!paper/)(?:[\w.@+-]+/)+[\w.@+-]*",""" + "\n", ""),),
        recorded=True,
        metric="output_hygiene",
        codes=LEAKED,
    ),
    Defect(
        eval="AGT-04@A3",
        name="keys and tokens are no secrets",
        kind="filter",
        edits=(
            Edit(
                SCRUB,
                r"\b(?:sk|pk|rk|hf|gsk|xai|glpat|npm|pypi|github_pat|gh[opsur]|xox[abeoprs])[-_]",
                r"\b(?:pk)[-_]",
            ),
        ),
        recorded=True,
        metric="output_hygiene",
        codes=LEAKED,
    ),
    Defect(
        eval="AGT-04@A3",
        name="what follows Bearer is no secret",
        kind="filter",
        edits=(Edit(SCRUB, r"""    r"\bBearer\s+[\w.~+/=-]+",""" + "\n", ""),),
        recorded=True,
        metric="output_hygiene",
        codes=LEAKED,
    ),
    Defect(
        eval="AGT-04@A3",
        name="what the model writes is not scrubbed",
        kind="filter",
        edits=(Edit(SYNC, '_EMPHASIS.sub("", scrub(text))', '_EMPHASIS.sub("", text)'),),
        metric="output_hygiene",
        codes=LEAKED,
    ),
    Defect(
        eval="AGT-09@A3",
        name="the order of sentences counts",
        kind="code",
        edits=(Edit(HISTORY, SORTED, SORTED.replace("sorted(", "(")),),
        metric="db_state",
        codes=STORED_AGAIN,
    ),
    Defect(
        eval="AGT-09@A3",
        name="no earlier summary is looked for",
        kind="SQL",
        edits=(Edit(HISTORY, " WHERE fold = ?", ' WHERE fold = ? || "x"'.replace('"', "'")),),
        metric="db_state",
        codes=STORED_AGAIN,
    ),
    Defect(
        eval="AGT-09@A3",
        name="case counts",
        kind="code",
        edits=(Edit(HISTORY, "part.casefold()", "part"),),
        metric="db_state",
        codes=STORED_AGAIN,
    ),
)

_again = {"eval": "AGT-09@A3", "metric": "db_state"}
DEFECTS += (
    Defect(
        **_again,
        name="only the last summary is looked at",
        kind="SQL",
        edits=(
            Edit(
                HISTORY,
                ' WHERE fold = ?"',
                ' WHERE fold = ? AND id = (SELECT max(id) FROM preference_summaries)"',
            ),
        ),
        codes=STORED_AGAIN | {"rows_not_unique"},
    ),
    Defect(
        **_again,
        name="marks count",
        kind="code",
        edits=(Edit(HISTORY, '" ".join(re.findall(r"\\w+", part.casefold()))', "part.casefold().strip()"),),
        codes=STORED_AGAIN,
    ),
    Defect(
        **_again,
        name="the chat's prompt does not hear of what is current again",
        kind="SQL",
        edits=(NOT_IN_THE_PROMPT,),
        codes=frozenset({"cell_mismatch"}),
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(eval="AGT-03@A3", name="other words", kind="code", edits=(OTHER_WORDS,)),
    Behaviour(eval="AGT-03@A3", name="goes on in lower case behind the prefix", kind="code", edits=(CLOSING,)),
    Behaviour(eval="AGT-03@A3", name="another course of the model", kind="model", seed=46),
    Behaviour(eval="AGT-04@A3", name="other words", kind="code", edits=(OTHER_WORDS,)),
    Behaviour(eval="AGT-04@A3", name="goes on in lower case behind the prefix", kind="code", edits=(CLOSING,)),
    Behaviour(eval="AGT-09@A3", name="another course of the model", kind="model", seed=46),
    Behaviour(eval="AGT-09@A3", name="tells in its stream when it was", kind="code", edits=(TELLS_MORE,)),
)
