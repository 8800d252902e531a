"""Several messages of one trial: one after another, or at the same time, and what is left in the database."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.model.finding import Verdict
from tapegate.model.trace import Data, Text, Trace, Turn
from tapegate.oracles.catalog import check_contract, needs
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner

SAY = """
import json, os, sqlite3

def answer(input, session="", db=None):
    if input == "break":
        raise ValueError("broken")
    session = session or f"s-{input}"
    if db:
        with sqlite3.connect(db, timeout=20) as base:
            base.execute("INSERT INTO messages (session, content) VALUES (?, ?)", (session, f"You said {input}."))
    yield json.dumps({"type": "session", "session_id": session}) + "\\n"
    yield json.dumps({"type": "text", "text": f"You said {input}"}) + "\\n"
    yield json.dumps({"type": "text", "text": "."}) + "\\n" + json.dumps({"type": "finish", "reason": "stop"}) + "\\n"
"""

AGENT = (
    SAY
    + """
import threading
meeting = threading.Barrier(3, timeout=20)

def ask(input, session="", db=None):
    if input.startswith("meet"):
        meeting.wait()  # only all three together come past this
    yield from answer(input, session, db)
"""
)

SERVER = (
    SAY
    + """
import http.server, sys, threading
meeting = threading.Barrier(3, timeout=20)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply(200, b"ok")
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body["input"].startswith("meet"):
            meeting.wait()
        try:
            self.reply(200, "".join(answer(**body, db=os.environ.get("DB"))).encode())
        except ValueError:
            self.reply(500, b"broken")
    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
)


@pytest.fixture(params=["python", "http"])
def talker(request, kit):
    """An agent that answers what it is told and keeps it, of either kind."""
    kit.agent(AGENT)
    (kit.root / "src" / "server.py").write_text(SERVER)
    (kit.root / "evals" / "snapshots").mkdir(parents=True)
    made = "CREATE TABLE messages (id INTEGER PRIMARY KEY, session TEXT, content TEXT);"
    (kit.root / "evals" / "snapshots" / "base.sql").write_text(made)
    if request.param == "python":
        kit.subject.update(
            stream="ndjson",
            arguments={"input": "{input}", "db": "{db}"},
            arguments_again={"input": "{input}", "session": "{session}", "db": "{db}"},
            carry={"session": "session_id"},
        )
    else:
        kit.config["subjects"]["agent"] = {
            "kind": "http",
            "command": ["{python}", "{project}/src/server.py", "{port}"],
            "ask": {"path": "/", "json": {"input": "{input}"}},
            "ask_again": {"path": "/", "json": {"input": "{input}", "session": "{session}"}},
            "carry": {"session": "session_id"},
            "stream": "ndjson",
            "env": {"DB": "{db}"},
            "timeout_s": 30,
            "start_timeout_s": 30,
        }
    return kit


def spoken(kit, **task: Any) -> Trace:
    """The trace of a task, recorded and then replayed with all that its metrics need."""
    kit.task("T-1", setup={"db_snapshot": "base"}, **task)
    kit.record()
    suite = kit.suite()
    assert check_contract(suite.tasks[0]) == []
    with Runner(suite) as runner:
        return Replayer(suite, runner, needs).replay(kit.trials(suite)[0])


KEPT = {
    "expect": {
        "required_invariants": ["persisted_answer_equals_streamed", "stream_complete"],
        "accepted_outcomes": [{"state": {"messages": {"added": {"min": 3, "max": 3}}}}],
    },
    "grading": {"deterministic_metrics": ["db_state", "output_hygiene"]},
}


def test_a_conversation_goes_on_in_its_session(talker):
    """Each message waits for the answer before it; what that answer names is taken over into the next."""
    trace = spoken(talker, mode="multi_turn", input="one", then=["two", "three"], **KEPT)
    assert [turn.text for turn in trace.turns] == ["You said one.", "You said two.", "You said three."]
    assert [event.input for event in trace.events if isinstance(event, Turn)] == ["one", "two", "three"]
    assert trace.text == "You said one.\n\nYou said two.\n\nYou said three."
    sessions = [event.payload["session_id"] for event in trace.events if isinstance(event, Data)]
    assert sessions == ["s-one", "s-one", "s-one"]
    assert trace.database is not None
    assert [row["session"] for row in trace.database.added("messages")] == ["s-one"] * 3
    assert trace.ending.kind == "completed"
    assert trace.latency_e2e_ms is not None


def test_messages_that_are_put_together_are_answered_together(talker):
    """All at the same time: none of them is answered until all have arrived. Answers stand in the task's order."""
    trace = spoken(talker, mode="concurrent", input="meet a", beside=["meet b", "meet c"], **KEPT)
    assert [turn.text for turn in trace.turns] == ["You said meet a.", "You said meet b.", "You said meet c."]
    assert trace.database is not None
    assert sorted(row["session"] for row in trace.database.added("messages")) == ["s-meet a", "s-meet b", "s-meet c"]
    assert talker.judge().tasks[0].verdict is Verdict.ERROR  # nobody said what its metrics need


def test_an_answer_that_fails_ends_the_conversation(talker):
    """What comes after it is not put any more, and its turn is there and empty."""
    talker.task("T-1", setup={"db_snapshot": "base"}, mode="multi_turn", input="one", then=["two", "three"], **KEPT)
    talker.record()
    talker.task("T-1", setup={"db_snapshot": "base"}, mode="multi_turn", input="one", then=["break", "three"], **KEPT)
    trace = talker.replay()
    assert [turn.text for turn in trace.turns] == ["You said one.", "", ""]
    assert trace.ending.kind in ("raised", "http_error")


def test_single_answers_are_judged_by_their_own_conditions(talker):
    """What the second answer must begin with is not asked of the first one, and is missed where it does not."""
    first = {"turn": 1, "required_slots": {"prefix": "You said one"}}

    def asking(second: str) -> None:
        turns = [first, {"turn": 2, "required_slots": {"prefix": second}}]
        talker.task(
            "T-1",
            **{"mode": "multi_turn", "input": "one", "then": ["two"], "setup": {"db_snapshot": "base"}},
            expect={"accepted_outcomes": [{"turns": turns}]},
            grading={"deterministic_metrics": ["schema_contract"]},
        )

    asking("You said two")
    talker.record()
    assert check_contract(talker.suite().tasks[0]) == []
    assert [task.verdict for task in talker.judge().tasks] == [Verdict.PASS]
    asking("You said one")
    (task,) = talker.judge().tasks
    assert [(found.code, found.message.split(":")[0]) for found in task.findings] == [("prefix_missing", "answer 2")]


def test_a_trial_of_one_message_has_no_turns(talker):
    """It is what it was before there were conversations."""
    trace = spoken(talker, input="one", expect={"accepted_outcomes": [{"tool_path_policy": "no_tools"}]})
    assert not any(isinstance(event, Turn) for event in trace.events)
    assert trace.turns == (trace,)
    assert trace.database is None
    assert [event for event in trace.events if isinstance(event, Text)]


def test_a_question_without_an_answer_is_not_judged(talker, monkeypatch):
    """A trace that holds fewer answers than the task has messages gives no verdict but an error."""
    expect = {"accepted_outcomes": [{"tool_path_policy": "no_tools"}]}
    spoken(talker, mode="multi_turn", input="one", then=["two"], expect=expect)
    monkeypatch.setattr(Replayer, "_answers", lambda self, trial, hearing: ())
    (task,) = talker.judge().tasks
    assert task.verdict is Verdict.ERROR
    assert "puts 2 messages, and the trace holds 1 answers" in task.findings[0].message
