"""The metric `content_filter_contract`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.model.trace import Ending, Finish, Splits, Text, Variant
from tapegate.oracles.content_filter_contract import ContentFilterContract

SOURCE = b"Sure. <thinking>the user wants a number</thinking>It is 4."


def slots(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome with these slots."""
    return {"outcome": {"required_slots": values}, "mode": "stream_fixture", "setup": {"chunking": "all_splits"}}


def splits(*shown: str, source: bytes = SOURCE, ending: str = "completed") -> Splits:
    """A stream of which these cuts showed something else."""
    kind: Any = ending
    variants = [
        Variant((place,), (Text(text), Finish("stop")), Ending(kind)) for place, text in enumerate(shown, start=7)
    ]
    return Splits(source, 100, 100, tuple(variants))


GOOD = "Sure. It is 4."
UNCLOSED = splits(source=b"Sure. <private>K-17 is the partner")

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("every cut alike", slots(split_invariant=True), [GOOD, splits()], []),
    ("one cut differs", slots(split_invariant=True), [GOOD, splits("Sure. <th")], ["split_changes_answer"]),
    (
        "one cut ends otherwise",
        slots(split_invariant=True),
        [GOOD, splits(GOOD, ending="raised")],
        ["split_changes_answer"],
    ),
    ("the text that must be left", slots(visible_text=GOOD), [GOOD, splits()], []),
    ("one of the texts", slots(visible_text={"any_of": ["x", GOOD]}), [GOOD, splits()], []),
    ("a filter that shows nothing", slots(visible_text=GOOD), ["", splits()], ["visible_text_differs"]),
    ("another text for one cut", slots(visible_text=GOOD), [GOOD, splits("Sure. ")], ["visible_text_differs"]),
    ("excluded and not seen", slots(visible_excludes=["K-17"]), [GOOD, splits()], []),
    ("excluded and seen", slots(visible_excludes=["K-17"]), ["ask k-17", splits()], ["excluded_shown"]),
    (
        "excluded and seen in disguise",
        slots(visible_excludes=[{"any_of": ["Q", "K-17"]}]),
        ["ask K-\u200b17", splits()],
        ["excluded_shown"],
    ),
    ("excluded and seen for one cut", slots(visible_excludes=["4."]), ["It", splits("It is 4.")], ["excluded_shown"]),
    ("hidden and not seen", slots(hidden_by_tags=["thinking"]), [GOOD, splits()], []),
    ("hidden and seen", slots(hidden_by_tags=["thinking"]), ["the user wants a number", splits()], ["hidden_shown"]),
    (
        "a piece of it for one cut",
        slots(hidden_by_tags=["thinking"]),
        [GOOD, splits("Sure. user wantIt is 4.")],
        ["hidden_shown"],
    ),
    ("nothing after a tag that never closes", slots(hidden_by_tags=["private"]), ["Sure. ", UNCLOSED], []),
    (
        "something after a tag that never closes",
        slots(hidden_by_tags=["private"]),
        ["Sure. the partner", UNCLOSED],
        ["hidden_shown"],
    ),
    ("no tag in the fixture", slots(hidden_by_tags=["scratch"]), [GOOD, splits()], ["nothing_hidden"]),
    ("no tag, and the text that must be left", slots(hidden_by_tags=["x"], visible_text=GOOD), [GOOD, splits()], []),
    ("a tag that hides nothing", slots(hidden_by_tags=["b"]), ["x", splits(source=b"x<b></b>")], []),
    ("never cut", slots(split_invariant=True), ["x", Splits(b"x", 0, 0, ())], ["nothing_cut"]),
    ("nothing asked", {"outcome": {"required_tools": ["a"]}}, ["tool:a"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each condition is met by the filters that keep it for every cut, and by no others."""
    assert judged(ContentFilterContract(), expectation, events) == codes


def test_a_fault_names_the_cut(make_task, make_trace):
    """The finding says at which bytes the stream was cut, and what was seen."""
    task = make_task(slots(hidden_by_tags=["thinking"])["outcome"], mode="stream_fixture")
    trace = make_trace(GOOD, splits=splits("Sure. the user wants"))
    (found,) = ContentFilterContract().unmet(0, task.expect.accepted_outcomes[0], task, trace)
    assert found.message == "the user sees what the fixture hides, cut at byte 7"
    assert found.got == "Sure. the user wants"


def test_a_thousand_faulty_cuts_are_told_in_four_lines(make_task, make_trace):
    """The first three, and how many more there are."""
    task = make_task(slots(split_invariant=True)["outcome"], mode="stream_fixture")
    trace = make_trace(GOOD, splits=splits(*(f"{number}" for number in range(1000))))
    found = list(ContentFilterContract().unmet(0, task.expect.accepted_outcomes[0], task, trace))
    assert len(found) == 4
    assert found[-1].message == "and 997 more answers that differ"


def test_a_trace_without_a_fixture_is_not_judged(make_task, make_trace):
    """What nobody cut must not pass."""
    task = make_task(slots(split_invariant=True)["outcome"], mode="stream_fixture")
    with pytest.raises(NotJudged, match="no stream fixture"):
        list(ContentFilterContract().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(GOOD)))


@pytest.mark.parametrize(
    ("mode", "chunking", "values", "codes"),
    [
        ("stream_fixture", "all_splits", {"split_invariant": True}, []),
        ("stream_fixture", "whole", {"split_invariant": True}, ["vacuous_slot"]),
        ("stream_fixture", "whole", {"visible_text": "x"}, []),
        ("single_turn", "whole", {"visible_text": "x"}, ["unreachable_outcome"]),
    ],
)
def test_conditions_on_cuts_need_cuts(make_task, mode, chunking, values, codes):
    """A task whose stream is never cut cannot demand anything of its cuts."""
    task = make_task({"required_slots": values}, mode=mode, setup={"chunking": chunking})
    assert [problem.code for problem in ContentFilterContract().problems(task)] == codes
