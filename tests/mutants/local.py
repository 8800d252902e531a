"""What was recorded from a real model: the chat before one that runs on, preferences before one that talks past."""

from __future__ import annotations

from mutants.a1 import NO_FINISH, OFFERS_MORE, UNFINISHED, WEB_FIRST, says
from mutants.a3 import CONTRACTED, SYNC, TELLS_MORE
from mutants.variant import Behaviour, Defect, Edit

CHAT = ("LOC-01@A1", "LOC-02@A1")
SYNCED = ("LOC-03@A3", "LOC-04@A3")

OTHER_WORDS = says('held = held.replace("I\'m", "I am")')
NOT_KEPT = Edit(
    "chat.py",
    'sessions.add(session_id, "assistant", turn.answer.text, status)',
    'sessions.add(session_id, "assistant", turn.answer.text[:40], status)',
)

SUMMED = "        summary = contracted(await provider.say(request(messages)))\n"
NO_PREFIX = Edit(SYNC, CONTRACTED, '    return " ".join(kept) if kept else None\n')
QUOTES = Edit(SYNC, SUMMED, SUMMED + '        summary = f"{summary} ({messages[0]})"\n')
NO_FULL_STOP = Edit(SYNC, CONTRACTED, '    return PREFIX + " ".join(kept).rstrip(".?!") if kept else None\n')
NEVER_ENDS = Edit(
    SYNC,
    '    yield stream.data("preference_summary", status=status, summary=summary, messages=messages)\n'
    '    yield stream.finish("stop")\n',
    '    yield stream.data("preference_summary", status=status, summary=summary, messages=messages)\n',
)

DEFECTS: tuple[Defect, ...] = (
    *(
        Defect(
            eval=key,
            name="the web is searched first, by code",
            kind="code",
            edits=(WEB_FIRST,),
            metric="tool_trace",
            codes=frozenset({"tool_called"}),
        )
        for key in CHAT
    ),
    *(
        Defect(
            eval=key,
            name="the stream ends without its finish",
            kind="code",
            edits=(NO_FINISH,),
            metric="output_hygiene",
            codes=UNFINISHED,
        )
        for key in CHAT
    ),
    *(
        Defect(
            eval=key,
            name="the beginning of an answer is kept",
            kind="code",
            edits=(NOT_KEPT,),
            metric="db_state",
            codes=frozenset({"persisted_differs"}),
        )
        for key in CHAT
    ),
    *(
        Defect(
            eval=key,
            name="the prefix is not put in front",
            kind="code",
            edits=(NO_PREFIX,),
            metric="schema_contract",
            codes=frozenset({"prefix_missing"}),
        )
        for key in SYNCED
    ),
    Defect(
        eval="LOC-03@A3",
        name="the stream ends without its finish",
        kind="code",
        edits=(NEVER_ENDS,),
        metric="output_hygiene",
        codes=UNFINISHED,
    ),
    Defect(
        eval="LOC-04@A3",
        name="the user is quoted",
        kind="code",
        edits=(QUOTES,),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    *(
        Behaviour(eval=key, name=name, kind="code", edits=edits)
        for key in CHAT
        for name, edits in (("ends with an offer", OFFERS_MORE), ("other words: I am", OTHER_WORDS))
    ),
    *(
        Behaviour(eval=key, name=name, kind="code", edits=(edit,))
        for key in SYNCED
        for name, edit in (("tells in its stream when it was", TELLS_MORE), ("no full stop at the end", NO_FULL_STOP))
    ),
)
