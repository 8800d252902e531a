"""The report as Markdown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import markdown

FAILED = """\
## Tapegate: failed

3 tasks: 1 passed, 1 failed, 1 stale.

- `1 task failed: RET-02@A1`

### fail: RET-02@A1

```text
citation_contract · too_few_local_citations
evals/retrieval/RET-02@A1.yaml:21
The answer cites too few local papers.
expected  at least 1 link to /paper/{id}
got       none
```

### stale: AGT-08@A1

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
| RET-02@A1 | fail | `search_local → read_paper` | 1,234 | 1.3 s |
| AGT-08@A1 | stale | `no tools` | 1,234 | 1.3 s |
| RET-01@A1 | pass | `search_local → read_paper` | 1,234 | 1.3 s |

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
    row = next(line for line in text.split("\n") if line.startswith("| RET-09"))
    assert row.count("|") == 6
    assert "\u202e" not in row
