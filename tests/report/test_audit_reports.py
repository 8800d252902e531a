"""The audit's reports."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from markdown_it import MarkdownIt

from tapegate.model.audit import Agreement, Audit, Draw, Drift, Fresh, Judged, Judgement, JudgePins, Recorded, Weekly
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Metrics
from tapegate.model.scores import Scores
from tapegate.report import audit_html, audit_markdown
from tapegate.report.audit import AuditFile

HOSTILE = "</q></td><script>x()</script> | @all ![i](http://e.vil) `` ```\n## owned\u202e <!-- &amp;"


@pytest.fixture
def made() -> Audit:
    """An audit of two answers, one of which the judge could not be read on."""
    finding = Finding("citation_contract", "paper_not_cited", "fail", HOSTILE, "evals/a.yaml", 1, 1)
    measured = Metrics(total_tokens=2000, input_tokens=1500, output_tokens=500, latency_e2e_ms=3000)
    judged = (
        Judged(
            "AUD-01@A1",
            1,
            Verdict.FAIL,
            Scores(2, 1, ("faithfulness: '4' stands in nothing that was read",)),
            Judgement(1, 1, HOSTILE, attempts=1, flags=("rationale_instructs_judge",), model="m"),
            measured,
            "citation_contract",
            (finding,),
        ),
        Judged(
            "AUD-02@A1",
            1,
            Verdict.PASS,
            Scores(2, 2),
            Judgement(None, None, "", "parse_error", ("prose: there is text", "not_json: the reply is not JSON"), 2),
            measured,
            "tool_trace",
            (),
        ),
    )
    table = ((0, 0, 0), (0, 1, 0), (0, 30, 9))
    interval = (Fraction(1, 10), Fraction(9, 10))
    agreed = (
        Agreement("accuracy_score", 40, table, 10, Fraction(1, 3), interval),
        Agreement("faithfulness_score", 1, ((0, 0, 0), (0, 1, 0), (0, 0, 0)), 1, None, None),
    )
    recorded = Recorded("AUD-01@A1", 1, 40, "2026-10-11T00:00:00Z", "abc", "live", "live", (f"m → {HOSTILE}",), None)
    drift = Drift(
        "2026-11-20",
        (recorded,),
        (HOSTILE,),
        (Fresh("AUD-01@A1", 1, ("another answer", f"tools none became {HOSTILE}")),),
    )
    pins = JudgePins("m", "1", "t", "a" * 64, {"temperature": 0, "max_tokens": 300}, ("max_tokens",))
    drawn = Draw("2026-W47", 14, 2, ("AUD-01@A1", "AUD-02@A1"), ("AUD-02@A1", "AUD-01@A1"))
    weekly = (Weekly("RET-07@A5", 1, Verdict.FAIL, (finding,)),)
    return Audit(drawn, (HOSTILE,), pins, judged, agreed, ("2026-W46", "2026-W47"), drift, weekly)


def test_markdown_is_inert_and_whole(made: Audit) -> None:
    """A model's text opens no heading, link, image, table cell or HTML; every section is there."""
    text = audit_markdown.render(made)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not [
        token for token in [*tokens, *inline] if token.type in ("html_block", "html_inline", "image", "link_open")
    ]
    headings = [token.content for place, token in enumerate(tokens) if tokens[place - 1].type == "heading_open"]
    assert headings == [
        "Weekly audit 2026-W47",
        "Scores",
        "Disagreements",
        "Agreement on accuracy",
        "Agreement on faithfulness",
        "Faults, flags and fallbacks",
        "Evals of the weekly audit alone",
        "Drift of the recordings",
        "What a fresh recording would change",
    ]
    rows = {len(line.split(" | ")) for line in text.splitlines() if line.startswith("| AUD-01@A1[1] | accuracy")}
    assert rows == {6}
    assert "- Cohen's kappa 0.3333, 95 % interval 0.1000 to 0.9000." in text
    assert "- No kappa below 30 pairs: the table says all there is." in text
    assert "not the rubric's default: max_tokens" in text
    assert "\u202e" not in text


def test_recordings_that_are_alike_share_a_row(made: Audit) -> None:
    """Fifty tasks of one day, one model and one prompt are one line; another prompt is another."""
    (one,) = made.drift.recordings
    keys = ("A-1@A1", "A-2@A1", "B-1@A1")
    known = tuple(replace(one, key=key, prompt_sha256="b" * 64 if key[0] == "B" else None) for key in keys)
    text = audit_markdown.render(replace(made, drift=replace(made.drift, recordings=known)))
    assert "| A-1@A1, A-2@A1 | 2026-10-11 | 40 |" in text
    assert "| B-1@A1 | 2026-10-11 | 40 |" in text


def test_html_is_inert_and_self_contained(made: Audit) -> None:
    """Nothing of a model's text is markup, nothing is loaded, and nothing may be."""
    page = audit_html.render(made)
    assert "<script" not in page
    assert "src=" not in page.replace("src=&quot;", "")
    assert 'http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;' in page
    assert page.count("<h2>") == 8
    assert "\u202e" not in page


def test_json_says_who_said_what(made: Audit) -> None:
    """Nulls and the evaluator's error, both raters' aggregates, exact numbers beside rounded ones."""
    raw = AuditFile.of(made).to_bytes()
    document = json.loads(raw)
    first, second = document["judged"]
    assert (first["differs"], second["differs"]) == (True, False)
    assert (second["judge"]["evaluator_error"], second["judge"]["accuracy_score"]) == ("parse_error", None)
    assert first["judge"]["evaluator_error"] is None
    assert document["rubric"]["deterministic"]["n_scored"] == 2
    assert document["rubric"]["judge"]["n_scored"] == 1
    assert document["agreement"][0]["kappa_exact"] == "1/3"
    assert AuditFile.of(replace(made, judged=made.judged)).to_bytes() == raw


def test_an_audit_of_nothing_is_told(made: Audit) -> None:
    """Without a judge, an answer and a recording there is still a report."""
    drift = Drift("2026-11-20", (), (), None)
    empty = replace(
        made, judge=None, judged=(), agreement=(), drift=drift, weekly=(), notes=("no judge is configured",)
    )
    text = audit_markdown.render(empty)
    assert "- `no judge is configured`" in text
    assert "- Nothing is recorded." in text
    assert "Agreement" not in text
    assert "<h1>" in audit_html.render(empty)
    assert json.loads(AuditFile.of(empty).to_bytes())["rubric"]["judge"]["verdict"] == "no_data"
