"""Hidden tags under their disguises."""

from __future__ import annotations

from itertools import combinations

import pytest

from tapegate.oracles.hidden_tags import hidden_tags, unclosed

SMUGGLED = "".join(chr(0xE0000 + ord(char)) for char in "<thinking>")

DISGUISES = {
    "plain": "<thinking>",
    "closing": "</thinking>",
    "capitals": "<THINKING>",
    "mixed case": "<tHiNkInG>",
    "spaces inside the brackets": "< thinking >",
    "a space after the slash": "</ thinking>",
    "line breaks inside the brackets": "<\nthinking\n>",
    "no-break space": "<\u00a0thinking>",
    "self-closing": "<thinking/>",
    "an attribute": '<thinking budget="1024">',
    "never closed by its bracket": "<thinking\nThe user wants",
    "full-width brackets": "＜thinking＞",
    "full-width letters": "<ｔｈｉｎｋｉｎｇ>",
    "small brackets": "﹤thinking﹥",
    "mathematical letters": "<𝐭𝐡𝐢𝐧𝐤𝐢𝐧𝐠>",
    "circled letters": "<ⓣⓗⓘⓝⓚⓘⓝⓖ>",
    "small capitals": "<ᴛʜɪɴᴋɪɴɢ>",
    "zero-width space": "<th\u200binking>",
    "zero-width joiner": "<thi\u200dnking>",
    "word joiner": "<thin\u2060king>",
    "soft hyphen": "<\u00adthin\u00adking>",
    "byte order mark": "<\ufeffthinking>",
    "variation selector": "<th\ufe0finking>",
    "bidi override": "<\u202ethinking>",
    "Hangul filler": "<\u115fthinking>",
    "control character": "<think\x08ing>",
    "tag characters between the letters": "<th\U000e0061inking>",
    "tag characters alone": SMUGGLED,
    "accents": "<thínkïng>",
    "struck through": "<t\u0336h\u0336i\u0336n\u0336k\u0336>",
    "Cyrillic letters": "<thіnkіng>",
    "Greek letters": "<τhιnkιng>",
    "named entities": "&lt;thinking&gt;",
    "entities without semicolon": "&ltthinking&gt",
    "decimal entities": "&#60;thinking&#62;",
    "hexadecimal entities": "&#x3C;thinking&#x3E;",
    "a letter as an entity": "<th&#105;nking>",
    "a soft hyphen as an entity": "<th&shy;inking>",
    "entities escaped twice": "&amp;lt;thinking&amp;gt;",
    "percent escapes": "%3Cthinking%3E",
    "JSON escapes": "\\u003cthinking\\u003e",
    "hexadecimal escapes": "\\x3cthinking\\x3e",
    "Markdown escapes": "\\<thinking\\>",
    "spaced letters": "<t h i n k i n g>",
    "emphasis": "<**thinking**>",
    "a comment inside": "<th<!-- -->inking>",
    "pipes": "<|thinking|>",
    "angle brackets of other scripts": "⟨thinking⟩",
    "triangles": "◁think▷",
    "a model's prefix": "<deepseek_thought>",
    "a model's prefix with a digit": "<M2_7think>",
    "a namespace": "<agent:thinking>",
    "an attribute without a value": "<thinking hidden>",
    "an attribute without a value, self-closing": "<think hidden/>",
    "a text for an attribute": "<think 'a'>",
    "square brackets, as Mistral opens it": "[THINK]",
    "a suffix": "<reasoning_content>",
    "a suffix with a hyphen": "<thinking-mode>",
    "another suffix": "<thought_process>",
    "a number": "<think2>",
    "a channel of Harmony": "<|channel|>",
    "quotation marks of other languages": "«thinking»",
    "quotation marks, closing": "«/thinking»",
    "square brackets, closing": "[/THINK]",
    "the rest of a closing tag": " /thinking>",
    "another name": "<private>",
    "an underscore in a name": "<scratch_pad>",
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_a_disguised_tag_is_found(disguise):
    """STR-14: each spelling that a person, a browser or a model would still read as a tag is one tag."""
    text = f"It helps. {disguise} So yes."
    (tag,) = hidden_tags(text)
    assert text[tag.start : tag.end].strip() in f"{disguise} So yes."
    assert disguise.strip().startswith(text[tag.start : tag.end].strip()[:5])
    assert not tag.partial


@pytest.mark.parametrize(
    "name",
    [
        *("thinking", "think", "thoughts", "thought", "antthinking", "reasoning", "reasoning_scratchpad", "scratchpad"),
        *("reflection", "monologue", "inner_monologue", "private", "internal", "hidden", "system_prompt"),
        "system-reminder",
    ],
)
def test_every_name_is_found_open_and_closed(name):
    """The opening and the closing tag of each name are told apart."""
    tags = hidden_tags(f"a <{name}> b </{name}> c")
    assert [(tag.name, tag.closing) for tag in tags] == [(name, False), (name, True)]


@pytest.mark.parametrize(
    "text",
    [
        "critical thinking > doing",
        "a < b and b > c",
        "x<y, y>z",
        "s<t",
        "<thinker> <privateer> <title>",
        "<b>think</b> <i>private</i>",
        "<private-key> <private key>",
        "[thinking] aloud and [think] twice",
        "<think about it> <thinking out loud> <internal server error> <hidden field> <private-key-2>",
        "« private » et «private», «hidden» et «internal»",
        "a TV <channel> and the |channel|",
        "[1] [THINKER] [PRIVATE]",
        "https://a.org/think and <https://a.org/think>",
        "path/private/x",
        "&amp; &lt; &copy; 100%",
        "Vec<String> and 5 </ 3",
        "the thinking, private",
        "≮ thinking",
        "",
    ],
)
def test_ordinary_text_holds_no_tag(text):
    """A tag needs its brackets and its whole name."""
    assert hidden_tags(text) == []


@pytest.mark.parametrize(
    ("text", "name", "closing"),
    [
        ("It helps <th", "thinking", False),
        ("It helps <thinkin", "thinking", False),
        ("It helps </p", "private", True),
        ("It helps &lt;pri", "private", False),
        ("It helps <\u200bthi", "thinking", False),
        ("It helps <thinking hid", "thinking", False),
        ("It helps <thinking budget", "thinking", False),
        ("It helps <private hid", "private", False),
    ],
)
def test_a_tag_that_the_text_breaks_off_in_is_partial(text, name, closing):
    """What a filter let through at the end of the stream is found, before it could become a whole tag."""
    (tag,) = hidden_tags(text)
    assert (tag.name, tag.closing, tag.partial, tag.start) == (name, closing, True, 9)


@pytest.mark.parametrize(
    "text", ["if s <t", "a <", "my <private key", "<think about", "x </", "5 <b", "<thx", "<https://a.org"]
)
def test_the_end_of_an_ordinary_text_is_no_partial_tag(text):
    """One letter after a bracket is mathematics, and other letters are another tag."""
    assert hidden_tags(text) == []


def test_a_name_at_the_very_end_may_still_become_another_word():
    """`<thinking` could go on as `<thinkings`, so it is a part of a tag until the bracket comes."""
    (tag,) = hidden_tags("It helps <thinking")
    assert (tag.name, tag.partial) == ("thinking", True)


def test_an_opening_tag_is_closed_by_its_own_closing_tag():
    """Nesting and order are respected; another name closes nothing."""
    tags = hidden_tags("<think>a<private>b</think>c")
    assert unclosed(tags) == {8}
    assert unclosed(hidden_tags("</think> <think>")) == {9}
    assert unclosed(hidden_tags("<think hidden>a</think>b<reasoning_content>c</reasoning_content>")) == set()
    assert unclosed(hidden_tags("<think><think></think></think>")) == set()


def test_joined_chunks_hide_nothing():
    """STR-01: whatever the chunks were, the tag is found, since the joined text is what is looked at."""
    text = "Yes.<th\u200bink>no</think>"
    expected = hidden_tags(text)
    for first, second in combinations(range(len(text) + 1), 2):
        assert hidden_tags("".join([text[:first], text[first:second], text[second:]])) == expected
    assert len(expected) == 2


@pytest.mark.parametrize(
    "piece",
    ["<", "</", "< t h", "&lt;", "&amp;", "%3C", "\\u003c", "<!--", "\u200b", "é", "<think", "t\u0336", "\U000e003c"],
)
def test_no_text_makes_the_search_slow(piece):
    """The work grows with the length of the text (no assertion on time: it would not end)."""
    assert isinstance(hidden_tags(piece * 20_000), list)
