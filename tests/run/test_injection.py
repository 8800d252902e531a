"""What a task sets within a Python subject: exceptions in place of calls, and a clock that stands still."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.model.finding import Verdict

AGENT = """
import asyncio, datetime, time, store

class Model:
    def embed(self, text):
        return [1.0]
    @staticmethod
    def name():
        return "local"

def local(input):
    try:
        return Model().embed(input)
    except MemoryError as error:
        return f"fallback: {error}"

def ask(input):
    if input == "embed":
        yield f"{local(input)} {local(input)}"
    elif input == "name":
        try:
            yield Model.name()
        except OSError as error:
            yield type(error).__name__
    elif input == "read":
        try:
            yield asyncio.run(store.read("x"))
        except store.Gone as error:
            yield f"gone: {error}"
    elif input == "stream":
        try:
            yield from store.stream()
        except TimeoutError:
            yield "late"
    elif input == "time":
        start = time.monotonic()
        time.sleep(0.002)
        now = datetime.datetime.now(datetime.timezone.utc)
        yield f"{now.isoformat()} {int(time.time())} {time.monotonic() > start}"
"""
STORE = """
class Gone(Exception): pass
async def read(name): return f"read {name}"
def stream():
    yield "one "
    yield "two"
"""


@pytest.fixture
def injected(kit):
    """Asks one thing of an agent under some setup; recorded first, which needs no provider here."""
    kit.agent(AGENT)
    (kit.root / "src" / "store.py").write_text(STORE)

    def ask(what: str, fault: dict[str, Any] | None = None, **setup: Any) -> Any:
        faults = [{"kind": "raise", **fault}] if fault else []
        kit.task("T-1", input=what, setup={**setup, "faults": faults})
        kit.record()
        return kit.replay()

    return ask


@pytest.mark.parametrize(
    ("what", "fault", "answer"),
    [
        ("embed", None, "[1.0] [1.0]"),
        (
            "embed",
            {"at": "agent:Model.embed", "exception": "builtins:MemoryError", "message": "full"},
            "fallback: full fallback: full",
        ),
        (
            "embed",
            {"at": "agent:Model.embed", "exception": "builtins:MemoryError", "calls": [2]},
            "[1.0] fallback: injected by the task",
        ),
        ("name", {"at": "agent:Model.name", "exception": "builtins:ConnectionError"}, "ConnectionError"),
        ("read", {"at": "store:read", "exception": "store:Gone", "message": "x"}, "gone: x"),
        ("stream", {"at": "store:stream", "exception": "builtins:TimeoutError"}, "late"),
        ("stream", {"at": "store:stream", "exception": "builtins:TimeoutError", "calls": [2]}, "one two"),
    ],
)
def test_an_exception_is_raised_in_place_of_a_call(injected, what, fault, answer):
    """Of a method, a static method, a coroutine and a generator; in all calls, or in those that are counted."""
    trace = injected(what, fault)
    assert trace.text == answer
    assert trace.account.faults == ((0,) if fault and answer != "one two" else ())


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"at": "agent:Model.embd"}, "there is no 'embd'"),
        ({"at": "agnt:ask"}, "ModuleNotFoundError"),
        ({"at": "agent:Model"}, "stands in for a function, and that is type"),
        ({"at": "agent:ask", "exception": "store:read"}, "is no exception class"),
    ],
)
def test_a_fault_that_has_no_place_stops_the_trial(kit, injected, fault, said):
    """A task that claims to test what it cannot must not pass."""
    injected("embed")
    kit.task("T-1", input="embed", setup={"faults": [{"kind": "raise", **fault}]})
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.ERROR
    assert said in task.findings[0].message


def test_a_fault_that_no_call_meets_fails_its_task(kit, injected):
    """As one on the tape does; the finding stands at the fault."""
    injected("name", {"at": "agent:Model.embed"})
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.FAIL
    assert [one.code for one in task.findings] == ["fault_not_met"]


def test_an_http_subject_has_no_functions_to_replace(kit):
    """Told at load, with what to do instead."""
    kit.over_http().task("T-1", setup={"faults": [{"kind": "raise", "at": "agent:ask"}]})
    with pytest.raises(LoadError, match="no Python callable"):
        kit.suite()


def test_time_stands_still_where_the_task_sets_it(injected):
    """For whoever asks what time it is; a clock that measures goes on."""
    assert injected("time", clock="2026-03-04T05:06:07Z").text == "2026-03-04T05:06:07+00:00 1772600767 True"
    assert injected("time").text.split()[0] != "2026-03-04T05:06:07+00:00"
