"""What the judge is shown."""

from __future__ import annotations

from collections.abc import Callable

from tapegate.grade.audit.inputs import NOTHING, inputs
from tapegate.model.task import Task
from tapegate.model.trace import ToolResult, Trace

FACTS = {"facts": [{"name": "cooling", "any_of": ["3.6 degrees", "3.6 °C"]}]}


def test_the_reference_is_the_tasks_or_its_facts(
    make_task: Callable[..., Task], make_trace: Callable[..., Trace]
) -> None:
    """A task that wrote none is represented by the wordings of its facts, each once."""
    trace = make_trace("By 3.6 degrees.")
    plain = make_task({"required_slots": FACTS}, {"required_slots": FACTS, "required_tools": ["a"]})
    assert inputs(plain, trace).reference_answer == "cooling: 3.6 degrees or 3.6 °C"
    quality = {"facts": [{"name": "place", "all": ["Rome", "Italy"], "any_of": ["1960"]}]}
    grading = {"deterministic_metrics": ["tool_trace"], "quality": quality}
    assert inputs(make_task(grading=grading), trace).reference_answer == "place: Rome and Italy or 1960"
    grading["quality"] = {**quality, "reference_answer": "It was 3.6 degrees cooler."}
    assert inputs(make_task(grading=grading), trace).reference_answer == "It was 3.6 degrees cooler."
    assert inputs(make_task(), trace).reference_answer == NOTHING


def test_the_context_is_what_tools_told(make_task: Callable[..., Task], make_trace: Callable[..., Trace]) -> None:
    """What the model was given; where nothing shows that, what the user was shown; else none."""
    shown = ToolResult("1", "read", True, {"snippet": "é"})
    assert inputs(make_task(), make_trace(shown, given=("A", "B"))).provided_context == "A\n\nB"
    assert inputs(make_task(), make_trace(shown)).provided_context == '{"snippet": "é"}'
    found = inputs(make_task(), make_trace("Hello."))
    assert (found.task, found.provided_context, found.candidate_answer) == (
        "What does the paper say?",
        NOTHING,
        "Hello.",
    )


def test_a_document_that_was_told_is_context(make_task: Callable[..., Task], make_trace: Callable[..., Trace]) -> None:
    """After what tools told; the question, which stands in a slot of its own, is not repeated."""
    trace = make_trace("It is.", given=("A",), prompted=("What does the paper say?", "## Paper\n\nJars."))
    assert inputs(make_task(), trace).provided_context == "A\n\n## Paper\n\nJars."


def test_half_of_a_surrogate_pair_is_shown_to_no_judge(
    make_task: Callable[..., Task], make_trace: Callable[..., Trace]
) -> None:
    """What a tool's result cut inside an emoji would make no request: the half is left out, the rest stays."""
    shown = ToolResult("1", "read", True, {"snippet": "moss \ud83d"})
    for trace in (make_trace(shown), make_trace(given=("moss \ud83d",)), make_trace(prompted=("moss \ud83d",))):
        assert b"moss " in inputs(make_task(), trace).provided_context.encode()
