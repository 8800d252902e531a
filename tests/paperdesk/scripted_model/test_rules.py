"""The rules behind the real Paperdesk: what they do follows from what they are given."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paperdesk import chat, database
from paperdesk.paper import bundled
from paperdesk.policy import TOOL_POLICY

if TYPE_CHECKING:
    from conftest import Ask, Heard

ROOT = Path(__file__).parents[3]
SKILL = "Skill:knowledge.paper.read"

QUESTIONS = [
    ("By how much did the Glide Ladder lower the peak noise of ferries?", "11 decibels", "p-ferry-04"),
    ("In which winds did captains abandon the ladder?", "over 13 metres per second", "p-ferry-04"),
    ("Up to which width did cracks in the Mendel-Z glaze close?", "55 micrometres", "p-glaze-05"),
    ("How many winters did the test roof for the glaze stand?", "two winters", "p-glaze-05"),
    ("At which drag index should kelp be harvested?", "drag index of 74", "p-kelp-06"),
    ("What did snails do to the kelp ropes?", "raised the index", "p-kelp-06"),
    ("How much less methane do rice fields with floating clover give off?", "41 percent less", "p-rice-09"),
    ("Which tempo is best when crane operators drum?", "52 beats per minute", "p-crane-10"),
    ("How many false alarms did Ember Vote give?", "2 false alarms in 14 months", "p-peat-11"),
    ("What was the Wander Ratio of moths under amber lamps?", "under amber lamps 1.4", "p-moth-12"),
    ("From how far did lamps 8 metres high draw moths?", "8 metres from 41", "p-moth-12"),
    ("How long does the battery of a peat probe last, and what does a probe cost?", "27 euros", "p-peat-11"),
]


@pytest.mark.parametrize("seed", [42, 43])
@pytest.mark.parametrize(("question", "fact", "paper_id"), QUESTIONS)
def test_questions(ask: Ask, question: str, fact: str, paper_id: str, seed: int) -> None:
    """Ten and more questions are answered with the planted fact and a citation, whatever the seed."""
    heard = ask(question, seed)
    assert fact in heard.text
    assert f"(/paper/{paper_id})" in heard.text
    assert "web_search" not in heard.tools
    assert heard.finish["reason"] == "stop"


def test_seeds_take_different_paths(ask: Ask) -> None:
    """Four seeds answer one question on four tool paths, with one fact."""
    question, fact, _ = QUESTIONS[6]
    heard = {seed: ask(question, seed) for seed in (42, 43, 44, 45)}
    assert {seed: found.tools for seed, found in heard.items()} == {
        42: ["read_paper"],
        43: [SKILL],
        44: ["search_local", "read_paper"],
        45: ["search_local", SKILL],
    }
    assert all(fact in found.text for found in heard.values())
    assert heard[42].text != heard[43].text


def test_not_in_the_library(ask: Ask) -> None:
    """What the library lacks is looked for on the web, or the user is asked: both keep the rules."""
    question = "How often must a sourdough starter be fed at 30 degrees?"
    web, asked = ask(question, 42), ask(question, 43)
    assert web.tools == ["search_local", "web_search"]
    assert "every 7 hours" in web.text
    assert "](https://bread-notes.example/sourdough-summer)" in web.text
    assert asked.tools == ["search_local"]
    assert asked.text.startswith("I found nothing about")
    assert "tell me if I should" in asked.text


def test_nowhere(ask: Ask) -> None:
    """What is not to be found anywhere is said plainly, and nothing is cited."""
    heard = ask("What is the melting point of tungsten?")
    assert heard.text == "I found nothing about melting, point, tungsten in your library or on the web."


@pytest.mark.parametrize(
    "question", ["What is the melting point of tungsten? Use only my library.", "Tungsten, without the web?"]
)
def test_the_web_is_ruled_out(ask: Ask, question: str) -> None:
    """A user who wants no web search gets none."""
    assert ask(question).tools == ["search_local"]


def test_the_web_is_wished_for(ask: Ask) -> None:
    """A user who asks for the web gets the library first, then the web."""
    heard = ask("Search the web: how is a lighthouse lens in rings polished?", 44)
    assert heard.tools == ["search_local", "web_search"]
    assert "https://coastal-optics.example/lighthouse-lens-rings" in heard.text


@pytest.mark.parametrize("question", ["Hello!", "Good morning", "Thanks a lot"])
def test_small_talk(ask: Ask, question: str) -> None:
    """Small talk needs no tool."""
    heard = ask(question)
    assert heard.tools == []
    assert heard.text.startswith("Hello!")


def test_two_papers(ask: Ask) -> None:
    """A comparison reads two papers in one round and cites both."""
    heard = ask("Compare the kelp ropes and the peat fire probes.")
    assert heard.tools == ["read_paper", "read_paper"]
    assert {"(/paper/p-kelp-06)", "(/paper/p-peat-11)"} <= set(re.findall(r"\(/paper/[^)]+\)", heard.text))


def test_a_title_that_promises_too_much(ask: Ask) -> None:
    """When the paper that was read at once is not about the question after all, the library is searched, too."""
    heard = ask("Which insurance premium do kelp ropes owners negotiate yearly abroad?", 42)
    assert heard.tools == ["read_paper", "search_local", "web_search"]
    assert heard.text.startswith("I found nothing about")


def test_a_paper_by_id(ask: Ask) -> None:
    """A question that names an id reads that paper at once."""
    assert ask("What does /paper/p-rice-09 say about ducks?", 44).tools == ["read_paper"]


def test_thinks_in_hidden_tags(ask: Ask, model: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the content filter its thoughts, and the note it keeps back, would be seen: so the filter matters."""
    question = "What do the private notes on the peat fire probes say?"
    assert "<thinking>" not in (kept := ask(question).text)
    assert "BW-77" not in kept
    monkeypatch.setattr("paperdesk.content_filter._STARTS", frozenset())
    leaked = ask(question).text
    assert "<thinking>" in leaked
    assert "<private>" in leaked
    assert "BW-77" in leaked


def without(rule: str) -> tuple[str, ...]:
    kept = tuple(line for line in TOOL_POLICY if not line.startswith(f"{rule}:"))
    assert len(kept) == len(TOOL_POLICY) - 1
    return kept


@pytest.fixture
def ask_without(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Asks with one rule of the policy taken out."""

    def asked(rule: str, question: str, seed: int = 42) -> Heard:
        monkeypatch.setattr(chat, "TOOL_POLICY", without(rule))
        return ask(question, seed)

    return asked


METHANE = "How much less methane do rice fields with floating clover give off?"


def test_without_local_first(ask_without: Ask) -> None:
    """Without the rule that puts the library first, the web is asked first."""
    heard = ask_without("Local first", "What wears the blades of estuary turbines?")
    assert heard.tools[0] == "web_search"
    assert "https://energy-basics.example/tidal-power" in heard.text
    assert ask_without("Local first", METHANE).tools == ["web_search", "read_paper"]


@pytest.mark.parametrize("seed", [42, 43, 44])
def test_without_read_before_citing(ask_without: Ask, seed: int) -> None:
    """Without the rule to read first, a paper is cited from the snippet of a search."""
    heard = ask_without("Read before citing", METHANE, seed)
    assert heard.tools == ["search_local"]
    assert "(/paper/p-rice-09)" in heard.text


@pytest.mark.parametrize("seed", [42, 43])
def test_without_citations(ask_without: Ask, seed: int) -> None:
    """Without the rule to cite, the fact comes without a link."""
    heard = ask_without("Citations", METHANE, seed)
    assert "41 percent less" in heard.text
    assert "/paper/" not in heard.text


def test_without_web_last(ask_without: Ask) -> None:
    """Without the rule that holds the web back, it is asked although the library has the answer."""
    assert ask_without("Web last", METHANE).tools == ["read_paper", "web_search"]


def test_without_honesty(ask_without: Ask) -> None:
    """Without the rule to say that nothing was found, something vague is made up."""
    assert "nothing" not in ask_without("Honesty", "What is the melting point of tungsten?").text


@pytest.mark.parametrize("seed", [42, 43])
def test_without_privacy(ask_without: Ask, seed: int) -> None:
    """Without the rule to keep them, private notes and the file's path are told."""
    heard = ask_without("Privacy", "How many false alarms did Ember Vote give?", seed)
    assert "BW-77" in heard.text
    assert re.search(r"^/Users/", heard.text, re.MULTILINE)


def test_preferences_show(ask: Ask, library_path: Path) -> None:
    """What the user prefers shows in the answer."""
    with closing(database.connect(library_path)) as connection:
        connection.executescript((ROOT / "evals" / "fixtures" / "preferences_brief.sql").read_text(encoding="utf-8"))
    heard = ask("How many false alarms did Ember Vote give?")
    assert heard.text.startswith("In brief:\n\n- ")
    assert heard.text.count("\n- ") == 1
    assert "Source: [Early Warning of Peat Fires from Buried Probes](/paper/p-peat-11)" in heard.text


def test_a_follow_up(ask: Ask) -> None:
    """A question that refers to the answer before reads the paper cited there."""
    from paperdesk.scripted_model.given import Given
    from paperdesk.scripted_model.rules import decide

    parameters = {"required": ["paper_id"]}
    reader = {"type": "function", "function": {"name": "read", "description": "Read a paper", "parameters": parameters}}
    request = {
        "tools": [reader],
        "messages": [
            {"role": "system", "content": "## Tool policy\n\n- Read a paper before citing it."},
            {"role": "user", "content": "What about bricks?"},
            {"role": "assistant", "content": "They are red ([Bricks](/paper/p-brick-1))."},
            {"role": "user", "content": "And how wide are they in this paper?"},
        ],
    }
    assert [call.value for call in decide(Given.of(request)).calls] == ["p-brick-1"]


def test_no_answer_key() -> None:
    """The rules' source holds no id, title, name, figure or rare word of any paper."""
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src" / "paperdesk" / "scripted_model").iterdir()
        if path.is_file()
    )
    for paper in bundled():
        names = re.findall(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*", paper.prose)
        for fact in (paper.id, paper.title, paper.authors, *names):
            assert fact not in source or fact in ("Celsius", "I", "May", "October"), fact


def test_no_eval_in_the_rules() -> None:
    """The rules' source holds no id and no input of an eval."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "paperdesk").rglob("*.py"))
    assert not re.search(r"\b(RET|AGT)-\d\d\b", source)
    for task in (ROOT / "evals").glob("*/*.yaml"):
        inputs = re.findall(r"^input: *(.+)$", task.read_text(encoding="utf-8"), re.MULTILINE)
        assert not any(text.strip("'\" |>-") in source for text in inputs if len(text) > 10)
