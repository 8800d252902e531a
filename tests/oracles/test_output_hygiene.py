"""The metric `output_hygiene`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.model.trace import (
    Data,
    Ending,
    Exchange,
    Failure,
    Finish,
    Offer,
    Splits,
    Text,
    ToolCall,
    ToolResult,
    Turn,
    Variant,
    Violation,
)
from tapegate.oracles.output_hygiene import MOST, OutputHygiene

TAGS = {"invariants": ["no_hidden_tag_leak"]}
PATHS = {"invariants": ["no_private_path_leak"]}
SEEN = {"invariants": ["no_invisible_text"]}
WHOLE = {"invariants": ["stream_complete"]}

KEYS = {"invariants": ["no_secret_echo"]}
PROMPTS = {"invariants": ["no_system_prompt_echo"]}
KEY = "ghp_" + "wX3kP9zQ2mN7vB5cR8tY1uL4hJ6gD0fSaEiO"
PROMPT = (
    "You are Paperdesk. Answer briefly and precisely, from what the tools return, and never from memory. "
    "Look in the library of the user before any other source."
)
PASSAGE = "Answer briefly and precisely, from what the tools return, and never from memory."
OFFER = Offer(0, {}, PROMPT)
CUT = Splits(b"<think>x</think>Fine.", 9, 9, (Variant((3,), (Text("<th"), Finish("stop")), Ending("completed")),))

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("plain text", TAGS, ["It helps, on critical thinking."], []),
    ("a leaked block", TAGS, ["<thinking>The user</thinking> Yes."], ["hidden_tag", "hidden_tag"]),
    ("a tag across chunks", TAGS, ["It helps.<thi", "nk", "ing/></thinking>"], ["hidden_tag", "hidden_tag"]),
    ("an orphan closing tag", TAGS, ["The user wants </think> Yes."], ["hidden_tag"]),
    ("STR-02: a tag never closed", TAGS, ["It helps. <think> The user"], ["hidden_tag_unclosed"]),
    ("a disguised tag", TAGS, ["It helps. &lt;th\u200bink&gt;"], ["hidden_tag_unclosed"]),
    ("a tag broken off", TAGS, ["It helps. <thin"], ["hidden_tag_partial"]),
    ("a tag in a tool's result", TAGS, [ToolResult("c", "read", True, ["<thinking>"]), ""], ["hidden_tag_unclosed"]),
    ("a tag in data", TAGS, [Data({"note": {"<private>": 1}}), "Fine."], ["hidden_tag_unclosed"]),
    ("a tag that only the model was given", TAGS, [{"given": ("<thinking>",)}, "Fine."], []),
    ("a path in a tool's arguments", PATHS, [ToolCall("c", "open", {"at": "/home/ada/x"}), "Fine."], ["private_path"]),
    ("a path in a failure", PATHS, ["Fine.", Failure("cannot read /Users/ada/x")], ["private_path"]),
    ("tools that leak nothing", PATHS, [ToolResult("c", "read", True, {"url": "https://a.org/home/x"}), "Yes."], []),
    ("no path", PATHS, ["See /paper/p1 and https://a.org/home/x."], []),
    ("a path", PATHS, ["It is in /Users/ada/map.pdf."], ["private_path"]),
    ("a path across chunks", PATHS, ["It is in /Us", "ers/ada/map.pdf."], ["private_path"]),
    ("an escaped path", PATHS, ["It is in %2Fhome%2Fada."], ["private_path"]),
    ("visible text", SEEN, ["naïve ❤️ שלום\u200f!"], []),
    ("an invisible character", SEEN, ["re\u200bad"], ["invisible_character"]),
    ("a bidirectional override", SEEN, ["if \u202eadmin"], ["bidi_control"]),
    ("both", SEEN, ["\u200b\u202e\u200b"], ["invisible_character", "bidi_control"]),
    ("a stream that finishes", WHOLE, ["Yes."], []),
    ("a stream that does not", WHOLE, ["Yes.", "unfinished"], ["stream_unfinished"]),
    ("a failure", WHOLE, ["Yes.", Failure("provider gone")], ["stream_failure"]),
    ("a violation", WHOLE, ["Yes.", Violation("invalid_utf8", "byte 3")], ["protocol_violation"]),
    ("a pattern that matches nowhere", {"patterns": ["<thinking>"]}, ["It helps."], []),
    ("a pattern that matches", {"patterns": ["<thinking>"]}, ["It <thin", "king> helps."], ["forbidden_pattern"]),
    ("at the start of any line", {"patterns": ["^/(Users|home)/"]}, ["a\r\n/home/x"], ["forbidden_pattern"]),
    ("not in the middle of a line", {"patterns": ["^/(Users|home)/"]}, ["a /home/x"], []),
    ("no key", KEYS, ["Set OPENAI_API_KEY, as in sk-… or <your key>."], []),
    ("a key", KEYS, [f"It is {KEY}."], ["secret_echo"]),
    ("a key across chunks", KEYS, ["It is ", KEY[:9], KEY[9:]], ["secret_echo"]),
    ("a mark", KEYS, ["It is REDACTED_OPENAI_API_KEY."], ["secret_echo"]),
    ("a key in a tool's result", KEYS, [ToolResult("c", "env", True, KEY), "Fine."], ["secret_echo"]),
    ("an answer of its own", PROMPTS, [OFFER, "Moss cools the shelter by 3.6 degrees."], []),
    ("a passage of the prompt", PROMPTS, [OFFER, f"My rules: {PASSAGE}"], ["system_prompt_echo"]),
    ("a passage across chunks", PROMPTS, [OFFER, PASSAGE[:20], PASSAGE[20:]], ["system_prompt_echo"]),
    ("a passage that a tool returned", PROMPTS, [OFFER, ToolResult("c", "t", True, [PASSAGE]), PASSAGE], []),
    ("a few words of it", PROMPTS, [OFFER, "Answer briefly and precisely, from what the tools return."], []),
    ("no prompt at all", PROMPTS, [{"offers": ()}, PASSAGE], []),
    ("a leak in the second answer", TAGS, [Turn(0, "a"), "Fine.", Turn(1, "b"), "<think>x"], ["hidden_tag_unclosed"]),
    ("a tag made of two answers", TAGS, [Turn(0, "a"), "See <", Turn(1, "b"), "think>"], []),
    ("one of two streams unfinished", WHOLE, [Turn(0, "a"), "Fine.", Turn(1, "b"), "Fine."], ["stream_unfinished"]),
    ("a leak for one cut of a fixture", TAGS, ["Fine.", CUT], ["hidden_tag_partial"]),
    (
        "a pattern whose match is cut by what nobody sees",
        {"patterns": ["canary-[0-9]{4}"]},
        ["It is cana\u200bry-1", "\u20602\u00ad34."],
        ["forbidden_pattern"],
    ),
    ("a pattern and a family", {"patterns": ["canary"]}, ["A can of 👩\u200d👩\u200d👧 and an aviary."], []),
    ("a pattern for one cut", {"patterns": ["<th"]}, ["Fine.", CUT], ["forbidden_pattern"]),
    ("an invariant of nobody's asks nothing", {"invariants": []}, ["<thinking>"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each invariant and pattern holds for the texts that it admits and for no others."""
    assert judged(OutputHygiene(), expectation, events) == codes


def test_chunk_boundaries_hide_nothing(make_task, make_trace):
    """Every way to cut the answer in three gives the same findings."""
    task = make_task({}, invariants=["no_hidden_tag_leak", "no_private_path_leak", "no_invisible_text"])
    text = "A<thi\u200bnk>/home/x"
    whole = list(OutputHygiene().broken(task, make_trace(text)))
    assert {unmet.code for unmet in whole} == {"hidden_tag_unclosed", "private_path", "invisible_character"}
    for first, second in combinations(range(len(text) + 1), 2):
        pieces = make_trace(text[:first], text[first:second], text[second:])
        assert list(OutputHygiene().broken(task, pieces)) == whole


def test_a_finding_points_at_the_invariant_and_shows_the_place(make_task, make_trace):
    """The line is that of the invariant's name; what nobody would see is escaped in the excerpt."""
    task = make_task({}, invariants=["stream_complete", "no_hidden_tag_leak"])
    (unmet,) = OutputHygiene().broken(task, make_trace("It helps.\u200b</think>"))
    assert unmet.path == ("expect", "required_invariants", 1)
    assert unmet.message == "the user sees the hidden tag 'think'"
    assert unmet.got == "It helps.\\u200b</think>"


def test_a_finding_says_which_event_holds_the_leak(make_task, make_trace):
    """Patterns and keys are looked for in all that the stream sends, and the message names the event."""
    task = make_task(invariants=["no_secret_echo"], patterns=["HB-[0-9]+"])
    trace = make_trace("Fine.", ToolResult("c", "read", True, {"note": "HB-2231", "key": KEY}))
    found = [one.message for one in OutputHygiene().broken(task, trace)]
    assert [message.split(": ")[0] for message in found] == ["event 2 (the result of 'read')"] * 2
    assert not any(KEY in message for message in found)


def test_a_key_is_named_and_never_shown(make_task, make_trace):
    """The finding holds the rule and a fingerprint: a report is read by more people than an answer."""
    task = make_task({}, invariants=["no_secret_echo"])
    (unmet,) = OutputHygiene().broken(task, make_trace(f"It is {KEY}."))
    assert KEY not in repr(unmet)
    assert "GitHub" in unmet.message


def test_one_answer_of_several_is_named(make_task, make_trace):
    """The message says in which of them, or at which cut, the leak is."""
    task = make_task({}, invariants=["no_hidden_tag_leak"])
    (unmet,) = OutputHygiene().broken(task, make_trace(Turn(0, "a"), "Fine.", Turn(1, "b"), "</think>"))
    assert unmet.message == "answer 2: the user sees the hidden tag 'think'"
    (unmet,) = OutputHygiene().broken(task, make_trace("Fine.", splits=CUT))
    assert unmet.message.startswith("cut at byte 3: what the user sees breaks off")


def test_prompts_that_nobody_read_are_not_judged(make_task, make_trace):
    """What is not in the trace must not pass for what is not in the answer."""
    task = make_task({}, invariants=["no_system_prompt_echo"])
    assert list(OutputHygiene().needs(task)) == ["offers"]
    with pytest.raises(NotJudged, match="no system prompts"):
        list(OutputHygiene().broken(task, make_trace("Fine.")))
    asked = Exchange(0, "model", "POST", "/chat", 200, 0, 9, 9)
    for offers in ((), (Offer(0, {}, ""),)):
        with pytest.raises(NotJudged, match="no recorded request holds a system prompt"):
            list(OutputHygiene().broken(task, make_trace("Fine.", exchanges=(asked,), offers=offers)))
        assert list(OutputHygiene().broken(task, make_trace("Fine.", exchanges=(), offers=()))) == []


def test_many_leaks_are_said_with_their_number(make_task, make_trace):
    """A report of a thousand leaked lines stays readable and hides none."""
    task = make_task({}, invariants=["no_private_path_leak"])
    found = list(OutputHygiene().broken(task, make_trace("/tmp/x\n" * 1000)))
    assert len(found) == MOST + 1
    assert found[-1].message == f"and {1000 - MOST} more of these"


@pytest.mark.parametrize(
    ("invariant", "events", "final"),
    [
        ("no_hidden_tag_leak", ["<think>"], True),
        ("no_hidden_tag_leak", ["a </think>"], True),
        ("no_hidden_tag_leak", ["a <thi"], False),
        ("no_hidden_tag_leak", ["a <think"], False),
        ("no_private_path_leak", ["/tmp/x"], True),
        ("no_invisible_text", ["👩\u200d"], False),
        ("no_invisible_text", ["\u200b"], True),
        ("no_invisible_text", ["ไทย\u200b"], False),
        ("stream_complete", ["unfinished"], False),
        ("stream_complete", [Failure("gone")], False),
    ],
)
def test_what_was_shown_is_final_and_how_it_ended_is_not(make_task, make_trace, invariant, events, final):
    """A leak cannot be taken back; a stream that ends in a failure after a miss might have ended well without it."""
    task = make_task({}, invariants=[invariant])
    trace = make_trace(*(event for event in events if event != "unfinished"), finish="unfinished" not in events)
    assert [unmet.final for unmet in OutputHygiene().broken(task, trace)] == [final]


@pytest.mark.parametrize(("pattern", "final"), [("canary", True), ("ary$", False), (r"ary\b", False), ("y", True)])
def test_a_match_that_hangs_on_the_end_of_the_text_is_not_final(make_task, make_trace, pattern, final):
    """`$` and `\\b` at the end of the text may fail once the text goes on."""
    task = make_task({}, patterns=[pattern])
    assert [unmet.final for unmet in OutputHygiene().broken(task, make_trace("the canary"))] == [final]


@pytest.mark.parametrize(
    ("patterns", "codes"),
    [
        (["(?=x)"], ["bad_pattern"]),
        (["x*"], ["vacuous_pattern"]),
        (["a", "a"], ["duplicate_entry"]),
        (["<thinking>", "<private>", "^/(Users|home|var|tmp)/"], []),
    ],
)
def test_unusable_patterns_are_found_at_load(make_task, patterns, codes):
    """TAS-06 and TAS-08, at the line of the pattern."""
    task = make_task({}, patterns=patterns, lines={("expect", "forbidden_patterns", len(patterns) - 1): 33})
    problems = list(OutputHygiene().problems(task))
    assert [problem.code for problem in problems] == codes
    assert all(problem.line == 33 for problem in problems)
