"""A judge's reply, read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tapegate.grade.judge.reply import KEYS, Reply, Unreadable, read_reply

GOOD = '{"accuracy_score": 2, "faithfulness_score": 1, "rationale": "Right, with a slip."}'


def _with(**changes: Any) -> str:
    return json.dumps({"accuracy_score": 2, "faithfulness_score": 1, "rationale": "fine", **changes})


def test_a_reply_to_the_letter_is_taken() -> None:
    """One object, three keys, two integers, some words; white space around it is JSON's."""
    assert read_reply(GOOD) == Reply(2, 1, "Right, with a slip.")
    assert read_reply(f"\n\t {GOOD} \r\n") == Reply(2, 1, "Right, with a slip.")
    assert read_reply(_with(rationale="\U0001f600 naïve 文")) == Reply(2, 1, "\U0001f600 naïve 文")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        # JUD-02: duplicate keys, also by an escape
        (GOOD[:-1] + ', "accuracy_score": 2}', "duplicate_key"),
        (GOOD[:-1] + ', "a\\u0063curacy_score": 0}', "duplicate_key"),
        # JUD-03, JUD-05, JUD-06: what looks like a score
        (_with(accuracy_score="2"), "score"),
        (_with(accuracy_score=True), "score"),
        (_with(faithfulness_score=False), "score"),
        (_with(accuracy_score=3), "score"),
        (_with(accuracy_score=-1), "score"),
        (_with(accuracy_score=None), "score"),
        (_with(accuracy_score=[2]), "score"),
        (GOOD.replace("2", "2.0"), "score"),
        (GOOD.replace("2", "-0"), "score"),
        (GOOD.replace("2", "2e0"), "score"),
        (GOOD.replace("2", "NaN"), "score"),
        (GOOD.replace("2", "Infinity"), "score"),
        (GOOD.replace("2", "1" + "0" * 5000), "score"),
        (GOOD.replace("2", "02"), "not_json"),
        # JUD-09: a rationale that says nothing
        (_with(rationale=""), "rationale"),
        (_with(rationale=" \n"), "rationale"),
        (_with(rationale="\u00a0\u00a0"), "rationale"),
        (_with(rationale="\u200b"), "rationale"),
        (_with(rationale="\u2060\ufeff\u00ad\u200d"), "rationale"),
        (_with(rationale="fine \ud800"), "rationale"),
        (_with(rationale=["fine"]), "rationale"),
        (_with(rationale=None), "rationale"),
        # JUD-11: a refusal is no score of 0
        ("I'm sorry, but I can't evaluate this answer.", "refusal"),
        ("As an AI, I am unable to score it.", "refusal"),
        ("I cannot comply.", "refusal"),
        # anything else around, instead of or inside the object
        ("", "empty"),
        ("  \n", "empty"),
        (f"```json\n{GOOD}\n```", "fenced"),
        (f"Here it is: {GOOD}", "prose"),
        (f"{GOOD}\nI hope this helps.", "prose"),
        (f"{GOOD}{GOOD}", "not_json"),
        (f"[{GOOD}]", "not_json"),
        ("2", "not_json"),
        ("null", "not_json"),
        ('"x"', "not_json"),
        (GOOD[:-1], "not_json"),
        (GOOD.replace('"', "'"), "not_json"),
        (GOOD[:-1] + ",}", "not_json"),
        (f"\ufeff{GOOD}", "prose"),
        (f"\u00a0{GOOD}", "not_json"),
        (GOOD.replace("Right", "Right\n"), "not_json"),
        (_with(confidence=1), "keys"),
        ('{"accuracy_score": 2, "faithfulness_score": 1}', "keys"),
        ('{"Accuracy_score": 2, "faithfulness_score": 1, "rationale": "x"}', "keys"),
        ("{}", "keys"),
        ("[" * 100_000, "too_long"),
        ("[" * 15_000, "not_json"),
        ("x" * 30_000, "too_long"),
    ],
)  # fmt: skip
def test_anything_else_is_a_parse_error(text: str, fault: str) -> None:
    """Nothing is coerced, repaired, or dug out of other text; the fault says which way it was wrong."""
    reply = read_reply(text)
    assert isinstance(reply, Unreadable)
    assert reply.fault == fault
    assert reply.detail.isprintable()


@pytest.mark.parametrize(("words", "taken"), [(1, True), (80, True), (81, False)])
@pytest.mark.parametrize("separator", [" ", "\n", "\u00a0", "\u200b", " \u200b "])
def test_a_rationale_has_at_most_eighty_words(words: int, taken: bool, separator: str) -> None:
    """JUD-08: 80 are taken and 81 are not, whatever stands between them."""
    reply = read_reply(_with(rationale=separator.join(["word"] * words)))
    assert isinstance(reply, Reply) is taken


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=8) | st.sampled_from(sorted(KEYS)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.sampled_from(sorted(KEYS)), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200) | json_values.map(json.dumps) | st.text(max_size=20).map(lambda text: GOOD + text))
@example('{"accuracy_score": 2, "faithfulness_score": 1, "rationale": "x"}')
@example('{"a": NaN}')
def test_any_text_is_a_reply_or_a_parse_error(text: str) -> None:
    """The parser never raises, and what it takes is exactly what the text holds."""
    reply = read_reply(text)
    if isinstance(reply, Reply):
        assert json.loads(text) == {name: getattr(reply, name) for name in KEYS}
        assert type(reply.accuracy_score) is type(reply.faithfulness_score) is int
    else:
        assert reply.fault


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, 6), st.text(max_size=3))
def test_a_mutated_reply_is_never_repaired(start: int, length: int, piece: str) -> None:
    """A good reply with any piece replaced is taken only where it is a good reply again."""
    text = GOOD[:start] + piece + GOOD[start + length :]
    reply = read_reply(text)
    if isinstance(reply, Reply):
        value = json.loads(text)
        assert set(value) == KEYS
        assert {value["accuracy_score"], value["faithfulness_score"]} <= {0, 1, 2}
