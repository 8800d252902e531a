"""The action and the workflow of pull requests, run by a runner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EVENT = {"number": 7, "pull_request": {"number": 7, "head": {"ref": "$(touch pwned)"}, "base": {"ref": "main"}}}
TASK = "evals/retrieval_prompt_paths/RET-02@A1.yaml"
ANSWER = "src/paperdesk/answer.py"
SHOWN = "        self.text += shown\n        return shown\n"

DROPPED = '        import re\n\n        shown = re.sub(r"[\\[\\]]|/paper/[a-z0-9-]*", "", shown)\n'
"""A defect: the answer cites nothing."""

SPEAKING = """        if shown:
            shown += "\\n::error title=pwned::a\\n ##[error]pwned\\n::set-output name=verdict::passed\\n"
            print(shown, flush=True)
"""
"""A subject that speaks to the runner, in its answer and in its log."""

CASES = """
on: pull_request
jobs:
  cases:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
      - run: cp -R cases/stale/. .
      - id: stale
        uses: ./
        continue-on-error: true
        with: {profile: dev, select: RET-02, install: "INSTALL"}
      - run: cp -R cases/plain/. . && cp -R cases/cassette/. .
      - id: cassette
        uses: ./
        continue-on-error: true
        with: {profile: dev, select: RET-02}
      - run: cp -R cases/plain/. . && cp -R cases/speaking/. .
      - id: speaking
        uses: ./
        continue-on-error: true
        with: {profile: dev, select: RET-02, annotations: false}
      - run: cp -R cases/plain/. .
      - id: hostile
        uses: ./
        continue-on-error: true
        with:
          select: |
            $(touch "$KEPT/pwned") `touch "$KEPT/pwned"` "; touch $KEPT/pwned
            ::set-output name=verdict::passed
            ##[error]pwned --profile=dev ${{ github.event.pull_request.head.ref }}
      - id: nowhere
        uses: ./
        continue-on-error: true
        with: {install: "exit 9"}
      - run: printf %s "$STEPS" >"$KEPT/steps.json" && find . -name pwned >"$KEPT/touched"
        env:
          STEPS: ${{ toJSON(steps) }}
"""
INSTALL = "pip install --quiet --no-deps --require-hashes -r requirements/gate.txt"


def test_the_workflow_of_pull_requests_passes_a_good_one(repository: Any, copy_project: Any, tmp_path: Path) -> None:
    """pr.yml as it stands ends with 0; its report is kept, and the digest is that of the gate run by hand."""
    plain = copy_project(tmp_path / "plain")
    assert plain.tapegate("run").code == 0
    ran = repository.run("pr.yml", EVENT, tmp_path / "kept")
    assert ran.code == 0, ran.told()
    assert (ran.kept / "tapegate-report" / "results.json").read_bytes() == plain.results()
    assert {"provenance.json", "report.md", "traces"} <= {
        path.name for path in (ran.kept / "tapegate-report").iterdir()
    }
    summary = ran.summary("gate")
    assert summary.startswith("## Tapegate: passed\n")
    assert ran.annotations("gate") == []
    (digest,) = [line.split()[1] for line in ran.log("gate").splitlines() if line.startswith("digest ")]
    assert f"`{digest}`" in summary


def test_the_workflow_of_pull_requests_fails_a_regression_at_its_line(repository: Any, tmp_path: Path) -> None:
    """A dropped citation is exit 1, an error on the line of the expectation, a summary, and a report all the same."""
    replace(repository.root / ANSWER, SHOWN, DROPPED + SHOWN)
    ran = repository.run("pr.yml", EVENT, tmp_path / "kept")
    assert ran.code == 1, ran.told()
    results = json.loads((ran.kept / "tapegate-report" / "results.json").read_bytes())
    assert results["gate"]["exit_code"] == 1
    assert "exit code 1" in ran.log("gate")
    assert ran.summary("gate").startswith("## Tapegate: failed\n")
    found = {(each.kind, each.line) for each in ran.annotations("gate") if each.file == TASK}
    lines = (repository.root / TASK).read_text().split("\n")
    expected = {("error", number) for number, text in enumerate(lines, 1) if "citations_local_min: 2" in text}
    assert found
    assert found <= expected
    titles = {each.title for each in ran.annotations("gate") if each.file == TASK}
    assert titles == {"RET-02@A1: citation_contract too_few_local_citations"}


def test_every_other_end_has_its_own_code_and_no_text_is_a_command(repository: Any, tmp_path: Path) -> None:
    """Stale is 4, a recording of other bytes 2, a hostile selection 2, a failed installation 3; see below for each."""
    cases = repository.root / "cases"
    changed = {
        "stale": ("src/paperdesk/policy.py", "Local first:", "Library first:"),
        "cassette": ("cassettes/retrieval_prompt_paths/RET-02@A1/trial-1.yaml", "nests", "Nests"),
        "speaking": (ANSWER, SHOWN, SPEAKING + DROPPED + SHOWN),
    }
    for name, (file, old, new) in changed.items():
        text = (repository.root / file).read_text("utf-8")
        for case, content in (("plain", text), (name, text.replace(old, new, 1))):
            target = cases / case / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, "utf-8")
        assert (cases / name / file).read_bytes() != (cases / "plain" / file).read_bytes()
    workflow = repository.root / ".github" / "workflows" / "cases.yml"
    workflow.write_text(CASES.replace("INSTALL", INSTALL))

    ran = repository.run("cases.yml", EVENT, tmp_path / "kept")
    steps = json.loads((ran.kept / "steps.json").read_bytes())
    codes = {name: steps[name]["outputs"]["exit-code"] for name in steps if "exit-code" in steps[name]["outputs"]}
    assert codes == {"stale": "4", "cassette": "2", "speaking": "1", "hostile": "2", "nowhere": "3"}, ran.told()
    assert {steps[name]["outputs"]["verdict"] for name in codes} == {"failed"}
    assert {steps[name]["outcome"] for name in codes} == {"failure"}

    stale, *_ = found = ran.annotations("stale")
    assert {(each.kind, each.file, each.title) for each in found} == {
        ("error", TASK, "RET-02@A1: replay prompt_changed")
    }
    assert "+- Library first:" in stale.text
    assert "tapegate record RET-02@A1 --stale" in stale.text

    assert ran.summary("cassette").startswith("## Tapegate: failed\n")
    assert {each.title for each in ran.annotations("cassette")} == {"RET-02@A1: input hash_mismatch"}

    # Both of these saw text that is a command elsewhere, and the runner obeyed none of it.
    assert ran.annotations("speaking") == []
    assert ran.commands("speaking") <= {"set-output", "summary"}
    assert "pwned" not in {output for step in steps.values() for output in step["outputs"].values()}
    assert "too_few_local_citations" in ran.summary("speaking")
    assert not (ran.kept / "pwned").exists()
    assert (ran.kept / "touched").read_text() == ""
    *each, more = ran.annotations("hostile")
    assert {annotation.title for annotation in each} == {"Tapegate: unknown_selection"}
    assert any("'name=verdict: :passed'" in annotation.text for annotation in each)
    assert more.text == "4 more findings are in the step summary"

    (nowhere,) = ran.annotations("nowhere")
    assert "the command of the input `install` ended with 9" in nowhere.text


def replace(path: Path, old: str, new: str) -> None:
    """Replace a piece of a file that stands there exactly once."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
