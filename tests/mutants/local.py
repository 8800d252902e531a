"""What was recorded from a real model: the chat, before one that runs on."""

from __future__ import annotations

from mutants.a1 import NO_FINISH, OFFERS_MORE, UNFINISHED, WEB_FIRST, says
from mutants.variant import Behaviour, Defect, Edit

CHAT = ("LOC-01@A1", "LOC-02@A1")

OTHER_WORDS = says('held = held.replace("I\'m", "I am")')
NOT_KEPT = Edit(
    "chat.py",
    'sessions.add(session_id, "assistant", turn.answer.text, status)',
    'sessions.add(session_id, "assistant", turn.answer.text[:40], status)',
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
)

BEHAVIOURS: tuple[Behaviour, ...] = tuple(
    Behaviour(eval=key, name=name, kind="code", edits=edits)
    for key in CHAT
    for name, edits in (("ends with an offer", OFFERS_MORE), ("other words: I am", OTHER_WORDS))
)
