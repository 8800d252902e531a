"""The runtime guardrails: the filter of hidden tags, and how sessions and answers are kept apart."""

from __future__ import annotations

from mutants.a1 import NO_FILTER, NO_FINISH, OTHER_NUMBERS, SHOWN, SOURCES_AGAIN, shows
from mutants.variant import Behaviour, Defect, Edit

FEED = "        shown = self._filter.feed(piece)\n"
FILTER = "content_filter.py"
KEEPS = 'sessions.add(session_id, "assistant", turn.answer.text, status)'
PIECES = "        if shown := answer.add(piece):\n            yield stream.text(shown)\n"
HIDDEN = frozenset({"hidden_shown", "visible_text_differs"})

_filter = {"eval": "AGT-15@content_filter", "kind": "filter", "metric": "content_filter_contract"}
_desk = {"eval": "AGT-16@orchestration", "metric": "orchestration_contract"}
_shared = {"eval": "AGT-17@orchestration", "kind": "code"}

DEFECTS: tuple[Defect, ...] = (
    Defect(**_filter, name="it is off", edits=(NO_FILTER,), codes=HIDDEN),
    Defect(
        **_filter,
        name="it sees each piece by itself",
        edits=(Edit("answer.py", FEED, "        shown = ContentFilter().feed(piece)\n"),),
        codes=frozenset({"split_changes_answer"}),
    ),
    Defect(
        **_filter,
        name="tags do not nest",
        edits=(Edit(FILTER, "            self._open[start[1:]] += 1", "            self._open[start[1:]] = 1"),),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="the beginning of a tag is not held back",
        edits=(
            Edit(
                FILTER,
                '        return "".join(shown)\n',
                '        shown += self._held\n        self._held.clear()\n        return "".join(shown)\n',
            ),
        ),
        codes=frozenset({"split_changes_answer", "visible_text_differs", "hidden_shown"}),
    ),
    Defect(
        **_filter,
        name="a closing tag of one kind closes the other",
        edits=(
            Edit(
                FILTER,
                "                self._open[name] = max(0, self._open[name] - 1)\n",
                "                self._open = dict.fromkeys(HIDDEN, 0)\n",
            ),
        ),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="a stray closing tag lets one more be open later",
        edits=(
            Edit(FILTER, "= max(0, self._open[name] - 1)", "-= 1"),
            Edit(FILTER, "any(self._open.values())", "any(count > 0 for count in self._open.values())"),
        ),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="a tag closed in itself hides the rest",
        edits=(Edit(FILTER, 'if self._tag.startswith("</") or self._slash:', 'if self._tag.startswith("</"):'),),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="a tag that begins within another is none",
        edits=(
            Edit(
                FILTER,
                '        elif char == "<":\n            self._tag = ""\n            if self.hiding:',
                '        elif char == "":\n            self._tag = ""\n            if self.hiding:',
            ),
        ),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="any slash in a tag closes it",
        edits=(Edit(FILTER, '        self._slash = char == "/"', '        self._slash = self._slash or char == "/"'),),
        codes=HIDDEN,
    ),
    Defect(
        **_filter,
        name="a tag that begins within a closing one is none",
        edits=(
            Edit(
                FILTER,
                "            else:\n                self._held.append(char)\n        self._slash",
                "        self._slash",
            ),
        ),
        codes=HIDDEN,
    ),
    Defect(
        **_desk,
        name="users who name no session share one",
        kind="code",
        edits=(Edit("sessions.py", "            return self.create()\n", '            session_id = "s1"\n'),),
        codes=frozenset({"sessions_shared"}),
    ),
    Defect(
        **_desk,
        name="the answer is kept cut",
        kind="SQL",
        edits=(Edit("chat.py", KEEPS, KEEPS.replace("text,", "text[:40],")),),
        codes=frozenset({"answer_altered"}),
    ),
    Defect(
        **_desk,
        name="the answer is kept as the model wrote it, hidden parts and all",
        kind="SQL",
        edits=(Edit("answer.py", SHOWN, SHOWN.replace("+= shown", "+= piece")),),
        codes=frozenset({"answer_altered"}),
    ),
    Defect(
        **_desk,
        name="results of tools are not told",
        kind="code",
        edits=(
            Edit(
                "turn.py",
                "        yield stream.tool_result(call_id, name, ok=outcome.ok, content=outcome.shown)\n",
                "",
            ),
        ),
        codes=frozenset({"part_missing"}),
    ),
    Defect(
        **_desk,
        name="the stream ends without its finish",
        kind="code",
        edits=(NO_FINISH,),
        codes=frozenset({"answer_incomplete", "part_missing"}),
    ),
    Defect(
        eval="AGT-16@orchestration",
        name="what a tool was given is not told",
        kind="code",
        edits=(
            Edit("turn.py", "stream.tool_call(call_id, name, arguments or {})", "stream.tool_call(call_id, name, {})"),
        ),
        metric="tool_trace",
        codes=frozenset({"arguments_differ"}),
    ),
    Defect(
        eval="AGT-16@orchestration",
        name="the user's words are kept cut",
        kind="SQL",
        edits=(Edit("chat.py", '"user", hint.without(message))', '"user", hint.without(message)[:20])'),),
        metric="db_state",
        codes=frozenset({"rows_picked"}),
    ),
    Defect(
        **_shared,
        name="a session that is named is not found",
        edits=(Edit("sessions.py", "        if session_id is None:\n", "        if session_id is not False:\n"),),
        metric="orchestration_contract",
        codes=frozenset({"sessions_split"}),
    ),
    Defect(
        **_shared,
        name="the second to name a session fails",
        edits=(Edit("sessions.py", "INSERT OR IGNORE INTO sessions", "INSERT INTO sessions"),),
        metric="orchestration_contract",
        codes=frozenset({"answer_incomplete"}),
    ),
    Defect(
        **_shared,
        name="turns of one session do not wait for each other",
        edits=(Edit("chat.py", "            async with lock, aclosing(", "            async with aclosing("),),
        recorded=True,
        metric="db_state",
        codes=frozenset({"cell_mismatch"}),
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        eval="AGT-15@content_filter",
        name="shows each character by itself",
        kind="filter",
        edits=(Edit("answer.py", PIECES, "        yield from map(stream.text, answer.add(piece))\n"),),
    ),
    Behaviour(
        eval="AGT-15@content_filter",
        name="tidies the space where something was hidden",
        kind="filter",
        edits=(
            shows(
                'shown = "".join(char for at, char in enumerate(shown)'
                ' if char != " " or not (self.text + shown[:at]).endswith(" "))'
            ),
        ),
    ),
    Behaviour(
        eval="AGT-16@orchestration", name="other number formats: °C, %, m², 2300", kind="code", edits=OTHER_NUMBERS
    ),
    Behaviour(eval="AGT-16@orchestration", name="sources listed once more", kind="code", edits=SOURCES_AGAIN),
    *(
        Behaviour(**_shared, name=name, edits=edits, recorded=True)
        for name, edits in (
            ("other number formats: °C, %, m², 2300", OTHER_NUMBERS),
            ("sources listed once more", SOURCES_AGAIN),
        )
    ),
)
