"""The comment on a pull request."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import cmarkgfm
import pytest
from markdown_it import MarkdownIt

from tapegate.model.diff import Compared, Diff, Kind, Stratum, StratumStatistics
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import comment, markdown

EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
RENDERERS: dict[str, Callable[[str], str]] = {
    # GitHub's own parser, raw HTML left in: what it hides would hide what got through.
    "cmark-gfm": lambda text: cmarkgfm.markdown_to_html_with_extensions(
        text, cmarkgfm.Options.CMARK_OPT_UNSAFE, EXTENSIONS
    ),
    "markdown-it": MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render,
}


class Rendered(HTMLParser):
    """What a browser would be given: elements in order, and the text that stands in no code."""

    def __init__(self, text: str, renderer: str = "cmark-gfm") -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.prose = ""
        self.comments = 0
        self._code = 0
        self.feed(RENDERERS[renderer](text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.tags.append(tag)
        self.attributes |= {f"{name}={value}" for name, value in attrs}
        self._code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        """Code ends."""
        self._code -= tag == "code"

    def handle_data(self, data: str) -> None:
        """Text in code is inert on GitHub."""
        self.prose += "" if self._code else data

    def handle_comment(self, data: str) -> None:
        """There must be none."""
        self.comments += 1


TOKEN = "zqj"
PIECES = [
    *("@octocat", "@org/team", "#1", "closes #2", "GH-3", "org/repo#4", "a" * 40, ":shipit:", "evil@example.com"),
    *("https://evil.example/x", "www.evil.example", "<https://evil.example>", "[x]: https://evil.example"),
    *("![x](https://evil.example/x.png)", "[x](javascript:alert(1))", "<img src=x onerror=alert(1)>"),
    *("<script>alert(1)</script>", "<!--", "-->", "</details>", "<details open>", "</summary>", "<b>", "&lt;b&gt;"),
    *("`", "``", "```", "````", "~~~", "```text", "| a | b |", "|", "\\|", "---", "===", "\\", "\\`", "$x$", "$$x$$"),
    *("# head", "> quote", "- [x] item", "1. item", "*a*", "**a**", "__a__", "~~a~~", "    ", ": ", "::error::x"),
    *("##[error]", "\n", "\n\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m", "\u202e", "\u2066", "\u200b", "\u2028"),
    *("\u2029", "\u00ad", "\ufeff", "\U000e0041", "\ud800", "\u3164"),
]


def hostile(number: int) -> str:
    """One of many texts that try to be more than text."""
    chosen = random.Random(number)
    return TOKEN + "".join(chosen.choice([*PIECES, TOKEN, " "]) for _ in range(chosen.randint(1, 12))) + TOKEN


def told(diff: Diff, run: Run, text: str) -> str:
    """The comment of a comparison and a run in which a text stands everywhere."""
    tasks = []
    for task in run.tasks:
        findings = tuple(
            replace(one, message=text, got=text, expected=text, fix=text, code=f"code{text}") for one in task.findings
        )
        trial = replace(task.trials[0], findings=findings, tool_path=(text,))
        tasks.append(replace(task, trials=(trial,), outcome_names=(text, text), file=text))
    gate = replace(run.gate, reasons=(text,))
    hard = replace(run, profile=text, tasks=tuple(tasks), gate=gate)
    return comment.render(diff, hard, digest=text)


@pytest.fixture(scope="module")
def benign(hostile_diff: Callable[[str], Diff]) -> Diff:
    """What the same comparison looks like with a harmless text."""
    return hostile_diff(TOKEN)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("start", range(0, 200, 100))
def test_no_text_of_a_stranger_is_more_than_text(
    start: int, renderer: str, benign: Diff, hostile_diff: Any, failed: Run
) -> None:
    """Of 200 texts none makes an element, leaves its code, or hides a character from the reader."""
    plain = Rendered(told(benign, failed, TOKEN), renderer)
    assert {"h2", "h3", "h4", "pre", "table", "details", "summary"} <= set(plain.tags)
    for number in range(start, start + 100):
        text = hostile(number)
        source = told(hostile_diff(text), failed, text)
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\x7f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\ud800-\udfff]", source
        )
        shown = Rendered(source, renderer)
        assert TOKEN not in shown.prose, text
        assert shown.tags == plain.tags, text
        assert shown.attributes <= {
            *("class=language-text", "class=language-diff", "style=text-align:right", "align=right"),
        }
        assert shown.comments == 0


@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_renderer_would_show_what_is_not_inert(renderer: str) -> None:
    """The check is a check: the same texts, put in as they are, do make elements and leave code."""
    texts = [hostile(number).encode("utf-8", "replace").decode() for number in range(200)]
    found = [Rendered(f"### {text}\n\n- {text}\n", renderer) for text in texts]
    assert sum(TOKEN in one.prose for one in found) > 150
    assert {"a", "img"} <= {tag for one in found for tag in one.tags}


def test_a_summary_is_as_inert(failed: Run) -> None:
    """So is the step summary, which shows the same findings."""
    for number in range(60):
        text = hostile(number)
        found = tuple(replace(one, message=text, got=text, expected=text, fix=text) for one in failed.tasks[2].findings)
        task = replace(failed.tasks[2], trials=(replace(failed.tasks[2].trials[0], findings=found, tool_path=(text,)),))
        shown = Rendered(markdown.render(replace(failed, tasks=(task,), gate=Gate(False, 1, (text,))), "sha256:0"))
        assert TOKEN not in shown.prose, text
        assert set(shown.tags) & {"a", "img", "script", "b"} == set()


def test_one_line_says_whether_it_is_safe(failed: Run, regressed: Diff) -> None:
    """Before anything else."""
    assert comment.render(regressed, failed).split("\n")[:3] == [
        "## Tapegate: not safe to merge",
        "",
        "**1 task passed before and fails now; 1 task is stale now and must be recorded again.**",
    ]


def test_the_most_important_comes_first(failed: Run, hostile_diff: Any) -> None:
    """Regressions, what passes by a changed contract, stale, improved, not comparable, budgets; then what is folded."""
    text = comment.render(hostile_diff("x"), failed)
    headings = re.findall(r"^###? (.+)|<summary>(.+)</summary>", text, re.MULTILINE)
    assert [first or second for first, second in headings] == [
        "Tapegate: not safe to merge",
        "Regressions (1)",
        "Pass only because their contract changed (1)",
        "Stale (1): record again",
        "Improved (1)",
        "Not comparable (1)",
        "Not passing, as before or new (2)",
        "Budgets (1)",
        "Numbers",
    ]


def test_without_a_base_it_says_so(failed: Run, passed: Run) -> None:
    """The run alone: what fails, or that there is nothing to compare with."""
    text = comment.render(None, failed)
    assert "not safe to merge" in text
    assert "### Not passing (2)" in text
    assert "there is no base to compare with" in comment.render(None, passed)


def test_a_base_that_could_not_run_is_said_first(passed: Run, regressed: Diff) -> None:
    """Never guessed: the headline says that nobody knows."""
    base = Compared("main", "b" * 40, "", 0, None, None, None, problem="evals: missing_config")
    diff = replace(regressed, base=base, tasks=(), transitions=(), gate=Gate(False, 3, ("base could not be run",)))
    text = comment.render(diff, passed)
    assert text.startswith(
        "## Tapegate: not known to be safe\n\n**The comparison is unavailable: base could not be run.**"
    )
    assert "- Base `main` `bbbbbbbbbbbb` could not be run: `evals: missing_config`" in text


@pytest.mark.parametrize("most", [60_000, 20_000, 6_000])
def test_a_long_comment_is_cut_between_tasks_and_stays_whole(most: int, hostile_diff: Any, failed: Run) -> None:
    """Within its bytes, every fence and fold closed, regressions kept longest, and it says how many it leaves out."""
    one = hostile_diff("x" * 900)
    broken = next(task for task in one.tasks if task.kind is Kind.REGRESSION)
    many = tuple(replace(broken, key=f"RET-{n:04}@A1", base_key=f"RET-{n:04}@A1") for n in range(400))
    text = comment.render(replace(one, tasks=(*many, *one.tasks)), failed, most_bytes=most)
    assert len(text.encode()) <= most
    shown = Rendered(text)
    assert shown.tags.count("details") == text.count("</details>")
    assert "### Regressions (401)" in text
    assert re.search(r"… and [\d,]+ more; the report has them all", text)
    assert text.count("```") % 2 == 0


def test_a_verdict_that_needs_a_person_is_safe_and_said(passed: Run, regressed: Diff) -> None:
    """What shows and does not block stands in the first line."""
    task = replace(next(one for one in regressed.tasks if one.key.startswith("AGT")), head_verdict=Verdict.NEEDS_REVIEW)
    diff = replace(regressed, tasks=(task,), gate=Gate(True, 0, ()))
    assert "**The gate passes. To look at: 1 task needs review now.**" in comment.render(diff, passed)


def test_a_task_that_turned_between_verdicts_says_so(passed: Run, regressed: Diff) -> None:
    """From stale to failed is no regression, and not the same verdict either."""
    task = replace(next(one for one in regressed.tasks if one.trials), base_verdict=Verdict.STALE)
    text = comment.render(replace(regressed, tasks=(task,)), passed)
    assert "<summary>Other behaviour (1)</summary>\n\n- `RET-02@A1`: stale → fail; " in text


def test_what_head_has_no_recording_for_was_not_recorded_again(failed: Run, regressed: Diff) -> None:
    """A recording that is gone or cannot be used is not listed as recorded anew; a new name says the old one."""
    changed = next(task for task in regressed.tasks if task.trials)
    again = replace(changed, stratum=Stratum.RE_RECORDED, base_key="RET-00@A1")
    told = (StratumStatistics(Stratum.RE_RECORDED, 1, None, (), ()),)
    diff = replace(regressed, tasks=(again,), statistics=told)
    text = comment.render(diff, failed)
    assert "- Re-recorded: 1 task: `RET-02@A1`\n" in text
    assert "#### `RET-02@A1` pass → fail (was `RET-00@A1`)\n" in text
    gone = tuple(replace(task, trials=(replace(task.trials[0], cassette_sha256=None),)) for task in failed.tasks)
    assert "- Re-recorded" not in comment.render(diff, replace(failed, tasks=gone))


def test_what_does_not_fit_of_changed_tasks_is_counted(regressed: Diff) -> None:
    """A thousand tasks that do the same for other tokens, in however little room: all are counted."""
    changed = next(task for task in regressed.tasks if task.trials)
    trial = replace(changed.trials[0], base_verdict=Verdict.PASS, head_verdict=Verdict.PASS)
    tasks = tuple(
        replace(changed, key=f"T-{n:04}@A1", base_key=f"T-{n:04}@A1", head_verdict=Verdict.PASS, trials=(trial,))
        for n in range(1_000)
    )
    assert {task.kind for task in tasks} == {Kind.CHANGED}
    for room in (60_000, 3_000):
        text = comment.render(replace(regressed, tasks=tasks), None, most_bytes=room)
        listed = len(re.findall(r"^- `T-\d{4}@A1`", text, re.MULTILINE))
        told = re.search(r"… and ([\d,]+) more; the report", text)
        assert told is not None
        assert listed + int(told[1].replace(",", "")) == 1_000
