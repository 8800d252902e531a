"""What the judge is shown of a task and of its trial."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tapegate.grade.judge.template import Inputs
from tapegate.model.task import Task
from tapegate.model.trace import Json, ToolResult, Trace
from tapegate.stream.order import joined_surrogates

NOTHING = "none"
"""What stands in a slot that has nothing to hold."""


def inputs(task: Task, trace: Trace) -> Inputs:
    """The four slots of the evaluator prompt.

    - `reference_answer`: the task's own; where it has none, the facts of its accepted outcomes in their wordings.
    - `provided_context`: what tools told the model; where no request shows that, what they showed to the user. Then
      what requests told the model as a user does, beside the question itself: a document to sum up.
    """
    question = "\n".join(task.messages)
    told = [text for text in trace.prompted if text.strip() not in question]
    # Half of a surrogate pair that a tool told has no UTF-8 form, and no request could hold it.
    context, _ = joined_surrogates("\n\n".join([*_context(trace), *told]))
    return Inputs(question, _reference(task), context or NOTHING, trace.text)


def _reference(task: Task) -> str:
    if task.grading.quality.reference_answer is not None:
        return task.grading.quality.reference_answer
    facts: list[Mapping[str, Json]] = [fact.model_dump() for fact in task.grading.quality.facts]
    for outcome in task.expect.accepted_outcomes:
        facts += [fact for shape in outcome.shapes for fact in shape.required_slots.get("facts", ())]
    said = [f"{fact['name']}: {' or '.join(_wordings(fact))}" for fact in facts]
    return "; ".join(dict.fromkeys(said)) or NOTHING


def _wordings(fact: Mapping[str, Json]) -> Iterator[str]:
    together = " and ".join(fact.get("all") or ())
    if together:
        yield together
    yield from fact.get("any_of") or ()


def _context(trace: Trace) -> Iterator[str]:
    if trace.given:
        yield from trace.given
        return
    for event in trace.events:
        if isinstance(event, ToolResult):
            yield event.content if isinstance(event.content, str) else json.dumps(event.content, ensure_ascii=False)
