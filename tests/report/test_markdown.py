"""The report as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import markdown

FAILED = """\
## Tapegate: failed

3 tasks: 1 passed, 1 failed, 1 stale.

- `1 task failed: RET-02@A1`

### fail: `RET-02@A1`

```text
citation_contract · too_few_local_citations
evals/retrieval/RET-02@A1.yaml:21
The answer cites too few local papers.
expected  at least 1 link to /paper/{id}
got       none
```

### stale: `AGT-08@A1`

```text
replay · prompt_changed
evals/retrieval/AGT-08@A1.yaml:1
the system prompt changed
  messages[0].content:
    -Local first.
    +Web first.
fix       tapegate record AGT-08@A1 --stale
```

| task | verdict | tools | tokens | as recorded |
| --- | --- | --- | ---: | ---: |
| `RET-02@A1` | fail | `search_local → read_paper` | 1,234 | 1.3 s |
| `AGT-08@A1` | stale | `no tools` | 1,234 | 1.3 s |
| `RET-01@A1` | pass | `search_local → read_paper` | 1,234 | 1.3 s |

Release readiness: inconclusive (aggregate, pass_rate, faithfulness_failure_rate) · 3 samples, 0 scored · fewer than 20.

Profile `pr` · exit code 1 · digest `sha256:0`
"""


def test_the_summary_leads_with_what_matters(failed: Run) -> None:
    """Verdict, reasons, what failed, then the table."""
    assert markdown.render(failed, "sha256:0") == FAILED


def test_a_summary_too_long_is_cut_between_tasks(make_task: Any, make_finding: Any) -> None:
    """Thousands of failures leave a summary within GitHub's limit, whole, which says how many it leaves out."""
    big = make_finding(message="x" * 20_000)
    tasks = tuple(make_task(f"T-{n:03}@A1", Verdict.FAIL, big) for n in range(80))
    text = markdown.render(Run("pr", False, tasks, Gate(False, 1, ())), "sha256:0")
    assert len(text.encode()) <= markdown.MOST_BYTES
    assert "more tasks are in `results.json`" in text
    assert text.count("```") % 2 == 0
    assert text.count("| fail |") == 80


def test_tool_names_cannot_break_the_table(failed: Run, make_task: Any) -> None:
    """A tool that the agent named to break the table stays in its cell."""
    hostile = make_task("RET-09@A1", Verdict.FAIL, tool_path=("a|b`c\nd\u202e",))
    text = markdown.render(replace(failed, tasks=(hostile,)), "sha256:0")
    row = next(line for line in text.split("\n") if line.startswith("| `RET-09"))
    assert row.count("|") == 6
    assert "\u202e" not in row


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_a_table_too_long_is_cut_between_rows(make_task: Any, make_finding: Any, verdict: Verdict) -> None:
    """Thousands of tasks of many calls stay within the limit, the worst first, and the rest is counted."""
    path = tuple(f"tool_number_{n}" for n in range(150))
    long = "x" * 3_000
    tasks = tuple(make_task(f"T-{n:05}@A1", verdict, make_finding(message=long), tool_path=path) for n in range(5_000))
    worst = make_task("Z-1@A1", Verdict.FAIL, make_finding())
    text = markdown.render(Run("pr", False, (*tasks, worst), Gate(False, 1, ())), "sha256:0")
    assert len(text.encode()) <= markdown.MOST_BYTES
    rows = [line for line in text.split("\n") if line.startswith("| `")]
    left = re.search(r"^\| … ([\d,]+) more are in `results.json` \|", text, re.MULTILINE)
    assert left is not None
    assert len(rows) + int(left[1].replace(",", "")) == 5_001
    assert ("Z-1@A1" in rows[0]) == (verdict is Verdict.PASS)
    assert text.endswith("digest `sha256:0`\n")


def test_no_room_is_no_crash(failed: Run) -> None:
    """Where what stands above has taken all of the room, a few lines say where the rest is."""
    text = markdown.render(failed, "sha256:0", most_bytes=0)
    assert "2 more tasks are in `results.json`" in text
    assert "| … 3 more are in `results.json` |" in text


def test_a_key_a_profile_and_a_digest_are_inert(failed: Run, make_task: Any) -> None:
    """A results.json that a stranger wrote names its tasks and its profile in code only."""
    hostile = "</td><script>x()</script> | @all ![i](http://e.vil) `` ```\n## owned\u202e <!-- &amp;"
    stale = make_task(f"{hostile}@A1", Verdict.STALE)
    run = replace(failed, profile=hostile, tasks=(make_task(f"{hostile}@A2", Verdict.FAIL), stale))
    text = markdown.render(run, f"sha256:{hostile}")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    bad = ("html_block", "html_inline", "image", "link_open")
    assert not [token for token in [*tokens, *inline] if token.type in bad]
    assert "@all" not in "".join(token.content for token in inline if token.type == "text")
    assert len([token for token in tokens if token.type == "heading_open"]) == 3
    assert "\u202e" not in text
